//! **External A\*.** As `astar`, with the states on disk in buckets of equal cost and estimate.
//!
//! Paper: Edelkamp, Jabbar, Schrödl 2004, "External A*"; in model checking: Jabbar, Edelkamp 2005, "I/O efficient directed model
//! checking"; with weights: Edelkamp, Jabbar 2006.
//!
//! Claims: complete; optimal if the heuristic is admissible. Where it is not consistent, states are expanded again, as by `astar`.
//!
//! Cost: as `external-bfs`, but a bucket is compared only with what was expanded with the same estimate. Estimates are made
//! when a state is generated, duplicates included.
//!
//! Fails: when the disk is full; or with so many different costs and estimates that each bucket has a few states.
//!
//! Example: `--search 'external-astar(h=formula)' --disk DIR`.

use bughound_kernel::registry::{Param, ParamKind};
use bughound_search::registry::{Claims, CycleSupport};
use bughound_search::{Entry, Promise};

use crate::search::External;

pub(super) const ENTRY: Entry = Entry {
    name: "external-astar",
    summary: "the smallest sum of cost and estimate first, with the states on disk",
    cite: "Edelkamp, Jabbar, Schrödl 2004; Jabbar, Edelkamp 2005",
    params: &[Param {
        name: "h",
        summary: "the heuristic; shortest errors need an admissible one",
        kind: ParamKind::Nested { what: "heuristic", default: "auto(admissible=true)" },
    }],
    claims: Claims { complete: Promise::Always, optimal: Promise::Admissible },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        Ok(Box::new(External { name: "external-astar", heuristic: Some(cx.heuristic(args)), budget: None }))
    },
};
