//! Priced zones as words, to be kept in states.
//!
//! First the matrix, row by row, as that of any zone; then the cost and the coefficients of the clocks, two words each,
//! lower half first; then 1 if the costs are attained, otherwise 0.

use super::PricedZone;
use crate::buffer::ZoneBuf;
use crate::zone::Zone;

impl PricedZone {
    /// How many words a priced zone has.
    pub fn word_count(dimension: usize) -> usize {
        dimension * dimension + 2 * dimension + 1
    }

    pub fn to_words(&self) -> Vec<i32> {
        let mut words = self.zone().words().to_vec();
        // The coefficient of the reference is 0; the cost takes its place.
        for number in std::iter::once(&self.cost).chain(&self.coefficients[1..]) {
            words.extend([*number as i32, (*number >> 32) as i32]);
        }
        words.push(i32::from(self.attained));
        words
    }

    /// The priced zone with these words, which come from [`to_words`](Self::to_words).
    ///
    /// # Panics
    /// If their number is not that of the dimension.
    pub fn from_words(words: &[i32], dimension: usize) -> PricedZone {
        assert!(words.len() == PricedZone::word_count(dimension), "a priced zone has the wrong number of words");
        let (matrix, rest) = words.split_at(dimension * dimension);
        let number = |halves: &[i32]| i64::from(halves[1]) << 32 | i64::from(halves[0] as u32);
        let mut coefficients: Vec<i64> = rest[..2 * dimension].chunks_exact(2).map(number).collect();
        let cost = std::mem::take(&mut coefficients[0]);
        let zone = ZoneBuf::from(Zone::new(matrix, dimension));
        PricedZone { zone, cost, coefficients, attained: rest[2 * dimension] == 1 }
    }
}
