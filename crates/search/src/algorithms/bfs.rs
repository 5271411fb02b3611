//! **Breadth-first search by length.** Expands states in the order of the length of the shortest path to them.
//!
//! Paper: Moore 1959, "The shortest path through a maze"; with weights, Dijkstra 1959, "A note on two problems in
//! connexion with graphs", on the bucket queue of Dial 1969.
//!
//! Claims: complete and optimal. A macro step weighs as many micro steps as it has (or costs what the model says), so
//! this is breadth-first search only if all steps weigh the same; in general a state may be reached again on a shorter
//! path and an error is reported only when nothing shorter is left.
//!
//! Cost: each reachable state up to the depth of the error is expanded once; constant time for each successor.
//!
//! Fails: when the error lies deep and the state space is wide, memory ends before the error is met.
//!
//! Example: from `a`, one step of weight 5 leads to an error, and two steps of weight 1 to another. The first is
//! generated first; the second, of length 2, is reported.

use bughound_kernel::registry::{Param, ParamKind};

use crate::algorithms::SEED;
use crate::configuration::{BlindSearch, Order};
use crate::costs::Costs;
use crate::open_lists::TieBreak;
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use bughound_kernel::Random;

pub(super) const ENTRY: Entry = Entry {
    name: "bfs",
    summary: "shortest paths first; the first error is a shortest one",
    cite: "Moore 1959; Dijkstra 1959; Dial 1969",
    params: &[
        Param {
            name: "ties",
            summary: "which of the states at the same length is expanded first",
            kind: ParamKind::Choice { options: &["fifo", "lifo", "random"] },
        },
        SEED,
    ],
    claims: Claims { complete: Promise::Always, optimal: Promise::Always },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let ties = match args.choice("ties") {
            Some("lifo") => TieBreak::Lifo,
            Some("random") => TieBreak::Random(Random::new(cx.seed(args))),
            _ => TieBreak::Fifo,
        };
        let order = Order::ShortestFirst(ties);
        Ok(Box::new(BlindSearch { name: "bfs", order, costs: Costs::Additive, depth: None, budget: None, keep: None }))
    },
};
