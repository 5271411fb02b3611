//! Locations that no path of the control-flow graph leads to, guards ignored.

use crate::network::{LocationId, Network};

/// The unreachable locations of all templates, in ascending order. A location of a template that no process can have is
/// judged as if one could.
pub fn unreachable(network: &Network) -> Vec<LocationId> {
    let mut seen = vec![false; network.locations.len()];
    let mut todo: Vec<LocationId> = network.templates.iter().map(|t| t.initial).collect();
    while let Some(location) = todo.pop() {
        if !std::mem::replace(&mut seen[location.0 as usize], true) {
            for edge in &network.location(location).edges {
                todo.extend(network.edge(*edge).destinations.iter().map(|d| d.to));
            }
        }
    }
    let all = network.templates.iter().flat_map(|t| &t.locations).copied();
    all.filter(|l| !seen[l.0 as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};

    #[test]
    fn a_location_without_way_in_is_found() {
        let mut net = NetworkBuilder::new("island");
        let mut t = TemplateBuilder::new("t");
        let (a, b, island) = (t.location("a"), t.location("b"), t.location("island"));
        t.edge(EdgeSpec::new(a, b));
        t.edge(EdgeSpec::new(island, b));
        let t = net.template(t, a);
        net.start(t, vec![]);
        let network = net.finish().unwrap();
        assert_eq!(unreachable(&network), [LocationId(3)]);
    }
}
