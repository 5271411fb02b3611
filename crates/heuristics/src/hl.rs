//! **h^L.** Layers until an error is possible if variables collect values instead of changing them.
//!
//! Layer 0 is the state. Every layer adds what all steps possible in the layer before can bring: locations, values, messages.
//! Guards are tested condition by condition, each on any of the values collected. The estimate is the number of the first
//! layer with an error, steps weighed by their costs; if the layers stop growing before, the state is a dead end. Clocks
//! count for nothing. `relaxation/` says how a model is relaxed.
//!
//! Paper: Kupferschmid, Hoffmann, Dierks, Behrmann, "Adapting an AI planning heuristic for directed model checking", SPIN
//! 2006. There, counting up or down makes all values beyond possible in the same layer (`increments=shortcut`); by default
//! every value has its own layer, which is exact where something has to be counted.
//!
//! Claims: consistent: after a step, nothing is possible that was not possible one layer later before.
//!
//! Cost: at most one look at every precondition of every step of the model, for each state. Deadlocks where there are
//! clocks or priorities: always 0.
//!
//! Fails where the same thing has to be done many times, and where the order of messages or large numbers decide.
//!
//! Example: `astar(h=hl)` for the case studies of the paper; a chain of hand-shakes of n processes: exactly n.

use std::sync::Arc;

use bughound_kernel::registry::{Args, Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Move, Situation};

use crate::context::BuildCx;
use crate::cost::{Combine, to_estimate};
use crate::registry::Entry;
use crate::relaxation::Detail;
use crate::relaxation::problem::Problem;
use crate::relaxation::propagation::Propagation;

pub(super) const ENTRY: Entry = Entry {
    name: "hl",
    summary: "layers until an error is possible if variables collect values instead of changing them",
    cite: "Kupferschmid, Hoffmann, Dierks, Behrmann 2006",
    params: &[INCREMENTS],
    claims: "consistent",
    build: |cx, args| Ok(Box::new(GoalCost::new(cx, detail_of(args), Combine::Max))),
};

pub(super) const INCREMENTS: Param = Param {
    name: "increments",
    summary: "counting gets to the next value in a step, or to all values beyond",
    kind: ParamKind::Choice { options: &["step", "shortcut"] },
};

/// Guards condition by condition, as in the paper.
pub(super) fn detail_of(args: &Args) -> Detail {
    Detail { shortcut: args.choice(INCREMENTS.name) == Some("shortcut"), together: false }
}

/// The cost of the goal, as a maximum or a sum over preconditions.
#[derive(Clone)]
pub(super) struct GoalCost {
    problem: Arc<Problem>,
    propagation: Propagation,
    claims: HeuristicClaims,
}

impl GoalCost {
    pub(super) fn new(cx: &BuildCx<'_, '_>, detail: Detail, combine: Combine) -> GoalCost {
        let problem = Problem::new(cx, detail);
        let claims = match combine {
            Combine::Max => HeuristicClaims::CONSISTENT,
            Combine::Sum => HeuristicClaims::SAFE,
        };
        GoalCost { propagation: Propagation::new(&problem, combine), problem: Arc::new(problem), claims }
    }
}

impl Heuristic for GoalCost {
    fn claims(&self) -> HeuristicClaims {
        self.claims
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        to_estimate(self.propagation.run_without(&self.problem, &[], at))
    }

    fn estimate_without(&mut self, step: &[Move], at: Situation<'_>) -> Option<Estimate> {
        (!self.problem.hopeless).then(|| to_estimate(self.propagation.run_without(&self.problem, step, at)))
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(self.clone()))
    }

    fn memory(&self) -> u64 {
        Problem::share(&self.problem) + self.propagation.memory()
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use bughound_kernel::{Estimate, Heuristic, Move, Outcome, PreferredStep, State, TransitionSystem};
    use bughound_semantics::DiscreteSystem;

    use crate::testing::{heuristic, initial, system, violation};

    const ALL: [&str; 7] = ["hl", "hl(increments=shortcut)", "hu", "hu(increments=shortcut)", "hmax", "hadd", "hff"];

    /// The moves of the initial state's steps.
    fn first_steps(system: &DiscreteSystem) -> Vec<Vec<Move>> {
        let mut found = Vec::new();
        system.explorer().successors(State::discrete(&initial(system)), &mut |step| {
            found.push(step.moves.to_vec());
            ControlFlow::Continue(())
        });
        found
    }

    /// By heuristic: the estimate of the initial state without each of its steps.
    fn without_each(text: &str) -> Vec<Vec<Option<u64>>> {
        let system = system(text);
        let (targets, start) = (violation(&system), initial(&system));
        let estimates = ALL.map(|name| {
            let mut heuristic = heuristic(&system, &targets, name);
            let with_all = heuristic.estimate(State::discrete(&start).into());
            let mut without = |step: &[Move]| heuristic.estimate_without(step, State::discrete(&start).into()).unwrap();
            let found = first_steps(&system).iter().map(|step| without(step).finite()).collect();
            // Nothing of what was left out is remembered.
            assert_eq!(heuristic.estimate(State::discrete(&start).into()), with_all, "{name}");
            found
        });
        estimates.to_vec()
    }

    #[test]
    fn a_step_left_out_leaves_the_other_ways() {
        let both =
            without_each("byte x; active proctype P() { do :: x = 3 :: x = 1; x = 2; x = 3 od } ltl p { [] (x != 3) }");
        assert_eq!(both, vec![vec![Some(3), Some(1)]; ALL.len()]);
    }

    #[test]
    fn without_the_only_way_the_state_is_a_dead_end() {
        let only = without_each("byte x; active proctype P() { x = 1; x = 2; x = 3 } ltl p { [] (x != 3) }");
        assert_eq!(only, vec![vec![None]; ALL.len()]);
    }

    #[test]
    fn a_joint_step_is_left_out_for_this_partner_only() {
        let pairs = without_each(
            "chan c = [0] of { bit }; byte x; active proctype P() { c!1 }
             active proctype Q() { c?1; x = 2 } active proctype R() { c?1; x = 1; x = 2 } ltl p { [] (x != 2) }",
        );
        // The youngest comes first: R, then Q.
        assert_eq!(pairs, vec![vec![Some(2), Some(3)]; ALL.len()]);
    }

    #[test]
    fn of_a_macro_step_the_first_micro_step_is_left_out() {
        let chain = without_each(
            "byte x, y; active proctype P() { atomic { x = 1; y = 1 } } active proctype Q() { y = 1; x == 1 -> y = 2 }
             ltl p { [] (y != 2) }",
        );
        // Without x = 1 there is no error; without the first step of Q there is none either.
        assert_eq!(chain, vec![vec![None, None]; ALL.len()]);
        let failing = system("byte x; active proctype P() { do :: d_step { x++; assert(x < 3) } od }");
        let targets = bughound_ir::targets::Targets::failures();
        let step = first_steps(&failing).swap_remove(0);
        for name in ALL {
            let mut heuristic = heuristic(&failing, &targets, name);
            let without = heuristic.estimate_without(&step, State::discrete(&initial(&failing)).into());
            assert!(without.unwrap().is_dead_end(), "{name}: failures belong to the step that fails");
        }
    }

    #[test]
    fn forks_estimate_the_same_and_share_what_was_built() {
        let system = system(
            "byte x, y; active proctype P() { do :: x < 9 -> x++ :: x > 3 -> y = x; x = 0 od }
             active proctype Q() { y == 5 -> y = 6; x == 2 -> y = 7 } ltl p { [] (y != 7) }",
        );
        let (targets, mut states) = (violation(&system), vec![initial(&system)]);
        for at in 0..200 {
            let from = states[at].clone();
            system.explorer().successors(State::discrete(&from), &mut |step| {
                if let Outcome::State(state) = step.outcome {
                    states.push(state.key.to_vec());
                }
                ControlFlow::Continue(())
            });
        }
        for name in ALL {
            let mut alone = heuristic(&system, &targets, name);
            let expected: Vec<_> = states.iter().map(|key| of(&mut *alone, key)).collect();
            assert!(expected.iter().any(|(_, preferred)| !preferred.is_empty()) || !["hu", "hff"].contains(&name));
            let mut original = heuristic(&system, &targets, name);
            states[..20].iter().for_each(|key| drop(of(&mut *original, key)));
            let whole = original.memory();
            let mut forks: Vec<_> = (0..2).map(|_| original.fork().expect("a fork")).collect();
            assert!(forks.iter().all(|fork| fork.memory() < whole && fork.claims() == original.claims()), "{name}");
            // Each thread goes its own way.
            std::thread::scope(|scope| {
                for (number, fork) in forks.iter_mut().enumerate() {
                    let (states, expected) = (&states, &expected);
                    scope.spawn(move || {
                        for at in (0..states.len()).map(|at| at * (7 + 4 * number) % states.len()) {
                            assert_eq!(of(&mut **fork, &states[at]), expected[at], "{name}");
                        }
                    });
                }
            });
        }
    }

    /// The estimate of a state, and the preferred steps.
    fn of(heuristic: &mut dyn Heuristic, key: &[i32]) -> (Estimate, Vec<PreferredStep>) {
        let estimate = heuristic.estimate(State::discrete(key).into());
        (estimate, heuristic.preferred().to_vec())
    }
}
