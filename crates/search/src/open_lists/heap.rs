//! A binary heap, for keys that are no small integers: pairs, weighted sums, fractions.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::{OutOfMemory, StateId};

use crate::open_lists::{Divisible, Level, OpenList, TieBreak};
use crate::saving::{Ids, Snapshot};

#[derive(Debug)]
struct Entry<K> {
    key: K,
    /// Orders entries with equal keys; smaller first.
    rank: u64,
    id: StateId,
}

impl<K: Ord> Ord for Entry<K> {
    /// Reversed: the standard heap hands out its largest entry.
    fn cmp(&self, other: &Self) -> Ordering {
        (&other.key, other.rank).cmp(&(&self.key, self.rank))
    }
}

impl<K: Ord> PartialOrd for Entry<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Ord> PartialEq for Entry<K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<K: Ord> Eq for Entry<K> {}

#[derive(Debug)]
pub struct Heap<K> {
    ties: TieBreak,
    entries: BinaryHeap<Entry<K>>,
    pushed: u64,
}

impl<K: Ord> Heap<K> {
    pub fn new(ties: TieBreak) -> Self {
        Heap { ties, entries: BinaryHeap::new(), pushed: 0 }
    }
}

impl<K: Ord + Record> OpenList<K> for Heap<K> {
    fn push(&mut self, key: K, id: StateId) -> Result<(), OutOfMemory> {
        self.entries.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.pushed += 1;
        let rank = match &mut self.ties {
            TieBreak::Fifo => self.pushed,
            TieBreak::Lifo => u64::MAX - self.pushed,
            TieBreak::Random(random) => random.draw(),
        };
        self.entries.push(Entry { key, rank, id });
        Ok(())
    }

    fn pop(&mut self) -> Option<(K, StateId)> {
        self.entries.pop().map(|entry| (entry.key, entry.id))
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn memory(&self) -> u64 {
        (self.entries.capacity() * size_of::<Entry<K>>()) as u64
    }
}

impl<K: Ord + Copy + Send + Record> Divisible<K> for Heap<K> {
    /// How many share the key is not known; some of the others may be nearly as good.
    fn front(&mut self) -> Option<(K, usize)> {
        self.entries.peek().map(|entry| (entry.key, self.entries.len()))
    }
}

/// Sizes of covers order states, but nothing depends on it.
impl Level for (Reverse<u64>, u64) {
    fn level(&self) -> u64 {
        0
    }
}

impl<K: Ord + Record> Snapshot for Heap<K> {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        self.ties.save(ids, to);
        to.number(self.pushed);
        to.number(self.entries.len() as u64);
        for Entry { key, rank, id } in &self.entries {
            key.write(to);
            to.number(*rank);
            ids.write(*id, to);
        }
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        self.ties.load(ids, from)?;
        self.pushed = from.number()?;
        for _ in 0..from.count(2)? {
            let entry = Entry { key: K::read(from)?, rank: from.number()?, id: ids.read(from)? };
            self.entries.push(entry);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_ordered_and_ties_broken() {
        for (ties, expected) in [(TieBreak::Fifo, [3, 0, 2, 1]), (TieBreak::Lifo, [3, 2, 0, 1])] {
            let mut heap = Heap::new(ties);
            for (id, key) in [(2, 1), (2, 5), (2, 1), (1, 9)].into_iter().enumerate() {
                heap.push(key, StateId(id as u32)).unwrap();
            }
            let order: Vec<u32> = std::iter::from_fn(|| heap.pop()).map(|(_, id)| id.0).collect();
            assert_eq!(order, expected);
        }
    }
}
