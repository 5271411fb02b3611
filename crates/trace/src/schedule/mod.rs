//! Schedules: a run of a timed model as who does what from when to when, and at which cost.
//!
//! The run has been confirmed; here it is executed once more by the reference evaluator, without zones, and what it costs
//! is added up exactly: each delay times the sum of the rates of the locations where the processes are, and what the
//! steps pay at once. A search that says what a run costs can be compared with that.
//!
//! A process *stays* in a location from the step that leads there until one that leads elsewhere. A stay that takes no
//! time is not listed: what was paid on the way counts for the next stay of the process, which begins at the same time.
//!
//! - `walk`: from the run to stays and costs; `text`: the table; `gantt`: the picture; `document`: JSON.

mod document;
mod gantt;
mod text;
mod walk;

pub use document::{ScheduleDocument, StayDocument};
pub use gantt::render_gantt;
pub use text::render_schedule;

use std::fmt;

use bughound_ir::network::Network;
use bughound_ir::rational::Rational;

use crate::replay::Trace;

/// A time during which a process is in one location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stay {
    /// Number and name of the process.
    pub pid: usize,
    pub process: String,
    /// As the user calls it.
    pub location: String,
    pub from: Rational,
    pub to: Rational,
    /// What the location costs while time passes there.
    pub over_time: Rational,
    /// What the process pays with steps: with those that lead there, and with those that it makes without leaving.
    pub at_once: Rational,
    /// Nothing makes the process leave: the location has no invariant.
    pub may_last: bool,
    /// The statement with which the process came there; nothing if it starts there.
    pub entered_by: Option<String>,
}

impl Stay {
    /// Nothing if the number cannot be written down.
    pub fn cost(&self) -> Option<Rational> {
        self.over_time.plus(self.at_once)
    }

    /// It lasts from the start to the end of the schedule and costs nothing.
    fn is_idle(&self, end: Rational) -> bool {
        self.from.is_zero() && self.to == end && self.over_time.is_zero() && self.at_once.is_zero()
    }
}

/// A run as a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleView {
    /// In the order in which they begin, then in that of the processes. One for each process at least.
    pub stays: Vec<Stay>,
    /// What the run costs: computed for the network as a whole, not as a sum of the costs of the stays.
    pub cost: Rational,
    /// When the run ends.
    pub end: Rational,
}

/// Why a run cannot be shown as a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScheduleError {
    /// The run has no times.
    Untimed,
    /// The step with this number (from 1) is not possible.
    Step { number: usize, error: String },
    /// What it costs to be where a process is has no value, or one below 0.
    Rate { process: String, location: String, error: String },
    /// A cost that is too large to be written down exactly.
    TooLarge,
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScheduleError::Untimed => f.write_str("the run has no times: there is no schedule to show"),
            ScheduleError::Step { number, error } => {
                write!(f, "step {number} of the schedule is not possible: {error}")
            }
            ScheduleError::Rate { process, location, error } => {
                write!(f, "the cost of {process} in {location} is not known: {error}")
            }
            ScheduleError::TooLarge => f.write_str("the cost of the schedule is too large to be computed exactly"),
        }
    }
}

impl std::error::Error for ScheduleError {}

impl ScheduleView {
    /// Follows a run that was confirmed.
    pub fn of(network: &Network, trace: &Trace) -> Result<ScheduleView, ScheduleError> {
        walk::follow(network, trace)
    }

    /// The processes by number, with their names; a number that is used again has the name of its first process.
    fn processes(&self) -> Vec<(usize, &str)> {
        let mut processes: Vec<(usize, &str)> = self.stays.iter().map(|stay| (stay.pid, &*stay.process)).collect();
        processes.sort_by_key(|(pid, _)| *pid);
        processes.dedup_by_key(|(pid, _)| *pid);
        processes
    }
}

#[cfg(test)]
mod tests;
