//! A schedule for other programs.

use bughound_ir::rational::Rational;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ScheduleView, Stay};

/// A run of a timed model as a schedule. Numbers stand there twice: for those who calculate, and exactly, as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleDocument {
    /// What the run costs.
    pub cost: f64,
    /// `cost` as an exact fraction such as `7/2`.
    pub cost_exact: String,
    /// When the run ends.
    pub end: f64,
    /// `end` as an exact fraction such as `7/2`.
    pub end_exact: String,
    /// Which process is where from when to when, in the order of the beginnings.
    pub stays: Vec<StayDocument>,
}

/// A time during which a process is in one location.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StayDocument {
    /// Name of the process.
    pub process: String,
    /// Its number.
    pub pid: usize,
    /// Name of the location.
    pub location: String,
    /// When it comes there.
    pub from: f64,
    /// `from` as an exact fraction such as `7/2`.
    pub from_exact: String,
    /// When it leaves, or the run ends.
    pub to: f64,
    /// `to` as an exact fraction such as `7/2`.
    pub to_exact: String,
    /// What the location costs while time passes there.
    pub over_time: f64,
    /// `over_time` as an exact fraction such as `7/2`.
    pub over_time_exact: String,
    /// What the process pays with the steps that lead there, and with those that it makes without leaving.
    pub at_once: f64,
    /// Nothing makes the process leave: the location has no invariant.
    pub may_last: bool,
    /// Optional: the statement with which the process came there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entered_by: Option<String>,
}

fn both(number: Rational) -> (f64, String) {
    (number.as_f64(), number.to_string())
}

impl From<&ScheduleView> for ScheduleDocument {
    fn from(schedule: &ScheduleView) -> ScheduleDocument {
        let ((cost, cost_exact), (end, end_exact)) = (both(schedule.cost), both(schedule.end));
        let stays = schedule.stays.iter().map(StayDocument::from).collect();
        ScheduleDocument { cost, cost_exact, end, end_exact, stays }
    }
}

impl From<&Stay> for StayDocument {
    fn from(stay: &Stay) -> StayDocument {
        let ((from, from_exact), (to, to_exact)) = (both(stay.from), both(stay.to));
        let (over_time, over_time_exact) = both(stay.over_time);
        StayDocument {
            process: stay.process.clone(),
            pid: stay.pid,
            location: stay.location.clone(),
            from,
            from_exact,
            to,
            to_exact,
            over_time,
            over_time_exact,
            at_once: stay.at_once.as_f64(),
            may_last: stay.may_last,
            entered_by: stay.entered_by.clone(),
        }
    }
}
