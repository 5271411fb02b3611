//! The search and its driver: limits are asked for between operations on diagrams, which cannot be interrupted.

use bughound_kernel::StopReason;
use bughound_search::{Driver, Snapshot};
use dashu_int::UBig;

use crate::diagrams::{Computed, Diagrams, Stop};

pub(crate) struct Pulse<'p, 'd> {
    pub driver: &'p mut Driver<'d>,
    pub now: Snapshot,
}

impl Pulse<'_, '_> {
    /// Was the search told to end? What an explorer has said since is to be dropped then.
    pub fn heed(&self) -> Computed<()> {
        self.driver.stopped().map_or(Ok(()), |reason| Err(Stop::Limit(reason)))
    }

    /// Are so many states too many?
    pub fn count(&self, states: impl FnOnce() -> UBig) -> Computed<()> {
        if self.driver.limits().states.is_none() {
            return Ok(());
        }
        let stored = u64::try_from(states()).unwrap_or(u64::MAX);
        if self.driver.exceeds_states(stored) { Err(Stop::Limit(StopReason::States)) } else { Ok(()) }
    }

    /// One more piece of work is done.
    pub fn beat(&mut self, diagrams: &Diagrams) -> Computed<()> {
        self.heed()?;
        if !self.driver.is_due(1) {
            return Ok(());
        }
        self.now.memory = diagrams.memory();
        match self.driver.check(self.now.clone()) {
            Some(reason) => Err(Stop::Limit(reason)),
            None => Ok(()),
        }
    }
}
