//! **Refined threshold determination.** Iterative deepening that takes large steps: the bound doubles until an error is
//! found; then the cost of a cheapest error is found by halving the interval that is left.
//!
//! Paper: Wah, Shang 1995, "Study of IDA*-style searches"; named so in Edelkamp, Schuppan, Bošnački, Wijs, Fehnker,
//! Aljazzar 2008, "Survey on directed model checking" (drivers of cost-bounded search).
//!
//! Claims: complete and optimal, whatever the heuristic (see `idastar`).
//!
//! Cost: a number of passes that grows with the logarithm of the cost, not with the number of values of f. Passes with
//! too large a bound may be far more expensive than IDA*'s last one, but end at the first error.
//!
//! Fails: when the state space grows so fast that a bound just above the optimum is out of reach.
//!
//! If every property is to be decided, there is not one threshold but one for each. Then the bound doubles too, but a
//! pass looks for the cheapest error of each property within it.
//!
//! Example: with steps of weight 1000 and 1001, IDA* raises its bound one combination at a time; here about 20 passes
//! reach length 1 000 000.

use bughound_kernel::registry::Expression;

use crate::algorithms::ADMISSIBLE_HEURISTIC;
use crate::driver::Driver;
use crate::engines::{DepthFirst, KEEPS_PATHS, OnError, Pass, Plan, Remember};
use crate::goals::StopPolicy;
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "refined-threshold",
    summary: "depth-first below a bound that doubles, then bisection of the last step; shortest errors",
    cite: "Wah, Shang 1995; Edelkamp et al. 2008",
    params: &[ADMISSIBLE_HEURISTIC],
    claims: Claims { complete: Promise::Always, optimal: Promise::Always },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| Ok(Box::new(RefinedThreshold { heuristic: cx.heuristic(args) })),
};

#[derive(Clone, Debug)]
struct RefinedThreshold {
    heuristic: Expression,
}

impl Search for RefinedThreshold {
    fn takes_every_step(&self) -> Option<&'static str> {
        Some(KEEPS_PATHS)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let one_is_enough = task.stop == StopPolicy::FirstError;
        let plan = Plan {
            phase: "refined-threshold",
            remember: Remember::Exact,
            by_estimate: true,
            on_error: if one_is_enough { OnError::Take } else { OnError::Improve },
        };
        let mut search = DepthFirst::new(task, plan, Some(&self.heuristic), driver)?;
        let mut bound = 0_u64;
        // No error costs less.
        let mut least = 0;
        let end = loop {
            match search.pass(Some(bound), driver) {
                Pass::Cut(next) => (least, bound) = (next, next.max(bound.saturating_mul(2))),
                end => break end,
            }
        };
        if one_is_enough && end == Pass::Found {
            bisect(&mut search, least, driver);
        }
        Ok(search.finish(driver))
    }
}

/// Searches between `least` and the cost of the error that is known, until they meet.
fn bisect(search: &mut DepthFirst<'_>, mut least: u64, driver: &mut Driver<'_>) {
    while let Some(known) = search.longest_witness().filter(|known| least < *known) {
        let middle = least + (known - least) / 2;
        match search.pass(Some(middle), driver) {
            Pass::Found => {}
            Pass::Cut(next) => least = next,
            Pass::Stopped | Pass::Exhausted => break,
        }
    }
}
