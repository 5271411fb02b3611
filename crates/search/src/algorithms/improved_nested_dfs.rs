//! **Improved nested depth-first search.** Nested depth-first search that knows the strongly connected components of the
//! claim: where every cycle is accepting it needs no second walk, where none is it looks for none, and elsewhere the second
//! walk stays inside the component.
//!
//! Paper: Edelkamp, Lluch Lafuente, Leue 2001, "Directed explicit model checking with HSF-SPIN", Fig. 5 (its recursive call
//! must be to the improved search itself).
//!
//! Claims: complete; not optimal.
//!
//! Cost: that of nested depth-first search or less. With weak fairness no component has only accepting cycles.
//!
//! Fails: where nested depth-first search does.
//!
//! Example: the claim of a response property has no component that needs a second walk.

use crate::algorithms::nested_dfs::{IMPROVE, finish};
use crate::configuration::BlindSearch;
use crate::engines::{CycleSearch, Way};
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "improved-nested-dfs",
    summary: "for cycles: nested-dfs that looks twice only where the claim makes it necessary",
    cite: "Edelkamp, Lluch Lafuente, Leue 2001",
    params: &[IMPROVE],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::OneCondition,
    build: |_, args| {
        Ok(Box::new(CycleSearch {
            name: "improved-nested-dfs",
            ways: vec![(Way::Nested { by_region: true }, None)],
            finish: finish(args),
            for_states: Box::new(BlindSearch::depth_first("improved-nested-dfs")),
        }))
    },
};
