//! Intervals of floating-point numbers that contain a true value, none of them negative.
//!
//! Stable Rust cannot set the rounding mode, so every operation computes in round-to-nearest and then steps one number
//! outward. Moore, *Interval Analysis* (1966). Claims: if the operands contain the true operands, the result contains the true
//! result; infinity is a legal upper end. It fails never, but intervals grow.

use std::fmt;

use dashu_ratio::RBig;

/// A number between `lower` and `upper`, both included. Never negative; infinite if `lower` is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub lower: f64,
    pub upper: f64,
}

/// The next number down, but not below zero.
pub(crate) fn down(x: f64) -> f64 {
    if x <= 0.0 { 0.0 } else { x.next_down() }
}

/// The next number up. A zero may stand for something too small for a number.
pub(crate) fn up(x: f64) -> f64 {
    x.next_up()
}

impl Interval {
    pub const ZERO: Interval = Interval { lower: 0.0, upper: 0.0 };
    pub const ONE: Interval = Interval { lower: 1.0, upper: 1.0 };
    pub const INFINITE: Interval = Interval { lower: f64::INFINITY, upper: f64::INFINITY };

    pub fn new(lower: f64, upper: f64) -> Interval {
        debug_assert!(0.0 <= lower && lower <= upper, "{lower} {upper}");
        Interval { lower, upper }
    }

    /// The narrowest interval around a fraction that is not negative (negative ones count as zero).
    pub fn around(exact: &RBig) -> Interval {
        if *exact <= RBig::ZERO {
            return Interval::ZERO;
        }
        let near = exact.to_f64().value();
        if !near.is_finite() {
            return Interval { lower: f64::MAX, upper: f64::INFINITY };
        }
        match RBig::try_from(near) {
            Ok(back) if back == *exact => Interval { lower: near, upper: near },
            Ok(back) if back < *exact => Interval { lower: near, upper: up(near) },
            _ => Interval { lower: down(near), upper: near },
        }
    }

    pub fn contains(&self, exact: &RBig) -> bool {
        let not_above = self.lower.is_finite() && RBig::try_from(self.lower).is_ok_and(|lower| lower <= *exact);
        let not_below = self.upper.is_infinite() || RBig::try_from(self.upper).is_ok_and(|upper| *exact <= upper);
        not_above && not_below
    }

    pub fn is_infinite(&self) -> bool {
        self.lower.is_infinite()
    }

    /// Is the width at most this share of the lower end, or at most `absolute`?
    pub fn is_within(&self, relative: f64, absolute: f64) -> bool {
        self.lower == self.upper || self.upper - self.lower <= (relative * self.lower).max(absolute)
    }

    pub fn middle(&self) -> f64 {
        if self.lower == self.upper { self.lower } else { self.lower + (self.upper - self.lower) / 2.0 }
    }

    pub fn width(&self) -> f64 {
        if self.lower == self.upper { 0.0 } else { self.upper - self.lower }
    }

    pub(crate) fn plus(self, other: Interval) -> Interval {
        if other.upper == 0.0 {
            return self;
        }
        if self.upper == 0.0 {
            return other;
        }
        let lower = if self.lower == 0.0 || other.lower == 0.0 {
            self.lower + other.lower
        } else {
            finite_or(self.lower + other.lower, down)
        };
        Interval { lower, upper: up(self.upper + other.upper) }
    }

    pub(crate) fn times(self, other: Interval) -> Interval {
        if self.upper == 0.0 || other.upper == 0.0 {
            return Interval::ZERO;
        }
        if other == Interval::ONE {
            return self;
        }
        if self == Interval::ONE {
            return other;
        }
        let lower =
            if self.lower == 0.0 || other.lower == 0.0 { 0.0 } else { finite_or(self.lower * other.lower, down) };
        Interval { lower, upper: up(self.upper * other.upper) }
    }

    /// The quotient; what is divided by something that may be zero has no upper end.
    pub(crate) fn over(self, other: Interval) -> Interval {
        if self.upper == 0.0 {
            return Interval::ZERO;
        }
        if other == Interval::ONE {
            return self;
        }
        let lower = if self.lower == 0.0 || other.upper == 0.0 || other.upper.is_infinite() {
            0.0
        } else {
            down((self.lower / other.upper).min(f64::MAX))
        };
        let upper = if other.lower == 0.0 { f64::INFINITY } else { up(self.upper / other.lower) };
        Interval { lower, upper }
    }

    /// What is left of one: 1 − x, for x in 0..=1.
    pub fn complement(self) -> Interval {
        let lower = if self.upper == 0.0 { 1.0 } else { down(1.0 - self.upper) };
        let upper = match self.lower {
            0.0 => 1.0,
            // Nothing is left, not even what is too small for a number.
            1.0.. => 0.0,
            lower => up(1.0 - lower).min(1.0),
        };
        Interval { lower, upper }
    }

    /// Both intervals contain the value: what they share.
    pub(crate) fn meet(self, other: Interval) -> Interval {
        Interval { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }
}

/// Infinite operands stay infinite, but a finite sum that overflows is not infinite: it is at least the largest number.
fn finite_or(value: f64, round: fn(f64) -> f64) -> f64 {
    if value.is_infinite() { f64::MAX } else { round(value) }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lower == self.upper {
            write!(f, "{}", self.lower)
        } else {
            write!(f, "[{}, {}]", self.lower, self.upper)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(n: i64, d: i64) -> RBig {
        RBig::from_parts_signed(n.into(), d.into())
    }

    #[test]
    fn fractions_are_enclosed_tightly() {
        let third = Interval::around(&fraction(1, 3));
        assert!(third.lower < third.upper && third.lower.next_up() == third.upper);
        assert!(third.contains(&fraction(1, 3)));
        assert_eq!(Interval::around(&fraction(1, 4)), Interval::new(0.25, 0.25));
        let huge = RBig::from(dashu_int::IBig::from(10).pow(400));
        assert!(Interval::around(&huge).contains(&huge));
        let tiny = RBig::from_parts(1.into(), dashu_int::UBig::from(10u8).pow(400));
        assert!(Interval::around(&tiny).contains(&tiny));
    }

    #[test]
    fn operations_contain_the_exact_results() {
        let numbers: Vec<RBig> =
            [(1, 3), (1, 10), (7, 1), (1, 1), (999, 1000), (1, 1_000_000_007)].map(|(n, d)| fraction(n, d)).into();
        for a in &numbers {
            for b in &numbers {
                let (x, y) = (Interval::around(a), Interval::around(b));
                assert!(x.plus(y).contains(&(a + b)));
                assert!(x.times(y).contains(&(a * b)));
                assert!(x.over(y).contains(&(a / b)));
            }
            if *a <= RBig::ONE {
                assert!(Interval::around(a).complement().contains(&(RBig::ONE - a)));
            }
        }
        assert_eq!(Interval::ONE.complement(), Interval::ZERO);
        assert_eq!(Interval::ZERO.complement(), Interval::ONE);
    }

    #[test]
    fn overflow_and_division_by_zero_keep_the_value_inside() {
        let big = Interval::new(f64::MAX, f64::MAX);
        let sum = big.plus(big);
        assert!(sum.lower.is_finite() && sum.upper.is_infinite());
        assert_eq!(Interval::ONE.over(Interval::new(0.0, 0.5)).upper, f64::INFINITY);
        let tiny = Interval::new(f64::MIN_POSITIVE, f64::MIN_POSITIVE);
        assert!(tiny.times(tiny).lower == 0.0 && tiny.times(tiny).upper > 0.0);
    }
}
