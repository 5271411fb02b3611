//! Limits of a run and the reasons for which it ends early.

use std::time::Duration;

/// What a run may use. `None` means unbounded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    pub time: Option<Duration>,
    /// Bytes held by the store and the search.
    pub memory: Option<u64>,
    pub states: Option<u64>,
    /// Longest path considered, in micro steps.
    pub depth: Option<u64>,
}

/// Why a search ended before it was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    Time,
    Memory,
    States,
    /// The user asked for it.
    Interrupted,
}

impl StopReason {
    pub fn describe(self) -> &'static str {
        match self {
            StopReason::Time => "the time limit was reached",
            StopReason::Memory => "the memory limit was reached",
            StopReason::States => "the limit on the number of states was reached",
            StopReason::Interrupted => "it was interrupted",
        }
    }
}
