//! **Iterated cost-bounded search.** Finds an error, then looks for one that costs less than that, and so on, until there is
//! none: each time the whole search anew, below the cost of the last error.
//!
//! Paper: Ruys 2003, "Optimal scheduling using branch and bound with SPIN 4.0" (where it is what branch and bound improves on);
//! Edelkamp et al. 2008, "Survey on directed model checking" (a formula with a bound on the cost, checked again and again).
//!
//! Claims: complete. The error is a cheapest one of its property when the last search gets to its end, whatever the heuristic.
//! At a limit, the best error so far is reported.
//!
//! Cost: as many searches as costs are tried; what one of them has seen the next one does not know.
//!
//! Fails: when costs fall by little each time; branch and bound or `anytime` lower the bound under way.
//!
//! Example: `iterative-bound(h=least-cost)`.

use bughound_kernel::registry::Expression;

use crate::algorithms::ADMISSIBLE_HEURISTIC;
use crate::configuration::{BlindSearch, GuidedSearch};
use crate::driver::Driver;
use crate::engines::Revisit;
use crate::evaluators::Weights;
use crate::goals::StopPolicy;
use crate::open_lists::{TieBreak, Ties};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};
use crate::shorten::shorten;

pub(super) const ENTRY: Entry = Entry {
    name: "iterative-bound",
    summary: "greedy searches below the cost of the last error, until there is none",
    cite: "Ruys 2003; Edelkamp et al. 2008",
    params: &[ADMISSIBLE_HEURISTIC],
    claims: Claims {
        complete: Promise::Always,
        optimal: Promise::Depends("among the errors of the property that is found violated"),
    },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| Ok(Box::new(IterativeBound { heuristic: cx.heuristic(args) })),
};

struct IterativeBound {
    heuristic: Expression,
}

impl IterativeBound {
    fn greedy(&self, depth: Option<u64>) -> GuidedSearch {
        GuidedSearch {
            name: "iterative-bound",
            heuristic: self.heuristic.clone(),
            weights: Weights::GREEDY,
            ties: Ties { low_h: false, rest: TieBreak::Fifo },
            revisit: Revisit::CheaperUntilExpanded,
            depth,
            budget: None,
        }
    }
}

impl Search for IterativeBound {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn uses_threads(&self) -> bool {
        true
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        if task.stop == StopPolicy::Exhaustive || task.goals.properties().is_empty() {
            return BlindSearch::breadth_first("iterative-bound").run(task, driver);
        }
        let mut result = self.greedy(None).run(task, driver)?;
        if result.stop_reason.is_some() || task.system.merges_covers() {
            return Ok(result);
        }
        for property in result.witnesses.iter().map(|witness| witness.property).collect::<Vec<_>>() {
            shorten(task, &mut result, property, driver, &mut |bound, _| Box::new(self.greedy(Some(bound))))?;
        }
        Ok(result)
    }
}
