//! **Symbolic A\*.** Sets of states with one cost and one estimate as decision diagrams, the smallest sum first.
//!
//! Papers: Edelkamp, Reffel 1998, "OBDDs in heuristic search" (BDDA\*: `buckets=sum`); Jensen, Bryant, Veloso 2002, "SetA\*: an
//! efficient BDD-based heuristic search algorithm" (`buckets=cost-and-estimate`).
//!
//! Claims: complete; optimal, for it takes consistent heuristics only. It needs one that says which variables it looks at: pattern
//! databases, and what combines them.
//!
//! Cost: at most (f + 1) (f + 2) / 2 sets take their steps before an error of cost f is found. Their diagrams are smaller than those
//! of whole layers if the heuristic tells states apart that differ in other ways, too.
//!
//! Fails: where the estimate depends on many variables: it is learned combination by combination, and cuts sets to pieces.
//!
//! Example: `symbolic-astar(h=pdb)`.

use bughound_kernel::registry::{Param, ParamKind};
use bughound_search::algorithms::ADMISSIBLE_HEURISTIC;
use bughound_search::registry::{Claims, CycleSupport, Entry, Promise};

use crate::forward::Buckets;
use crate::symbolic::Symbolic;

const BUCKETS: Param = Param {
    name: "buckets",
    summary: "which states take steps together: those of one cost and one estimate (SetA*), or of one sum (BDDA*)",
    kind: ParamKind::Choice { options: &["cost-and-estimate", "sum"] },
};

const HEURISTIC: Param =
    Param { kind: ParamKind::Nested { what: "heuristic", default: "pdb" }, ..ADMISSIBLE_HEURISTIC };

pub(super) const ENTRY: Entry = Entry {
    name: "symbolic-astar",
    summary: "sets of states of one cost and one estimate as decision diagrams; shortest errors",
    cite: "Edelkamp, Reffel 1998; Jensen, Bryant, Veloso 2002",
    params: &[HEURISTIC, BUCKETS],
    claims: Claims { complete: Promise::Always, optimal: Promise::Always },
    cycles: CycleSupport::Nothing,
    build: |cx, args| {
        let buckets = match args.choice(BUCKETS.name) {
            Some("sum") => Buckets::Sum,
            _ => Buckets::CostAndEstimate,
        };
        Ok(Box::new(Symbolic { order: None, heuristic: Some(cx.heuristic(args)), buckets }))
    },
};
