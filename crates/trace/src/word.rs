//! The states that a run shows: what formulas and claims look at.
//!
//! These are the initial state and every state in which no chain is under way. A run that comes to rest shows its last
//! state for ever.

use std::collections::{HashMap, HashSet};

use bughound_ir::expr::Expr;
use bughound_ir::ltl::Formula;
use bughound_ir::reference::{EvalError, RefState, Reference};

use crate::temporal;

/// A run that has taken so many steps inside a chain is not followed further.
const LONGEST_INSIDE: usize = 10_000;

/// The states of a run in order, as far as it was followed.
#[derive(Clone)]
pub struct Word<'n> {
    reference: Reference<'n>,
    states: Vec<RefState>,
    /// How many steps were taken before each.
    steps: Vec<usize>,
}

impl<'n> Word<'n> {
    pub fn new(reference: Reference<'n>) -> Self {
        Word { reference, states: Vec::new(), steps: Vec::new() }
    }

    pub fn reference(&self) -> Reference<'n> {
        self.reference
    }

    /// The run has got here after so many steps.
    pub fn see(&mut self, steps: usize, state: &RefState) {
        if let Some(visible) = self.reference.visible(state) {
            self.states.push(visible);
            self.steps.push(steps);
        }
    }

    pub fn states(&self) -> &[RefState] {
        &self.states
    }

    /// How many steps were taken before the state at a position.
    pub fn steps_before(&self, at: usize) -> usize {
        self.steps[at]
    }

    /// The position of the state after so many steps; `None` if it is inside a chain.
    pub fn after(&self, steps: usize) -> Option<usize> {
        self.steps.binary_search(&steps).ok()
    }

    /// Without the last state.
    pub fn drop_last(&mut self) {
        self.states.pop();
        self.steps.pop();
    }

    /// A condition without value is false.
    pub fn truth(&self, condition: &Expr, at: usize) -> bool {
        self.value(condition, at).unwrap_or(false)
    }

    pub fn value(&self, condition: &Expr, at: usize) -> Result<bool, EvalError> {
        self.reference.holds(&self.states[at], condition)
    }

    /// A condition of the formula that has no value in the last state.
    pub fn without_value<'f>(&self, formula: &'f Formula) -> Option<(&'f Expr, EvalError)> {
        let last = self.states.len().checked_sub(1)?;
        formula.atoms().into_iter().find_map(|atom| Some((atom, self.value(atom, last).err()?)))
    }

    /// Is the formula true of the run, if the last state is followed by that at `back`?
    pub fn satisfies(&self, formula: &Formula, back: usize) -> bool {
        temporal::is_true(formula, self.states.len(), back, &|condition, at| self.truth(condition, at))
    }

    /// Is the formula false of every run that begins like this?
    pub fn has_lost(&self, formula: &Formula) -> bool {
        temporal::is_lost(formula, self.states.len(), &|condition, at| self.value(condition, at).ok())
    }

    /// Goes on with the first step that does not fail until a state shows again or nothing can go on; where the run
    /// leads back to then. `None` if that takes too long, or if the run stays inside a chain for ever.
    pub fn extend(&mut self, state: &RefState, most_steps: usize) -> Option<usize> {
        let mut known: HashMap<RefState, usize> = self.states.iter().cloned().zip(0..).collect();
        let mut state = state.clone();
        // Inside the chain under way.
        let mut inside = HashSet::new();
        let taken = self.steps.last().copied().unwrap_or(0);
        for steps in 1..=most_steps {
            let next = self.reference.micro_steps(&state).into_iter().find_map(|step| step.result.ok());
            let Some(next) = next else { return self.states.len().checked_sub(1) };
            state = next;
            match self.reference.visible(&state) {
                Some(visible) => {
                    if let Some(back) = known.get(&visible) {
                        return Some(*back);
                    }
                    known.insert(visible, self.states.len());
                    self.see(taken + steps, &state);
                    inside.clear();
                }
                None if inside.len() == LONGEST_INSIDE || !inside.insert(state.clone()) => return None,
                None => {}
            }
        }
        None
    }
}
