//! What a worker has done, as it is told to those who sum it up: the same in every process.

use std::time::Duration;

use bughound_kernel::{Failure, FailureKind, StateId};
use bughound_search::engines::ending::Halt;
use bughound_search::{PropertyIndex, Statistics, WorkerCounts};
use serde::{Deserialize, Serialize};

use crate::nodes::Address;

/// An error: a state, or a step from it that fails.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sighting {
    pub property: PropertyIndex,
    #[serde(with = "address")]
    pub at: Address,
    #[serde(with = "failure")]
    pub failure: Option<Failure>,
    pub cost: u64,
    /// All that is cheaper was looked at when it was taken as a result.
    pub settled: bool,
}

/// What speaks against completeness and against shortest errors, as one worker knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Doubts {
    pub endless: bool,
    pub lossy_store: bool,
    /// States were thrown away.
    pub dropped: bool,
    pub pruned: bool,
    pub prunes_safely: bool,
    pub cheapest_first: bool,
    pub left_out: bool,
    /// States were left out that lead to no error within the bound.
    pub beyond: bool,
}

/// What a worker has done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The cheapest error of each property that it has met.
    pub sightings: Vec<Sighting>,
    pub doubts: Doubts,
    /// States that it has still to expand.
    pub open: u64,
    /// Stored states beyond the bound.
    pub beyond: u64,
    /// Properties with errors beyond the bound.
    pub missed: Vec<PropertyIndex>,
    /// No error costs less, as far as it has seen; counts only if errors are found cheapest first.
    pub floor: u64,
    /// States stored within the bound.
    #[serde(with = "counts")]
    pub counts: WorkerCounts,
    pub numbers: Numbers,
    /// Edges that were taken, one bit for each.
    pub edges: Vec<u64>,
}

impl Share {
    /// It has turned out that nothing is open or under way anywhere.
    pub fn drain(&mut self) {
        if self.doubts.cheapest_first {
            self.floor = u64::MAX;
        }
        self.sightings.iter_mut().for_each(|sighting| sighting.settled = true);
    }
}

/// The statistics of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    pub expanded: u64,
    pub reduced: u64,
    pub generated: u64,
    pub transitions: u64,
    pub deadlocks: u64,
    pub failed_assertions: u64,
    pub evaluation_errors: u64,
    pub reopened: u64,
    pub displaced: u64,
    pub dead_ends: u64,
    pub depth: u64,
    pub evaluated: u64,
    pub evaluation_time: Duration,
}

impl Numbers {
    pub fn count_failure(&mut self, kind: FailureKind) {
        match kind {
            FailureKind::Assertion => self.failed_assertions += 1,
            FailureKind::Evaluation => self.evaluation_errors += 1,
        }
    }

    pub fn add_to(&self, all: &mut Statistics) {
        all.expanded += self.expanded;
        all.reduced += self.reduced;
        all.generated += self.generated;
        all.transitions += self.transitions;
        all.deadlocks += self.deadlocks;
        all.failed_assertions += self.failed_assertions;
        all.evaluation_errors += self.evaluation_errors;
        all.reopened += self.reopened;
        all.displaced += self.displaced;
        all.dead_ends += self.dead_ends;
        all.depth = all.depth.max(self.depth);
        all.evaluated += self.evaluated;
        all.evaluation_time += self.evaluation_time;
    }
}

/// Why a search has ended, as processes tell each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    Error,
    Time,
    Memory,
    States,
    Interrupted,
    DiskSpace,
    DiskFailure,
    LostWorker,
    Budget,
}

impl From<Halt> for End {
    fn from(halt: Halt) -> End {
        use bughound_kernel::StopReason;
        match halt {
            Halt::Error => End::Error,
            Halt::Budget => End::Budget,
            Halt::Limit(StopReason::Time) => End::Time,
            Halt::Limit(StopReason::Memory) => End::Memory,
            Halt::Limit(StopReason::States) => End::States,
            Halt::Limit(StopReason::Interrupted) => End::Interrupted,
            Halt::Limit(StopReason::DiskSpace) => End::DiskSpace,
            Halt::Limit(StopReason::DiskFailure) => End::DiskFailure,
            Halt::Limit(StopReason::LostWorker) => End::LostWorker,
        }
    }
}

impl From<End> for Halt {
    fn from(end: End) -> Halt {
        use bughound_kernel::StopReason;
        match end {
            End::Error => Halt::Error,
            End::Budget => Halt::Budget,
            End::Time => Halt::Limit(StopReason::Time),
            End::Memory => Halt::Limit(StopReason::Memory),
            End::States => Halt::Limit(StopReason::States),
            End::Interrupted => Halt::Limit(StopReason::Interrupted),
            End::DiskSpace => Halt::Limit(StopReason::DiskSpace),
            End::DiskFailure => Halt::Limit(StopReason::DiskFailure),
            End::LostWorker => Halt::Limit(StopReason::LostWorker),
        }
    }
}

mod address {
    use super::*;
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(at: &Address, serializer: S) -> Result<S::Ok, S::Error> {
        (at.worker, at.id.0).serialize(serializer)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Address, D::Error> {
        let (worker, id) = <(u32, u32)>::deserialize(deserializer)?;
        Ok(Address { worker, id: StateId(id) })
    }
}

mod failure {
    use super::*;
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(failure: &Option<Failure>, serializer: S) -> Result<S::Ok, S::Error> {
        failure.map(|Failure { kind, edge, code }| (kind == FailureKind::Assertion, edge, code)).serialize(serializer)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<Failure>, D::Error> {
        let failure = Option::<(bool, u32, u32)>::deserialize(deserializer)?;
        Ok(failure.map(|(assertion, edge, code)| {
            let kind = if assertion { FailureKind::Assertion } else { FailureKind::Evaluation };
            Failure { kind, edge, code }
        }))
    }
}

mod counts {
    use super::*;
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(counts: &WorkerCounts, serializer: S) -> Result<S::Ok, S::Error> {
        let WorkerCounts { process, stored, expanded, sent, spared, received, .. } = *counts;
        let WorkerCounts { duplicates, bytes_out, bytes_in, waited, memory, .. } = *counts;
        let numbers = [stored, expanded, sent, spared, received, duplicates, bytes_out, bytes_in, memory];
        (process, numbers, waited).serialize(serializer)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<WorkerCounts, D::Error> {
        let (process, numbers, waited) = <(u32, [u64; 9], Duration)>::deserialize(deserializer)?;
        let [stored, expanded, sent, spared, received, duplicates, bytes_out, bytes_in, memory] = numbers;
        let counts = WorkerCounts {
            process,
            stored,
            expanded,
            sent,
            spared,
            received,
            duplicates,
            waited,
            ..WorkerCounts::default()
        };
        Ok(WorkerCounts { bytes_out, bytes_in, memory, ..counts })
    }
}
