//! **Blind.** Every state is estimated at 0: searches behave as if there were no heuristic.
//!
//! Claims: consistent.
//!
//! Example: `astar(h=blind)` expands what `dijkstra` expands.

use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation, SlotSet};

use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "blind",
    summary: "0 for every state",
    cite: "",
    params: &[],
    claims: "consistent",
    build: |_, _| Ok(Box::new(Blind)),
};

pub struct Blind;

impl Heuristic for Blind {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::CONSISTENT
    }

    /// Nothing costs less than nothing.
    fn is_about_prices(&self) -> bool {
        true
    }

    fn looks_at(&self) -> Option<SlotSet> {
        Some(SlotSet::default())
    }

    fn estimate(&mut self, _at: Situation<'_>) -> Estimate {
        Estimate::ZERO
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(Blind))
    }
}
