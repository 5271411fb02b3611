//! **Depth-first branch and bound.** Depth-first search that goes on after an error, below its cost: the bound falls to
//! the largest value below the best error so far.
//!
//! Paper: Land, Doig 1960, "An automatic method of solving discrete programming problems"; in model checking: Edelkamp,
//! Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008, "Survey on directed model checking" (Fig. 3).
//!
//! Claims: complete, unless a bound is given and cuts something off. Optimal whatever the heuristic: one that is not
//! admissible has no say in the bound and only orders successors. At a limit, the best error so far is reported, not
//! proven to be shortest.
//!
//! Cost: as depth-first search until the first error, then less and less. A state is expanded again whenever it is
//! reached at less cost; bad orders make that frequent.
//!
//! Fails: when the first errors are long and the estimates are 0: then nearly everything is searched, many times.
//!
//! Example: `branch-and-bound(h=formula, bound=200)` looks for the shortest of the errors up to length 200.

use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::ADMISSIBLE_HEURISTIC;
use crate::algorithms::visited::{VISITED_EXACTLY, remember};
use crate::driver::Driver;
use crate::engines::{DepthFirst, KEEPS_PATHS, OnError, Plan, Remember};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "branch-and-bound",
    summary: "depth-first, then again below the cost of the best error so far; shortest errors at the end",
    cite: "Land, Doig 1960; Edelkamp et al. 2008",
    params: &[
        ADMISSIBLE_HEURISTIC,
        VISITED_EXACTLY,
        Param {
            name: "bound",
            summary: "the largest cost considered; by default none",
            kind: ParamKind::Integer { default: None, min: 0, max: u64::MAX },
        },
    ],
    claims: Claims { complete: Promise::Depends("unless a bound cuts paths off"), optimal: Promise::Always },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        Ok(Box::new(OnePass {
            name: "branch-and-bound",
            heuristic: cx.heuristic(args),
            remember: remember(args, 0),
            on_error: OnError::Improve,
            bound: args.integer("bound"),
        }))
    },
};

/// One pass, successors in the order of their estimates.
#[derive(Clone, Debug)]
pub(super) struct OnePass {
    pub name: &'static str,
    pub heuristic: Expression,
    pub remember: Remember,
    pub on_error: OnError,
    pub bound: Option<u64>,
}

impl Search for OnePass {
    fn takes_every_step(&self) -> Option<&'static str> {
        Some(KEEPS_PATHS)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let OnePass { name: phase, remember, on_error, .. } = *self;
        let plan = Plan { phase, remember, by_estimate: true, on_error };
        let mut search = DepthFirst::new(task, plan, Some(&self.heuristic), driver)?;
        search.pass(self.bound, driver);
        Ok(search.finish(driver))
    }
}
