//! What an abstraction keeps: some variables of the task and some clocks.

use bughound_ir::types::ClockId;

use bughound_finite::task::Task;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// Variables of the task, ascending.
    pub variables: Vec<usize>,
    /// Ascending.
    pub clocks: Vec<ClockId>,
}

/// Something that can be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Variable(usize),
    Clock(ClockId),
}

impl Pattern {
    /// All that there is.
    pub fn everything(task: &Task, clocks: usize) -> Pattern {
        let clocks = (0..clocks as u32).map(ClockId).collect();
        Pattern { variables: (0..task.variables.len()).collect(), clocks }
    }

    pub fn keeps(&self, variable: usize) -> bool {
        self.variables.binary_search(&variable).is_ok()
    }

    pub fn with(&self, part: Part) -> Pattern {
        let mut larger = self.clone();
        match part {
            Part::Variable(variable) => larger.variables.push(variable),
            Part::Clock(clock) => larger.clocks.push(clock),
        }
        larger.variables.sort_unstable();
        larger.variables.dedup();
        larger.clocks.sort_unstable();
        larger.clocks.dedup();
        larger
    }

    pub fn without(&self, part: Part) -> Pattern {
        match part {
            Part::Variable(variable) => self.without_variable(variable),
            Part::Clock(clock) => self.without_clock(clock),
        }
    }

    pub fn without_variable(&self, variable: usize) -> Pattern {
        let variables = self.variables.iter().copied().filter(|kept| *kept != variable).collect();
        Pattern { variables, clocks: self.clocks.clone() }
    }

    pub fn without_clock(&self, clock: ClockId) -> Pattern {
        let clocks = self.clocks.iter().copied().filter(|kept| *kept != clock).collect();
        Pattern { variables: self.variables.clone(), clocks }
    }
}
