//! **A\* by several machines** (hash-distributed A\*, HDA\*). Each state belongs to the worker that its hash says; each worker
//! expands the best of its own states without waiting for anybody.
//!
//! Papers: Kishimoto, Fukunaga, Botea 2009, "Scalable, parallel best-first search for optimal sequential planning" (HDA\*, Zobrist
//! hashing for the owners); the detection of the end by progress tracking: Murray et al. 2013, "Naiad".
//!
//! Claims: complete. Optimal if the heuristic is admissible: an error of cost c counts when no worker holds, and no message under
//! way carries, anything that could lead to a cheaper one (`worker/mod.rs` has the argument). A state that is reached at less
//! cost is opened again.
//!
//! Cost: as A\*, and what is expanded too early because nothing better was at hand, and again when it was. `order=layers` waits
//! until nothing better is open anywhere: fewer expansions, more waiting.
//!
//! Fails: as A\* does, when the heuristic is near 0 in most states.
//!
//! Example: `cluster-astar(h=formula)`.

use bughound_kernel::registry::{Expression, Param, ParamKind};
use bughound_search::algorithms::ADMISSIBLE_HEURISTIC;
use bughound_search::evaluators::Weights;
use bughound_search::open_lists::{GuidedQueue, TieBreak, Ties};
use bughound_search::registry::CycleSupport;
use bughound_search::{Claims, Driver, Entry, Promise, Search, SearchError, SearchResult, Task};

use super::with_heuristics;
use crate::crew::Crew;
use crate::worker::Agenda;

pub(super) const ENTRY: Entry = Entry {
    name: "cluster-astar",
    summary: "A* by workers that each own a part of the states, on one machine or many",
    cite: "Kishimoto, Fukunaga, Botea 2009; Murray et al. 2013",
    params: &[
        ADMISSIBLE_HEURISTIC,
        Param {
            name: "order",
            summary: "whether a worker expands the best state that it has at once, or waits until nothing better is open anywhere",
            kind: ParamKind::Choice { options: &["at-once", "layers"] },
        },
    ],
    claims: Claims { complete: Promise::Always, optimal: Promise::Admissible },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let in_layers = args.choice("order") == Some("layers");
        Ok(Box::new(ClusterAstar { heuristic: cx.heuristic(args), in_layers }))
    },
};

struct ClusterAstar {
    heuristic: Expression,
    in_layers: bool,
}

impl Search for ClusterAstar {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn uses_threads(&self) -> bool {
        true
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        with_heuristics(task, &self.heuristic, Weights::ASTAR, driver, |evaluators, driver| {
            let agenda = || {
                let open = GuidedQueue::new(Ties { low_h: true, rest: TieBreak::Lifo });
                if self.in_layers { Agenda::InLayers(open) } else { Agenda::AtOnce(open) }
            };
            let members = evaluators.into_iter().map(|guided| (agenda(), guided)).collect();
            Crew { phase: ENTRY.name, members }.search(task, driver)
        })
    }
}
