//! What elimination needs of a number: the same algorithm runs on fractions and on intervals.

use dashu_int::ops::BitTest;
use dashu_ratio::RBig;

use super::Interval;

/// A number that is not negative.
pub(crate) trait Scalar: Clone {
    fn zero() -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    /// `other` is not zero.
    fn over(&self, other: &Self) -> Self;
    fn is_zero(&self) -> bool;
    /// How many bits it takes, if that depends on the number.
    fn bits(&self) -> usize;
    /// Is this certainly less?
    fn is_below(&self, other: &Self) -> bool;
}

/// Bits of numerator and denominator.
pub(crate) fn bits(x: &RBig) -> usize {
    x.numerator().bit_len() + x.denominator().bit_len()
}

impl Scalar for RBig {
    fn zero() -> Self {
        RBig::ZERO
    }
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn times(&self, other: &Self) -> Self {
        if self.is_one() {
            other.clone()
        } else if other.is_one() {
            self.clone()
        } else {
            self * other
        }
    }
    fn over(&self, other: &Self) -> Self {
        if other.is_one() { self.clone() } else { self / other }
    }
    fn is_zero(&self) -> bool {
        RBig::is_zero(self)
    }
    fn bits(&self) -> usize {
        bits(self)
    }
    fn is_below(&self, other: &Self) -> bool {
        self < other
    }
}

impl Scalar for Interval {
    fn zero() -> Self {
        Interval::ZERO
    }
    fn plus(&self, other: &Self) -> Self {
        Interval::plus(*self, *other)
    }
    fn times(&self, other: &Self) -> Self {
        Interval::times(*self, *other)
    }
    fn over(&self, other: &Self) -> Self {
        Interval::over(*self, *other)
    }
    fn is_zero(&self) -> bool {
        self.upper == 0.0
    }
    fn bits(&self) -> usize {
        0
    }
    fn is_below(&self, other: &Self) -> bool {
        self.upper < other.lower
    }
}
