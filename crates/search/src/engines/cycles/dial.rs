//! A queue for costs that grow by small weights: a ring of buckets (Dial 1969), or a heap where weights are large.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

const MOST_BUCKETS: u32 = 1 << 12;

#[derive(Debug)]
pub(super) struct Dial {
    ring: Vec<Vec<u32>>,
    /// The cost of the bucket that is emptied now.
    now: u64,
    waiting: usize,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Dial {
    /// `heaviest`: costs pushed are at most this much larger than the cost popped last.
    pub(super) fn new(heaviest: u32) -> Self {
        let buckets = if heaviest < MOST_BUCKETS { heaviest as usize + 1 } else { 0 };
        Dial { ring: vec![Vec::new(); buckets], now: 0, waiting: 0, heap: BinaryHeap::new() }
    }

    pub(super) fn restart(&mut self) {
        if self.waiting > 0 {
            self.ring.iter_mut().for_each(Vec::clear);
        }
        (self.now, self.waiting) = (0, 0);
        self.heap.clear();
    }

    #[inline]
    pub(super) fn push(&mut self, cost: u64, item: u32) {
        if self.ring.is_empty() {
            self.heap.push(Reverse((cost, item)));
            return;
        }
        let bucket = (cost % self.ring.len() as u64) as usize;
        self.ring[bucket].push(item);
        self.waiting += 1;
    }

    /// An item of least cost.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(u64, u32)> {
        if self.ring.is_empty() {
            return self.heap.pop().map(|Reverse(entry)| entry);
        }
        if self.waiting == 0 {
            return None;
        }
        loop {
            let bucket = (self.now % self.ring.len() as u64) as usize;
            if let Some(item) = self.ring[bucket].pop() {
                self.waiting -= 1;
                return Some((self.now, item));
            }
            self.now += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_come_in_order_with_and_without_buckets() {
        for heaviest in [3, MOST_BUCKETS] {
            let mut dial = Dial::new(heaviest);
            for _ in 0..2 {
                dial.restart();
                dial.push(0, 0);
                let mut seen = Vec::new();
                while let Some((cost, item)) = dial.pop() {
                    seen.push(cost);
                    if item < 5 {
                        dial.push(cost + 3, item + 1);
                        dial.push(cost, item + 2);
                        dial.push(cost + 1, 9);
                    }
                }
                assert!(seen.is_sorted() && seen.len() > 10, "{seen:?}");
                // What is left over does not come back.
                dial.push(2, 7);
            }
        }
    }
}
