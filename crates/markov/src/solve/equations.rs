//! Systems of equations x = opt over rows (reward + Σ weight · x), the common form of all questions without bounds.
//!
//! A variable is a state whose value is not clear from the graph, or an end component that was made one. A row is a choice;
//! its weights are probabilities that add up to exactly one. A target beyond the variables is a value that is known already.
//! What builds the system sees to it that the least solution is the value asked for and the only finite one: no choice of rows
//! stays among the variables for ever for free.

use dashu_ratio::RBig;

use crate::answer::Extreme;
use crate::model::{Model, NumberId, Pool, Rewards};
use crate::numbers::Interval;

/// What a state is in the equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Variable(u32),
    /// Index of a known value.
    Known(u32),
}

/// Values that are known before anything is solved.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Missing if some of them are known as intervals only.
    pub exact: Option<Vec<RBig>>,
    pub around: Vec<Interval>,
}

impl Known {
    pub fn exact(values: Vec<RBig>) -> Known {
        let around = values.iter().map(Interval::around).collect();
        Known { exact: Some(values), around }
    }

    /// Zero is known 0, one is known 1.
    pub fn zero_and_one() -> Known {
        Known::exact(vec![RBig::ZERO, RBig::ONE])
    }
}

/// The equations.
#[derive(Clone, Debug)]
pub(crate) struct Equations<'m> {
    pub pool: &'m Pool,
    pub extreme: Extreme,
    /// First row of each variable, and the end.
    pub row_start: Vec<u32>,
    /// First entry of each row, and the end.
    pub entry_start: Vec<u32>,
    pub targets: Vec<u32>,
    pub weights: Vec<NumberId>,
    /// Rewards of each row, of the state and of the choice. Empty without rewards.
    pub rewards: Vec<[NumberId; 2]>,
    /// Which choice of the model a row is.
    pub choices: Vec<u32>,
    pub known: Known,
}

/// A row that is no choice of the model.
pub(crate) const NO_CHOICE: u32 = u32::MAX;

impl<'m> Equations<'m> {
    pub fn new(model: &'m Model, extreme: Extreme, known: Known) -> Equations<'m> {
        Equations {
            pool: model.pool(),
            extreme,
            row_start: vec![0],
            entry_start: vec![0],
            targets: Vec::new(),
            weights: Vec::new(),
            rewards: Vec::new(),
            choices: Vec::new(),
            known,
        }
    }

    pub fn variables(&self) -> usize {
        self.row_start.len() - 1
    }

    pub fn rows(&self, variable: usize) -> std::ops::Range<usize> {
        self.row_start[variable] as usize..self.row_start[variable + 1] as usize
    }

    pub fn entries(&self, row: usize) -> std::ops::Range<usize> {
        self.entry_start[row] as usize..self.entry_start[row + 1] as usize
    }

    /// Adds a choice of the model as a row of the next variable. `variables` is how many there will be.
    pub fn add_choice(
        &mut self,
        model: &Model,
        choice: usize,
        variables: usize,
        reward: Option<(&Rewards, usize)>,
        role: impl Fn(usize) -> Role,
    ) {
        for (target, weight) in model.entries(choice) {
            self.targets.push(match role(target) {
                Role::Variable(variable) => variable,
                Role::Known(index) => variables as u32 + index,
            });
            self.weights.push(weight);
        }
        self.entry_start.push(self.targets.len() as u32);
        self.choices.push(choice as u32);
        if let Some((rewards, state)) = reward {
            self.rewards.push([rewards.of_state(state), rewards.of_choice(choice)]);
        }
    }

    /// Adds a row that ends at a known value.
    pub fn add_end(&mut self, variables: usize, known: u32, with_reward: bool) {
        self.targets.push(variables as u32 + known);
        self.weights.push(Pool::ONE);
        self.entry_start.push(self.targets.len() as u32);
        self.choices.push(NO_CHOICE);
        if with_reward {
            self.rewards.push([Pool::ZERO; 2]);
        }
    }

    /// The rows of a variable are complete.
    pub fn end_variable(&mut self) {
        self.row_start.push(self.choices.len() as u32);
    }

    /// Bytes of the arrays.
    pub fn memory(&self) -> usize {
        4 * (self.row_start.len() + self.entry_start.len() + 2 * self.targets.len() + self.choices.len())
            + 8 * self.rewards.len()
    }
}
