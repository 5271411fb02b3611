//! **Search for accepting components.** One depth-first walk that merges strongly connected components as it closes cycles,
//! and stops as soon as one of them fulfils all conditions.
//!
//! Paper: Couvreur 1999, "On-the-fly verification of linear temporal logic"; Couvreur, Duret-Lutz, Poitrenaud 2005,
//! "On-the-fly emptiness checks for generalized Büchi automata".
//!
//! Claims: complete; not optimal.
//!
//! Cost: each state is expanded once. Weak fairness costs no states: every process is a condition of its own.
//!
//! Fails: where the first cycle lies behind a large part without any. Needs a number for each state, so it cannot be run
//! with a bit array.
//!
//! Example: `scc(improve=false)` reports a cycle of the first accepting component as it was found.

use crate::algorithms::nested_dfs::{IMPROVE, finish};
use crate::configuration::BlindSearch;
use crate::engines::{CycleSearch, Way};
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "scc",
    summary: "for cycles: depth-first search for an accepting strongly connected component",
    cite: "Couvreur 1999; Couvreur, Duret-Lutz, Poitrenaud 2005",
    params: &[IMPROVE],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::AnyConditions,
    build: |_, args| {
        Ok(Box::new(CycleSearch {
            name: "scc",
            ways: vec![(Way::Components, None)],
            finish: finish(args),
            for_states: Box::new(BlindSearch::depth_first("scc")),
        }))
    },
};
