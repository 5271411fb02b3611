//! States by type: a random state of a random type (Xie, Müller, Holte, Imai 2014). Rare types are as likely as common ones, so
//! a search that is misled by its estimates looks elsewhere now and then.

use std::collections::HashMap;

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::{OutOfMemory, Random, StateId};

use crate::open_lists::OpenList;
use crate::saving::{Ids, Snapshot};

#[derive(Debug)]
pub struct TypeBuckets<K> {
    random: Random,
    /// No bucket is empty.
    buckets: Vec<(K, Vec<StateId>)>,
    places: HashMap<K, usize>,
    len: usize,
}

impl<K> TypeBuckets<K> {
    pub fn new(random: Random) -> Self {
        TypeBuckets { random, buckets: Vec::new(), places: HashMap::new(), len: 0 }
    }
}

impl<K: Copy + Eq + std::hash::Hash + Record> OpenList<K> for TypeBuckets<K> {
    fn push(&mut self, key: K, id: StateId) -> Result<(), OutOfMemory> {
        let place = *self.places.entry(key).or_insert(self.buckets.len());
        if place == self.buckets.len() {
            self.buckets.push((key, Vec::new()));
        }
        let bucket = &mut self.buckets[place].1;
        bucket.try_reserve(1).map_err(|_| OutOfMemory)?;
        bucket.push(id);
        self.len += 1;
        Ok(())
    }

    fn pop(&mut self) -> Option<(K, StateId)> {
        if self.buckets.is_empty() {
            return None;
        }
        let place = self.random.below(self.buckets.len());
        let (key, bucket) = &mut self.buckets[place];
        let (key, id) = (*key, bucket.swap_remove(self.random.below(bucket.len())));
        if bucket.is_empty() {
            self.buckets.swap_remove(place);
            self.places.remove(&key);
            if let Some((moved, _)) = self.buckets.get(place) {
                self.places.insert(*moved, place);
            }
        }
        self.len -= 1;
        Some((key, id))
    }

    fn len(&self) -> usize {
        self.len
    }

    fn memory(&self) -> u64 {
        // Buckets have at most twice the room they need.
        (self.buckets.len() * 2 * size_of::<(K, Vec<StateId>)>() + 2 * self.len * size_of::<StateId>()) as u64
    }
}

impl<K: Copy + Eq + std::hash::Hash + Record> Snapshot for TypeBuckets<K> {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        to.number(self.random.rest());
        to.number(self.buckets.len() as u64);
        for (key, bucket) in &self.buckets {
            key.write(to);
            ids.write_all(bucket.iter().copied(), to);
        }
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        self.random = Random::new(from.number()?);
        for place in 0..from.count(2)? {
            let (key, bucket) = (K::read(from)?, ids.read_all(from)?);
            if bucket.is_empty() || self.places.insert(key, place).is_some() {
                return Err(from.damaged("a part of the open list is empty"));
            }
            self.len += bucket.len();
            self.buckets.push((key, bucket));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_types_are_as_likely_as_common_ones() {
        let mut rare = 0;
        for seed in 0..200 {
            let mut buckets = TypeBuckets::new(Random::new(seed));
            (0..50).for_each(|id| buckets.push(0_u8, StateId(id)).unwrap());
            buckets.push(1, StateId(50)).unwrap();
            rare += u32::from(buckets.pop().unwrap().0 == 1);
            let mut rest: Vec<u32> = std::iter::from_fn(|| buckets.pop()).map(|(_, id)| id.0).collect();
            rest.sort_unstable();
            rest.dedup();
            assert_eq!((rest.len(), buckets.len()), (50, 0));
        }
        assert!((70..130).contains(&rare), "{rare}");
    }
}
