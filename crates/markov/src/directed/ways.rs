//! Which paths count: where they may pass, by which choices, and where they end.

use super::part::{Edge, Part};
use super::space::Standing;
use crate::states::StateSet;

/// Paths through some states of a part to others.
pub struct Ways<'a> {
    ends: StateSet,
    through: StateSet,
    choice: Option<&'a dyn Fn(usize) -> usize>,
}

impl<'a> Ways<'a> {
    /// Through open states to goals, by any choice.
    pub fn to_goals(part: &Part) -> Ways<'a> {
        Ways { ends: part.goals(), through: part.open(), choice: None }
    }

    /// To states from which neither a goal nor anything that is not known can be reached by the choices of a scheduler.
    pub fn to_hopeless(part: &Part, choice: &'a dyn Fn(usize) -> usize) -> Ways<'a> {
        let mut back: Vec<Vec<u32>> = vec![Vec::new(); part.len()];
        for state in part.open().iter() {
            part.edges_by(state, choice(state)).for_each(|edge| back[edge.to as usize].push(edge.from));
        }
        let mut hopeful = part.goals().union(&part.frontier());
        let mut work: Vec<usize> = hopeful.iter().collect();
        while let Some(state) = work.pop() {
            for &before in &back[state] {
                if !hopeful.contains(before as usize) {
                    hopeful.insert(before as usize);
                    work.push(before as usize);
                }
            }
        }
        let ends = hopeful.complement();
        let through = part.open().without(&ends);
        Ways { ends, through, choice: Some(choice) }
    }

    /// What is not known is an end, too: of all that it may do, nothing is better.
    pub(super) fn hopefully(&self, part: &Part) -> Ways<'a> {
        let unknown = part.frontier().intersection(&self.through);
        Ways { ends: self.ends.union(&unknown), through: self.through.without(&unknown), choice: self.choice }
    }

    /// Only by the choices of a scheduler.
    pub fn chosen(self, choice: &'a dyn Fn(usize) -> usize) -> Ways<'a> {
        Ways { choice: Some(choice), ..self }
    }

    /// Only through these states, and to those of them that are ends.
    pub fn within(self, states: &StateSet) -> Ways<'a> {
        Ways { ends: self.ends.intersection(states), through: self.through.intersection(states), ..self }
    }

    pub fn is_end(&self, state: usize) -> bool {
        self.ends.contains(state)
    }

    pub fn passes(&self, state: usize) -> bool {
        self.through.contains(state)
    }

    pub fn allow(&self, edge: &Edge) -> bool {
        let to = edge.to as usize;
        let is_chosen = self.choice.is_none_or(|choice| choice(edge.from as usize) == edge.choice as usize);
        is_chosen && (self.is_end(to) || self.passes(to))
    }

    /// What the scheduler chooses; the first choice, if there is none.
    pub fn choice(&self, state: usize) -> usize {
        self.choice.map_or(0, |choice| choice(state))
    }

    pub(super) fn standing(&self, state: usize) -> Standing {
        match (self.is_end(state), self.passes(state)) {
            (true, _) => Standing::Goal,
            (false, true) => Standing::Open,
            (false, false) => Standing::Lost,
        }
    }
}
