//! A hash function for values of Rust types, which come field by field: derived `Hash` writes many small numbers.
//!
//! The usual hash functions put each number through the multiplication that the last one has just left, so a value takes as
//! long as all multiplications one after another. Here every number is multiplied by a key of its place, and the products
//! are added up (Carter and Wegman 1979, "Universal classes of hash functions"): they do not wait for each other.
//!
//! It is not made to withstand someone who looks for collisions. Whoever uses it compares values besides.

use std::hash::Hasher;

/// The places have multiples of the golden ratio.
const PLACE_STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Digits of pi.
const PLACE_MASK: u64 = 0x2438_6a88_85a3_08d3;
const LAST_MULTIPLIER: u64 = 0x1319_8a2e_0370_7345;

#[derive(Clone, Debug, Default)]
pub(crate) struct FieldHasher {
    sum: u64,
    place: u64,
}

/// Both halves of the product, one on the other: every bit of the factors has its effect on all bits.
#[inline(always)]
fn folded_product(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> u64::BITS) as u64
}

impl FieldHasher {
    /// A key for the next number. With the mask, keys are no multiples of each other any more.
    #[inline(always)]
    fn next_key(&mut self) -> u64 {
        self.place = self.place.wrapping_add(PLACE_STEP);
        self.place ^ PLACE_MASK
    }

    /// Low bits of a number act on all bits of the sum, high bits only on high bits: they are laid on the low ones besides,
    /// which costs nothing where numbers are known to be small.
    #[inline(always)]
    fn add(&mut self, number: u64) {
        let key = self.next_key();
        self.sum = self.sum.wrapping_add((number ^ number >> 32).wrapping_mul(key));
    }

    #[inline(always)]
    fn add_pair(&mut self, first: u64, second: u64) {
        let key = self.next_key();
        self.sum = self.sum.wrapping_add(folded_product(first ^ key, second ^ LAST_MULTIPLIER));
    }
}

/// Less than eight bytes as a number.
#[inline(always)]
fn number_of(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // They overlap, or there are eight bytes.
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
    }
    match *bytes {
        [] => 0,
        [only] => only.into(),
        [first, .., last] => u64::from_le_bytes([first, bytes[1], last, 0, 0, 0, 0, 0]),
    }
}

impl Hasher for FieldHasher {
    /// Reads no byte twice where that can be helped: what was written in parts a moment ago is slow to read across them.
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        // Bytes that are read twice do not tell how many there are.
        self.place = self.place.wrapping_add((bytes.len() as u64).wrapping_mul(LAST_MULTIPLIER));
        let (blocks, rest) = bytes.as_chunks::<16>();
        for block in blocks {
            let block = u128::from_le_bytes(*block);
            self.add_pair(block as u64, (block >> u64::BITS) as u64);
        }
        if let Some((first, rest)) = rest.split_first_chunk() {
            self.add_pair(u64::from_le_bytes(*first), number_of(rest));
        } else if !rest.is_empty() {
            self.add_pair(number_of(rest), 0);
        }
    }

    #[inline(always)]
    fn write_u8(&mut self, number: u8) {
        self.add(number.into());
    }

    #[inline(always)]
    fn write_u16(&mut self, number: u16) {
        self.add(number.into());
    }

    #[inline(always)]
    fn write_u32(&mut self, number: u32) {
        self.add(number.into());
    }

    #[inline(always)]
    fn write_u64(&mut self, number: u64) {
        self.add(number);
    }

    #[inline(always)]
    fn write_u128(&mut self, number: u128) {
        self.add_pair(number as u64, (number >> u64::BITS) as u64);
    }

    #[inline(always)]
    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }

    #[inline(always)]
    fn finish(&self) -> u64 {
        folded_product(self.sum ^ self.place, LAST_MULTIPLIER)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::Hash;

    use super::*;

    fn hash(value: impl Hash) -> u64 {
        let mut hasher = FieldHasher::default();
        value.hash(&mut hasher);
        hasher.finish()
    }

    /// Values get hashes of their own, and the upper bits, which give the place in a table, spread as if by chance.
    fn assert_spread<T: Hash>(values: impl Iterator<Item = T>) {
        let hashes: Vec<u64> = values.map(hash).collect();
        let distinct: HashSet<&u64> = hashes.iter().collect();
        assert_eq!(distinct.len(), hashes.len());
        let bits = hashes.len().ilog2();
        let places: HashSet<u64> = hashes.iter().map(|hash| hash >> (u64::BITS - bits)).collect();
        // Of n places, n random numbers leave a share of 1/e empty; here there are up to twice as many numbers.
        let expected = 1.0 - (-(hashes.len() as f64) / f64::from(1_u32 << bits)).exp();
        let used = places.len() as f64 / f64::from(1_u32 << bits);
        assert!(used > expected - 0.01, "{used} of the places are used, should be {expected}");
    }

    #[test]
    fn small_fields_side_by_side_are_told_apart() {
        let digits = |n: u32| std::array::from_fn::<u8, 6, _>(|place| (n / 8_u32.pow(place as u32) % 8) as u8);
        let fields = |n: u32| digits(n).map(|digit| (digit % 4, digit.checked_sub(4)));
        assert_spread((0..1 << 18).map(fields));
        assert_spread((0..1 << 18).map(digits));
        assert_spread((0..1 << 18).map(|n| digits(n).map(i64::from)));
        assert_spread((0..1 << 18).map(|n| digits(n).map(|digit| 1_u64 << (60 - digit))));
        assert_spread((0..1 << 18).map(|n| digits(n).to_vec()));
    }

    #[test]
    fn numbers_and_bytes_of_every_length_spread() {
        assert_spread(0..100_000_u32);
        assert_spread((0..100_000_u64).map(|n| n << 40));
        assert_spread((0..100_000_u128).map(|n| n << 64));
        assert_spread((0..100_000_u32).map(f64::from).map(f64::to_bits));
        for length in 1..40 {
            let bytes = |n: u32| [&[7].repeat(length)[..], &n.to_be_bytes()].concat();
            assert_spread((0..20_000).map(bytes));
            assert_spread((0..20_000_u32).map(|n| [&n.to_le_bytes()[..], &[7].repeat(length)].concat()));
            assert_spread((0..20_000_u32).map(|n| format!("{n}{}", "x".repeat(length))));
        }
    }

    #[test]
    fn the_place_of_a_field_matters() {
        assert_ne!(hash((1_u8, 2_u8)), hash((2_u8, 1_u8)));
        assert_ne!(hash((0_u8, 0_u8)), hash((0_u8, 0_u8, 0_u8)));
        assert_ne!(hash([Some(0_u8), None]), hash([None, Some(0_u8)]));
    }
}
