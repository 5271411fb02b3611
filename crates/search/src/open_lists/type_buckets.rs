//! States by type: a random state of a random type (Xie, Müller, Holte, Imai 2014). Rare types are as likely as common ones, so
//! a search that is misled by its estimates looks elsewhere now and then.

use std::collections::HashMap;

use bughound_kernel::{OutOfMemory, Random, StateId};

use crate::open_lists::OpenList;

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

impl<K: Copy + Eq + std::hash::Hash> OpenList<K> for TypeBuckets<K> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_types_are_as_likely_as_common_ones() {
        let mut rare = 0;
        for seed in 0..200 {
            let mut buckets = TypeBuckets::new(Random::new(seed));
            (0..50).for_each(|id| buckets.push('a', StateId(id)).unwrap());
            buckets.push('b', StateId(50)).unwrap();
            rare += u32::from(buckets.pop().unwrap().0 == 'b');
            let mut rest: Vec<u32> = std::iter::from_fn(|| buckets.pop()).map(|(_, id)| id.0).collect();
            rest.sort_unstable();
            rest.dedup();
            assert_eq!((rest.len(), buckets.len()), (50, 0));
        }
        assert!((70..130).contains(&rare), "{rare}");
    }
}
