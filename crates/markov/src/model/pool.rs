//! The distinct numbers of a model, each with the narrowest interval around it.
//!
//! Models have millions of entries but few different probabilities: an entry holds the id of its number. Sums and shares of
//! numbers are remembered, so that building a model seldom computes with fractions.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use dashu_ratio::RBig;

use crate::numbers::Interval;

/// A number in a [`Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NumberId(pub(crate) u32);

impl NumberId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Distinct numbers, none of them negative.
#[derive(Clone, Debug)]
pub struct Pool {
    exact: Vec<RBig>,
    around: Vec<Interval>,
}

impl Pool {
    pub const ZERO: NumberId = NumberId(0);
    pub const ONE: NumberId = NumberId(1);

    pub fn exact(&self, id: NumberId) -> &RBig {
        &self.exact[id.index()]
    }

    pub fn around(&self, id: NumberId) -> Interval {
        self.around[id.index()]
    }

    pub fn len(&self) -> usize {
        self.exact.len()
    }

    pub fn is_empty(&self) -> bool {
        false
    }
}

/// Hashes one pair of ids: nobody from outside chooses these.
#[derive(Clone, Debug, Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// What was computed about pairs of numbers.
#[derive(Clone, Debug, Default)]
struct Pairs(HashMap<u64, NumberId, BuildHasherDefault<PairHasher>>);

impl Pairs {
    fn key(a: NumberId, b: NumberId) -> u64 {
        u64::from(a.0) << 32 | u64::from(b.0)
    }

    fn get(&self, a: NumberId, b: NumberId) -> Option<NumberId> {
        self.0.get(&Pairs::key(a, b)).copied()
    }

    fn insert(&mut self, a: NumberId, b: NumberId, result: NumberId) {
        self.0.insert(Pairs::key(a, b), result);
    }
}

/// A pool that is being filled.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    pool: Pool,
    ids: HashMap<RBig, NumberId>,
    sums: Pairs,
    products: Pairs,
    shares: Pairs,
}

impl Numbers {
    pub fn new() -> Numbers {
        Numbers::from_pool(Pool { exact: vec![RBig::ZERO, RBig::ONE], around: vec![Interval::ZERO, Interval::ONE] })
    }

    /// Goes on with the numbers of another model; their ids stay.
    pub fn from_pool(pool: Pool) -> Numbers {
        let ids =
            pool.exact.iter().enumerate().map(|(index, number)| (number.clone(), NumberId(index as u32))).collect();
        Numbers { pool, ids, sums: Pairs::default(), products: Pairs::default(), shares: Pairs::default() }
    }

    pub fn id(&mut self, number: &RBig) -> NumberId {
        if let Some(&id) = self.ids.get(number) {
            return id;
        }
        let id = NumberId(self.pool.exact.len() as u32);
        self.pool.exact.push(number.clone());
        self.pool.around.push(Interval::around(number));
        self.ids.insert(number.clone(), id);
        id
    }

    pub fn get(&self, id: NumberId) -> &RBig {
        self.pool.exact(id)
    }

    pub fn sum(&mut self, a: NumberId, b: NumberId) -> NumberId {
        if a == Pool::ZERO {
            return b;
        }
        if b == Pool::ZERO {
            return a;
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.sums.get(a, b) {
            return known;
        }
        let sum = self.get(a) + self.get(b);
        let id = self.id(&sum);
        self.sums.insert(a, b, id);
        id
    }

    pub fn product(&mut self, a: NumberId, b: NumberId) -> NumberId {
        if a == Pool::ONE || b == Pool::ZERO {
            return b;
        }
        if b == Pool::ONE || a == Pool::ZERO {
            return a;
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.products.get(a, b) {
            return known;
        }
        let product = self.get(a) * self.get(b);
        let id = self.id(&product);
        self.products.insert(a, b, id);
        id
    }

    /// `part` divided by `total`, which is not zero.
    pub fn share(&mut self, part: NumberId, total: NumberId) -> NumberId {
        if total == Pool::ONE || part == Pool::ZERO {
            return part;
        }
        if part == total {
            return Pool::ONE;
        }
        if let Some(known) = self.shares.get(part, total) {
            return known;
        }
        let share = self.get(part) / self.get(total);
        let id = self.id(&share);
        self.shares.insert(part, total, id);
        id
    }

    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    pub fn finish(self) -> Pool {
        self.pool
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_have_one_id() {
        let mut numbers = Numbers::new();
        let half = numbers.id(&RBig::from_parts_signed(1.into(), 2.into()));
        let third = numbers.id(&RBig::from_parts_signed(1.into(), 3.into()));
        assert_eq!(numbers.sum(half, half), Pool::ONE);
        let sixth = numbers.product(half, third);
        let two_thirds = numbers.sum(sixth, half);
        assert_eq!(numbers.share(third, half), two_thirds);
        assert_eq!(numbers.share(sixth, third), half);
        assert_eq!(numbers.id(&RBig::ONE), Pool::ONE);
    }
}
