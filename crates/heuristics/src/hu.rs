//! **h^U.** The cost of a relaxed plan taken from the layers of [`hl`](crate::hl).
//!
//! Backwards from the error, layer by layer: for every fact that is needed, a step of the layer before that brings it about;
//! one that is in the plan already if there is one, otherwise the one whose preconditions lie in the lowest layers
//! altogether. Steps count once for each value that they have to assign. Those that can be taken at once are preferred.
//!
//! Paper: Kupferschmid, Hoffmann, Dierks, Behrmann, "Adapting an AI planning heuristic for directed model checking", SPIN
//! 2006. `increments=shortcut`: as for `hl`; the plan counts all values on the way nevertheless.
//!
//! Claims: safe. Not admissible: there may be a cheaper plan.
//!
//! Cost: as `hl`, and for each fact of the plan a look at all steps that bring it about.
//!
//! Fails where the same thing has to be done many times.
//!
//! Example: `greedy(h=hu)`; two processes that have to get to a place on their own count both, while `hl` sees the farther one.

use crate::cost::Combine;
use crate::hff::Plans;
use crate::hl::{INCREMENTS, detail_of};
use crate::registry::Entry;
use crate::relaxation::plan::Choice;

pub(super) const ENTRY: Entry = Entry {
    name: "hu",
    summary: "cost of a relaxed plan taken from the layers of `hl`",
    cite: "Kupferschmid, Hoffmann, Dierks, Behrmann 2006",
    params: &[INCREMENTS],
    claims: "safe",
    build: |cx, args| Ok(Box::new(Plans::new(cx, detail_of(args), Combine::Max, Choice::EasiestInLayer))),
};
