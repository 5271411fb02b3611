//! Grades by use: a step is useless if the error seems no farther away without it.

use bughound_kernel::{Estimate, Heuristic};

use crate::evaluators::{Arrival, Grade, Grader};

const USELESS: Grade = Grade(1);

/// Compares the estimate of a state in the system without the step with that of the state that the step leads to.
pub(crate) struct ByUse<'h> {
    heuristic: Box<dyn Heuristic + 'h>,
}

impl<'h> ByUse<'h> {
    pub(crate) fn new(heuristic: Box<dyn Heuristic + 'h>) -> Self {
        ByUse { heuristic }
    }
}

impl Grader for ByUse<'_> {
    fn grade(&mut self, arrival: &Arrival<'_>, estimate: Option<u64>) -> Option<Grade> {
        let (Some(from), Some(after)) = (arrival.from, estimate) else { return Some(Grade::FIRST) };
        let without = self.heuristic.estimate_without(arrival.moves, from.state);
        let useless = without.is_some_and(|without| without <= Estimate::Finite(after));
        Some(if useless { USELESS } else { Grade::FIRST })
    }

    fn memory(&self) -> u64 {
        self.heuristic.memory()
    }
}
