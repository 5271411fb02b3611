//! Exact numbers for points in time: fractions in lowest terms.
//!
//! Arithmetic is checked: a number that does not fit is nothing, never a wrong number. Times of a run have a small common
//! denominator, so this does not happen to them.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A fraction; its denominator is positive and has no factor in common with its numerator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: i128,
    denominator: i128,
}

impl Rational {
    pub const ZERO: Rational = Rational { numerator: 0, denominator: 1 };

    /// Nothing if the denominator is 0, or the number cannot be written down.
    pub fn new(numerator: i128, denominator: i128) -> Option<Rational> {
        let divisor = common_divisor(numerator.checked_abs()?, denominator.checked_abs()?);
        if denominator == 0 {
            return None;
        }
        let sign = denominator.signum();
        Some(Rational { numerator: numerator / divisor * sign, denominator: denominator / divisor * sign })
    }

    pub fn numerator(self) -> i128 {
        self.numerator
    }

    pub fn denominator(self) -> i128 {
        self.denominator
    }

    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub fn is_negative(self) -> bool {
        self.numerator < 0
    }

    pub fn plus(self, other: Rational) -> Option<Rational> {
        let divisor = common_divisor(self.denominator, other.denominator);
        let (own, others) = (other.denominator / divisor, self.denominator / divisor);
        let sum = self.numerator.checked_mul(own)?.checked_add(other.numerator.checked_mul(others)?)?;
        Rational::new(sum, self.denominator.checked_mul(own)?)
    }

    pub fn minus(self, other: Rational) -> Option<Rational> {
        self.plus(Rational { numerator: other.numerator.checked_neg()?, ..other })
    }

    /// So many times the number.
    pub fn times(self, factor: i128) -> Option<Rational> {
        Rational::new(self.numerator.checked_mul(factor)?, self.denominator)
    }

    /// The middle between two numbers.
    pub fn middle(self, other: Rational) -> Option<Rational> {
        let sum = self.plus(other)?;
        Rational::new(sum.numerator, sum.denominator.checked_mul(2)?)
    }

    /// Which of two numbers is larger; nothing if they are too large for that to be seen.
    pub fn compare(self, other: Rational) -> Option<Ordering> {
        Some(self.minus(other)?.numerator.cmp(&0))
    }

    /// The nearest number that a program without fractions can use.
    pub fn as_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// As a decimal number with at most three digits after the point, if that is exact; as a fraction otherwise.
    pub fn decimal(self) -> String {
        let Some(thousandths) = self.numerator.checked_mul(1000).filter(|n| n % self.denominator == 0) else {
            return self.to_string();
        };
        let thousandths = thousandths / self.denominator;
        let (whole, rest) = (thousandths.abs() / 1000, thousandths.abs() % 1000);
        let sign = if thousandths < 0 { "-" } else { "" };
        let text = format!("{sign}{whole}.{rest:03}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    }
}

impl From<i32> for Rational {
    fn from(number: i32) -> Rational {
        Rational { numerator: number.into(), denominator: 1 }
    }
}

/// `7/2`, or `3` for a whole number.
impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

/// A text that is no fraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAFraction(pub String);

impl fmt::Display for NotAFraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no fraction such as 7/2", self.0)
    }
}

impl std::error::Error for NotAFraction {}

impl FromStr for Rational {
    type Err = NotAFraction;

    fn from_str(text: &str) -> Result<Rational, NotAFraction> {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        let parsed = numerator.parse().ok().zip(denominator.parse().ok());
        parsed.and_then(|(n, d)| Rational::new(n, d)).ok_or_else(|| NotAFraction(text.to_string()))
    }
}

/// Of numbers that are not negative; 1 if both are 0.
fn common_divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(numerator: i128, denominator: i128) -> Rational {
        Rational::new(numerator, denominator).unwrap()
    }

    #[test]
    fn fractions_are_kept_in_lowest_terms() {
        assert_eq!((r(6, -4).numerator(), r(6, -4).denominator()), (-3, 2));
        assert_eq!(r(0, 7), Rational::ZERO);
        assert_eq!(Rational::new(1, 0), None);
        assert_eq!(Rational::new(0, 0), None);
        assert_eq!(Rational::new(i128::MIN, 1), None);
    }

    #[test]
    fn arithmetic_is_exact_or_nothing() {
        assert_eq!(r(1, 2).plus(r(1, 3)), Some(r(5, 6)));
        assert_eq!(r(1, 2).minus(r(1, 2)), Some(Rational::ZERO));
        assert_eq!(r(1, 2).middle(r(1, 3)), Some(r(5, 12)));
        assert_eq!(r(1, 3).compare(r(1, 2)), Some(Ordering::Less));
        assert_eq!((r(5, 6).times(3), r(5, 6).times(0)), (Some(r(5, 2)), Some(Rational::ZERO)));
        assert_eq!(r(i128::MAX, 1).plus(r(1, 1)), None);
        assert_eq!(r(i128::MAX, 2).times(3), None);
        assert_eq!(r(1, i128::MAX).plus(r(1, i128::MAX - 1)), None);
    }

    #[test]
    fn texts() {
        for (number, fraction, decimal) in [
            (r(7, 2), "7/2", "3.5"),
            (r(-1, 8), "-1/8", "-0.125"),
            (r(1, 3), "1/3", "1/3"),
            (r(1, 16), "1/16", "1/16"),
            (r(20, 1), "20", "20"),
        ] {
            assert_eq!((number.to_string().as_str(), number.decimal().as_str()), (fraction, decimal));
            assert_eq!(fraction.parse(), Ok(number));
        }
        for wrong in ["", "1/0", "1.5", "a/2", "1/2/3"] {
            assert!(wrong.parse::<Rational>().is_err(), "{wrong}");
        }
    }
}
