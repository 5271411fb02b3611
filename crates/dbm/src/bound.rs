//! Bounds on differences of clocks: a constant and whether it may be reached, in one integer.
//!
//! `<= c` is the word `2c + 1`, `< c` the word `2c`. Comparing words compares bounds, and a sum of two bounds is a sum of
//! words with a small correction: matrices of bounds can be worked on by loops over integers.
//!
//! Constants are limited to [`MAX_CONSTANT`]. A sum that leaves this range becomes the next weaker bound that can be
//! written down: no bound at all above, `< -MAX_CONSTANT` below. A zone can become too large by this, never too small,
//! and never wraps around.

use std::fmt;

/// The largest constant of a bound, and the largest negative one.
pub const MAX_CONSTANT: i32 = 1 << 28;

/// In arrays of extrapolation bounds: the clock is never compared with a constant in this direction (−∞).
///
/// Smaller than all constants, so that maxima of such arrays come out right. Doubled, it still fits a word.
pub const NO_BOUND: i32 = -((1 << 30) - 1);

/// No bound. Far enough from finite words that a sum with one of them is still seen to be infinite, and far enough from
/// the end of the range that it does not overflow.
pub(crate) const INFINITE: i32 = 5 << 28;
/// `<= 0`: a clock compared with itself.
pub(crate) const AT_MOST_ZERO: i32 = 1;
pub(crate) const LARGEST: i32 = 2 * MAX_CONSTANT + 1;
pub(crate) const SMALLEST: i32 = -2 * MAX_CONSTANT;

/// An upper bound on the difference of two clocks. Smaller is tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound(i32);

impl Bound {
    /// No bound at all.
    pub const INFINITY: Bound = Bound(INFINITE);
    /// `<= 0`
    pub const ZERO_LE: Bound = Bound(AT_MOST_ZERO);
    /// `< 0`
    pub const ZERO_LT: Bound = Bound(0);

    /// `<= constant`
    ///
    /// # Panics
    /// If the constant is out of range; [`Bound::checked`] for constants that come from outside.
    pub const fn at_most(constant: i32) -> Bound {
        assert!(-MAX_CONSTANT <= constant && constant <= MAX_CONSTANT, "constant of a clock bound out of range");
        Bound(2 * constant + 1)
    }

    /// `< constant`
    ///
    /// # Panics
    /// If the constant is out of range; [`Bound::checked`] for constants that come from outside.
    pub const fn less_than(constant: i32) -> Bound {
        assert!(-MAX_CONSTANT <= constant && constant <= MAX_CONSTANT, "constant of a clock bound out of range");
        Bound(2 * constant)
    }

    /// `< constant` or `<= constant`; nothing if the constant is out of range.
    pub fn checked(constant: i64, strict: bool) -> Option<Bound> {
        let limit = i64::from(MAX_CONSTANT);
        let constant = (-limit..=limit).contains(&constant).then_some(constant as i32)?;
        Some(if strict { Bound::less_than(constant) } else { Bound::at_most(constant) })
    }

    /// The bound stored in a matrix as this word.
    pub const fn from_word(word: i32) -> Bound {
        debug_assert!((SMALLEST <= word && word <= LARGEST) || word == INFINITE);
        Bound(word)
    }

    pub const fn word(self) -> i32 {
        self.0
    }

    pub const fn is_infinite(self) -> bool {
        self.0 == INFINITE
    }

    /// The constant; nothing for the infinite bound.
    pub fn constant(self) -> Option<i32> {
        (!self.is_infinite()).then_some(self.0 >> 1)
    }

    /// May the constant itself not be reached? So it is with the infinite bound.
    pub const fn is_strict(self) -> bool {
        self.0 & 1 == 0
    }

    /// What holds for `y - x` exactly if this bound does not hold for `x - y`; nothing for the infinite bound, which
    /// always holds.
    pub fn negated(self) -> Option<Bound> {
        // ¬(x - y <= c) is y - x < -c: from 2c + 1 to -2c. ¬(x - y < c) is y - x <= -c: from 2c to -2c + 1.
        (!self.is_infinite()).then_some(Bound(1 - self.0))
    }
}

impl std::ops::Add for Bound {
    type Output = Bound;

    fn add(self, other: Bound) -> Bound {
        Bound(if self.is_infinite() { INFINITE } else { plus(self.0, other.0) })
    }
}

/// The sum of a finite word and any word.
#[inline(always)]
pub(crate) fn plus(finite: i32, word: i32) -> i32 {
    debug_assert!(finite != INFINITE);
    // The lowest bit says "may be reached": of the sum only if of both. Two such bits add up to one too many.
    let sum = finite + word - ((finite | word) & 1);
    if sum > LARGEST { INFINITE } else { sum.max(SMALLEST) }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.constant() {
            None => f.write_str("inf"),
            Some(constant) if self.is_strict() => write!(f, "< {constant}"),
            Some(constant) => write!(f, "<= {constant}"),
        }
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// `left - right` is bounded: one constraint of a zone. Clock 0 is the reference, which is always 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constraint {
    pub left: usize,
    pub right: usize,
    pub bound: Bound,
}

impl Constraint {
    pub fn new(left: usize, right: usize, bound: Bound) -> Self {
        Constraint { left, right, bound }
    }

    /// `clock <= constant`, or `<`.
    pub fn upper(clock: usize, bound: Bound) -> Self {
        Constraint { left: clock, right: 0, bound }
    }

    /// `clock >= constant`; with `strict` `clock > constant`. Nothing if the constant is out of range.
    pub fn lower(clock: usize, constant: i64, strict: bool) -> Option<Self> {
        Some(Constraint { left: 0, right: clock, bound: Bound::checked(constant.checked_neg()?, strict)? })
    }

    /// The constraint that holds exactly where this one does not.
    pub fn negated(self) -> Option<Self> {
        Some(Constraint { left: self.right, right: self.left, bound: self.bound.negated()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tighter_bounds_are_smaller() {
        let ordered = [
            Bound::less_than(-MAX_CONSTANT),
            Bound::at_most(-MAX_CONSTANT),
            Bound::less_than(-1),
            Bound::at_most(-1),
            Bound::ZERO_LT,
            Bound::ZERO_LE,
            Bound::less_than(1),
            Bound::at_most(MAX_CONSTANT),
            Bound::INFINITY,
        ];
        assert!(ordered.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn sums_are_strict_if_one_of_the_bounds_is() {
        let (weak, strict) = (Bound::at_most, Bound::less_than);
        assert_eq!(weak(2) + weak(-5), weak(-3));
        assert_eq!(weak(2) + strict(-5), strict(-3));
        assert_eq!(strict(2) + weak(-5), strict(-3));
        assert_eq!(strict(2) + strict(-5), strict(-3));
        for bound in [weak(-MAX_CONSTANT), strict(3), weak(MAX_CONSTANT), Bound::INFINITY] {
            assert_eq!(bound + Bound::INFINITY, Bound::INFINITY);
            assert_eq!(Bound::INFINITY + bound, Bound::INFINITY);
            assert_eq!(bound + Bound::ZERO_LE, bound);
        }
    }

    #[test]
    fn sums_out_of_range_become_weaker() {
        let (weak, strict) = (Bound::at_most, Bound::less_than);
        assert_eq!(weak(MAX_CONSTANT) + weak(1), Bound::INFINITY);
        assert_eq!(weak(MAX_CONSTANT) + weak(MAX_CONSTANT), Bound::INFINITY);
        assert_eq!(weak(-MAX_CONSTANT) + weak(-1), strict(-MAX_CONSTANT));
        assert_eq!(strict(-MAX_CONSTANT) + strict(-MAX_CONSTANT), strict(-MAX_CONSTANT));
        assert_eq!(weak(MAX_CONSTANT) + weak(-MAX_CONSTANT), Bound::ZERO_LE);
    }

    #[test]
    fn constants_are_checked() {
        let limit = i64::from(MAX_CONSTANT);
        assert_eq!(Bound::checked(limit, false), Some(Bound::at_most(MAX_CONSTANT)));
        assert_eq!(Bound::checked(-limit, true), Some(Bound::less_than(-MAX_CONSTANT)));
        assert_eq!(Bound::checked(limit + 1, false), None);
        assert_eq!(Bound::checked(i64::MIN, true), None);
        assert_eq!(Constraint::lower(1, i64::MIN, false), None);
        assert!(std::panic::catch_unwind(|| Bound::at_most(MAX_CONSTANT + 1)).is_err());
    }

    #[test]
    fn negation_is_the_complement() {
        assert_eq!(Bound::at_most(5).negated(), Some(Bound::less_than(-5)));
        assert_eq!(Bound::less_than(5).negated(), Some(Bound::at_most(-5)));
        assert_eq!(Bound::INFINITY.negated(), None);
        for extreme in [Bound::at_most(MAX_CONSTANT), Bound::less_than(-MAX_CONSTANT)] {
            assert_eq!(extreme.negated().and_then(Bound::negated), Some(extreme));
        }
    }

    #[test]
    fn bounds_are_printed_as_comparisons() {
        assert_eq!(Bound::at_most(5).to_string(), "<= 5");
        assert_eq!(Bound::less_than(-5).to_string(), "< -5");
        assert_eq!(Bound::INFINITY.to_string(), "inf");
    }
}
