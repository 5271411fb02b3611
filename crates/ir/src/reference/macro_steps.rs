//! Macro steps by brute force: chains of micro steps until nobody has control. An oracle for the engines.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use bughound_kernel::{Failure, Move};

use crate::reference::error::FailureInfo;
use crate::reference::state::RefState;
use crate::reference::{MicroStep, Reference};

/// A chain of micro steps that nothing can interrupt, or that ends in a failure.
#[derive(Clone, Debug)]
pub struct MacroStep {
    /// The moves of all its micro steps.
    pub moves: Vec<Move>,
    /// Sum of the weights of its micro steps, the failing one included.
    pub weight: u64,
    /// What it pays at once, where the model has prices; 0 if it fails.
    pub paid: u64,
    /// An ordinary state, or what went wrong in its last micro step.
    pub result: Result<RefState, FailureInfo>,
}

impl Reference<'_> {
    /// The state as it is seen from outside; `None` if a chain is under way in it that goes on.
    pub fn visible(&self, state: &RefState) -> Option<RefState> {
        self.steps_in_control(state).is_empty().then(|| self.settled(state))
    }

    /// Nothing leads on from this state: nothing is executable, or every step, or chain of steps, fails.
    pub fn is_at_rest(&self, state: &RefState) -> bool {
        self.macro_successors(state).iter().all(|step| step.result.is_err()) && !self.diverges(state)
    }

    /// Can a chain that begins here go round for ever?
    pub fn diverges(&self, from: &RefState) -> bool {
        let inside = |state: &RefState| -> Vec<RefState> {
            let after = self.micro_steps(state).into_iter().filter_map(|step| step.result.ok());
            after.filter(|next| !self.steps_in_control(next).is_empty()).collect()
        };
        // Depth first: a state that is met on the way to itself. The others are met only once.
        let mut on_the_way: HashSet<RefState> = HashSet::new();
        let mut done: HashSet<RefState> = HashSet::new();
        let mut path: Vec<(Option<RefState>, Vec<RefState>)> = vec![(None, inside(from))];
        while let Some((state, open)) = path.last_mut() {
            let Some(next) = open.pop() else {
                if let Some(state) = state.take() {
                    on_the_way.remove(&state);
                    done.insert(state);
                }
                path.pop();
                continue;
            };
            if on_the_way.contains(&next) {
                return true;
            }
            if !done.contains(&next) {
                on_the_way.insert(next.clone());
                let open = inside(&next);
                path.push((Some(next), open));
            }
        }
        false
    }

    /// All macro steps from a state: for every state in which nobody has control (and every sum paid on the way), and for
    /// every failure inside a chain, one of the chains of the least weight that leads there. A failure after which the system goes on gives a step of its own.
    ///
    /// Chains are explored by weight with a set of the states met, so that loops inside them end.
    pub fn macro_successors(&self, from: &RefState) -> Vec<MacroStep> {
        let mut steps = Vec::new();
        let mut failed: HashSet<Failure> = HashSet::new();
        let mut reached: HashSet<(RefState, u64)> = HashSet::new();
        let mut met: HashSet<(RefState, u64)> = HashSet::new();
        // States still to expand, by weight and then by age.
        let mut open = BinaryHeap::from([Reverse((0u64, 0usize))]);
        let mut chains: Vec<(RefState, u64, Vec<Move>)> = vec![(from.clone(), 0, Vec::new())];
        while let Some(Reverse((weight, number))) = open.pop() {
            let (state, paid, moves) = chains[number].clone();
            let inside = number > 0;
            if inside && !met.insert((state.clone(), paid)) {
                continue;
            }
            if inside && self.steps_in_control(&state).is_empty() {
                let ordinary = self.settled(&state);
                if reached.insert((ordinary.clone(), paid)) {
                    steps.push(MacroStep { moves, weight, paid, result: Ok(ordinary) });
                }
                continue;
            }
            for MicroStep { moves: next, result, soft_failures, weight: cost, paid, .. } in self.micro_steps(&state) {
                let moves = [&moves[..], &next].concat();
                let weight = weight + cost;
                let hard = result.as_ref().err().cloned();
                for info in soft_failures.into_iter().chain(hard) {
                    // Chains are met by weight before their last step only: a cheaper one may still come.
                    let new = failed.insert(info.failure);
                    let step = MacroStep { moves: moves.clone(), weight, paid: 0, result: Err(info) };
                    if new {
                        steps.push(step);
                    } else {
                        keep_cheaper(&mut steps, step);
                    }
                }
                if let Ok(state) = result {
                    open.push(Reverse((weight, chains.len())));
                    chains.push((state, paid, moves));
                }
            }
        }
        steps
    }
}

fn keep_cheaper(steps: &mut [MacroStep], step: MacroStep) {
    let same = |s: &&mut MacroStep| match (&s.result, &step.result) {
        (Err(a), Err(b)) => a.failure == b.failure,
        _ => false,
    };
    if let Some(known) = steps.iter_mut().find(same)
        && known.weight > step.weight
    {
        *known = step;
    }
}
