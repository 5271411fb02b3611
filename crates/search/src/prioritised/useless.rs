//! Grades by use: a step is useless if the error seems no farther away without it.

use std::time::Duration;

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::{Estimate, Heuristic};

use crate::evaluators::{Arrival, Grade, Grader, Stopwatch};
use crate::saving::{Ids, Snapshot};

/// What becomes of states behind useless steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Useless {
    /// They wait until there are no others.
    Last,
    /// They count as farther away by their depth, as in MCTA 0.1: those near the start have their turn.
    ByDepth,
}

/// Compares the estimate of a state in the system without the step with that of the state that the step leads to.
pub(crate) struct ByUse<'h> {
    heuristic: Box<dyn Heuristic + 'h>,
    useless: Useless,
    stopwatch: Stopwatch,
}

impl<'h> ByUse<'h> {
    pub(crate) fn new(heuristic: Box<dyn Heuristic + 'h>, useless: Useless) -> Self {
        ByUse { heuristic, useless, stopwatch: Stopwatch::default() }
    }
}

impl Grader for ByUse<'_> {
    fn grade(&mut self, arrival: &Arrival<'_>, estimate: Option<u64>) -> Option<Grade> {
        let (Some(from), Some(after)) = (arrival.from, estimate) else { return Some(Grade::FIRST) };
        let without = self.stopwatch.time(|| self.heuristic.estimate_without(arrival.moves, from.state.into()));
        let useless = without.is_some_and(|without| without <= Estimate::Finite(after));
        Some(match self.useless {
            Useless::Last => Grade(useless.into()),
            Useless::ByDepth => {
                let depth = if useless { arrival.cost } else { 0 };
                Grade(u32::try_from(after.saturating_add(depth)).unwrap_or(u32::MAX))
            }
        })
    }

    fn evaluations(&self) -> (u64, Duration) {
        self.stopwatch.read()
    }

    fn memory(&self) -> u64 {
        self.heuristic.memory()
    }
}

impl Snapshot for ByUse<'_> {
    fn save(&self, _ids: &Ids, to: &mut Writer) {
        self.stopwatch.write(to);
    }

    fn load(&mut self, _ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        self.stopwatch = Record::read(from)?;
        Ok(())
    }
}
