//! **Dijkstra's algorithm** in a cost algebra. The state on the best path first, whatever "best" means.
//!
//! Paper: Dijkstra 1959, "A note on two problems in connexion with graphs"; for algebras: Edelkamp, Jabbar, Lluch
//! Lafuente 2005, "Cost-algebraic heuristic search".
//!
//! Claims: complete. Optimal in every algebra offered, because all of them are isotone (see `costs.rs`).
//!
//! Cost: one expansion for each state; a heap in place of buckets where costs are no small numbers.
//!
//! Fails: as breadth-first search, when the error is deep and the state space is wide.
//!
//! Example: `dijkstra(cost=bottleneck)` finds the error whose costliest step is cheapest.

use bughound_kernel::registry::{Param, ParamKind};

use crate::configuration::{BlindSearch, Order};
use crate::costs::{self, Costs};
use crate::open_lists::TieBreak;
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "dijkstra",
    summary: "the state on the best path first, for several meanings of best",
    cite: "Dijkstra 1959; Edelkamp, Jabbar, Lluch Lafuente 2005",
    params: &[Param {
        name: "cost",
        summary: "what a path costs: sum of the weights, largest weight, smallest weight (large is good), product of \
                  the probabilities, smallest probability",
        kind: ParamKind::Choice { options: costs::NAMES },
    }],
    claims: Claims { complete: Promise::Always, optimal: Promise::Always },
    cycles: CycleSupport::ByRecording,
    build: |_, args| {
        let costs = args.choice("cost").and_then(Costs::from_name).unwrap_or_default();
        let order = Order::ShortestFirst(TieBreak::Fifo);
        Ok(Box::new(BlindSearch { name: "dijkstra", order, costs, depth: None, budget: None, keep: None }))
    },
};
