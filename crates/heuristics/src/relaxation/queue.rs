//! A radix heap: a priority queue for keys that never fall below the last one taken out.
//!
//! Paper: Ahuja, Mehlhorn, Orlin, Tarjan 1990. Entries lie in buckets by the highest bit in which their key differs from the
//! last one taken out; an entry moves at most once for every bit. Small keys cost as little as in an array of buckets, and
//! large ones are no problem.

use bughound_finite::cost::Cost;
use bughound_finite::domains::Fact;

pub struct RadixQueue {
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
    /// Keeps its memory.
    pub fn clear(&mut self) {
        while self.filled != 0 {
            self.buckets[self.filled.trailing_zeros() as usize].clear();
            self.filled &= self.filled - 1;
        }
        self.last = 0;
    }

    #[inline]
    pub fn push(&mut self, cost: Cost, fact: Fact) {
        debug_assert!(cost >= self.last);
        let bucket = (Cost::BITS - (cost ^ self.last).leading_zeros()) as usize;
        self.buckets[bucket].push((cost, fact));
        self.filled |= 1 << bucket;
    }

    #[inline]
    pub fn pop(&mut self) -> Option<(Cost, Fact)> {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_out_in_order() {
        let mut queue = RadixQueue::default();
        for key in [5, 3, 900_000, 3, 0, 64, 63] {
            queue.push(key, key);
        }
        let mut taken = Vec::new();
        while let Some((cost, fact)) = queue.pop() {
            assert_eq!(cost, fact);
            if cost == 3 && taken.last() == Some(&0) {
                queue.push(4, 4); // not below the last one
            }
            taken.push(cost);
        }
        assert_eq!(taken, [0, 3, 3, 4, 5, 63, 64, 900_000]);
        queue.clear();
        queue.push(7, 7); // after a clearance keys may begin anew
        queue.clear();
        assert_eq!(queue.pop(), None);
    }
}
