//! **Breadth-first heuristic search.** Layer by layer, as `frontier`, but without the states whose cost and estimate together
//! exceed an upper bound on the cost of an error.
//!
//! Paper: Zhou, Hansen 2006, "Breadth-first heuristic search" (with breadth-first iterative-deepening A* for `upper=rising`);
//! in model checking: Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008, "Survey on directed model checking".
//!
//! Where the bound comes from: `upper=rising` begins with the estimate of the initial states and tries the least f that was cut
//! off next, or an eighth more than before if that is more; `upper=greedy` takes the cost of an error that a greedy search
//! finds with a small budget, less one; `bound` is said by the user.
//!
//! Claims: complete, unless a bound is given and cuts something off. Optimal, whatever the heuristic: one that is not
//! admissible has no say in the bound.
//!
//! Cost: the layers of a best-first search hold all that it has seen; those of this one only what lies between the start and
//! the error in one layer. With `upper=rising`, one pass for each bound.
//!
//! Fails: as `frontier`; and where estimates are near 0 nothing is cut off.
//!
//! Example: `breadth-first-heuristic(h=hmax)`; `breadth-first-heuristic(upper=greedy)`.

use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::ADMISSIBLE_HEURISTIC;
use crate::algorithms::frontier::{LOCALITY, locality};
use crate::configuration::GuidedSearch;
use crate::driver::Driver;
use crate::engines::{FORGETS, Layered, Locality, Pass, Revisit};
use crate::evaluators::Weights;
use crate::goals::StopPolicy;
use crate::open_lists::{TieBreak, Ties};
use crate::phases::Phases;
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{Incompleteness, SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "breadth-first-heuristic",
    summary: "layer by layer below a bound on cost plus estimate, holding the last layers only",
    cite: "Zhou, Hansen 2006; Edelkamp et al. 2008",
    params: &[
        ADMISSIBLE_HEURISTIC,
        Param {
            name: "upper",
            summary: "the bound: rising from pass to pass, or one less than what a greedy search finds",
            kind: ParamKind::Choice { options: &["rising", "greedy"] },
        },
        Param {
            name: "bound",
            summary: "the largest cost considered, in place of either; by default none",
            kind: ParamKind::Integer { default: None, min: 0, max: u64::MAX },
        },
        Param {
            name: "effort",
            summary: "so many states the greedy search may generate",
            kind: ParamKind::Integer { default: Some(10_000), min: 1, max: u64::MAX },
        },
        LOCALITY,
    ],
    claims: Claims { complete: Promise::Depends("unless a bound cuts paths off"), optimal: Promise::Always },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let upper = match (args.integer("bound"), args.choice("upper")) {
            (Some(bound), _) => Upper::Given(bound),
            (None, Some("greedy")) => Upper::Greedy { effort: args.integer("effort").unwrap_or(10_000) },
            (None, _) => Upper::Rising,
        };
        Ok(Box::new(BreadthFirstHeuristic { heuristic: cx.heuristic(args), upper, locality: locality(args) }))
    },
};

/// Where the bound comes from.
#[derive(Clone, Copy, Debug)]
enum Upper {
    Rising,
    Greedy { effort: u64 },
    Given(u64),
}

#[derive(Clone, Debug)]
struct BreadthFirstHeuristic {
    heuristic: Expression,
    upper: Upper,
    locality: Locality,
}

const NAME: &str = "breadth-first-heuristic";

impl BreadthFirstHeuristic {
    fn below<'t>(
        &self,
        bound: Option<u64>,
        task: Task<'t>,
        driver: &mut Driver<'_>,
    ) -> Result<SearchResult, SearchError> {
        let mut search = Layered::new(task, NAME, self.locality, Some(&self.heuristic), driver)?;
        search.pass(bound, driver)?;
        Ok(search.finish(driver))
    }

    fn rising(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let mut search = Layered::new(task, NAME, self.locality, Some(&self.heuristic), driver)?;
        let mut bound = 0_u64;
        while let Pass::Cut(least) = search.pass(Some(bound), driver)? {
            // What comes back is cut off like everything else: only a bound that rises and rises gets beyond the last layer.
            bound = least.max(bound.saturating_add(bound / 8));
        }
        Ok(search.finish(driver))
    }

    /// Below the cost of an error that is found soon.
    fn below_greedy(&self, effort: u64, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let greedy = GuidedSearch {
            name: NAME,
            heuristic: self.heuristic.clone(),
            weights: Weights::GREEDY,
            ties: Ties { low_h: false, rest: TieBreak::Fifo },
            revisit: Revisit::CheaperUntilExpanded,
            depth: None,
            budget: Some(effort),
        };
        let mut phases = Phases::default();
        let mut first = phases.add(greedy.run(task, driver)?);
        if first.complete || first.stop_reason.is_some() {
            return Ok(first);
        }
        let Some(cost) = first.witnesses.first().map(|witness| witness.length) else {
            return Ok(phases.add(self.rising(task, driver)?));
        };
        let Some(below) = cost.checked_sub(1) else {
            // Nothing costs less than nothing.
            first.witnesses.iter_mut().for_each(|witness| witness.proven_shortest = true);
            return Ok(first);
        };
        driver.know(Some(cost));
        let second = self.below(Some(below), task, driver)?;
        driver.know(None);
        let cheaper = second.witnesses.clone();
        let nothing_cheaper = second.incomplete_because.iter().all(|why| matches!(why, Incompleteness::DepthBound(_)));
        let mut result = phases.add(second);
        if !cheaper.is_empty() {
            result.witnesses = cheaper;
        } else if nothing_cheaper {
            // What the greedy search has found is a cheapest error.
            result.witnesses.iter_mut().for_each(|witness| witness.proven_shortest = true);
            (result.complete, result.saw_everything, result.at_least) = (false, false, cost);
            result.incomplete_because = vec![Incompleteness::StoppedAtError];
        }
        Ok(result)
    }
}

impl Search for BreadthFirstHeuristic {
    fn takes_every_step(&self) -> Option<&'static str> {
        Some(FORGETS)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        match self.upper {
            Upper::Given(bound) => self.below(Some(bound), task, driver),
            // The cost of one error bounds those of no others; and a merged zone is no error for certain.
            Upper::Greedy { effort } if task.stop == StopPolicy::FirstError && !task.system.merges_covers() => {
                self.below_greedy(effort, task, driver)
            }
            Upper::Greedy { .. } | Upper::Rising => self.rising(task, driver),
        }
    }
}
