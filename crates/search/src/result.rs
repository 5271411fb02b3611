//! What a search hands back.

use std::fmt;
use std::time::Duration;

use bughound_kernel::{Failure, Move, StateBuf, StopReason};

use crate::goals::PropertyIndex;

/// Counts of a search, with the same meaning everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Expansions: computations of all successors of a state. Includes repeated ones.
    pub expanded: u64,
    /// Successor states computed, duplicates included, repeated expansions included.
    pub generated: u64,
    /// Distinct states kept within the bounds of the search.
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
    /// States dropped in favour of a larger one.
    pub displaced: u64,
    /// Largest cost (length) at which a state was expanded.
    pub depth: u64,
    pub peak_memory: u64,
    pub elapsed: Duration,
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
}

impl fmt::Display for Incompleteness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incompleteness::StoppedAtError => f.write_str("it stopped at an error"),
            Incompleteness::Limit(reason) => f.write_str(reason.describe()),
            Incompleteness::DepthBound(bound) => write!(f, "paths longer than {bound} were cut off"),
            Incompleteness::LossyStore => f.write_str("the store may confuse states"),
            Incompleteness::LossyOpenList => f.write_str("the search threw states away"),
            Incompleteness::EndlessStep => f.write_str("an atomic sequence did not end and was given up"),
            Incompleteness::UnsafePruning => f.write_str("the heuristic cut states off without proof"),
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
    /// Sum of the weights of the steps.
    pub length: u64,
    pub proven_shortest: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// At most one for each property, in the order in which they were found.
    pub witnesses: Vec<Witness>,
    pub stats: Statistics,
    /// Every reachable state was searched: properties without a witness hold.
    pub complete: bool,
    /// The limit that ended the search.
    pub stop_reason: Option<StopReason>,
    /// All reasons against completeness; empty exactly if `complete`.
    pub incomplete_because: Vec<Incompleteness>,
}

/// A search went wrong in a way that no model can cause: a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// Expanding the states of a path again did not lead along it.
    PathLost { property: PropertyIndex },
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::PathLost { property } => {
                write!(f, "the path to the error of property {property} could not be reconstructed")
            }
        }
    }
}

impl std::error::Error for SearchError {}
