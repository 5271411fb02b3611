//! The search and its driver: limits are asked for between operations on diagrams, which cannot be interrupted.

use bughound_search::{Driver, Snapshot};

use crate::diagrams::{Computed, Diagrams, Stop};

pub(crate) struct Pulse<'p, 'd> {
    pub driver: &'p mut Driver<'d>,
    pub now: Snapshot,
}

impl Pulse<'_, '_> {
    /// One more piece of work is done.
    pub fn beat(&mut self, diagrams: &Diagrams) -> Computed<()> {
        if let Some(reason) = self.driver.stopped() {
            return Err(Stop::Limit(reason));
        }
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
