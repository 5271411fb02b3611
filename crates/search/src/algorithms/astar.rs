//! **A\*.** The state with the smallest f = g + h first: the cost so far and the estimate of the rest.
//!
//! Paper: Hart, Nilsson, Raphael 1968, "A formal basis for the heuristic determination of minimum cost paths"; in model
//! checking: Edelkamp, Lluch Lafuente, Leue 2001 (Table 1: re-opening of closed states).
//!
//! Claims: complete. Optimal if the heuristic is admissible: an error counts when it is taken from the open list, not
//! when it is generated, and a state reached at less cost is opened again. A heuristic that is also consistent makes
//! that second expansion unnecessary.
//!
//! Cost: every state with f below the optimum is expanded, and some at the optimum: ties decide how many.
//!
//! Fails: when the heuristic is near 0 in most states; then it is breadth-first search with a more expensive queue.
//!
//! Example: `astar(h=deadlock-formula)` finds the deadlock of n dining philosophers by n + 1 expansions.

use crate::algorithms::{ADMISSIBLE_HEURISTIC, SEED};
use crate::configuration::GuidedSearch;
use crate::engines::Revisit;
use crate::evaluators::Weights;
use crate::open_lists::Ties;
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "astar",
    summary: "the smallest sum of cost and estimate first; shortest errors with an admissible heuristic",
    cite: "Hart, Nilsson, Raphael 1968; Edelkamp, Lluch Lafuente, Leue 2001",
    params: &[ADMISSIBLE_HEURISTIC, Ties::LOW_H_FIRST, SEED],
    claims: Claims { complete: Promise::Always, optimal: Promise::Admissible },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        Ok(Box::new(GuidedSearch {
            name: "astar",
            heuristic: cx.heuristic(args),
            weights: Weights::ASTAR,
            ties: Ties::from_args(args, cx.seed),
            revisit: Revisit::Cheaper,
            depth: None,
            budget: None,
        }))
    },
};
