//! **Iterative deepening.** Depth-first search below a bound on the length, again and again; the next bound is the least
//! length that was cut off.
//!
//! Paper: Slate, Atkin 1977, "CHESS 4.5"; Korf 1985, "Depth-first iterative-deepening: an optimal admissible tree
//! search".
//!
//! Claims: complete and optimal, unless `visited=bitstate`. As IDA* with an estimate of 0.
//!
//! Cost: one pass for each length up to that of the error. On trees the last pass outweighs all others; on graphs with
//! `visited=exact` it is a breadth-first search that expands its states many times and keeps the depth-first stack.
//!
//! Fails: when the error is deep, or with `visited=none`, when many paths lead to the same states.
//!
//! Example: `iterative-deepening(visited=none)` needs memory for one path only.

use crate::algorithms::SEED;
use crate::algorithms::idastar::{CLAIMS, Deepening};
use crate::algorithms::visited::{BITS, VISITED, remember};
use crate::registry::{CycleSupport, Entry};

pub(super) const ENTRY: Entry = Entry {
    name: "iterative-deepening",
    summary: "depth-first below a bound on the length that rises from pass to pass; shortest errors",
    cite: "Slate, Atkin 1977; Korf 1985",
    params: &[VISITED, BITS, SEED],
    claims: CLAIMS,
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        Ok(Box::new(Deepening {
            name: "iterative-deepening",
            heuristic: None,
            remember: remember(args, cx.seed(args)),
            by_estimate: false,
        }))
    },
};
