//! Large covers first.

use std::cmp::Reverse;

use bughound_checkpoint::{Error, Reader, Writer};
use bughound_kernel::TransitionSystem;

use crate::evaluators::{Arrival, Priority, Rank};
use crate::saving::{Ids, Snapshot};

/// The key is the size of the cover, then the cost: what a small cover leads to is explored again when a large one comes
/// later.
pub struct LargeFirst<'s> {
    system: &'s dyn TransitionSystem,
}

impl<'s> LargeFirst<'s> {
    pub fn new(system: &'s dyn TransitionSystem) -> Self {
        LargeFirst { system }
    }
}

impl Priority for LargeFirst<'_> {
    type Key = (Reverse<u64>, u64);

    fn rank(&mut self, arrival: &Arrival<'_>) -> Rank<Self::Key> {
        Rank::Open((Reverse(self.system.cover_size(arrival.state.cover)), arrival.cost))
    }

    fn rank_error(&self, cost: u64) -> Self::Key {
        (Reverse(u64::MAX), cost)
    }

    fn finds_cheapest_first(&self) -> bool {
        false
    }
}

/// There is nothing to be saved.
impl Snapshot for LargeFirst<'_> {
    fn save(&self, _ids: &Ids, _to: &mut Writer) {}

    fn load(&mut self, _ids: &Ids, _from: &mut Reader) -> Result<(), Error> {
        Ok(())
    }
}
