//! **h^max.** The cost of the costliest fact that an error needs, if facts never go away.
//!
//! As [`hl`](crate::hl), but the conditions of a guard on the same variable must hold of the same value: `x > 1 && x < 3` needs
//! the value 2, where `hl` is content with a 0 and a 4.
//!
//! Paper: Bonet, Geffner, "Planning as heuristic search", Artificial Intelligence 129 (2001).
//!
//! Claims: consistent.
//!
//! Cost: at most one look at every precondition of every step of the model, for each state; those that hold in the state
//! are looked at when they come or go.
//!
//! Fails where many facts are needed that are all near: only the farthest counts. See `hadd` and `hff`.
//!
//! Example: `astar(h=hmax)`.

use crate::cost::Combine;
use crate::hl::GoalCost;
use crate::registry::Entry;
use crate::relaxation::Detail;

pub(super) const ENTRY: Entry = Entry {
    name: "hmax",
    summary: "cost of the costliest fact that an error needs, if facts never go away",
    cite: "Bonet, Geffner 2001",
    params: &[],
    claims: "consistent",
    build: |cx, _| Ok(Box::new(GoalCost::new(cx, Detail::VALUES, Combine::Max))),
};
