//! States that are still to be expanded, in buckets by cost and estimate.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::batch::{Batch, Sorted};
use crate::levels::{Ground, Levels};
use crate::merge::{Group, Merge};
use crate::patience::Patience;
use crate::row::From;
use crate::run::Writer;
use crate::trouble::Trouble;

/// Which bucket a state belongs to. In the order in which they are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The sum of both, where both are known.
    pub f: u64,
    pub cost: u64,
    pub estimate: u64,
}

/// The states of a bucket: the latest in memory, others in runs. A state may be there several times.
#[derive(Default)]
pub struct Bucket {
    batch: Batch,
    runs: Levels,
}

impl Bucket {
    /// States, duplicates included.
    pub fn rows(&self) -> u64 {
        self.batch.rows() as u64 + self.runs.rows()
    }

    pub(crate) fn runs(&self) -> &Levels {
        &self.runs
    }

    /// All of its states, in order.
    pub fn merge(self, cost: u64, ground: &Ground) -> Result<Merge, Trouble> {
        let Bucket { batch, runs } = self;
        let sorted: Option<Sorted> = (!batch.is_empty()).then(|| batch.sorted(cost, &ground.shape));
        Merge::new(runs.runs(), sorted, &ground.shape, ground.sizes)
    }

    /// Makes a run of what is in memory.
    fn spill(&mut self, cost: u64, ground: &Ground, patience: &mut Patience) -> Result<(), Trouble> {
        let batch = std::mem::take(&mut self.batch);
        let sorted = batch.sorted(cost, &ground.shape);
        let mut merge = Merge::new(&[], Some(sorted), &ground.shape, ground.sizes)?;
        let mut writer = Writer::new(&ground.space, &ground.shape, ground.sizes);
        let mut group = Group::default();
        while merge.next(&mut group, &ground.shape)? {
            patience.check()?;
            for row in group.iter() {
                writer.push(&row)?;
            }
        }
        match writer.finish()? {
            Some(run) => self.runs.add(Arc::new(run), ground, patience),
            None => Ok(()),
        }
    }
}

#[derive(Default)]
pub struct Open {
    buckets: BTreeMap<Place, Bucket>,
    /// One that was taken, and comes before all others: what is in it is in runs.
    returned: Option<(Place, Bucket)>,
    /// Bytes of all batches.
    batches: u64,
}

impl Open {
    pub fn least(&self) -> Option<Place> {
        let returned = self.returned.as_ref().map(|(place, _)| *place);
        returned.or_else(|| self.buckets.keys().next().copied())
    }

    fn all(&self) -> impl Iterator<Item = &Bucket> {
        self.returned.iter().map(|(_, bucket)| bucket).chain(self.buckets.values())
    }

    /// Its turn has not come to an end.
    pub(crate) fn give_back(&mut self, place: Place, runs: Levels) {
        self.returned = Some((place, Bucket { batch: Batch::default(), runs }));
    }

    pub(crate) fn has_given_back(&self, place: Place) -> bool {
        self.returned.as_ref().is_some_and(|(returned, _)| *returned == place)
    }

    /// The bucket that was given back, and all others, in order. There are no batches: they were [taken out](Self::shrink).
    pub(crate) fn in_runs(&self) -> (Option<(Place, &Levels)>, impl ExactSizeIterator<Item = (Place, &Levels)>) {
        let returned = self.returned.as_ref().map(|(place, bucket)| (*place, &bucket.runs));
        (returned, self.buckets.iter().map(|(place, bucket)| (*place, &bucket.runs)))
    }

    /// The inverse for a bucket.
    pub(crate) fn restore(&mut self, place: Place, runs: Levels) {
        self.buckets.insert(place, Bucket { batch: Batch::default(), runs });
    }

    /// States, duplicates included.
    pub fn rows(&self) -> u64 {
        self.all().map(Bucket::rows).sum()
    }

    pub fn batches(&self) -> u64 {
        self.batches
    }

    /// Bytes of the runs, as far as they are in memory.
    pub fn runs_memory(&self) -> u64 {
        self.all().map(|bucket| bucket.runs.memory()).sum()
    }

    #[inline]
    pub fn push(
        &mut self,
        place: Place,
        hash: u64,
        from: From,
        words: &[u32],
        ground: &Ground,
    ) -> Result<bool, Trouble> {
        let bucket = self.buckets.entry(place).or_default();
        let before = bucket.batch.memory();
        let before = if bucket.batch.is_empty() { 0 } else { before };
        let added = bucket.batch.push(hash, from, words, &ground.shape)?;
        self.batches += bucket.batch.memory() - before;
        Ok(added)
    }

    /// Takes a bucket out. If it has much in memory, that goes to disk first: there must be room for what comes of it.
    pub fn take(
        &mut self,
        place: Place,
        most: u64,
        ground: &Ground,
        patience: &mut Patience,
    ) -> Result<Option<Bucket>, Trouble> {
        if let Some((_, bucket)) = self.returned.take_if(|(returned, _)| *returned == place) {
            return Ok(Some(bucket));
        }
        let Some(mut bucket) = self.buckets.remove(&place) else { return Ok(None) };
        if !bucket.batch.is_empty() {
            self.batches -= bucket.batch.memory();
            if bucket.batch.memory() > most {
                bucket.spill(place.cost, ground, patience)?;
            }
        }
        Ok(Some(bucket))
    }

    /// Takes batches out of memory, the largest first, until no more than this is left.
    pub fn shrink(&mut self, most: u64, ground: &Ground, patience: &mut Patience) -> Result<(), Trouble> {
        while self.batches > most {
            let in_memory = self.buckets.iter_mut().filter(|(_, bucket)| !bucket.batch.is_empty());
            let Some((place, bucket)) = in_memory.max_by_key(|(_, bucket)| bucket.batch.memory()) else { break };
            self.batches -= bucket.batch.memory();
            bucket.spill(place.cost, ground, patience)?;
        }
        Ok(())
    }

    /// Takes runs that are in memory to disk.
    pub fn write_out(&mut self, ground: &Ground, patience: &mut Patience) -> Result<(), Trouble> {
        let returned = self.returned.iter_mut().map(|(_, bucket)| bucket);
        returned.chain(self.buckets.values_mut()).try_for_each(|bucket| bucket.runs.write_out(ground, patience))
    }
}
