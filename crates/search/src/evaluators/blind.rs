//! Keys without a heuristic.

use bughound_checkpoint::{Error, Reader, Writer};

use crate::evaluators::{Arrival, Priority, Rank};
use crate::saving::{Ids, Snapshot};

/// The key is the cost of the path: Dijkstra's order; breadth-first search if all steps weigh the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByLength;

impl Priority for ByLength {
    type Key = u64;

    #[inline]
    fn rank(&mut self, arrival: &Arrival<'_>) -> Rank<u64> {
        Rank::Open(arrival.cost)
    }

    #[inline]
    fn key_by_cost(&self, cost: u64) -> Option<u64> {
        Some(cost)
    }

    fn rank_error(&self, cost: u64) -> u64 {
        cost
    }

    fn finds_cheapest_first(&self) -> bool {
        true
    }

    fn cost_floor(&self, key: u64) -> u64 {
        key
    }

    fn error_floor(&self, key: u64) -> u64 {
        key
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

    #[inline]
    fn key_by_cost(&self, _cost: u64) -> Option<()> {
        Some(())
    }

    fn rank_error(&self, _cost: u64) {}

    fn finds_cheapest_first(&self) -> bool {
        false
    }
}

/// There is nothing to be saved.
impl Snapshot for ByLength {
    fn save(&self, _ids: &Ids, _to: &mut Writer) {}

    fn load(&mut self, _ids: &Ids, _from: &mut Reader) -> Result<(), Error> {
        Ok(())
    }
}

impl Snapshot for ByDepth {
    fn save(&self, _ids: &Ids, _to: &mut Writer) {}

    fn load(&mut self, _ids: &Ids, _from: &mut Reader) -> Result<(), Error> {
        Ok(())
    }
}
