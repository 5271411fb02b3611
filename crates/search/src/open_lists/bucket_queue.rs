//! A queue with one bucket for each key (Dial 1969): constant time for small integer keys.

use std::collections::{BTreeMap, VecDeque};

use bughound_checkpoint::{Error, Reader, Writer};
use bughound_kernel::{OutOfMemory, Random, StateId};

use crate::open_lists::{Divisible, Level, OpenList};
use crate::saving::{Ids, Snapshot};

/// Keys below this have their bucket in an array, others in a tree: keys are costs, and costs may be huge and sparse.
const NEAR: u64 = 1 << 16;

/// Which of the states with the smallest key comes first. Visible in the counts of published results.
#[derive(Clone, Debug)]
pub enum TieBreak {
    Fifo,
    Lifo,
    Random(Random),
}

type Bucket = VecDeque<StateId>;

#[derive(Debug)]
pub struct BucketQueue {
    ties: TieBreak,
    near: Vec<Bucket>,
    /// No bucket of `near` below this one holds anything.
    first_near: usize,
    /// Holds no empty buckets.
    far: BTreeMap<u64, Bucket>,
    len: usize,
    /// Room of all buckets, in entries.
    capacity: usize,
}

impl BucketQueue {
    pub fn new(ties: TieBreak) -> Self {
        BucketQueue { ties, near: Vec::new(), first_near: 0, far: BTreeMap::new(), len: 0, capacity: 0 }
    }

    /// Passes over empty buckets; the room of each is worth more than its reuse, since most searches never come back to a
    /// smaller key.
    fn skip_empty(&mut self) {
        while let Some(bucket) = self.near.get_mut(self.first_near).filter(|bucket| bucket.is_empty()) {
            self.capacity -= bucket.capacity();
            *bucket = Bucket::new();
            self.first_near += 1;
        }
    }

    fn near_bucket(&mut self, index: usize) -> Result<&mut Bucket, OutOfMemory> {
        if index >= self.near.len() {
            let missing = index + 1 - self.near.len();
            self.near.try_reserve(missing).map_err(|_| OutOfMemory)?;
            self.near.resize_with(index + 1, Bucket::new);
        }
        self.first_near = self.first_near.min(index);
        Ok(&mut self.near[index])
    }
}

fn take(bucket: &mut Bucket, ties: &mut TieBreak) -> Option<StateId> {
    match ties {
        TieBreak::Fifo => bucket.pop_front(),
        TieBreak::Lifo => bucket.pop_back(),
        TieBreak::Random(_) if bucket.is_empty() => None,
        TieBreak::Random(random) => bucket.swap_remove_back(random.below(bucket.len())),
    }
}

impl OpenList<u64> for BucketQueue {
    fn push(&mut self, key: u64, id: StateId) -> Result<(), OutOfMemory> {
        let bucket = if key < NEAR { self.near_bucket(key as usize)? } else { self.far.entry(key).or_default() };
        let before = bucket.capacity();
        bucket.try_reserve(1).map_err(|_| OutOfMemory)?;
        bucket.push_back(id);
        let grown = bucket.capacity() - before;
        self.capacity += grown;
        self.len += 1;
        Ok(())
    }

    fn pop(&mut self) -> Option<(u64, StateId)> {
        self.skip_empty();
        if let Some(bucket) = self.near.get_mut(self.first_near) {
            let id = take(bucket, &mut self.ties)?;
            self.len -= 1;
            return Some((self.first_near as u64, id));
        }
        let mut first = self.far.first_entry()?;
        let key = *first.key();
        let id = take(first.get_mut(), &mut self.ties)?;
        self.len -= 1;
        if first.get().is_empty() {
            self.capacity -= first.remove().capacity();
        }
        Some((key, id))
    }

    fn is_before(&mut self, key: u64) -> bool {
        self.skip_empty();
        // Among equals, first come, first served. Far keys are rare.
        matches!(self.ties, TieBreak::Fifo) && self.first_near < self.near.len() && self.first_near as u64 <= key
    }

    fn len(&self) -> usize {
        self.len
    }

    fn memory(&self) -> u64 {
        let buckets = self.near.capacity() + self.far.len();
        (self.capacity * size_of::<StateId>() + buckets * size_of::<Bucket>()) as u64
    }
}

impl Level for u64 {
    fn level(&self) -> u64 {
        *self
    }
}

impl Divisible<u64> for BucketQueue {
    fn front(&mut self) -> Option<(u64, usize)> {
        self.skip_empty();
        match self.near.get(self.first_near) {
            Some(bucket) => Some((self.first_near as u64, bucket.len())),
            None => self.far.first_key_value().map(|(key, bucket)| (*key, bucket.len())),
        }
    }

    fn equals(&mut self) -> usize {
        self.front().map_or(0, |(_, bucket)| bucket)
    }
}

impl Snapshot for TieBreak {
    fn save(&self, _ids: &Ids, to: &mut Writer) {
        if let TieBreak::Random(random) = self {
            to.number(random.rest());
        }
    }

    fn load(&mut self, _ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        if let TieBreak::Random(random) = self {
            *random = Random::new(from.number()?);
        }
        Ok(())
    }
}

impl Snapshot for BucketQueue {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        self.ties.save(ids, to);
        let near = self.near.iter().enumerate().map(|(key, bucket)| (key as u64, bucket));
        let buckets = near.chain(self.far.iter().map(|(key, bucket)| (*key, bucket)));
        let buckets: Vec<_> = buckets.filter(|(_, bucket)| !bucket.is_empty()).collect();
        to.number(buckets.len() as u64);
        for (key, bucket) in buckets {
            to.number(key);
            ids.write_all(bucket.iter().copied(), to);
        }
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        self.ties.load(ids, from)?;
        for _ in 0..from.count(2)? {
            let key = from.number()?;
            for id in ids.read_all(from)? {
                self.push(key, id).map_err(|OutOfMemory| from.out_of_memory())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(ties: TieBreak, keys: &[u64]) -> Vec<(u64, u32)> {
        let mut queue = BucketQueue::new(ties);
        for (n, &key) in keys.iter().enumerate() {
            queue.push(key, StateId(n as u32)).unwrap();
        }
        assert_eq!(queue.len(), keys.len());
        let all = std::iter::from_fn(|| queue.pop()).map(|(key, id)| (key, id.0)).collect();
        assert!(queue.is_empty() && queue.capacity == 0);
        all
    }

    /// If it says that something comes first, that comes first whatever is pushed with such keys.
    #[test]
    fn what_is_before_a_key_is_popped_before_what_is_pushed_with_it() {
        let mut random = Random::new(3);
        let mut before = 0;
        for round in 0..2_000 {
            let ties = [TieBreak::Fifo, TieBreak::Lifo, TieBreak::Random(Random::new(7))][round % 3].clone();
            let is_fifo = matches!(ties, TieBreak::Fifo);
            let mut keys: Vec<u64> = (0..random.below(6)).map(|_| random.below(5) as u64).collect();
            let key = random.below(6) as u64;
            let mut queue = BucketQueue::new(ties.clone());
            for (n, key) in keys.iter().enumerate() {
                queue.push(*key, StateId(n as u32)).unwrap();
            }
            let least = keys.iter().min().copied();
            assert_eq!(queue.is_before(key), is_fifo && least.is_some_and(|least| least <= key));
            if queue.is_before(key) {
                before += 1;
                let alone = queue.pop().map(|(key, id)| (key, id.0));
                keys.extend([key, key + 1]);
                assert_eq!(alone, drain(ties, &keys).first().copied());
            }
        }
        assert!(before > 100);
    }

    #[test]
    fn small_keys_first_and_ties_as_asked() {
        let keys = [5, u64::MAX, 0, 5, 1 << 40, 0, u64::MAX];
        let huge = u64::MAX;
        let fifo = [(0, 2), (0, 5), (5, 0), (5, 3), (1 << 40, 4), (huge, 1), (huge, 6)];
        let lifo = [(0, 5), (0, 2), (5, 3), (5, 0), (1 << 40, 4), (huge, 6), (huge, 1)];
        assert_eq!(drain(TieBreak::Fifo, &keys), fifo);
        assert_eq!(drain(TieBreak::Lifo, &keys), lifo);
        let mut random = drain(TieBreak::Random(Random::new(1)), &keys);
        assert!(random.is_sorted_by_key(|entry| entry.0));
        random.sort_unstable();
        assert_eq!(random, fifo);
    }

    #[test]
    fn smaller_keys_may_come_later() {
        let mut queue = BucketQueue::new(TieBreak::Fifo);
        queue.push(7, StateId(0)).unwrap();
        queue.push(9, StateId(1)).unwrap();
        assert_eq!(queue.pop(), Some((7, StateId(0))));
        queue.push(2, StateId(2)).unwrap();
        assert_eq!(queue.pop(), Some((2, StateId(2))));
        assert_eq!(queue.pop(), Some((9, StateId(1))));
        assert_eq!(queue.pop(), None);
    }
}
