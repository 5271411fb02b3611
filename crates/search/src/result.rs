//! What a search hands back.

use std::fmt;
use std::time::Duration;

use bughound_kernel::registry::BuildError;
use bughound_kernel::{Failure, Move, StateBuf, StopReason};

use crate::goals::{Place, PropertyIndex};
use crate::preparation::Preparation;

/// Counts of a search, with the same meaning everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Expansions: computations of all successors of a state. Includes repeated ones. States reported as errors do not
    /// count: a deadlock is recognised by having no successors.
    pub expanded: u64,
    /// States of which some steps were left out, because the others are enough.
    pub reduced: u64,
    /// Successor states computed, duplicates included, repeated expansions included.
    pub generated: u64,
    /// Distinct states kept within the bounds of the search, at its end: without those that were displaced.
    pub stored: u64,
    /// Steps between states, each counted once however often its state was expanded.
    pub transitions: u64,
    /// Distinct states expanded in which the system is stuck though it may not end.
    pub deadlocks: u64,
    /// Steps that fail an assertion, each counted once.
    pub failed_assertions: u64,
    /// Steps that end in an evaluation error, each counted once.
    pub evaluation_errors: u64,
    /// Expanded states that were opened again because a cheaper path turned up.
    pub reopened: u64,
    /// States that were stored and then gave way to a larger one, expanded before or not.
    pub displaced: u64,
    /// States that were not expanded because the search was certain, or guessed, that no error lies behind them.
    pub dead_ends: u64,
    /// Calls of the heuristic.
    pub evaluated: u64,
    /// Time spent in the heuristic, measured on a sample of the calls.
    pub evaluation_time: Duration,
    /// What it took to build heuristics.
    pub preparation: Preparation,
    /// Looking for shorter ways to an error was ended by the clock, after this time: on a faster machine the same run might
    /// have got further.
    pub shortening_cut: Option<Duration>,
    /// Largest cost (length) at which a state was expanded.
    pub depth: u64,
    /// For open lists that are made of several queues: how often each was used.
    pub queues: Vec<QueueAccess>,
    /// For bit-state hashing: how many thousandths of the bits were set at the end, the most of all runs. Nearly full
    /// arrays omit most states.
    pub bit_fill: Option<u32>,
    /// For searches that keep states on disk: what went there.
    pub disk: Option<DiskUse>,
    /// Of searches that compute with sets of states.
    pub sets: Option<SetStatistics>,
    pub peak_memory: u64,
    pub elapsed: Duration,
    /// What each worker has done, for searches whose workers have states of their own.
    pub workers: Vec<WorkerCounts>,
    /// Of a search that is made of several: which took turns, and what came of each. Searches for infinite runs are not told.
    pub turns: Vec<Turn>,
}

/// The turn of one of several searches that a search is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// What it looks for, and how.
    pub search: String,
    /// Successor states computed in it.
    pub generated: u64,
    pub end: TurnEnd,
}

/// How a turn came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// It has found what was looked for: an error, or a shorter way to it.
    Found,
    /// It has seen all that there is to see: there is nothing of the kind.
    Exhausted,
    /// Its budget was spent, or its order has left something out: it knows nothing.
    Spent,
    /// A limit has ended it: one of the run, or one of this attempt.
    Limit,
}

impl TurnEnd {
    pub const ALL: [TurnEnd; 4] = [TurnEnd::Found, TurnEnd::Exhausted, TurnEnd::Spent, TurnEnd::Limit];

    pub fn of(result: &SearchResult) -> Self {
        match result {
            SearchResult { witnesses, .. } if !witnesses.is_empty() => TurnEnd::Found,
            SearchResult { complete: true, .. } => TurnEnd::Exhausted,
            SearchResult { stop_reason: Some(_), .. } => TurnEnd::Limit,
            _ => TurnEnd::Spent,
        }
    }
}

/// What one of several workers has done, each of which owns a part of the states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerCounts {
    /// The process in which it worked.
    pub process: u32,
    /// States that it owns.
    pub stored: u64,
    pub expanded: u64,
    /// Successors that it has sent to others.
    pub sent: u64,
    /// Successors that it need not send, because it had sent the same state not long before.
    pub spared: u64,
    /// States that others have sent to it.
    pub received: u64,
    /// Of the states that it was sent or has generated itself, those that it had before.
    pub duplicates: u64,
    /// Of what it has sent and was sent.
    pub bytes_out: u64,
    pub bytes_in: u64,
    /// Time in which it had nothing to do.
    pub waited: Duration,
    pub memory: u64,
}

/// What workers of different processes or threads have sent each other so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetworkUse {
    pub sent_bytes: u64,
    pub received_bytes: u64,
    /// States that were met again: what workers were sent, or have generated for themselves.
    pub duplicates: u64,
}

impl NetworkUse {
    pub fn add(&mut self, other: &NetworkUse) {
        self.sent_bytes += other.sent_bytes;
        self.received_bytes += other.received_bytes;
        self.duplicates += other.duplicates;
    }
}

/// What a search has on disk, and what went there and came back so far: in bytes, and in states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskUse {
    pub used: u64,
    /// The most that was used at any moment.
    pub peak: u64,
    pub written: u64,
    pub read: u64,
    /// Files in use.
    pub files: u64,
    /// Generated states that were found to be known so far.
    pub duplicates: u64,
}

impl DiskUse {
    fn add_phase(&mut self, later: &DiskUse) {
        self.used = later.used;
        self.peak = self.peak.max(later.peak);
        self.written += later.written;
        self.read += later.read;
        self.files = later.files;
        self.duplicates += later.duplicates;
    }
}

/// Counts of a search that keeps sets of states as decision diagrams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetStatistics {
    /// States and steps between them, in decimal: they need not fit into a machine word.
    pub states: String,
    pub transitions: String,
    /// Nodes of the diagram of all states reached.
    pub nodes: u64,
    /// The most nodes that there were at once, of all diagrams.
    pub peak_nodes: u64,
    /// So often, the steps of one kind were taken by a set.
    pub images: u64,
    pub image_time: Duration,
    /// Sets of one cost, or of one cost and one estimate, whose steps were taken, and the nodes of all of them.
    pub frontiers: u64,
    pub frontier_nodes: u64,
    /// Combinations of values for which steps and predicates were computed.
    pub learned: u64,
}

/// How often one of several queues was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueAccess {
    pub name: String,
    pub pushed: u64,
    /// Entries that were out of date included.
    pub popped: u64,
}

impl Statistics {
    /// Adds the counts of another worker of the same search, but what is known only for all of them together.
    pub(crate) fn add_worker(&mut self, other: &Statistics) {
        self.expanded += other.expanded;
        self.reduced += other.reduced;
        self.generated += other.generated;
        self.transitions += other.transitions;
        self.deadlocks += other.deadlocks;
        self.failed_assertions += other.failed_assertions;
        self.evaluation_errors += other.evaluation_errors;
        self.reopened += other.reopened;
        self.displaced += other.displaced;
        self.dead_ends += other.dead_ends;
        self.depth = self.depth.max(other.depth);
    }

    pub(crate) fn add_queues(&mut self, queues: &[QueueAccess]) {
        for queue in queues {
            match self.queues.iter_mut().find(|known| known.name == queue.name) {
                Some(known) => {
                    known.pushed += queue.pushed;
                    known.popped += queue.popped;
                }
                None => self.queues.push(queue.clone()),
            }
        }
    }

    /// Adds the counts of a later phase of the same search: work is summed up, what is kept is not.
    pub fn add_phase(&mut self, later: &Statistics) {
        self.expanded += later.expanded;
        self.generated += later.generated;
        self.evaluated += later.evaluated;
        self.reopened += later.reopened;
        self.displaced += later.displaced;
        self.dead_ends += later.dead_ends;
        self.evaluation_time += later.evaluation_time;
        self.preparation.time += later.preparation.time;
        self.preparation.cut_short |= later.preparation.cut_short;
        self.shortening_cut = self.shortening_cut.max(later.shortening_cut);
        self.add_queues(&later.queues);
        self.turns.extend_from_slice(&later.turns);
        if later.stored >= self.stored {
            self.workers.clone_from(&later.workers);
            self.stored = later.stored;
            self.transitions = later.transitions;
            self.reduced = later.reduced;
            self.deadlocks = later.deadlocks;
            self.failed_assertions = later.failed_assertions;
            self.evaluation_errors = later.evaluation_errors;
        }
        self.depth = self.depth.max(later.depth);
        self.bit_fill = self.bit_fill.max(later.bit_fill);
        if let Some(disk) = &later.disk {
            self.disk.get_or_insert_default().add_phase(disk);
        }
        self.sets = later.sets.clone().or_else(|| self.sets.take());
        self.peak_memory = self.peak_memory.max(later.peak_memory);
        self.elapsed = self.elapsed.max(later.elapsed);
    }
}

/// Why an absence of witnesses proves nothing (or only a part).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incompleteness {
    /// It stopped at an error, as asked.
    StoppedAtError,
    Limit(StopReason),
    /// Paths longer than this were cut off; everything within the bound was searched.
    DepthBound(u64),
    /// The store may have taken different states for the same.
    LossyStore,
    /// The open list threw states away.
    LossyOpenList,
    /// A step of the system was given up because it did not end.
    EndlessStep,
    /// The evaluator cut states off without proof that no error lies behind them.
    UnsafePruning,
    /// It generated as many states as it was allowed to.
    Budget,
    /// It only looks at some paths, chosen at random.
    Sampling,
}

impl fmt::Display for Incompleteness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incompleteness::StoppedAtError => f.write_str("it stopped at an error"),
            Incompleteness::Limit(reason) => f.write_str(reason.describe()),
            Incompleteness::DepthBound(bound) => write!(f, "paths longer than {bound} were cut off"),
            Incompleteness::LossyStore => f.write_str("the store may confuse states"),
            Incompleteness::LossyOpenList => f.write_str("the search threw states away"),
            Incompleteness::EndlessStep => {
                f.write_str("an atomic sequence can go on for ever, and what happens then was not looked at")
            }
            Incompleteness::UnsafePruning => f.write_str("the heuristic cut states off without proof"),
            Incompleteness::Budget => f.write_str("its budget was spent"),
            Incompleteness::Sampling => f.write_str("it only follows some paths"),
        }
    }
}

/// A path to an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    pub property: PropertyIndex,
    pub start: StateBuf,
    /// The moves of each macro step; the last one is the failing step if there is a `failure`.
    pub path: Vec<Vec<Move>>,
    pub failure: Option<Failure>,
    /// What tells it from other errors of the property, if that is asked for.
    pub place: Place,
    /// Sum of the weights of the steps.
    pub length: u64,
    pub proven_shortest: bool,
    /// For an infinite run: how many macro steps come before the loop, which the others repeat for ever.
    pub loop_start: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// At most one for each property, in the order in which they were found.
    pub witnesses: Vec<Witness>,
    pub stats: Statistics,
    /// Every reachable state was searched: properties without a witness hold.
    pub complete: bool,
    /// It is complete, and nothing was left out as a dead end: what was not seen cannot be reached.
    pub saw_everything: bool,
    /// No error costs less than this, as far as the search can tell, however it has ended.
    pub at_least: u64,
    /// The limit that ended the search.
    pub stop_reason: Option<StopReason>,
    /// All reasons against completeness; empty exactly if `complete`.
    pub incomplete_because: Vec<Incompleteness>,
}

/// There is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// A heuristic that the search asks for does not exist or does not fit the model: the user's mistake.
    Build(BuildError),
    /// Expanding the states of a path again did not lead along it.
    PathLost { property: PropertyIndex },
    /// What was saved of the search cannot be taken up again.
    Resume(String),
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::Build(error) => write!(f, "{error}"),
            SearchError::PathLost { property } => {
                write!(f, "the path to the error of property {property} could not be reconstructed")
            }
            SearchError::Resume(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for SearchError {}

impl From<BuildError> for SearchError {
    fn from(error: BuildError) -> Self {
        SearchError::Build(error)
    }
}
