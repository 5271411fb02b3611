//! Evaluators: the key of a state in the open list.

mod blind;
mod graded;
mod guided;
mod large;
mod novelty;
mod shared;
mod standing;
mod stopwatch;

pub use blind::{ByDepth, ByLength};
pub use graded::{Grade, Graded, Grader};
pub use guided::{Guidance, Guided, Weights};
pub use large::LargeFirst;
pub use novelty::Novelty;
pub use shared::TakingTurns;
pub use standing::{ESTIMATES, Standing, Standings};
pub use stopwatch::Stopwatch;

use std::time::Duration;

use bughound_checkpoint::Record;
use bughound_kernel::{Move, State, StateId};

use crate::saving::Snapshot;

/// A state that was reached, for the first time or at less cost than before.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    pub id: StateId,
    pub state: State<'a>,
    pub cost: u64,
    /// Where it came from and how; nothing for initial states.
    pub from: Option<Origin<'a>>,
    pub moves: &'a [Move],
}

/// The state that a step started from.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    pub id: StateId,
    pub state: State<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank<K> {
    Open(K),
    /// Not worth expanding.
    Prune,
    /// No error behind it lies within the bound on costs.
    Beyond,
}

/// Decides which states are expanded first. Evaluators with memory (one estimate for each state) keep it by state id.
pub trait Priority: Snapshot {
    type Key: Copy + Ord + Record;

    fn rank(&mut self, arrival: &Arrival<'_>) -> Rank<Self::Key>;

    /// The key of every state that is reached at this cost, if nothing else matters; higher costs have no lower keys then.
    fn key_by_cost(&self, _cost: u64) -> Option<Self::Key> {
        None
    }

    /// The key of an error at this cost, as if the error were a state.
    fn rank_error(&self, cost: u64) -> Self::Key;

    /// True if errors leave the open list in the order of their costs: the first one is a cheapest. It requires that
    /// states are opened again when they are reached at less cost.
    fn finds_cheapest_first(&self) -> bool;

    /// What every state reached from now on costs at least, when a state with this key is taken.
    fn cost_floor(&self, _key: Self::Key) -> u64 {
        0
    }

    /// What every error costs at least that is found from now on, when a state with this key is the next to be taken. It
    /// counts only where errors leave the open list in the order of their costs.
    fn error_floor(&self, _key: Self::Key) -> u64 {
        0
    }

    /// From now on only errors that cost less are of interest.
    fn improve_below(&mut self, _cost: u64) {}

    /// Does a state with this key lead to nothing that is of interest any more?
    fn is_beaten(&self, _key: Self::Key) -> bool {
        false
    }

    /// True if errors count as soon as they are generated; otherwise they wait for their turn in the open list.
    fn takes_errors_at_once(&self) -> bool {
        !self.finds_cheapest_first()
    }

    /// True if no error is reachable from pruned states.
    fn prunes_safely(&self) -> bool {
        true
    }

    fn best_estimate(&self) -> Option<u64> {
        None
    }

    /// The estimate behind a key; `None` where keys are made without one.
    fn estimate_in(&self, _key: Self::Key) -> Option<u64> {
        None
    }

    /// Calls of a heuristic so far and the time they took.
    fn evaluations(&self) -> (u64, Duration) {
        (0, Duration::ZERO)
    }

    /// Bytes used.
    fn memory(&self) -> u64 {
        0
    }
}
