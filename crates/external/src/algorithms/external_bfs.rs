//! **External breadth-first search by length.** As `bfs`, with the states on disk: layer by layer, duplicates found late.
//!
//! Paper: Munagala, Ranade 1999, "I/O-complexity of graph algorithms" (duplicates are found by sorting and by comparison with
//! earlier layers); Korf 2004, "Best-first frontier search with delayed duplicate detection". Their graphs are undirected, so two
//! earlier layers are enough; here a step leads anywhere, and a layer is compared with all that was expanded.
//!
//! Claims: complete and optimal, as `bfs`.
//!
//! Cost: each state is written two or three times in large pieces, and read as often. A layer takes a pass over what was expanded; if
//! it is small beside that, a pass over its hashes, about six bytes for each.
//!
//! Fails: when the disk is full. Slow where there are thousands of layers and very many states before them.
//!
//! Example: `--search external-bfs --max-memory 1G --disk DIR` explores what would take ten times as much memory.

use bughound_search::registry::{Claims, CycleSupport};
use bughound_search::{Entry, Promise};

use crate::search::External;

pub(super) const ENTRY: Entry = Entry {
    name: "external-bfs",
    summary: "shortest paths first, with the states on disk (--disk, --max-disk, --max-memory)",
    cite: "Munagala, Ranade 1999; Korf 2004",
    params: &[],
    claims: Claims { complete: Promise::Always, optimal: Promise::Always },
    cycles: CycleSupport::ByRecording,
    build: |_, _| Ok(Box::new(External { name: "external-bfs", heuristic: None, budget: None })),
};
