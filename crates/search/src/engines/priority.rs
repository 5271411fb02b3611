//! The key of a state in the open list.

use bughound_kernel::{Move, State, StateId};

/// A state that was reached, for the first time or at less cost than before.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    pub id: StateId,
    pub state: State<'a>,
    pub cost: u64,
    /// Where it came from and how; nothing for initial states.
    pub parent: Option<StateId>,
    pub moves: &'a [Move],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank<K> {
    Open(K),
    /// Not worth expanding.
    Prune,
}

/// Decides which states are expanded first. Evaluators with memory (one estimate for each state) keep it by state id.
pub trait Priority {
    type Key: Copy + Ord;

    fn rank(&mut self, arrival: &Arrival<'_>) -> Rank<Self::Key>;

    /// The key of an error at this cost, as if the error were a state.
    fn rank_error(&self, cost: u64) -> Self::Key;

    /// True if errors leave the open list in the order of their costs: the first one is a cheapest. It requires that
    /// states are opened again when they are reached at less cost.
    fn finds_cheapest_first(&self) -> bool;

    /// True if no error is reachable from pruned states.
    fn prunes_safely(&self) -> bool {
        true
    }

    fn best_estimate(&self) -> Option<u64> {
        None
    }

    /// Bytes used.
    fn memory(&self) -> u64 {
        0
    }
}

/// The key is the length of the path: Dijkstra's order; breadth-first search if all steps weigh the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByLength;

impl Priority for ByLength {
    type Key = u64;

    #[inline]
    fn rank(&mut self, arrival: &Arrival<'_>) -> Rank<u64> {
        Rank::Open(arrival.cost)
    }

    fn rank_error(&self, cost: u64) -> u64 {
        cost
    }

    fn finds_cheapest_first(&self) -> bool {
        true
    }
}

/// No key at all: for stacks, whose order is that of their entries.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByDepth;

impl Priority for ByDepth {
    type Key = ();

    #[inline]
    fn rank(&mut self, _arrival: &Arrival<'_>) -> Rank<()> {
        Rank::Open(())
    }

    fn rank_error(&self, _cost: u64) {}

    fn finds_cheapest_first(&self) -> bool {
        false
    }
}
