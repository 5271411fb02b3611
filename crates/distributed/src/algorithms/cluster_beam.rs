//! **Beam search by several machines.** Layer by layer in the order of costs; of the states of all workers in a layer only the k
//! best are expanded, the others are thrown away.
//!
//! Paper: Wijs, Lisser 2007, "Distributed extended beam search for quantitative model checking" (synchronised by cost; flexible
//! width).
//!
//! The best are those with the smallest estimates: in a layer all have the same cost. `flexible=true` keeps all states that are as
//! good as the k-th.
//!
//! Claims: neither complete nor optimal. If no layer was wider than the beam nothing is lost, and the result says so. The same ranks
//! are kept however many workers there are (`beam.rs`); which of equally good states, is left to chance.
//!
//! Cost: at most k expansions for each layer, and a row of counts from each worker to each other one.
//!
//! Fails: when the way to the error leads through states that look worse than k others.
//!
//! Example: `cluster-beam(h=formula, k=100000)`.

use bughound_kernel::registry::{Expression, Param, ParamKind};
use bughound_search::algorithms::HEURISTIC;
use bughound_search::evaluators::{Guided, Weights};
use bughound_search::open_lists::GuidedQueue;
use bughound_search::registry::CycleSupport;
use bughound_search::{Claims, Driver, Entry, Promise, Search, SearchError, SearchResult, Task};

use super::with_heuristics;
use crate::beam::{Beam, Shape};
use crate::crew::Crew;
use crate::worker::Agenda;

const WIDTH: u64 = 10_000;

pub(super) const ENTRY: Entry = Entry {
    name: "cluster-beam",
    summary: "beam search by workers that each own a part of the states: of each cost only the k best states of all",
    cite: "Wijs, Lisser 2007",
    params: &[
        HEURISTIC,
        Param {
            name: "k",
            summary: "states of one layer that are expanded",
            kind: ParamKind::Integer { default: Some(WIDTH), min: 1, max: 1 << 40 },
        },
        Param {
            name: "flexible",
            summary: "keep all states that are as good as the k-th",
            kind: ParamKind::Flag { default: false },
        },
    ],
    claims: Claims { complete: Promise::Depends("if no layer is wider than k"), optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let shape = Shape { width: args.integer("k").unwrap_or(WIDTH), flexible: args.flag("flexible") == Some(true) };
        Ok(Box::new(ClusterBeam { heuristic: cx.heuristic(args), shape }))
    },
};

struct ClusterBeam {
    heuristic: Expression,
    shape: Shape,
}

impl Search for ClusterBeam {
    fn uses_threads(&self) -> bool {
        true
    }

    fn takes_every_step(&self) -> Option<&'static str> {
        Some("the search throws states away: what others would make up for may be gone")
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        with_heuristics(task, &self.heuristic, Weights::ASTAR, driver, |evaluators, driver| {
            let agenda = || Agenda::<GuidedQueue>::Beam(Beam::new(self.shape));
            let members = evaluators.into_iter().map(|guided| (agenda(), Guided::taking_errors_at_once(guided)));
            Crew { phase: ENTRY.name, members: members.collect() }.search(task, driver)
        })
    }
}
