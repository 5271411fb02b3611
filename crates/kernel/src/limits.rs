//! Limits of a run and the reasons for which it ends early.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

/// What a run may use. `None` means unbounded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// One moment for everything that belongs together: a run that starts late has less time.
    pub until: Option<Instant>,
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
    /// So many bytes on disk as it may use, or all that there were.
    DiskSpace,
    /// What was on disk could not be written or read, or was not what had been written.
    DiskFailure,
    /// The user asked for it.
    Interrupted,
    /// One of several processes that search together has ended before its time, or cannot be reached any more.
    LostWorker,
}

/// Tells everything that belongs to one run to come to an end, from whatever thread. Looking at it costs next to nothing, so
/// that long loops can do so in each round.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<AtomicU8>);

impl StopSignal {
    /// The first reason is the one that counts.
    pub fn raise(&self, reason: StopReason) {
        let number = StopReason::ALL.iter().position(|other| *other == reason).map_or(0, |at| at as u8 + 1);
        let _ = self.0.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    }

    #[inline]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    pub fn reason(&self) -> Option<StopReason> {
        let number = self.0.load(Ordering::Relaxed);
        StopReason::ALL.get(usize::from(number).wrapping_sub(1)).copied()
    }

    /// What was told to end has ended, and something new begins: for whoever works on command.
    pub fn lower(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

impl StopReason {
    /// All of them. Their places are recorded: what is new comes last.
    pub const ALL: [StopReason; 7] = [
        StopReason::Time,
        StopReason::Memory,
        StopReason::States,
        StopReason::Interrupted,
        StopReason::DiskSpace,
        StopReason::DiskFailure,
        StopReason::LostWorker,
    ];

    pub fn describe(self) -> &'static str {
        match self {
            StopReason::Time => "the time limit was reached",
            StopReason::Memory => "the memory limit was reached",
            StopReason::States => "the limit on the number of states was reached",
            StopReason::DiskSpace => "there was no more room on the disk",
            StopReason::DiskFailure => "the disk failed",
            StopReason::Interrupted => "it was interrupted",
            StopReason::LostWorker => "a worker was lost",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_counts_for_everybody() {
        let signal = StopSignal::default();
        let other = signal.clone();
        assert_eq!((signal.is_raised(), signal.reason()), (false, None));
        for reason in StopReason::ALL {
            other.raise(reason);
            assert_eq!((signal.is_raised(), signal.reason()), (true, Some(reason)));
            other.raise(StopReason::Time);
            assert_eq!(signal.reason(), Some(reason));
            signal.lower();
            assert!(!other.is_raised());
        }
    }
}
