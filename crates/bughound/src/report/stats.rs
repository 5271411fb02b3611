//! The numbers of a search.

use bughound_search::{DiskUse, QueueAccess, SetStatistics, Turn, TurnEnd, WorkerCounts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::run::RunStats;

/// The numbers of a search, or of several searches together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatsDocument {
    /// Computations of all successors of a state, repeated ones included.
    pub expanded: u64,
    /// States of which some steps were left out, because the others are enough.
    pub reduced: u64,
    /// Optional: with --reduction check, the states whose chosen steps were compared with all their steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<u64>,
    /// Successor states computed, duplicates included.
    pub generated: u64,
    /// Distinct states kept at the end.
    pub stored: u64,
    /// States that were stored and then gave way to a larger one.
    pub displaced: u64,
    /// States that were not expanded because no error lies behind them, for certain or by guess.
    pub dead_ends: u64,
    /// Largest cost (length) at which a state was expanded.
    pub depth: u64,
    /// Time from the beginning to the end.
    pub seconds: f64,
    /// Time on the processor; null where it cannot be measured.
    pub cpu_seconds: Option<f64>,
    /// Optional: the most memory that the whole process had until then. Not in the rows of a comparison, which share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory_bytes: Option<u64>,
    /// The most memory for states.
    pub search_memory_bytes: u64,
    /// Everything was seen that there is to see.
    pub complete: bool,
    /// Steps between states, each counted once.
    pub transitions: u64,
    /// Distinct expanded states that are deadlocks; null if nobody looked for them.
    pub deadlocks: Option<u64>,
    /// Steps that fail an assertion, each counted once.
    pub failed_assertions: u64,
    /// Steps that end in an evaluation error, each counted once.
    pub evaluation_errors: u64,
    /// Expanded states that were opened again because a cheaper path turned up.
    pub reopened: u64,
    /// Estimates of the heuristic.
    pub evaluated: u64,
    /// Time for these estimates.
    pub evaluation_seconds: f64,
    /// Time for building heuristics.
    pub preparation_seconds: f64,
    /// Building a heuristic was ended by a limit.
    pub preparation_cut_short: bool,
    /// The queues of open lists that have several.
    pub queues: Vec<QueueDocument>,
    /// For bit-state hashing: the part of the bits that were set at the end, from 0 to 1; null for other searches.
    pub bit_fill: Option<f64>,
    /// For searches that keep states on disk; null for other searches, and where memory was enough.
    pub disk: Option<DiskDocument>,
    /// Optional: what each worker has done, for searches by workers that each own a part of the states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerDocument>,
    /// Optional, of a search that is made of several: which took turns, and what came of each. Searches for infinite runs are not told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnDocument>,
    /// Optional, of searches with sets of states: their numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sets: Option<SetsDocument>,
}

impl From<&RunStats> for StatsDocument {
    fn from(stats: &RunStats) -> StatsDocument {
        let counts = &stats.counts;
        StatsDocument {
            expanded: counts.expanded,
            reduced: counts.reduced,
            compared: stats.compared,
            generated: counts.generated,
            stored: counts.stored,
            displaced: counts.displaced,
            dead_ends: counts.dead_ends,
            depth: counts.depth,
            seconds: counts.elapsed.as_secs_f64(),
            cpu_seconds: stats.cpu_time.map(|time| time.as_secs_f64()),
            peak_memory_bytes: Some(stats.peak_memory_bytes),
            search_memory_bytes: counts.peak_memory,
            complete: stats.complete,
            transitions: counts.transitions,
            deadlocks: Some(counts.deadlocks),
            failed_assertions: counts.failed_assertions,
            evaluation_errors: counts.evaluation_errors,
            reopened: counts.reopened,
            evaluated: counts.evaluated,
            evaluation_seconds: counts.evaluation_time.as_secs_f64(),
            preparation_seconds: counts.preparation.time.as_secs_f64(),
            preparation_cut_short: counts.preparation.cut_short,
            queues: counts.queues.iter().map(QueueDocument::from).collect(),
            bit_fill: counts.bit_fill.map(|permille| f64::from(permille) / 1000.0),
            disk: counts.disk.as_ref().map(DiskDocument::from),
            workers: counts.workers.iter().map(WorkerDocument::from).collect(),
            turns: counts.turns.iter().map(TurnDocument::from).collect(),
            sets: counts.sets.as_ref().map(SetsDocument::from),
        }
    }
}

/// The turn of one of several searches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnDocument {
    /// The search; `shorter by …` looks for shorter ways to an error that is known.
    pub search: String,
    /// Successor states computed in this turn.
    pub generated: u64,
    /// What came of it.
    pub end: TurnEndDocument,
}

/// How a turn came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TurnEndDocument {
    /// It has found an error, or a shorter way to it.
    Found,
    /// It has seen all that there is to see: there is no error, or no shorter way.
    Exhausted,
    /// Its budget was spent, or its order has left something out.
    Spent,
    /// A limit has ended it: one of the run, or one of this attempt.
    Limit,
}

impl From<&Turn> for TurnDocument {
    fn from(turn: &Turn) -> TurnDocument {
        let end = match turn.end {
            TurnEnd::Found => TurnEndDocument::Found,
            TurnEnd::Exhausted => TurnEndDocument::Exhausted,
            TurnEnd::Spent => TurnEndDocument::Spent,
            TurnEnd::Limit => TurnEndDocument::Limit,
        };
        TurnDocument { search: turn.search.clone(), generated: turn.generated, end }
    }
}

/// What went to disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiskDocument {
    /// The most that was there at any moment.
    pub peak_bytes: u64,
    /// All that was written.
    pub written_bytes: u64,
    /// All that was read.
    pub read_bytes: u64,
    /// Generated states that were known.
    pub duplicates: u64,
}

impl From<&DiskUse> for DiskDocument {
    fn from(disk: &DiskUse) -> DiskDocument {
        DiskDocument {
            peak_bytes: disk.peak,
            written_bytes: disk.written,
            read_bytes: disk.read,
            duplicates: disk.duplicates,
        }
    }
}

/// What one of several workers has done, each of which owns a part of the states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerDocument {
    /// The process in which it worked.
    pub process: u32,
    /// States that it owns.
    pub stored: u64,
    /// States that it has expanded, repeated expansions included.
    pub expanded: u64,
    /// Successors that it has sent to other workers.
    pub sent: u64,
    /// Successors that it did not send, because it had sent the same state not long before.
    pub spared: u64,
    /// States that other workers have sent to it.
    pub received: u64,
    /// Of the states that it was sent or has found itself, those that it had before.
    pub duplicates: u64,
    /// Bytes that it has sent to other workers.
    pub sent_bytes: u64,
    /// Bytes that other workers have sent to it.
    pub received_bytes: u64,
    /// Time in which it had nothing to do.
    pub waited_seconds: f64,
    /// Bytes of its states, and what belongs to them.
    pub memory_bytes: u64,
}

impl From<&WorkerCounts> for WorkerDocument {
    fn from(counts: &WorkerCounts) -> WorkerDocument {
        WorkerDocument {
            process: counts.process,
            stored: counts.stored,
            expanded: counts.expanded,
            sent: counts.sent,
            spared: counts.spared,
            received: counts.received,
            duplicates: counts.duplicates,
            sent_bytes: counts.bytes_out,
            received_bytes: counts.bytes_in,
            waited_seconds: counts.waited.as_secs_f64(),
            memory_bytes: counts.memory,
        }
    }
}

/// The numbers of a search that keeps sets of states as decision diagrams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetsDocument {
    /// Distinct states reached, in decimal, however many.
    pub states: String,
    /// Steps between them, in decimal; 0 where a claim moves along: not counted.
    pub transitions: String,
    /// Nodes of the diagram of all states reached.
    pub nodes: u64,
    /// The most nodes of all diagrams at once.
    pub peak_nodes: u64,
    /// How often the steps of one kind were taken by a set.
    pub images: u64,
    /// Time for that.
    pub image_seconds: f64,
    /// Sets of one cost, or of one cost and one estimate, whose steps were taken.
    pub frontiers: u64,
    /// The nodes of all of them.
    pub frontier_nodes: u64,
    /// Combinations of values for which steps and predicates were computed.
    pub learned: u64,
}

impl From<&SetStatistics> for SetsDocument {
    fn from(sets: &SetStatistics) -> SetsDocument {
        SetsDocument {
            states: sets.states.clone(),
            transitions: sets.transitions.clone(),
            nodes: sets.nodes,
            peak_nodes: sets.peak_nodes,
            images: sets.images,
            image_seconds: sets.image_time.as_secs_f64(),
            frontiers: sets.frontiers,
            frontier_nodes: sets.frontier_nodes,
            learned: sets.learned,
        }
    }
}

/// How often one of several queues was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueueDocument {
    /// Its name.
    pub name: String,
    /// States that were put into it.
    pub pushed: u64,
    /// States that were taken from it, those that were out of date included.
    pub popped: u64,
}

impl From<&QueueAccess> for QueueDocument {
    fn from(queue: &QueueAccess) -> QueueDocument {
        QueueDocument { name: queue.name.clone(), pushed: queue.pushed, popped: queue.popped }
    }
}
