//! **Breadth-first search by several machines.** Layer by layer in the order of costs; each state belongs to the worker that its
//! hash says, which keeps it and expands it.
//!
//! Papers: Stern, Dill 1997, "Parallelizing the Murφ verifier" (states sent to their owners); Lerda, Sisto 1999, "Distributed-memory
//! model checking with SPIN"; with layers by cost, Dijkstra's order. Termination and the ends of layers by progress tracking: Murray,
//! McSherry, Isaacs, Isard, Barham, Abadi 2013, "Naiad".
//!
//! Claims: complete and optimal, as `bfs` is: a layer begins when nothing cheaper is open or under way at any worker
//! (`exchange.rs`, `worker/mod.rs` have the argument), so a state is expanded once, at its least cost.
//!
//! Cost: each state is stored once in the cluster and expanded once; of the successors, with n workers all but one of n are sent,
//! packed and in batches, unless the same was sent not long before. The end of each layer takes a few messages of all to all.
//!
//! Fails: where there are many layers with few states, workers wait for each other most of the time; one machine is faster then.
//!
//! Example: `bughound cluster --local 4 model.pml` searches with four processes of this machine.

use bughound_search::evaluators::ByLength;
use bughound_search::open_lists::{BucketQueue, TieBreak};
use bughound_search::registry::CycleSupport;
use bughound_search::{Claims, Driver, Entry, Promise, Search, SearchError, SearchResult, Task};

use crate::crew::Crew;
use crate::worker::Agenda;

pub(super) const ENTRY: Entry = Entry {
    name: "cluster-bfs",
    summary: "shortest paths first, by workers that each own a part of the states, on one machine or many",
    cite: "Stern, Dill 1997; Lerda, Sisto 1999; Murray et al. 2013",
    params: &[],
    claims: Claims { complete: Promise::Always, optimal: Promise::Always },
    cycles: CycleSupport::ByRecording,
    build: |_, _| Ok(Box::new(ClusterBfs)),
};

struct ClusterBfs;

impl Search for ClusterBfs {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn uses_threads(&self) -> bool {
        true
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let member = |_| (Agenda::InLayers(BucketQueue::new(TieBreak::Fifo)), ByLength);
        Crew { phase: ENTRY.name, members: (0..driver.threads()).map(member).collect() }.search(task, driver)
    }
}
