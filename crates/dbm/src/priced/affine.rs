//! Affine functions of clock values, with whole coefficients.
//!
//! The form in which costs are computed with: a value where all clocks are 0, and a coefficient per clock. Numbers have
//! 128 bits: with coefficients of 64 bits (sums of a few dozen of them, at most) and times of 29 bits nothing here can
//! overflow. What is stored in a [`PricedZone`](super::PricedZone) is checked to fit 64 bits.

use super::PriceError;
use crate::bound::AT_MOST_ZERO;
use crate::point::Point;
use crate::zone::Zone;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Affine {
    /// The value where all clocks are 0.
    pub constant: i128,
    /// That of the reference is 0.
    pub coefficients: Vec<i128>,
}

impl Affine {
    pub fn zero(dimension: usize) -> Affine {
        Affine { constant: 0, coefficients: vec![0; dimension] }
    }

    /// Adds `factor * (clock + constant)`; the clock may be the reference.
    pub fn add(&mut self, factor: i128, clock: usize, constant: i128) {
        self.constant += factor * constant;
        if clock != 0 {
            self.coefficients[clock] += factor;
        }
    }

    pub fn minus(&self, other: &Affine) -> Affine {
        let coefficients = self.coefficients.iter().zip(&other.coefficients).map(|(a, b)| a - b).collect();
        Affine { constant: self.constant - other.constant, coefficients }
    }

    /// By how much the value grows in one unit of time.
    pub fn growth(&self) -> i128 {
        self.coefficients.iter().sum()
    }

    /// The value at the lowest corner of a zone, which must not be empty.
    pub fn at_lowest_corner(&self, zone: Zone<'_>) -> i128 {
        let values = self.coefficients.iter().enumerate();
        self.constant + values.map(|(clock, factor)| factor * lowest(zone, clock)).sum::<i128>()
    }

    /// The value at a point, in units of one over its denominator; nothing if a point far away makes it overflow.
    pub fn at(&self, point: &Point) -> Option<i128> {
        let start = self.constant.checked_mul(point.denominator())?;
        let mut parts = self.coefficients.iter().enumerate();
        parts.try_fold(start, |sum, (clock, factor)| sum.checked_add(factor.checked_mul(point.scaled(clock))?))
    }

    /// The same values on the zone, by the fewest clocks: of clocks whose difference is fixed in the zone only the first
    /// has a coefficient, and none if it is fixed itself. Functions that are equal on a zone become the same.
    pub fn reduce(&mut self, zone: Zone<'_>) {
        for clock in 1..zone.dimension() {
            let fixed = |first: &usize| {
                let (there, back) = (zone.word(clock, *first), zone.word(*first, clock));
                there & back & AT_MOST_ZERO == 1 && there >> 1 == -(back >> 1)
            };
            if let Some(first) = (0..clock).find(fixed) {
                let factor = std::mem::take(&mut self.coefficients[clock]);
                self.add(factor, first, i128::from(zone.word(clock, first) >> 1));
            }
        }
    }

    /// The coefficients in 64 bits.
    pub fn stored(&self) -> Result<Vec<i64>, PriceError> {
        let narrow = |value: &i128| i64::try_from(*value).map_err(|_| PriceError::CostOutOfRange);
        self.coefficients.iter().map(narrow).collect()
    }
}

/// The smallest value that a clock has in the closure of a zone.
pub(crate) fn lowest(zone: Zone<'_>, clock: usize) -> i128 {
    -i128::from(zone.word(0, clock) >> 1)
}
