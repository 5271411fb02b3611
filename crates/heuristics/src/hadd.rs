//! **h^add.** The sum of the costs of all facts that an error needs, if facts never go away.
//!
//! As [`hmax`](crate::hmax), but preconditions are taken to be independent: the cost of a step is its own plus the sum of the
//! costs of its preconditions.
//!
//! Paper: Bonet, Geffner, "Planning as heuristic search", Artificial Intelligence 129 (2001).
//!
//! Claims: safe. Not admissible: what serves several purposes counts several times.
//!
//! Cost: as `hmax`, and a little more, because costs spread further apart.
//!
//! Fails where facts share their way: then it estimates far too much, and `hff` is better.
//!
//! Example: `greedy(h=hadd)`.

use crate::cost::Combine;
use crate::hl::GoalCost;
use crate::registry::Entry;
use crate::relaxation::Detail;

pub(super) const ENTRY: Entry = Entry {
    name: "hadd",
    summary: "sum of the costs of all facts that an error needs, if facts never go away",
    cite: "Bonet, Geffner 2001",
    params: &[],
    claims: "safe",
    build: |cx, _| Ok(Box::new(GoalCost::new(cx, Detail::VALUES, Combine::Sum))),
};
