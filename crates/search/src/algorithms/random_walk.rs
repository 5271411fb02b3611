//! **Random walk with restarts.** Paths from the initial state, each step drawn at random; with a heuristic, most steps go
//! to the successor that seems closest to an error.
//!
//! Paper: West 1986, "Protocol validation by random state exploration"; guided: Haslum 1999, "Model checking by random
//! walk"; Edelkamp et al. 2008 (local search with restarts).
//!
//! Claims: neither complete nor optimal; an absence of errors is never a proof.
//!
//! Cost: no memory but the path. A walk forgets what the walks before it have seen.
//!
//! Fails: when few paths lead to the error, or when most paths end soon in states without steps.
//!
//! Example: `random-walk(walks=100, steps=1000, seed=3)`; `random-walk(h=active-processes, stray=0.1)` strays from the
//! heuristic in one of ten steps.

use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::SEED;
use crate::driver::Driver;
use crate::engines::{KEEPS_PATHS, Walks, random_walk};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};
use bughound_kernel::Random;

pub(super) const ENTRY: Entry = Entry {
    name: "random-walk",
    summary: "random paths from the start, again and again",
    cite: "West 1986; Haslum 1999",
    params: &[
        Param {
            name: "walks",
            summary: "how many paths",
            kind: ParamKind::Integer { default: Some(1000), min: 1, max: u64::MAX },
        },
        Param {
            name: "steps",
            summary: "length of the longest paths, in steps that nothing can interrupt",
            kind: ParamKind::Integer { default: Some(10_000), min: 1, max: u64::MAX },
        },
        Param {
            name: "budget",
            summary: "steps of all paths together: ends where a time limit would, but at the same step every time",
            kind: ParamKind::Integer { default: None, min: 1, max: u64::MAX },
        },
        Param {
            name: "h",
            summary: "heuristic that most steps follow; without it all are random",
            kind: ParamKind::Nested { what: "heuristic", default: "blind" },
        },
        Param {
            name: "stray",
            summary: "share of the steps that ignore the heuristic",
            kind: ParamKind::Decimal { default: 0.2, min: 0.0, max: 1.0 },
        },
        SEED,
    ],
    claims: Claims { complete: Promise::Never, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let guided = args.is_given("h") || cx.heuristic.is_some();
        Ok(Box::new(RandomWalk {
            walks: args.integer("walks").unwrap_or(1000),
            steps: args.integer("steps").unwrap_or(10_000),
            budget: args.integer("budget"),
            heuristic: guided.then(|| cx.heuristic(args)),
            stray: (args.decimal("stray").unwrap_or(0.2) * 1000.0).round() as u64,
            seed: cx.seed(args),
        }))
    },
};

struct RandomWalk {
    walks: u64,
    steps: u64,
    budget: Option<u64>,
    heuristic: Option<Expression>,
    stray: u64,
    seed: u64,
}

impl Search for RandomWalk {
    fn takes_every_step(&self) -> Option<&'static str> {
        Some(KEEPS_PATHS)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let heuristic = self.heuristic.as_ref().map(|h| task.heuristic(h, None, driver)).transpose()?;
        let walks = Walks {
            phase: "random-walk",
            walks: self.walks,
            steps: self.steps,
            budget: self.budget,
            random: Random::new(self.seed),
            heuristic,
            stray: self.stray,
        };
        Ok(random_walk(task, walks, driver))
    }
}
