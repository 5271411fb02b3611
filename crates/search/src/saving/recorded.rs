//! The driver and the journal: what is recorded of a call and its runs.

use std::time::Duration;

use bughound_checkpoint::{Draft, Error};
use bughound_kernel::StopReason;

use super::Begin;
use crate::driver::Driver;
use crate::result::SearchResult;
use crate::search::Task;

/// What two runs must have in common to be the same: besides the model and the options, of which the identity of a checkpoint
/// speaks.
fn label(task: &Task<'_>, driver: &Driver<'_>, what: &str) -> String {
    let limits = driver.limits();
    format!("{what}; {:?}; {:?}; states {:?}, depth {:?}", task.goals, task.stop, limits.states, limits.depth)
}

impl Driver<'_> {
    /// A call begins: if it was over in an earlier process, this is its result.
    pub(crate) fn begin_call(&mut self, task: &Task<'_>) -> Option<SearchResult> {
        let label = label(task, self, &self.label);
        let journal = self.journal.as_deref_mut()?;
        let over = journal.begin_call(label);
        self.earlier = journal.earlier();
        if let Some(observer) = &mut self.observer {
            observer.add_seen(over.as_ref().map_or(journal.seen(), |(_, seen)| seen));
        }
        over.map(|(result, _)| result)
    }

    pub(crate) fn end_call(&mut self, result: &SearchResult) {
        let (is_end, seen) = (self.is_end(result.stop_reason), self.seen());
        if let Some(journal) = &mut self.journal {
            journal.end_call(result, seen, is_end);
        }
    }

    /// A run of an engine begins: where? `what`: all that makes it another one than others of the same search.
    pub fn begin_run(&mut self, task: &Task<'_>, what: &str) -> Begin {
        let label = label(task, self, what);
        self.journal.as_deref_mut().map_or(Begin::AtTheStart, |journal| journal.begin_run(label))
    }

    /// It is over. What a limit has ended is not recorded.
    pub fn end_run(&mut self, result: &SearchResult) {
        let is_end = self.is_end(result.stop_reason);
        if let Some(journal) = &mut self.journal {
            journal.end_run(result, is_end);
        }
    }

    /// Is this the end of everything, after which another process can go on? Not the end of a share of time or states that the check
    /// gives to a part of it.
    fn is_end(&self, stop: Option<StopReason>) -> bool {
        match stop {
            None | Some(StopReason::States) => false,
            Some(
                StopReason::Memory
                | StopReason::Interrupted
                | StopReason::DiskSpace
                | StopReason::DiskFailure
                | StopReason::LostWorker,
            ) => true,
            Some(StopReason::Time) => {
                self.stop_signal().is_raised() || self.journal.as_ref().is_some_and(|j| j.time_is_over())
            }
        }
    }

    fn seen(&self) -> Vec<u64> {
        self.observer.as_ref().map(|observer| observer.seen()).unwrap_or_default()
    }

    /// What is saved besides a run: the time that the call has taken, and what an observer has seen.
    pub(crate) fn so_far(&self) -> (Duration, Vec<u64>) {
        (self.elapsed(), self.seen())
    }

    /// Will another process go on if this reason ends the search? Then what was saved last has to be the end of this one.
    pub fn saves_at(&self, reason: StopReason) -> bool {
        self.saves() && self.is_end(Some(reason))
    }

    /// Is the run recorded, so that it is worth while to be ready for that?
    pub fn saves(&self) -> bool {
        self.journal.as_ref().is_some_and(|journal| journal.writes() && !journal.is_closed())
    }

    /// Is the run to be saved now? To be asked now and then, between two steps.
    pub fn is_time_to_save(&self) -> bool {
        self.journal.as_ref().is_some_and(|journal| journal.is_time_to_save())
    }

    /// Saves a run of an engine with sections of its own: the next process finds them where its run [begins](Self::begin_run). If it
    /// cannot be written, the checkpoint before stays, and the result of the check says so. True: it was written.
    pub fn save_sections(&mut self, write: impl FnOnce(&mut Draft<'_>) -> Result<(), Error>) -> bool {
        let so_far = self.so_far();
        self.journal.as_deref_mut().is_some_and(|journal| journal.save_sections(so_far, write))
    }

    /// A limit has ended the run: what was saved last is where another process goes on.
    pub fn end_saving(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.close();
        }
    }
}
