//! How a run ends, and what its result may claim. Shared by the engines: a verdict must mean the same everywhere.

use bughound_kernel::{FailureKind, StopReason};

use crate::result::{Incompleteness, SearchResult, Statistics, Witness};

/// Why a run ended before everything was searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    Error,
    Limit(StopReason),
    Budget,
}

/// Everything that speaks against completeness.
#[derive(Clone, Copy, Debug, Default)]
pub struct Losses {
    pub halt: Option<Halt>,
    /// The bound on lengths, if it cut something off.
    pub bound: Option<u64>,
    pub lossy_store: bool,
    pub lossy_open_list: bool,
    /// A step did not end and was given up.
    pub endless: bool,
    pub unsafe_pruning: bool,
    /// Whatever has ended the run: no error costs less, by the order in which states were taken.
    pub floor: u64,
    /// Steps were left out for good that lead to no error, or to none that other steps would not lead to.
    pub left_out: bool,
}

impl Losses {
    fn reasons(&self) -> Vec<Incompleteness> {
        let halted = self.halt.map(|halt| match halt {
            Halt::Error => Incompleteness::StoppedAtError,
            Halt::Limit(reason) => Incompleteness::Limit(reason),
            Halt::Budget => Incompleteness::Budget,
        });
        let bounded = self.bound.map(Incompleteness::DepthBound);
        let others = [
            (self.lossy_store, Incompleteness::LossyStore),
            (self.lossy_open_list, Incompleteness::LossyOpenList),
            (self.endless, Incompleteness::EndlessStep),
            (self.unsafe_pruning, Incompleteness::UnsafePruning),
        ];
        let others = others.into_iter().filter_map(|(holds, reason)| holds.then_some(reason));
        halted.into_iter().chain(bounded).chain(others).collect()
    }

    /// Was nothing left out but what lies beyond the bound?
    pub fn hide_nothing_within_the_bound(&self) -> bool {
        self.reasons().iter().all(|reason| matches!(reason, Incompleteness::DepthBound(_)))
    }

    /// A search that goes on after an error has looked for something better: that it got to the end proves nothing else.
    pub fn found_what_was_asked_for(&mut self) {
        if self.halt.is_none() {
            self.halt = Some(Halt::Error);
            self.bound = None;
        }
    }

    pub fn result(&self, witnesses: Vec<Witness>, stats: Statistics) -> SearchResult {
        let incomplete_because = self.reasons();
        let at_least = self.least_cost(&incomplete_because, &witnesses);
        SearchResult {
            witnesses,
            at_least,
            saw_everything: incomplete_because.is_empty() && stats.dead_ends == 0 && !self.left_out,
            stats,
            complete: incomplete_because.is_empty(),
            stop_reason: match self.halt {
                Some(Halt::Limit(reason)) => Some(reason),
                Some(Halt::Error | Halt::Budget) | None => None,
            },
            incomplete_because,
        }
    }
}

impl Losses {
    /// What every error costs at least, found or not.
    fn least_cost(&self, reasons: &[Incompleteness], witnesses: &[Witness]) -> u64 {
        let unseen = match (reasons, self.bound) {
            ([], _) => u64::MAX,
            ([Incompleteness::DepthBound(_)], Some(bound)) => bound.saturating_add(1),
            _ => self.floor,
        };
        let seen = witnesses.iter().map(|witness| if witness.proven_shortest { witness.length } else { self.floor });
        seen.fold(unseen, u64::min)
    }
}

impl Statistics {
    pub fn count_failure(&mut self, kind: FailureKind) {
        match kind {
            FailureKind::Assertion => self.failed_assertions += 1,
            FailureKind::Evaluation => self.evaluation_errors += 1,
        }
    }
}
