//! **Useless transitions.** A step without which the error seems no farther away is put off: two queues, and useless steps
//! wait in the second.
//!
//! A step from s to s' is useless if h(s) in the system without the step is at most h(s'). Heuristics that cannot leave
//! steps out call none useless; then this is greedy search.
//!
//! Paper: Wehrle, Kupferschmid, Podelski 2009, "Transition-based directed model checking".
//!
//! Claims: complete. Not optimal.
//!
//! Cost: two more estimates for each state.
//!
//! Fails: with heuristics that do not notice that a step is missing, for everything is useless then; and where all ways to
//! the error are detours.
//!
//! Example: `ut(h=d-u)`.

use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::{HEURISTIC, SEED};
use crate::driver::Driver;
use crate::evaluators::Weights;
use crate::open_lists::Ties;
use crate::prioritised::{ByUse, Inside};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "ut",
    summary: "steps that the heuristic can do without last",
    cite: "Wehrle, Kupferschmid, Podelski 2009",
    params: &[
        HEURISTIC,
        Param {
            name: "order",
            summary: "the order inside each queue",
            kind: ParamKind::Choice { options: &["greedy", "astar"] },
        },
        Ties::RECENT_FIRST,
        SEED,
    ],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let weights = if args.choice("order") == Some("astar") { Weights::ASTAR } else { Weights::GREEDY };
        let (heuristic, ties) = (cx.heuristic(args), Ties::from_args(args, cx.seed));
        Ok(Box::new(UselessLast { inside: Inside::Guided { heuristic: heuristic.clone(), weights, ties }, heuristic }))
    },
};

struct UselessLast {
    inside: Inside,
    heuristic: Expression,
}

impl Search for UselessLast {
    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let grader = ByUse::new(task.heuristics.build(&self.heuristic, None)?);
        self.inside.run("ut", grader, task, driver)
    }
}
