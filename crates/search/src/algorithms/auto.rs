//! **The default.** Greedy search runs at the error; then A* looks for shorter ways to it, first with the same heuristic,
//! then with an admissible one that can prove that there are none. Where greedy search does not find an error soon,
//! a blind search takes over for a while, and so on in turn with growing budgets; the one that gets to the end without an
//! error has the proof. The blind search is breadth-first; with clock zones it is `largest-first`, which has proofs soonest.
//!
//! Accepting cycles are hunted by `astar-dfs`, then by `scc`; the lasso is made short by `shortest-lasso`.
//!
//! Paper: Richter, Thayer, Ruml 2010, "The joy of forgetting: faster anytime search via restarting" (first fast, then
//! good).
//!
//! Claims: complete. The trace is proven shortest if the second part ends within its budget, which the result says.
//!
//! Cost: for a proof, at most about twice that of a plain search, and the estimates.
//!
//! Fails: to prove a trace shortest when the state space below its length is large; `effort=0` stops at the first error.
//!
//! Example: `auto(effort=1000000)`.

use bughound_kernel::registry::{Expression, Param, ParamKind, expression};

use crate::configuration::{BlindSearch, GuidedSearch};
use crate::driver::Driver;
use crate::engines::{CycleSearch, Effort, Finish, Revisit, Way};
use crate::evaluators::Weights;
use crate::goals::StopPolicy;
use crate::open_lists::{TieBreak, Ties};
use crate::phases::Phases;
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{Incompleteness, SearchError, SearchResult};
use crate::search::{Search, Task};
use crate::shorten::shorten;

/// The first part of the hunt may generate so many states, and each part so many times those of the part before.
const FIRST_BUDGET: u64 = 1_000_000;
const BUDGET_FACTOR: u64 = 8;
/// Shortening may generate so many states, and so many times the states of the hunt. No clock: the same run gives the same
/// result on every machine.
const BASE_EFFORT: u64 = 2_000_000;
const EFFORT_FACTOR: u64 = 10;
/// Each attempt with the heuristic of the hunt may take this part of the effort.
const QUICK_SHARE: u64 = 10;

const HUNTING: &str = "auto: hunting";

pub(super) const ENTRY: Entry = Entry {
    name: "auto",
    summary: "runs at the error, then shortens the way to it, or proves that there is none",
    cite: "Richter, Thayer, Ruml 2010",
    params: &[
        Param {
            name: "h",
            summary: "the heuristic of the hunt",
            kind: ParamKind::Nested { what: "heuristic", default: "auto" },
        },
        Param {
            name: "effort",
            summary: "states generated for a shorter trace; by default 2000000 and 10 times those of the hunt",
            kind: ParamKind::Integer { default: None, min: 0, max: u64::MAX },
        },
    ],
    claims: Claims {
        complete: Promise::Always,
        optimal: Promise::Depends("if the second part ends within its budget"),
    },
    cycles: CycleSupport::AnyConditions,
    build: |cx, args| Ok(Box::new(Auto { heuristic: cx.heuristic(args), effort: args.integer("effort") })),
};

struct Auto {
    heuristic: Expression,
    effort: Option<u64>,
}

/// Ways to look for cycles: running at the components of the claim where they are possible, then through everything.
pub(super) fn hunt_for_cycles(heuristic: Expression) -> Vec<(Way, Option<u64>)> {
    let inner = Some(Expression::named("fsm-distance"));
    vec![(Way::Entry { heuristic, weights: Weights::ASTAR, inner }, Some(FIRST_BUDGET)), (Way::Components, None)]
}

impl Auto {
    /// The same for cycles: first a lasso, then shorter ones.
    fn for_cycles(&self) -> CycleSearch {
        CycleSearch {
            name: "auto",
            ways: hunt_for_cycles(self.heuristic.clone()),
            finish: Finish::Shorten(self.effort.map_or(Effort::InProportion, Effort::Fixed)),
            for_states: Box::new(BlindSearch::breadth_first("auto")),
        }
    }

    fn greedy(&self, budget: u64) -> GuidedSearch {
        GuidedSearch {
            name: HUNTING,
            heuristic: self.heuristic.clone(),
            weights: Weights::GREEDY,
            ties: Ties { low_h: false, rest: TieBreak::Lifo },
            revisit: Revisit::CheaperUntilExpanded,
            depth: None,
            budget: Some(budget),
        }
    }

    /// Greedy search, relieved by a blind one where it gets lost, and so on with growing budgets.
    fn hunt(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let mut phases = Phases::default();
        let mut budget = FIRST_BUDGET;
        loop {
            for guided in [true, false] {
                let round: &dyn Search = if guided { &self.greedy(budget) } else { &blind(&task, budget) };
                let result = phases.add(round.run(task, driver)?);
                let spent = result.incomplete_because.contains(&Incompleteness::Budget);
                if task.is_satisfied_by(&result) || result.stop_reason.is_some() || !spent {
                    return Ok(result);
                }
                budget = budget.saturating_mul(BUDGET_FACTOR);
            }
        }
    }
}

fn blind(task: &Task<'_>, budget: u64) -> BlindSearch {
    let has_covers = task.system.layout().cover_len > 0;
    let search = if has_covers { BlindSearch::largest_first } else { BlindSearch::breadth_first };
    BlindSearch { budget: Some(budget), ..search(HUNTING) }
}

impl Search for Auto {
    fn tightens(&self) -> Option<Effort> {
        self.for_cycles().tightens()
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        if task.goals.cycle.is_some() {
            return self.for_cycles().run(task, driver);
        }
        if task.stop == StopPolicy::Exhaustive || task.goals.properties().is_empty() {
            // There is nothing to run at.
            return BlindSearch::breadth_first("auto").run(task, driver);
        }
        let mut result = self.hunt(task, driver)?;
        let found: Vec<_> = result.witnesses.iter().map(|witness| witness.property).collect();
        // Where covers are merged, a shorter way need not exist even if this one does.
        if result.stop_reason.is_some() || task.system.merges_covers() {
            return Ok(result);
        }
        let default_effort = BASE_EFFORT.saturating_add(EFFORT_FACTOR.saturating_mul(result.stats.generated));
        let mut left = self.effort.unwrap_or(default_effort);
        let admissible = expression::parse("auto(admissible=true)")?;
        for property in found {
            // First with the heuristic of the hunt, which is good at finding; then with one that proves.
            for (heuristic, share) in [(&self.heuristic, QUICK_SHARE), (&admissible, 1)] {
                let before = result.stats.generated;
                shorten(task, &mut result, property, driver, &mut |bound, _| {
                    Box::new(GuidedSearch {
                        name: "auto: shortening",
                        heuristic: heuristic.clone(),
                        weights: Weights::ASTAR,
                        ties: Ties { low_h: true, rest: TieBreak::Lifo },
                        revisit: Revisit::Cheaper,
                        depth: Some(bound),
                        budget: Some(left / share),
                    })
                })?;
                left = left.saturating_sub(result.stats.generated - before);
            }
        }
        Ok(result)
    }
}
