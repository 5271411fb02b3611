//! **The default.** Greedy search has a first look; then, where it is cheap, [guided search](super::guided) makes an attempt,
//! and if that does not find an error either, greedy search goes on with more states. On an error, A* looks for shorter ways
//! to it, first with the same heuristic, then with an admissible one that can prove that there are none. Where greedy search
//! does not find an error soon, a blind search takes over for a while, and so on in turn with growing budgets; the one that
//! gets to the end without an error has the proof. Guided search only finds: no proof rests on it. The blind search is
//! breadth-first; with clock zones it is `largest-first`, which has proofs soonest.
//!
//! Shortening is small against the hunt, and takes some seconds at most. With `shortest=true` it takes what it takes, and has
//! the strongest estimate that there is: a pattern database.
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
//! Example: `auto(effort=1000000)`; `auto(shortest=true)`, which is what `--shortest` means.

use bughound_kernel::Keep;
use bughound_kernel::registry::{Expression, Param, ParamKind, expression};

use crate::algorithms::guided::{self, Ration};
use crate::configuration::{BlindSearch, GuidedSearch};
use crate::driver::Driver;
use crate::engines::{CycleSearch, Effort, Finish, Revisit, Way};
use crate::evaluators::Weights;
use crate::goals::{PropertyIndex, StopPolicy};
use crate::open_lists::{TieBreak, Ties};
use crate::phases::Phases;
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{Incompleteness, SearchError, SearchResult, Turn, TurnEnd};
use crate::search::{Search, Task};
use crate::shorten::{Shortened, shorten};

/// The first part of the hunt may generate so many states, and each part so many times those of the part before.
const FIRST_BUDGET: u64 = 1_000_000;
/// Shortening may generate so many states, and a tenth of those of the hunt.
const SHORTENING: u64 = 300_000;
const BUDGET_FACTOR: u64 = 8;
/// The first look may generate so many states: small models are decided by it.
const FIRST_LOOK: u64 = 20_000;
/// What guided search may take: about a second.
const ATTEMPT: Ration = Ration { building: 500_000, states: 100_000, bytes: 2 << 30 };
/// Each attempt with the heuristic of the hunt may take this part of the effort, and so many states at most.
const QUICK_SHARE: u64 = 10;
const QUICK_MOST: u64 = 200_000;
/// A first attempt to prove the trace shortest may take this part of that.
const PROOF_SHARE: u64 = 10;
/// Before a strong estimate is built, a plain one is tried with so many states.
const PLAIN_MOST: u64 = 500_000;
/// The strongest admissible estimate that there is for every model.
const STRONGEST: &str = "max(auto(admissible=true), pdb)";

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
            summary: "states generated for a shorter trace; by default 300000 and a tenth of those of the hunt, and at most \
                      5 seconds",
            kind: ParamKind::Integer { default: None, min: 0, max: u64::MAX },
        },
        Param {
            name: "shortest",
            summary: "look for a shorter trace until there is proof that there is none",
            kind: ParamKind::Flag { default: false },
        },
    ],
    claims: Claims {
        complete: Promise::Always,
        optimal: Promise::Depends("if the second part ends within its budget"),
    },
    cycles: CycleSupport::AnyConditions,
    build: |cx, args| {
        Ok(Box::new(Auto {
            heuristic: cx.heuristic(args),
            is_usual: !args.is_given("h") && cx.heuristic.is_none(),
            effort: match (args.flag("shortest"), args.integer("effort")) {
                (Some(true), _) => Effort::AsMuchAsItTakes,
                (_, Some(effort)) => Effort::Fixed(effort),
                _ => Effort::InProportion,
            },
            seed: cx.seed,
        }))
    },
};

struct Auto {
    heuristic: Expression,
    /// Nobody has asked for that heuristic: others may guide besides.
    is_usual: bool,
    effort: Effort,
    seed: u64,
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
            finish: Finish::Shorten(self.effort),
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

    /// A first look and an attempt of guided search; then greedy search, relieved by a blind one where it gets lost, and so
    /// on with growing budgets.
    fn hunt(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let mut phases = Phases::default();
        let guide = |what: &str| format!("{what}(h={})", self.heuristic);
        let is_over = |result: &SearchResult| task.is_satisfied_by(result) || result.stop_reason.is_some();
        let spent = |result: &SearchResult| result.incomplete_because.contains(&Incompleteness::Budget);
        let look = phases.add_turn(guide("greedy"), self.greedy(FIRST_LOOK).run(task, driver)?);
        if is_over(&look) || !spent(&look) {
            return Ok(look);
        }
        if self.is_usual
            && let Some(found) = guided::attempt(task, &self.heuristic, self.seed, &ATTEMPT, driver)?
        {
            let found = phases.add_turn("guided".into(), found);
            // If it got to the end, it was by its estimates: the proof is left to others.
            if is_over(&found) {
                return Ok(found);
            }
        }
        let mut budget = FIRST_BUDGET;
        loop {
            for guided in [true, false] {
                let (name, round): (_, &dyn Search) = match guided {
                    true => (guide("greedy"), &self.greedy(budget)),
                    false => ("blind".into(), &blind(&task, budget)),
                };
                let result = phases.add_turn(name, round.run(task, driver)?);
                if is_over(&result) || !spent(&result) {
                    return Ok(result);
                }
                budget = budget.saturating_mul(BUDGET_FACTOR);
            }
        }
    }

    /// Replaces the witness of a property by shorter ones, for so many generated states.
    fn shorten(
        &self,
        task: Task<'_>,
        result: &mut SearchResult,
        property: PropertyIndex,
        left: &mut u64,
        driver: &mut Driver<'_>,
    ) -> Result<(), SearchError> {
        let plain = expression::parse("auto(admissible=true)")?;
        let strongest = expression::parse(STRONGEST)?;
        let strong = self.effort == Effort::AsMuchAsItTakes && self.is_usual;
        let quick = (*left / QUICK_SHARE).min(QUICK_MOST);
        let mut attempt = |heuristic: &Expression, most: u64| {
            let before = (result.stats.generated, result.witnesses.iter().map(|w| w.length).sum::<u64>());
            let budget = most.min(*left);
            let shortened = shorten(task, result, property, driver, &mut |bound, _| {
                Box::new(GuidedSearch {
                    name: "auto: shortening",
                    heuristic: heuristic.clone(),
                    weights: Weights::ASTAR,
                    ties: Ties { low_h: true, rest: TieBreak::Lifo },
                    revisit: Revisit::Cheaper,
                    depth: Some(bound),
                    budget: Some(budget),
                })
            });
            let generated = result.stats.generated - before.0;
            *left = left.saturating_sub(generated);
            let is_shorter = result.witnesses.iter().map(|w| w.length).sum::<u64>() < before.1;
            let end = match &shortened {
                _ if is_shorter => TurnEnd::Found,
                Ok(Shortened::Proven) => TurnEnd::Exhausted,
                // Whoever has something left was told to end.
                _ if generated < budget => TurnEnd::Limit,
                _ => TurnEnd::Spent,
            };
            if generated > 0 {
                result.stats.turns.push(Turn { search: format!("shorter by astar(h={heuristic})"), generated, end });
            }
            shortened
        };
        // Perhaps the trace is a shortest one, and that is soon proven. If not: first with the heuristic of the hunt, which is good at
        // finding; then with one that proves.
        if let Shortened::Proven = attempt(&plain, quick / PROOF_SHARE)? {
            return Ok(());
        }
        attempt(&self.heuristic, quick)?;
        if strong {
            attempt(&plain, PLAIN_MOST)?;
            match attempt(&strongest, u64::MAX) {
                // Not every model has such an estimate.
                Err(SearchError::Build(_)) => {}
                other => return other.map(|_| ()),
            }
        }
        attempt(&plain, u64::MAX).map(|_| ())
    }
}

fn blind(task: &Task<'_>, budget: u64) -> BlindSearch {
    let has_covers = task.system.layout().cover_len > 0;
    let search = if has_covers { BlindSearch::largest_first } else { BlindSearch::breadth_first };
    // It is there for the proof; who finds an error shortens the way to it afterwards.
    BlindSearch { budget: Some(budget), keep: Some(Keep::Errors), ..search(HUNTING) }
}

impl Search for Auto {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn uses_threads(&self) -> bool {
        true
    }

    fn shares_cycles(&self) -> bool {
        self.for_cycles().shares_cycles()
    }

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
        let mut left = self.effort.beyond(SHORTENING, result.stats.generated).unwrap_or(u64::MAX);
        let cap = driver.cap(self.effort.longest());
        for property in found {
            self.shorten(task, &mut result, property, &mut left, driver)?;
        }
        let proven = result.witnesses.iter().all(|witness| witness.proven_shortest);
        if driver.uncap(cap) && !proven {
            result.stats.shortening_cut = self.effort.longest();
        }
        Ok(result)
    }
}
