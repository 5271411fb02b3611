//! **The default.** Greedy search runs at the error; then A* looks for shorter ways to it, first with the same heuristic,
//! then with an admissible one that can prove that there are none; without an error the greedy search ends with the
//! proof.
//!
//! Paper: Richter, Thayer, Ruml 2010, "The joy of forgetting: faster anytime search via restarting" (first fast, then
//! good).
//!
//! Claims: complete. The trace is proven shortest if the second part ends within its budget, which the result says.
//!
//! Cost: the estimates of greedy search come on top of a plain search where there is no error.
//!
//! Fails: to prove a trace shortest when the state space below its length is large; `effort=0` stops at the first error.
//!
//! Example: `auto(effort=1000000)`.

use bughound_kernel::registry::{Expression, Param, ParamKind, expression};

use crate::configuration::{BlindSearch, GuidedSearch, Order};
use crate::costs::Costs;
use crate::driver::Driver;
use crate::engines::Revisit;
use crate::evaluators::Weights;
use crate::goals::StopPolicy;
use crate::open_lists::{TieBreak, Ties};
use crate::registry::{Claims, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};
use crate::shorten::shorten;

/// Shortening may generate so many states, and so many times the states of the hunt. No clock: the same run gives the same
/// result on every machine.
const BASE_EFFORT: u64 = 1_000_000;
const EFFORT_FACTOR: u64 = 10;
/// Each attempt with the heuristic of the hunt may take this part of the effort.
const QUICK_SHARE: u64 = 10;

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
            summary: "states generated for a shorter trace; by default 1000000 and 10 times those of the hunt",
            kind: ParamKind::Integer { default: None, min: 0, max: u64::MAX },
        },
    ],
    claims: Claims {
        complete: Promise::Always,
        optimal: Promise::Depends("if the second part ends within its budget"),
    },
    build: |cx, args| Ok(Box::new(Auto { heuristic: cx.heuristic(args), effort: args.integer("effort") })),
};

struct Auto {
    heuristic: Expression,
    effort: Option<u64>,
}

impl Search for Auto {
    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        if task.stop == StopPolicy::Exhaustive || task.goals.properties().is_empty() {
            // There is nothing to run at.
            let order = Order::ShortestFirst(TieBreak::Fifo);
            return BlindSearch { name: "auto", order, costs: Costs::Additive, depth: None }.run(task, driver);
        }
        let hunt = GuidedSearch {
            name: "auto: hunting",
            heuristic: self.heuristic.clone(),
            weights: Weights::GREEDY,
            ties: Ties { low_h: false, rest: TieBreak::Lifo },
            revisit: Revisit::CheaperUntilExpanded,
            depth: None,
            budget: None,
        };
        let mut result = hunt.run(task, driver)?;
        let found: Vec<_> = result.witnesses.iter().map(|witness| witness.property).collect();
        if result.stop_reason.is_some() {
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
