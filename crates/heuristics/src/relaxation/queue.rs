//! A priority queue for keys that never fall below the last one taken out: buckets for small keys, a radix heap for others.
//!
//! Papers: Dial 1969 (buckets); Ahuja, Mehlhorn, Orlin, Tarjan 1990 (radix heap). Costs of facts are small as a rule: then
//! an entry is put into the bucket of its key and taken out of it, and nothing else happens. In the radix heap, entries
//! lie in buckets by the highest bit in which their key differs from the last one taken out; an entry moves at most once
//! for every bit, so that large keys are no problem.
//!
//! Of equal keys, the one that came last is taken out first.

use bughound_finite::cost::Cost;
use bughound_finite::domains::Fact;

/// Keys from here on lie in the radix heap.
const FAR: Cost = 1024;

/// No entry.
const NONE: u32 = u32::MAX;

#[derive(Clone)]
pub struct CostQueue {
    /// Facts in the order in which they came, each with the one that came before it to its bucket.
    entries: Vec<(Fact, u32)>,
    /// By key: the last entry of the bucket.
    buckets: Box<[u32; FAR as usize]>,
    /// Nothing lies in buckets below.
    at: usize,
    /// Nor from here on.
    end: usize,
    far: RadixQueue,
}

impl Default for CostQueue {
    fn default() -> Self {
        let buckets = Box::new([NONE; FAR as usize]);
        CostQueue { entries: Vec::new(), buckets, at: 0, end: 0, far: RadixQueue::default() }
    }
}

impl CostQueue {
    /// Keeps its memory.
    pub fn clear(&mut self) {
        if self.at < self.end {
            self.buckets[self.at..self.end].fill(NONE);
        }
        self.entries.clear();
        (self.at, self.end) = (0, 0);
        self.far.clear();
    }

    #[inline]
    pub fn push(&mut self, cost: Cost, fact: Fact) {
        if cost >= FAR {
            return self.far.push(cost, fact);
        }
        let last = &mut self.buckets[cost as usize];
        self.entries.push((fact, *last));
        *last = self.entries.len() as u32 - 1;
        self.end = self.end.max(cost as usize + 1);
    }

    #[inline]
    pub fn pop(&mut self) -> Option<(Cost, Fact)> {
        while self.at < self.end.min(FAR as usize) {
            let last = &mut self.buckets[self.at];
            if let Some((fact, before)) = self.entries.get(*last as usize) {
                *last = *before;
                return Some((self.at as Cost, *fact));
            }
            self.at += 1;
        }
        self.far.pop()
    }

    pub fn memory(&self) -> u64 {
        let near = size_of_val(&*self.buckets) + self.entries.capacity() * size_of::<(Fact, u32)>();
        near as u64 + self.far.memory()
    }
}

#[derive(Clone)]
struct RadixQueue {
    last: Cost,
    buckets: [Vec<(Cost, Fact)>; 33],
    /// Bit `i` is set if bucket `i` is not empty.
    filled: u64,
}

impl Default for RadixQueue {
    fn default() -> Self {
        RadixQueue { last: 0, buckets: std::array::from_fn(|_| Vec::new()), filled: 0 }
    }
}

impl RadixQueue {
    fn clear(&mut self) {
        while self.filled != 0 {
            self.buckets[self.filled.trailing_zeros() as usize].clear();
            self.filled &= self.filled - 1;
        }
        self.last = 0;
    }

    #[cold]
    fn push(&mut self, cost: Cost, fact: Fact) {
        debug_assert!(cost >= self.last);
        let bucket = (Cost::BITS - (cost ^ self.last).leading_zeros()) as usize;
        self.buckets[bucket].push((cost, fact));
        self.filled |= 1 << bucket;
    }

    fn pop(&mut self) -> Option<(Cost, Fact)> {
        if self.filled & 1 == 0 {
            self.refill()?;
        }
        let entry = self.buckets[0].pop();
        if self.buckets[0].is_empty() {
            self.filled &= !1;
        }
        entry
    }

    /// Spreads the first bucket that is not empty: its least keys come to bucket 0.
    fn refill(&mut self) -> Option<()> {
        if self.filled == 0 {
            return None;
        }
        let bucket = self.filled.trailing_zeros() as usize;
        let mut entries = std::mem::take(&mut self.buckets[bucket]);
        self.filled &= !(1 << bucket);
        self.last = entries.iter().map(|(cost, _)| *cost).min()?;
        entries.drain(..).for_each(|(cost, fact)| self.push(cost, fact));
        self.buckets[bucket] = entries;
        Some(())
    }

    fn memory(&self) -> u64 {
        (self.buckets.iter().map(Vec::capacity).sum::<usize>() * size_of::<(Cost, Fact)>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_out_in_order() {
        let mut queue = CostQueue::default();
        for key in [5, 3, 900_000, FAR, 3, 0, 64, FAR - 1, 63] {
            queue.push(key, key);
        }
        let mut taken = Vec::new();
        while let Some((cost, fact)) = queue.pop() {
            assert_eq!(cost, fact);
            if cost == 3 && taken.last() == Some(&0) {
                queue.push(4, 4); // not below the last one
            }
            if cost == 900_000 && taken.last() == Some(&FAR) {
                queue.push(900_001, 900_001);
            }
            taken.push(cost);
        }
        assert_eq!(taken, [0, 3, 3, 4, 5, 63, 64, FAR - 1, FAR, 900_000, 900_001]);
        queue.clear();
        queue.push(7, 7); // after a clearance keys may begin anew
        queue.push(FAR + 7, 7);
        queue.clear();
        assert_eq!(queue.pop(), None);
        queue.push(2, 2);
        assert_eq!(queue.pop(), Some((2, 2)));
    }

    #[test]
    fn of_equal_keys_the_last_comes_first() {
        let mut queue = CostQueue::default();
        for cost in [9, 5000] {
            (1..=3).for_each(|fact| queue.push(cost, fact));
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, fact)| fact).collect();
        assert_eq!(order, [3, 2, 1, 3, 2, 1]);
    }
}
