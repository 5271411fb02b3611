//! Probabilities of long paths: products that are far too small for a floating-point number.

use std::cmp::Ordering;

/// `mantissa` · 2^`exponent`, the mantissa in [1, 2) or 0. Products lose as little as those of floating-point numbers do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likelihood {
    mantissa: f64,
    exponent: i64,
}

/// Likelihoods that differ by less are the same, as far as rounding can tell.
const SAME: f64 = 1e-12;

impl Likelihood {
    pub const ZERO: Likelihood = Likelihood { mantissa: 0.0, exponent: i64::MIN / 2 };
    pub const ONE: Likelihood = Likelihood { mantissa: 1.0, exponent: 0 };

    pub fn new(value: f64) -> Likelihood {
        Likelihood { mantissa: value, exponent: 0 }.normal()
    }

    fn normal(self) -> Likelihood {
        if self.mantissa <= 0.0 {
            return Likelihood::ZERO;
        }
        let bits = self.mantissa.to_bits();
        let exponent = (bits >> 52) as i64;
        if exponent == 0 {
            // Below the normal numbers.
            let up = Likelihood { mantissa: self.mantissa * 2f64.powi(64), exponent: self.exponent - 64 };
            return up.normal();
        }
        let mantissa = f64::from_bits(bits & !(0x7ff << 52) | 1023 << 52);
        Likelihood { mantissa, exponent: self.exponent + exponent - 1023 }
    }

    pub fn times(self, other: Likelihood) -> Likelihood {
        Likelihood { mantissa: self.mantissa * other.mantissa, exponent: self.exponent + other.exponent }.normal()
    }

    pub fn over(self, other: Likelihood) -> Likelihood {
        Likelihood { mantissa: self.mantissa / other.mantissa, exponent: self.exponent - other.exponent }.normal()
    }

    /// 0 where it is too small.
    pub fn value(self) -> f64 {
        match i32::try_from(self.exponent) {
            Ok(exponent) if exponent > -1022 => self.mantissa * 2f64.powi(exponent),
            Ok(exponent) if exponent > -1080 => self.mantissa * 2f64.powi(-1022) * 2f64.powi(exponent + 1022),
            _ => 0.0,
        }
    }

    /// From its natural logarithm; a little more rather than less.
    pub fn from_ln(ln: f64) -> Likelihood {
        if ln == f64::NEG_INFINITY {
            return Likelihood::ZERO;
        }
        let exponent = (ln / std::f64::consts::LN_2).floor();
        let rest = (ln - exponent * std::f64::consts::LN_2).exp() * (1.0 + 1e-9);
        Likelihood { mantissa: rest, exponent: exponent as i64 }.normal()
    }

    pub fn ln(self) -> f64 {
        self.mantissa.ln() + self.exponent as f64 * std::f64::consts::LN_2
    }

    /// Greater by more than rounding.
    pub fn exceeds(self, other: Likelihood) -> bool {
        self > Likelihood { mantissa: other.mantissa * (1.0 + SAME), ..other }.normal()
    }
}

impl Eq for Likelihood {}

impl Ord for Likelihood {
    fn cmp(&self, other: &Self) -> Ordering {
        self.exponent.cmp(&other.exponent).then(self.mantissa.total_cmp(&other.mantissa))
    }
}

impl PartialOrd for Likelihood {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_do_not_vanish() {
        let half = Likelihood::new(0.5);
        let mut product = Likelihood::ONE;
        for _ in 0..5000 {
            product = product.times(half);
        }
        assert!(product > Likelihood::ZERO && product.value() == 0.0);
        assert!((product.ln() / std::f64::consts::LN_2 + 5000.0).abs() < 1e-9);
        for _ in 0..5000 {
            product = product.over(half);
        }
        assert_eq!(product, Likelihood::ONE);
        for value in [0.0, 1e-320, 1e-300, 0.3, 1.0] {
            assert_eq!(Likelihood::new(value).value(), value);
        }
        assert!(Likelihood::new(0.3) > Likelihood::new(0.2) && Likelihood::new(0.1) > Likelihood::ZERO);
        assert!(!Likelihood::new(0.3).exceeds(Likelihood::new(0.3)));
    }
}
