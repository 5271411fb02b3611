//! A state space in memory, and the true distances to errors in it.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::ControlFlow;

use bughound_heuristics::{ErrorCondition, Targets};
use bughound_kernel::{AtomId, Outcome, State, TransitionSystem};

pub struct Edge {
    pub weight: u64,
    /// `None`: the step fails.
    pub to: Option<usize>,
    /// Who takes part in its first micro step.
    movers: Vec<usize>,
}

pub struct Space<'s> {
    system: &'s dyn TransitionSystem,
    pub states: Vec<Vec<i32>>,
    pub steps: Vec<Vec<Edge>>,
    deadlocks: Vec<bool>,
}

impl<'s> Space<'s> {
    /// The whole state space, if it is not larger than that.
    pub fn explore(system: &'s dyn TransitionSystem, most: usize) -> Option<Space<'s>> {
        let mut explorer = system.explorer();
        let mut space = Space { system, states: Vec::new(), steps: Vec::new(), deadlocks: Vec::new() };
        let mut numbers: HashMap<Vec<i32>, usize> = HashMap::new();
        explorer.initial(&mut |state| {
            if !numbers.contains_key(state.key) {
                numbers.insert(state.key.to_vec(), space.states.len());
                space.states.push(state.key.to_vec());
            }
        });
        while space.steps.len() < space.states.len() {
            let from = space.states[space.steps.len()].clone();
            let mut steps = Vec::new();
            let states = &mut space.states;
            let expansion = explorer.successors(State::discrete(&from), &mut |step| {
                let to = match step.outcome {
                    Outcome::Failure(_) => None,
                    Outcome::State(state) => Some(*numbers.entry(state.key.to_vec()).or_insert_with(|| {
                        states.push(state.key.to_vec());
                        states.len() - 1
                    })),
                };
                let joining = step.moves.iter().skip(1).take_while(|m| m.joins);
                let movers = step.moves.iter().take(1).chain(joining).map(|m| m.process as usize).collect();
                steps.push(Edge { weight: step.weight, to, movers });
                ControlFlow::Continue(())
            });
            space.steps.push(steps);
            space.deadlocks.push(expansion.deadlock);
            if expansion.cut || space.states.len() > most {
                return None;
            }
        }
        Some(space)
    }

    /// Which processes take part in a step from this state.
    pub fn movers(&self, at: usize, processes: usize) -> Vec<bool> {
        let mut movers = vec![false; processes];
        for mover in self.steps[at].iter().flat_map(|step| &step.movers) {
            if let Some(moves) = movers.get_mut(*mover) {
                *moves = true;
            }
        }
        movers
    }

    /// The least cost from every state to an error; `known` are the conditions that the system has atoms for.
    pub fn distances(&self, targets: &Targets, known: &[ErrorCondition]) -> Vec<Option<u64>> {
        let mut explorer = self.system.explorer();
        let mut best: Vec<Option<u64>> = vec![None; self.states.len()];
        let mut open = BinaryHeap::new();
        for (at, key) in self.states.iter().enumerate() {
            let state = State::discrete(key);
            let mut violated = |condition: &ErrorCondition| {
                let atom = known.iter().position(|other| other == condition).unwrap();
                explorer.holds(AtomId(atom as u32), state) == condition.wanted
            };
            let mut is_error = targets.deadlock && self.deadlocks[at];
            is_error |= targets.conditions.iter().any(&mut violated);
            is_error |= targets.claim.is_some() && explorer.holds(bughound_semantics::CLAIM_VIOLATED, state);
            let failing = self.steps[at].iter().filter(|step| targets.failures && step.to.is_none());
            if let Some(cost) = is_error.then_some(0).into_iter().chain(failing.map(|step| step.weight)).min() {
                open.push(Reverse((cost, at)));
            }
        }
        let mut before: Vec<Vec<(usize, u64)>> = vec![Vec::new(); self.states.len()];
        for (from, steps) in self.steps.iter().enumerate() {
            for step in steps {
                if let Some(to) = step.to {
                    before[to].push((from, step.weight));
                }
            }
        }
        while let Some(Reverse((cost, at))) = open.pop() {
            if best[at].is_none() {
                best[at] = Some(cost);
                open.extend(before[at].iter().map(|(from, weight)| Reverse((cost + weight, *from))));
            }
        }
        best
    }
}
