//! For every state the choices that may lead to it.

use crate::model::Model;

/// The reversed graph, from states to choices.
#[derive(Clone, Debug)]
pub struct Predecessors {
    start: Vec<u32>,
    choices: Vec<u32>,
    /// The state of each choice. Empty for chains: choice = state.
    owner: Vec<u32>,
}

impl Predecessors {
    pub fn new(model: &Model) -> Predecessors {
        let mut start = vec![0u32; model.states() + 1];
        for &target in &model.targets {
            start[target as usize + 1] += 1;
        }
        for state in 0..model.states() {
            start[state + 1] += start[state];
        }
        let mut fill = start.clone();
        let mut choices = vec![0u32; model.transitions()];
        for choice in 0..model.choices() {
            for &target in model.targets_of(choice) {
                let place = &mut fill[target as usize];
                choices[*place as usize] = choice as u32;
                *place += 1;
            }
        }
        let mut owner = Vec::new();
        if !model.choice_start.is_empty() {
            owner.reserve_exact(model.choices());
            for state in 0..model.states() {
                owner.extend(model.choices_of(state).map(|_| state as u32));
            }
        }
        Predecessors { start, choices, owner }
    }

    /// Choices with an entry to this state.
    pub fn choices_to(&self, state: usize) -> &[u32] {
        &self.choices[self.start[state] as usize..self.start[state + 1] as usize]
    }

    /// The state that a choice belongs to.
    pub fn owner(&self, choice: u32) -> usize {
        self.owner.get(choice as usize).copied().unwrap_or(choice) as usize
    }
}
