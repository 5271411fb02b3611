//! **Cartesian abstraction.** The distance in an abstraction that was refined where its cheapest paths were none of the model.
//!
//! Abstract states are products of sets of values, at first one of all states. Again and again the cheapest abstract path
//! from the initial state to an error is followed in the model without its clocks. Where it cannot be followed any more, the
//! abstract state is split so that this does not happen again. That ends when the path can be followed (the estimate of the
//! initial state is exact up to timing), when there is none (then the initial state is a dead end: proof that there is no
//! error), or when there are as many abstract states as wanted.
//!
//! Papers: Seipp, Helmert, "Counterexample-guided Cartesian abstraction refinement", ICAPS 2013, JAIR 62 (2018). Abstractions
//! refined by spurious error traces as heuristics for model checking: Smaus, Hoffmann, "Relaxation refinement", MoChArt 2008.
//!
//! Claims: consistent: every step is one of the abstraction, or stays in an abstract state.
//!
//! Cost: refinement before the search; then questions about single variables, some dozens for each state. Deadlocks: always
//! 0.
//!
//! Fails where every path to an error has to be told from very many that look alike.
//!
//! Example: `astar(h=cartesian(states=5000))`.

use std::sync::Arc;

use bughound_finite::task::Task;
use bughound_kernel::registry::{Args, Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation, Watch};

use crate::context::BuildCx;
use crate::cost::to_estimate;
use crate::refinement::abstraction::{Limits, Refined, refine};
use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "cartesian",
    summary: "distance in an abstraction refined where its cheapest paths are none of the model",
    cite: "Seipp, Helmert 2013, 2018",
    params: &[STATES],
    claims: "consistent",
    build: |cx, args| Ok(Box::new(Cartesian::new(cx, limits(args, cx.watch)))),
};

const STATES: Param = Param {
    name: "states",
    summary: "most abstract states",
    kind: ParamKind::Integer { default: Some(10_000), min: 1, max: 10_000_000 },
};

/// Each takes 16 bytes during refinement.
const MOST_TRANSITIONS: usize = 10_000_000;

/// For every abstract state that is allowed, so many looks at transitions are: most of the time goes there.
const LOOKS_PER_STATE: usize = 100_000;

fn limits<'w>(args: &Args, watch: &'w dyn Watch) -> Limits<'w> {
    let states = args.integer(STATES.name).unwrap_or(1) as usize;
    Limits { states, transitions: MOST_TRANSITIONS, looks: states.saturating_mul(LOOKS_PER_STATE), watch }
}

/// Copies share what was built.
#[derive(Clone)]
struct Cartesian {
    task: Arc<Task>,
    refined: Arc<Refined>,
}

impl Cartesian {
    fn new(cx: &BuildCx<'_, '_>, limits: Limits<'_>) -> Cartesian {
        let mut task = Task::new(cx.system, cx.targets, cx.watch);
        let sizes: Vec<u32> = task.variables.iter().map(|variable| variable.size).collect();
        let refined = refine(&sizes, &task.operators, &task.errors, &task.initial, limits);
        // Only the places of the variables are needed from now on.
        task.operators = Default::default();
        task.errors = Vec::new();
        Cartesian { task: Arc::new(task), refined: Arc::new(refined) }
    }
}

impl Heuristic for Cartesian {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::CONSISTENT
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        if self.task.hopeless {
            return Estimate::ZERO;
        }
        let found = self.refined.tree.state(|variable| self.task.value(variable as usize, at));
        found.map_or(Estimate::ZERO, |state| to_estimate(self.refined.distances[state as usize]))
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(self.clone()))
    }

    fn memory(&self) -> u64 {
        self.refined.tree.memory() + (self.refined.distances.len() * size_of::<u32>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{along, at_start, system, violation};

    /// Twice around before the door opens: what collects values does not see that.
    const ROUNDS: &str = "byte n; bit there;
         active proctype P() { do :: n < 2 -> there = 1; there = 0; n++ :: n == 2 && there == 0 -> there = 1; break od }
         ltl p { [] !(n == 2 && there == 1) }";

    #[test]
    fn exact_where_a_path_can_be_followed() {
        let system = system(ROUNDS);
        let estimates = along(&system, &violation(&system), "cartesian", &[0; 10]);
        let steps = estimates.iter().position(|estimate| *estimate == Some(0)).expect("an error") as u64;
        assert_eq!(estimates[0], Some(steps));
        assert!(at_start(&system, &violation(&system), "hmax") < Some(steps), "the example is too easy");
        assert_eq!(at_start(&system, &violation(&system), "cartesian(states=1)"), Some(0));
    }

    #[test]
    fn no_abstract_path_is_proof() {
        let safe = "bit lock; byte inside;
             active [2] proctype P() { do :: atomic { lock == 0 -> lock = 1 } inside++; inside--; lock = 0 od }
             ltl p { [] (inside < 2) }";
        let system = system(safe);
        assert_eq!(at_start(&system, &violation(&system), "cartesian"), None);
        assert!(at_start(&system, &violation(&system), "hmax").is_some(), "the example is too easy");
    }
}
