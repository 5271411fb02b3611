//! Poisson probabilities with certain bounds, for rates up to many millions.
//!
//! The terms λⁱ/i! are computed relative to the largest one, outward from it, as in Fox and Glynn, *Computing Poisson
//! probabilities* (1988), but in intervals, and divided by the interval of their sum with the tails in it. No exponential is
//! taken. Beyond the last term on the right the ratios fall, so the tail is less than a geometric series; the same on the left.
//! n terms away from the mode the relative width is about 4·n·2⁻⁵³.

use crate::effort::{Effort, Failure};
use crate::numbers::{Interval, up};

/// Which terms are left to the tails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    /// Those that are small compared with the largest one: enough for values that are not tiny themselves.
    Usual,
    /// As few as possible.
    Finest,
}

impl Precision {
    /// The share of the largest term.
    fn negligible(self) -> f64 {
        match self {
            Precision::Usual => 1e-30,
            Precision::Finest => 1e-305,
        }
    }
}

/// Beyond this rate the terms would fill the memory.
const LARGEST: f64 = 1e13;

pub(crate) struct Poisson {
    /// Index of the first weight.
    pub first: u64,
    pub weights: Vec<Interval>,
    /// Bounds from above for the probability of less than `first`, and of more than the last.
    pub left: f64,
    pub right: f64,
    /// Bound from above for the sum over i beyond the last of Pr(N > i).
    pub right_sum: f64,
}

impl Poisson {
    /// May it be computed? It takes so many terms on either side of the largest one, at most.
    pub fn reserve(rate: f64, precision: Precision, effort: &Effort) -> Result<(), Failure> {
        Self::check(rate)?;
        let deviations = (-2.0 * precision.negligible().ln()).sqrt() + 1.0;
        let terms = 2.0 * deviations * rate.sqrt() + 512.0;
        effort.reserve(terms as usize * 4 * size_of::<Interval>())
    }

    fn check(rate: f64) -> Result<(), Failure> {
        if rate > LARGEST {
            return Err(Failure::Refused(format!("uniformisation would take about {rate:e} steps")));
        }
        Ok(())
    }

    pub fn new(rate: Interval, precision: Precision) -> Result<Poisson, Failure> {
        let negligible = precision.negligible();
        Self::check(rate.upper)?;
        if rate.upper == 0.0 {
            return Ok(Poisson { first: 0, weights: vec![Interval::ONE], left: 0.0, right: 0.0, right_sum: 0.0 });
        }
        let number = |i: u64| Interval { lower: i as f64, upper: i as f64 };
        let mode = rate.lower.floor() as u64;
        let mut above = vec![Interval::ONE];
        let mut i = mode;
        let mut term = Interval::ONE;
        // Ratios beyond the end are at most this.
        let (beyond, ratio) = loop {
            let next = term.times(rate).over(number(i + 1));
            let ratio = up(rate.upper / (i + 2) as f64);
            if next.upper < negligible && ratio < 1.0 {
                break (next, ratio);
            }
            above.push(next);
            term = next;
            i += 1;
        };
        let mut below = Vec::new();
        let mut term = Interval::ONE;
        let mut first = mode;
        let mut left = 0.0;
        while first > 0 {
            let next = term.times(number(first)).over(rate);
            if next.upper < negligible && (first as f64) < rate.lower {
                // Ratios only fall: the term before is at most (first−1)/λ of this one, and so on.
                let rest = Interval { lower: 1.0, upper: 1.0 - (first as f64 - 1.0) / rate.lower };
                left = up(up(next.upper / rest.upper) * (1.0 + 1e-9));
                break;
            }
            below.push(next);
            term = next;
            first -= 1;
        }
        // 1 − ratio is off by less than 1e-9 of itself unless the ratio is within 1e-6 of 1, which so many terms exclude.
        let rest = (1.0 - ratio) * (1.0 - 1e-9);
        let right = up(beyond.upper / rest);
        let right_sum = up(up(beyond.upper * ratio) / (rest * rest) * (1.0 + 1e-9)) + right;
        below.reverse();
        below.extend(above);
        let sum = below.iter().fold(Interval::ZERO, |sum, term| sum.plus(*term));
        let total = sum.plus(Interval { lower: 0.0, upper: left }).plus(Interval { lower: 0.0, upper: right });
        let weights: Vec<Interval> = below.into_iter().map(|term| term.over(total)).collect();
        let share = |mass: f64| up(mass / total.lower);
        Ok(Poisson { first, weights, left: share(left), right: share(right), right_sum: share(right_sum) })
    }

    /// Index of the last weight.
    pub fn last(&self) -> u64 {
        self.first + self.weights.len() as u64 - 1
    }

    /// The probability of exactly i.
    pub fn weight(&self, i: u64) -> Interval {
        match i.checked_sub(self.first) {
            Some(place) if (place as usize) < self.weights.len() => self.weights[place as usize],
            _ => Interval::ZERO,
        }
    }

    /// The probabilities of more than i, for i from 0 to the last.
    pub fn more_than(&self) -> impl Fn(u64) -> Interval + '_ {
        // Sums from the right, small terms first.
        let mut sums = vec![Interval { lower: 0.0, upper: self.right }; self.weights.len()];
        for place in (0..self.weights.len().saturating_sub(1)).rev() {
            sums[place] = sums[place + 1].plus(self.weights[place + 1]);
        }
        let all = match self.weights.first() {
            Some(first) => sums[0].plus(*first),
            None => Interval::ONE,
        };
        move |i| {
            let certain = match i.checked_sub(self.first) {
                Some(place) => sums.get(place as usize).copied().unwrap_or(Interval { lower: 0.0, upper: self.right }),
                None => Interval { lower: all.lower, upper: up(all.upper + self.left) },
            };
            Interval { lower: certain.lower.min(1.0), upper: certain.upper.min(1.0) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_int::UBig;
    use dashu_ratio::RBig;

    /// e^−λ between two fractions, by its series (λ a small fraction).
    fn exponential(rate: &RBig) -> (RBig, RBig) {
        let (mut sum, mut term) = (RBig::ONE, RBig::ONE);
        for i in 1..200u32 {
            term = term * rate / RBig::from(UBig::from(i));
            sum += &term;
        }
        // The rest of e^λ is less than the last term (λ < 100).
        let high = &sum + &term;
        (RBig::ONE / high, RBig::ONE / sum)
    }

    #[test]
    fn weights_contain_the_exact_probabilities() {
        for (n, d) in [(1, 10), (1, 1), (7, 2), (40, 1), (25, 3)] {
            let rate = RBig::from_parts_signed(n.into(), d.into());
            let poisson = Poisson::new(Interval::around(&rate), Precision::Usual).unwrap();
            let (low, high) = exponential(&rate);
            let mut power = RBig::ONE;
            let more = poisson.more_than();
            let mut at_most = (RBig::ZERO, RBig::ZERO);
            for i in 0..=poisson.last() {
                let weight = poisson.weight(i);
                let (exact_low, exact_high) = (&low * &power, &high * &power);
                if i >= poisson.first {
                    assert!(weight.contains(&exact_low) || weight.contains(&exact_high), "{rate} {i} {weight}");
                    assert!(weight.is_within(1e-13, 0.0));
                }
                at_most = (at_most.0 + exact_low, at_most.1 + exact_high);
                let rest = RBig::ONE - &at_most.0;
                assert!(more(i).contains(&rest), "{rate} {i} {} {}", more(i), rest.to_f64_fast());
                power = power * &rate / RBig::from(UBig::from(i + 1));
            }
        }
    }

    #[test]
    fn large_rates_have_narrow_weights() {
        for rate in [1e3, 1e6, 1e8] {
            let poisson = Poisson::new(Interval::new(rate, rate), Precision::Usual).unwrap();
            let sum = poisson.weights.iter().fold(Interval::ZERO, |sum, weight| sum.plus(*weight));
            assert!(sum.lower <= 1.0 && 1.0 <= sum.upper + poisson.left + poisson.right);
            assert!(sum.upper - sum.lower < 1e-8 && poisson.left < 1e-25 && poisson.right < 1e-25, "{rate}");
            // Stirling: the largest probability is about 1/√(2πλ).
            let largest = poisson.weight(rate as u64).middle();
            assert!((largest * (2.0 * std::f64::consts::PI * rate).sqrt() - 1.0).abs() < 1e-3);
        }
        assert!(Poisson::new(Interval::new(1e14, 1e14), Precision::Usual).is_err());
    }
}
