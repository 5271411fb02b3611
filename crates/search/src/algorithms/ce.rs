//! **Context-enhanced search.** A step that can profit from the one before it is followed first: states wait in queues by
//! how closely the last two steps belong together, and the first queue that holds anything is served.
//!
//! Queue 0 holds what repeats a step and what follows a step that makes a part of the error condition true; queue 1 what
//! follows a step it shares variables with; queue n what is n such interferences away; the last queue the rest. Clocks
//! do not count. With `prune=true` the rest is left out, where steps without connection cannot need each other: models
//! without time, priorities and committed locations, and conditions on states.
//!
//! Paper: Wehrle, Kupferschmid 2010, "Context-enhanced directed model checking".
//!
//! Claims: complete. Not optimal, whatever the order inside the queues.
//!
//! Cost: that of the search inside the queues, and one walk over the variables of the model for each kind of step.
//!
//! Fails: when everything shares one variable, for then everything is close; and when a way to the error goes back and
//! forth between parts that have little in common.
//!
//! Example: `ce(h=d-u, order=greedy)`; `ce(order=bfs)` finds short traces with fewer states than `bfs`.

use bughound_kernel::registry::{Param, ParamKind};

use crate::algorithms::{HEURISTIC, SEED};
use crate::driver::Driver;
use crate::open_lists::Ties;
use crate::prioritised::{ByContext, GRADES_STEPS, Inside};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "ce",
    summary: "steps that profit from the one before them first",
    cite: "Wehrle, Kupferschmid 2010",
    params: &[
        HEURISTIC,
        Inside::ORDER,
        Param {
            name: "prune",
            summary: "leave out steps that have nothing to do with the one before them; not for models with time",
            kind: ParamKind::Flag { default: false },
        },
        Ties::RECENT_FIRST,
        SEED,
    ],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        Ok(Box::new(ContextEnhanced { inside: Inside::from_args(cx, args), prune: args.flag("prune") == Some(true) }))
    },
};

struct ContextEnhanced {
    inside: Inside,
    prune: bool,
}

impl Search for ContextEnhanced {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn takes_every_step(&self) -> Option<&'static str> {
        Some(GRADES_STEPS)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let grader = ByContext::new(task.heuristics.contexts(self.prune)?, self.prune);
        self.inside.run("ce", grader, task, driver)
    }
}
