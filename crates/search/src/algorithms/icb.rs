//! **Iterative context bounding.** Paths with few context switches first: everything that is reached without a switch, then
//! with one, and so on.
//!
//! By process, a switch is a step that shares no process with the one before it; a hand-shake has several. The original
//! does not count switches away from a process that cannot go on (`blocked=free`). By interference, a switch is a step
//! that is not in the context of the one before it, up to a distance `n` (see `ce`).
//!
//! Paper: Musuvathi, Qadeer 2007, "Iterative context bounding for systematic testing of multithreaded programs"; by
//! interference: Wehrle, Kupferschmid 2010.
//!
//! Claims: complete. States are stored without the process that moved last, so the first error has few switches, but
//! perhaps not the fewest. Not optimal.
//!
//! Cost: each state is expanded once; with `blocked=free`, another look at the successors of each.
//!
//! Fails: on protocols whose processes move in turn: every error takes many switches.
//!
//! Example: `icb(by=process, order=dfs)`; `icb(by=interference, n=2, order=greedy, h=d-u)`.

use bughound_kernel::registry::{Param, ParamKind};

use crate::algorithms::{HEURISTIC, SEED};
use crate::driver::Driver;
use crate::open_lists::Ties;
use crate::prioritised::{BySwitches, Classes, GRADES_STEPS, Inside, Switch};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "icb",
    summary: "paths with few switches between processes first",
    cite: "Musuvathi, Qadeer 2007; Wehrle, Kupferschmid 2010",
    params: &[
        HEURISTIC,
        Inside::ORDER,
        Param {
            name: "by",
            summary: "what a context is: a process, or what interferes with the step before",
            kind: ParamKind::Choice { options: &["process", "interference"] },
        },
        Param {
            name: "n",
            summary: "by interference: how far a context reaches",
            kind: ParamKind::Integer { default: Some(2), min: 0, max: 254 },
        },
        Param {
            name: "blocked",
            summary: "by process: whether a switch away from a process that cannot go on counts",
            kind: ParamKind::Choice { options: &["counted", "free"] },
        },
        Ties::RECENT_FIRST,
        SEED,
    ],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        Ok(Box::new(ContextBounding {
            inside: Inside::from_args(cx, args),
            by_interference: args.choice("by") == Some("interference"),
            within: args.integer("n").and_then(|n| u8::try_from(n).ok()).unwrap_or(2),
            free_if_blocked: args.choice("blocked") == Some("free"),
        }))
    },
};

struct ContextBounding {
    inside: Inside,
    by_interference: bool,
    within: u8,
    free_if_blocked: bool,
}

impl Search for ContextBounding {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn takes_every_step(&self) -> Option<&'static str> {
        Some(GRADES_STEPS)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let switch = if self.by_interference {
            Switch::Interference { contexts: task.heuristics.contexts(false)?.map(Classes::new), within: self.within }
        } else {
            Switch::Process { blocked: self.free_if_blocked.then(|| task.system.explorer()) }
        };
        self.inside.run("icb", BySwitches::new(switch), task, driver)
    }
}
