//! **Shortest lasso.** Finds an accepting cycle, then looks for shorter lassos until it is proven that there are none: the
//! states are taken as heads of loops in the order of their distance from the start.
//!
//! Paper: the reduction to shortest paths is that of Biere, Artho, Schuppan 2002, "Liveness checking as safety checking";
//! here without the copy of the state.
//!
//! Claims: complete; optimal: no path and cycle of the product with the claim are shorter together.
//!
//! Cost: memory for the states and the steps between them. For each state nearer to the start than the length of the
//! shortest lasso, a search over the states within that length.
//!
//! Fails: when very many states lie within the length of the shortest lasso.
//!
//! Example: on a ring of n states without stem the lasso has n steps.

use crate::algorithms::HEURISTIC;
use crate::algorithms::auto::hunt_for_cycles;
use crate::configuration::BlindSearch;
use crate::engines::{CycleSearch, Effort, Finish};
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "shortest-lasso",
    summary: "for cycles: the shortest way to a cycle and around it, proven",
    cite: "Biere, Artho, Schuppan 2002",
    params: &[HEURISTIC],
    claims: Claims { complete: Promise::Always, optimal: Promise::Always },
    cycles: CycleSupport::AnyConditions,
    build: |cx, args| {
        Ok(Box::new(CycleSearch {
            name: "shortest-lasso",
            ways: hunt_for_cycles(cx.heuristic(args)),
            finish: Finish::Shorten(Effort::AsMuchAsItTakes),
            for_states: Box::new(BlindSearch::breadth_first("shortest-lasso")),
        }))
    },
};
