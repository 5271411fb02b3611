//! Costs of steps and of sequences of them: small numbers with an infinity.

use bughound_ir::analysis::has_rendezvous;
use bughound_ir::edge::{Edge, Sync};
use bughound_ir::network::Network;

pub type Cost = u32;

/// It cannot happen. Finite costs that are too large for the type stay just below: still a lower bound.
pub const INFINITE: Cost = u32::MAX;

#[inline]
pub fn plus(a: Cost, b: Cost) -> Cost {
    if a == INFINITE || b == INFINITE { INFINITE } else { a.saturating_add(b).min(INFINITE - 1) }
}

/// `count` times `unit`.
pub fn times(count: u64, unit: Cost) -> Cost {
    count.saturating_mul(u64::from(unit)).min(u64::from(INFINITE - 1)) as Cost
}

pub fn from_weight(weight: u64) -> Cost {
    times(weight, 1)
}

/// What a process pays at least for taking an edge.
pub fn move_weights(network: &Network) -> Vec<Cost> {
    let least = |test: fn(&Sync) -> bool| {
        let starting = network.edges.iter().filter(|edge| test(&edge.sync));
        starting.map(|edge| from_weight(edge.weight)).min().unwrap_or(INFINITE)
    };
    let send = if has_rendezvous(network) { least(|s| matches!(s, Sync::Send { .. })) } else { INFINITE };
    let emit = least(|s| matches!(s, Sync::Emit { .. }));
    let join = least(|s| matches!(s, Sync::Join { .. }));
    let weight = |edge: &Edge| {
        let own = from_weight(edge.weight);
        match edge.sync {
            Sync::Accept { .. } => own.min(emit),
            Sync::Join { .. } => own.min(join),
            Sync::Receive { .. } => own.min(send),
            _ if edge.program.is_some() => own.min(send), // it may start with a receive
            _ => own,
        }
    };
    network.edges.iter().map(weight).collect()
}
