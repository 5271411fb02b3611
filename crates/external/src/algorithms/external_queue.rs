//! **External search by several processes.** Every process that runs the same search on the same model with the same `--disk DIR`
//! takes part in it: on one machine, or on several that share the folder. They join when they like and leave when they have to.
//!
//! Paper: Jabbar, Edelkamp 2006, "Parallel external directed model checking with linear I/O": a queue of requests on disk.
//!
//! Claims: complete and optimal, as `bfs`. All processes that stay until the end have the same answer and the same counts, however
//! many there are, and whoever was killed on the way. What others have done by the time a process joins is not done again.
//!
//! Cost: as `external-bfs`, divided by the number of processes where layers are large. Each layer takes two requests for each part
//! that has states, and some files for each: with many small layers it is slower than one process alone.
//!
//! What lies in the folder stays there until somebody has an answer: a search that was ended by a limit or killed is continued by
//! the next process that joins. Whoever is the last to have the answer removes it all. A process that gives no sign of life
//! for `lease` seconds is taken for dead, and others do what it had begun; if it was only slow, nothing is lost but time.
//!
//! Fails: with clocks (refused); where the folder cannot create a file that must not exist or rename in one step; when the model is
//! changed in a place that is far from the initial states while an unfinished search of the old one lies in the folder.
//!
//! Example: `bughound explore m.pml --search external-queue --disk /shared/dir`, typed on as many machines as there are.

use std::time::Duration;

use bughound_kernel::registry::{Param, ParamKind};
use bughound_search::registry::{Claims, CycleSupport};
use bughound_search::{Entry, Promise};

use crate::queue::SharedExternal;

const PARTS: u64 = 16;
const LEASE: u64 = 20;

pub(super) const ENTRY: Entry = Entry {
    name: "external-queue",
    summary: "external-bfs that several processes work on together, by a queue in the folder of --disk",
    cite: "Jabbar, Edelkamp 2006",
    params: &[
        Param {
            name: "parts",
            summary: "so many requests can be worked on at a time; the same for all processes",
            kind: ParamKind::Integer { default: Some(PARTS), min: 1, max: 4096 },
        },
        Param {
            name: "lease",
            summary: "who gives no sign of life for so many seconds is taken for dead",
            kind: ParamKind::Integer { default: Some(LEASE), min: 1, max: 86_400 },
        },
    ],
    claims: Claims { complete: Promise::Always, optimal: Promise::Always },
    cycles: CycleSupport::ByRecording,
    build: |_, args| {
        Ok(Box::new(SharedExternal {
            name: "external-queue",
            parts: args.integer("parts").unwrap_or(PARTS) as u32,
            lease: Duration::from_secs(args.integer("lease").unwrap_or(LEASE)),
            budget: None,
        }))
    },
};
