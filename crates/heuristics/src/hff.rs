//! **h^FF.** The cost of a relaxed plan: steps that together lead to an error if nothing is ever undone.
//!
//! The costs of [`hadd`](crate::hadd) say for every fact which step brings it about best. Backwards from the error, the best
//! steps for all facts that are needed are collected, each once; what they cost is the estimate. A step that assigns several
//! values counts once for each of them. Those that can be taken at once are preferred.
//!
//! Papers: Hoffmann, Nebel, "The FF planning system", JAIR 14 (2001); Keyder, Geffner, "Heuristics for planning with action
//! costs revisited", ECAI 2008 (best supporters by h^add).
//!
//! Claims: safe. Not admissible: there may be a cheaper plan.
//!
//! Cost: as `hadd`, and a walk over the plan. Facts that the state shares with the one estimated before cost nothing.
//!
//! Fails where the same thing has to be done many times.
//!
//! Example: `greedy(h=hff)`.

use std::sync::Arc;

use bughound_finite::cost::{Cost, INFINITE};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Move, PreferredStep, Situation};

use crate::context::BuildCx;
use crate::cost::{Combine, to_estimate};
use crate::registry::Entry;
use crate::relaxation::Detail;
use crate::relaxation::plan::{Choice, Planner};
use crate::relaxation::problem::Problem;
use crate::relaxation::propagation::Propagation;

pub(super) const ENTRY: Entry = Entry {
    name: "hff",
    summary: "cost of steps that together lead to an error if nothing is ever undone",
    cite: "Hoffmann, Nebel 2001; Keyder, Geffner 2008",
    params: &[],
    claims: "safe",
    build: |cx, _| Ok(Box::new(Plans::new(cx, Detail::VALUES, Combine::Sum, Choice::Supporter))),
};

/// The cost of a relaxed plan.
#[derive(Clone)]
pub(super) struct Plans {
    problem: Arc<Problem>,
    propagation: Propagation,
    planner: Planner,
}

impl Plans {
    pub(super) fn new(cx: &BuildCx<'_, '_>, detail: Detail, combine: Combine, choice: Choice) -> Plans {
        let problem = Problem::new(cx, detail);
        let propagation = Propagation::new(&problem, combine);
        Plans { planner: Planner::new(&problem.rules, choice), propagation, problem: Arc::new(problem) }
    }

    /// The cost of a plan that does without this step.
    fn cost_without(&mut self, step: &[Move], at: Situation<'_>) -> Cost {
        match self.propagation.run_without(&self.problem, step, at) {
            unplanned @ (0 | INFINITE) => {
                self.planner.forget(&self.problem.rules);
                unplanned
            }
            _ => self.planner.cost(&self.problem.rules, &self.propagation.reached(&self.problem)),
        }
    }
}

impl Heuristic for Plans {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::SAFE
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        to_estimate(self.cost_without(&[], at))
    }

    fn estimate_without(&mut self, step: &[Move], at: Situation<'_>) -> Option<Estimate> {
        (!self.problem.hopeless).then(|| to_estimate(self.cost_without(step, at)))
    }

    fn preferred(&self) -> &[PreferredStep] {
        self.planner.preferred()
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(self.clone()))
    }

    fn memory(&self) -> u64 {
        Problem::share(&self.problem) + self.propagation.memory() + self.planner.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each thread of a search has its own; what was built is shared, and nobody changes it.
    #[test]
    fn it_can_be_sent_to_another_thread() {
        fn sent<T: Send>() {}
        sent::<Plans>();
        sent::<crate::hl::GoalCost>();
        sent::<bughound_finite::task::Task>();
    }
}
