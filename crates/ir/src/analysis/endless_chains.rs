//! Whether a run can stay inside `atomic` for ever, as far as the control flow tells.
//!
//! A macro step goes on as long as somebody keeps control. If it never ends, somebody goes round in his own automaton: on edges
//! that keep control, or on sends over rendezvous channels, which hand it to a receiver that keeps it.

use bughound_kernel::Components;

use super::edges_of;
use crate::edge::{Edge, Sync};
use crate::network::{Network, TemplateId};

/// Over-approximates: guards and values are not looked at.
pub fn may_stay_inside(network: &Network) -> bool {
    let receives = |edge: &Edge| matches!(edge.sync, Sync::Receive { .. }) || edge.program.is_some();
    let mut channels = network.channels.iter().chain(network.templates.iter().flat_map(|template| &template.channels));
    let hands_over = channels.any(|channel| channel.capacity == 0)
        && network.edges.iter().any(|edge| edge.keeps_control && receives(edge));
    let goes_on = |edge: &Edge| edge.keeps_control || (hands_over && matches!(edge.sync, Sync::Send { .. }));
    (0..network.templates.len()).any(|template| {
        let template = TemplateId(template as u32);
        let first = network.template(template).locations.iter().map(|l| l.0).min().unwrap_or(0);
        let mut ways: Vec<Vec<u32>> = Vec::new();
        for (_, edge) in edges_of(network, template).filter(|(_, edge)| goes_on(edge)) {
            let from = (edge.from.0 - first) as usize;
            ways.resize_with(ways.len().max(from + 1), Vec::new);
            ways[from].extend(edge.destinations.iter().map(|destination| destination.to.0 - first));
        }
        let nodes = ways.iter().flatten().map(|to| *to as usize + 1).max().unwrap_or(0).max(ways.len());
        let leaving = |from: usize| ways.get(from).map_or(&[][..], |all| all);
        let components = Components::new(nodes, |from, next| next.extend_from_slice(leaving(from)));
        let around = (0..nodes).any(|from| leaving(from).contains(&(from as u32)));
        around || components.count < nodes
    })
}
