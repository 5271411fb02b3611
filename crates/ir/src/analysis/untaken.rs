//! Statements that no edge executes: no path of the control-flow graph leads to them, guards ignored.

use std::collections::BTreeSet;

use crate::analysis::edges_of;
use crate::network::{Network, TemplateId};
use crate::source::Span;

/// The statements of a template, by index, that none of its edges from a reachable location executes. A text that stands
/// for several statements (the body of an inline) counts as executed if any of them is.
pub fn untaken(network: &Network, template: TemplateId) -> Vec<u32> {
    let statements = &network.template(template).statements;
    let unreachable: BTreeSet<_> = super::unreachable::unreachable(network).into_iter().collect();
    let edges = edges_of(network, template).filter(|(_, edge)| !unreachable.contains(&edge.from));
    let taken: BTreeSet<u32> = edges.flat_map(|(_, edge)| &edge.statements).copied().collect();
    let spans: BTreeSet<Span> = taken.iter().map(|s| statements[*s as usize].span).collect();
    let all = 0..statements.len() as u32;
    all.filter(|s| !taken.contains(s) && !spans.contains(&statements[*s as usize].span)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
    use crate::network::Statement;
    use crate::source::FileId;

    #[test]
    fn a_statement_behind_a_jump_is_found() {
        let mut net = NetworkBuilder::new("jump");
        let mut t = TemplateBuilder::new("t");
        let (a, island) = (t.location("a"), t.location("island"));
        for at in 0..2 {
            let span = Span::new(FileId(0), at, at + 1);
            t.statements.push(Statement { text: format!("s{at}"), span });
        }
        let mut taken = EdgeSpec::new(a, a);
        taken.edge.statements = vec![0];
        t.edge(taken);
        let mut lost = EdgeSpec::new(island, a);
        lost.edge.statements = vec![1];
        t.edge(lost);
        let t = net.template(t, a);
        net.start(t, vec![]);
        assert_eq!(untaken(&net.finish().unwrap(), t), [1]);
    }
}
