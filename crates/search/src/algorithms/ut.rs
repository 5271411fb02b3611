//! **Useless transitions.** A step without which the error seems no farther away is put off: two queues, and useless steps
//! wait in the second.
//!
//! A step from s to s' is useless if h(s) in the system without the step is at most h(s'). Those who can leave steps out
//! are `hl`, `hu`, `hmax`, `hadd` and `hff`; with other heuristics no step is useless, and this is greedy search.
//!
//! With `useless=by-depth` there is one queue instead, and states behind useless steps count as farther away by their depth,
//! as in MCTA 0.1: shorter traces.
//!
//! Paper: Wehrle, Kupferschmid, Podelski 2009, "Transition-based directed model checking".
//!
//! Claims: complete. Not optimal.
//!
//! Cost: one more estimate for each step to a new state.
//!
//! Fails: with heuristics that do not notice that a step is missing, for everything is useless then; and where all ways to
//! the error are detours. Where greedy search finds the error soon anyway, it looks at more states.
//!
//! Example: `ut(h=hl)`; by default with `hff`, which has nothing to say about deadlocks.

use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::SEED;
use crate::driver::Driver;
use crate::evaluators::Weights;
use crate::open_lists::Ties;
use crate::prioritised::{ByUse, GRADES_STEPS, Inside, Useless};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "ut",
    summary: "steps that the heuristic can do without last",
    cite: "Wehrle, Kupferschmid, Podelski 2009",
    params: &[
        Param {
            name: "h",
            summary: "the heuristic; one that can leave steps out, or no step is useless",
            kind: ParamKind::Nested { what: "heuristic", default: "hff" },
        },
        Param {
            name: "order",
            summary: "the order inside each queue",
            kind: ParamKind::Choice { options: &["greedy", "astar"] },
        },
        Param {
            name: "useless",
            summary: "what comes after useless steps waits until nothing else is left, or is put off by its depth",
            kind: ParamKind::Choice { options: &["last", "by-depth"] },
        },
        Ties::RECENT_FIRST,
        SEED,
    ],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let weights = if args.choice("order") == Some("astar") { Weights::ASTAR } else { Weights::GREEDY };
        let useless = if args.choice("useless") == Some("by-depth") { Useless::ByDepth } else { Useless::Last };
        let (heuristic, ties) = (cx.heuristic(args), Ties::from_args(args, cx.seed));
        let inside = Inside::Guided { heuristic: heuristic.clone(), weights, ties };
        Ok(Box::new(UselessLast { inside, heuristic, useless }))
    },
};

struct UselessLast {
    inside: Inside,
    heuristic: Expression,
    useless: Useless,
}

impl Search for UselessLast {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn takes_every_step(&self) -> Option<&'static str> {
        Some(GRADES_STEPS)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let grader = ByUse::new(task.heuristic(&self.heuristic, None, driver)?, self.useless);
        self.inside.run("ut", grader, task, driver)
    }
}
