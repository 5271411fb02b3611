//! **K-best-first search.** The k states that seem closest to an error are expanded together, then the next k.
//!
//! Paper: Felner, Kraus, Korf 2003, "KBFS: K-best-first search"; Edelkamp et al. 2008.
//!
//! Claims: complete; not optimal. With k = 1 it is greedy search, with large k it becomes breadth-first search.
//!
//! Cost: as greedy search, with more breadth: a misleading estimate costs at most every k-th expansion.
//!
//! Fails: slowly, where greedy search fails at once.
//!
//! Example: `k-best-first(h=formula, k=20)`.

use crate::algorithms::{HEURISTIC, width};
use crate::configuration::BeamSearch;
use crate::evaluators::Weights;
use crate::open_lists::{BeamShape, Levels, Rest};
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "k-best-first",
    summary: "the k best states together, then the next k",
    cite: "Felner, Kraus, Korf 2003; Edelkamp et al. 2008",
    params: &[HEURISTIC, width(10)],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let shape = BeamShape {
            width: args.integer("k").unwrap_or(10) as usize,
            flexible: false,
            levels: Levels::Steps,
            rest: Rest::Kept,
            per_state: None,
        };
        Ok(Box::new(BeamSearch::new("k-best-first", cx.heuristic(args), Weights::GREEDY, shape)))
    },
};
