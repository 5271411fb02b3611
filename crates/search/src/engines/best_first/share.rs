//! What a worker has done.

use std::time::Duration;

use bughound_checkpoint::{Error, Reader, Record, Writer};

use crate::result::{QueueAccess, Statistics};

#[derive(Clone, Debug, Default)]
pub(super) struct Share {
    pub stats: Statistics,
    /// States that it has stored first. A state may be displaced by another worker: only the sums mean something.
    pub entered: u64,
    /// Stored states behind the bound.
    pub beyond: u64,
    pub evaluations: (u64, Duration),
    pub queues: Vec<QueueAccess>,
    /// Bytes of the open list and the evaluator.
    pub memory: u64,
    /// Is an error whose turn it is a shortest one, as far as it knows?
    pub proves_shortest: bool,
    pub prunes_safely: bool,
    pub lost_entries: bool,
    /// No error costs less, if errors leave the open list in the order of their costs.
    pub floor: u64,
}

impl Share {
    pub(super) fn stored(&self) -> u64 {
        self.entered.wrapping_sub(self.beyond).wrapping_sub(self.stats.displaced)
    }
}

/// Of one that goes on: what it concludes at its end is not known.
impl Record for Share {
    fn write(&self, to: &mut Writer) {
        self.stats.write(to);
        [self.entered, self.beyond, self.floor].into_iter().for_each(|number| to.number(number));
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        let stats = Statistics::read(from)?;
        let (entered, beyond, floor) = (from.number()?, from.number()?, from.number()?);
        Ok(Share { stats, entered, beyond, floor, ..Share::default() })
    }
}
