//! Floating-point numbers of 64 bits with an exponent that never runs out: for elimination where doubles would underflow.
//!
//! None of them is negative. Every operation cuts off what does not fit: its relative error is less than [`ROUNDING`], always,
//! because there is nothing too small or too large. So errors can be counted instead of carried along: see `solve/counted.rs`.

use dashu_int::UBig;
use dashu_int::ops::BitTest;
use dashu_ratio::RBig;

use super::interval::{down, up};
use super::{Interval, Scalar};

/// Bound of the relative error of one operation: 2⁻⁶².
pub(crate) const ROUNDING: f64 = 1.0 / (1u64 << 62) as f64;

/// `digits` · 2^`exponent`; the first bit of the digits is set, or the number is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wide {
    digits: u64,
    exponent: i64,
}

impl Wide {
    const ZERO: Wide = Wide { digits: 0, exponent: i64::MIN };

    fn new(digits: u128, exponent: i64) -> Wide {
        if digits == 0 {
            return Wide::ZERO;
        }
        let shift = 64 - digits.leading_zeros() as i64;
        let digits = if shift >= 0 { digits >> shift } else { digits << -shift };
        Wide { digits: digits as u64, exponent: exponent + shift }
    }

    /// The number next to a fraction, towards zero.
    pub fn near(exact: &RBig) -> Wide {
        if *exact <= RBig::ZERO {
            return Wide::ZERO;
        }
        let (top, bottom) = (exact.numerator().clone().into_parts().1, exact.denominator());
        // So many more bits above than below that the quotient has 65 or more.
        let shift = 66 + bottom.bit_len() as i64 - top.bit_len() as i64;
        let quotient = if shift >= 0 { (top << shift as usize) / bottom } else { top / (bottom << (-shift) as usize) };
        let more = quotient.bit_len().saturating_sub(128);
        let digits = u128::try_from(quotient >> more).unwrap_or(u128::MAX);
        Wide::new(digits, more as i64 - shift)
    }

    /// A double, which is finite and not negative.
    pub fn from_double(value: f64) -> Wide {
        RBig::try_from(value).map_or(Wide::ZERO, |exact| Wide::near(&exact))
    }

    /// The doubles around all numbers whose relative distance is at most `error`, which is at most 1/2.
    pub fn around(self, error: f64) -> Interval {
        if self.digits == 0 {
            return Interval::ZERO;
        }
        // The digits as a double, with as many bits as it has, and one beyond.
        let (low, high) = (down((self.digits >> 11) as f64), ((self.digits >> 11) + 1) as f64);
        let low = down(low * down(1.0 - up(error)));
        let high = up(high * up(1.0 + up(up(error) * 2.0)));
        let scale = self.exponent + 11;
        Interval { lower: down(scaled(low, scale)).min(f64::MAX), upper: up(scaled(high, scale)) }
    }
}

/// x · 2^e, rounded; x is between 2⁵⁰ and 2⁵⁶, or so.
fn scaled(x: f64, e: i64) -> f64 {
    match e {
        1000.. => f64::INFINITY,
        // In two steps, so that a factor does not underflow before the result does.
        -1200..1000 => x * 2f64.powi((e / 2) as i32) * 2f64.powi((e - e / 2) as i32),
        _ => 0.0,
    }
}

impl Scalar for Wide {
    fn zero() -> Self {
        Wide::ZERO
    }

    fn plus(&self, other: &Self) -> Self {
        let (more, less) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        if less.digits == 0 {
            return *more;
        }
        let apart = more.exponent - less.exponent;
        if apart >= 63 {
            return *more;
        }
        Wide::new((u128::from(more.digits) << 63) + (u128::from(less.digits) << (63 - apart)), more.exponent - 63)
    }

    fn times(&self, other: &Self) -> Self {
        if self.digits == 0 || other.digits == 0 {
            return Wide::ZERO;
        }
        Wide::new(u128::from(self.digits) * u128::from(other.digits), self.exponent + other.exponent)
    }

    fn over(&self, other: &Self) -> Self {
        if self.digits == 0 {
            return Wide::ZERO;
        }
        // The quotient has 64 or 65 bits.
        let quotient = (u128::from(self.digits) << 64) / u128::from(other.digits);
        Wide::new(quotient, self.exponent - other.exponent - 64)
    }

    fn is_zero(&self) -> bool {
        self.digits == 0
    }

    fn bits(&self) -> usize {
        0
    }

    fn is_below(&self, other: &Self) -> bool {
        (self.exponent, self.digits) < (other.exponent, other.digits)
    }
}

/// The fraction that it is.
impl From<Wide> for RBig {
    fn from(wide: Wide) -> RBig {
        let digits = UBig::from(wide.digits);
        match wide.exponent {
            _ if wide.digits == 0 => RBig::ZERO,
            0.. => RBig::from(digits << wide.exponent as usize),
            _ => RBig::from_parts(digits.into(), UBig::ONE << wide.exponent.unsigned_abs() as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(wide: Wide, exact: &RBig) -> bool {
        let error = RBig::try_from(ROUNDING).unwrap();
        let wide = RBig::from(wide);
        wide <= *exact && (exact - &wide) <= exact * error
    }

    #[test]
    fn operations_are_as_near_as_they_say() {
        let ten = |exponent: isize| RBig::from(10).pow(exponent);
        let mut numbers: Vec<RBig> = [(1, 3), (2, 3), (7, 1), (1, 1), (999, 1000), (1, 1_000_000_007)]
            .map(|(n, d): (i64, i64)| RBig::from_parts_signed(n.into(), d.into()))
            .into();
        numbers.extend([ten(-400), ten(400), ten(-5000) * RBig::from(3), ten(19), ten(20) - RBig::ONE]);
        for a in &numbers {
            assert!(is_near(Wide::near(a), a), "{a}");
            assert!(Wide::near(a).around(ROUNDING).contains(a), "{a}");
            for b in &numbers {
                let (x, y) = (Wide::near(a), Wide::near(b));
                let (p, q) = (RBig::from(x), RBig::from(y));
                assert!(is_near(x.plus(&y), &(&p + &q)));
                assert!(is_near(x.times(&y), &(&p * &q)));
                assert!(is_near(x.over(&y), &(&p / &q)));
                assert_eq!(x.is_below(&y), p < q);
            }
        }
    }

    #[test]
    fn the_doubles_around_are_close() {
        let third = RBig::from_parts_signed(1.into(), 3.into());
        let around = Wide::near(&third).around(1e-10);
        assert!(around.contains(&third) && around.is_within(1e-9, 0.0), "{around}");
        for end in ["0.33333333330", "0.33333333336"] {
            assert!(around.contains(&crate::parse_number(end).unwrap()), "{around}");
        }
        assert_eq!(Wide::ZERO.around(0.1), Interval::ZERO);
        assert_eq!(Wide::from_double(0.375).around(0.0).middle(), 0.375);
        let tiny = Wide::near(&RBig::from(10).pow(-400)).around(1e-3);
        assert!(tiny.lower == 0.0 && tiny.upper > 0.0 && tiny.upper < 1e-300);
        let huge = Wide::near(&RBig::from(10).pow(400)).around(1e-3);
        assert!(huge.lower.is_finite() && huge.upper.is_infinite());
    }
}
