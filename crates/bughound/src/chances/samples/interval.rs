//! Confidence intervals.
//!
//! [`clopper_pearson`]: for a probability, from how many of `n` independent runs were hits (Clopper and Pearson, *The use of
//! confidence or fiducial limits illustrated in the case of the binomial*, Biometrika 26, 1934). The lower end is the probability
//! at which so many hits or more would have half of what is missing to the confidence, the upper end the one at which so
//! many or fewer would. It is exact: whatever the value is, at least the stated share of such intervals contains it. The price
//! is that they are a little wider than they need be.
//!
//! [`Mean::interval`]: for a mean, by Student's distribution (Gosset 1908). It is approximate: exact for values with a
//! normal distribution, good for many values of any kind with a finite variance, and too narrow where values that matter are
//! so rare that none of them was seen.
//!
//! Cost: some evaluations of the incomplete beta function, by the crate `statrs`.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::beta::beta_reg;

/// From where to where the probability lies.
pub fn clopper_pearson(hits: u64, runs: u64, confidence: f64) -> (f64, f64) {
    let missing = (1.0 - confidence) / 2.0;
    let (hit, missed) = (hits as f64, (runs - hits) as f64);
    let lower = if hits == 0 { 0.0 } else { beta_quantile(hit, missed + 1.0, missing) };
    let upper = if hits == runs { 1.0 } else { beta_quantile(hit + 1.0, missed, 1.0 - missing) };
    (lower, upper)
}

/// Where the regularised incomplete beta function has this value. It grows, so halving finds it; that takes microseconds
/// and, unlike faster methods, has no cases in which it ends too early.
fn beta_quantile(a: f64, b: f64, wanted: f64) -> f64 {
    let (mut below, mut above) = (0.0f64, 1.0f64);
    for _ in 0..200 {
        let middle = below + (above - below) / 2.0;
        if middle <= below || middle >= above {
            break;
        }
        if beta_reg(a, b, middle) < wanted { below = middle } else { above = middle }
    }
    below + (above - below) / 2.0
}

/// The mean and the variance of numbers that come one by one (Welford 1962).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    pub count: u64,
    pub mean: f64,
    squares: f64,
}

impl Mean {
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// The variance of the mean.
    fn variance(&self) -> f64 {
        let count = self.count as f64;
        self.squares.max(0.0) / (count - 1.0) / count
    }

    /// From where to where the mean of all numbers of this kind lies, about so often; everything if there are fewer than two.
    pub fn interval(&self, confidence: f64) -> (f64, f64) {
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        if self.count < 2 {
            return everything;
        }
        let Ok(student) = StudentsT::new(0.0, 1.0, self.count as f64 - 1.0) else { return everything };
        let half = student.inverse_cdf(0.5 + confidence / 2.0) * self.variance().sqrt();
        (self.mean - half, self.mean + half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, known: f64, within: f64) {
        assert!((found - known).abs() <= within, "{found} instead of {known}");
    }

    /// Where sums of binomial probabilities are 0.025, found by halving with another program; tables of 95 % limits agree. The
    /// first four cases are those of Newcombe, *Two-sided confidence intervals for the single proportion*, 1998.
    #[test]
    fn exact_intervals_are_where_the_tails_are() {
        let known = [
            (81, 263, 0.2527, 0.3676),
            (15, 148, 0.0578, 0.1617),
            (0, 20, 0.0, 0.1684),
            (1, 29, 0.0009, 0.1776),
            (0, 10, 0.0, 0.3085),
            (1, 10, 0.0025, 0.4450),
            (2, 10, 0.0252, 0.5561),
            (5, 10, 0.1871, 0.8129),
            (9, 10, 0.5550, 0.9975),
            (10, 10, 0.6915, 1.0),
            (4, 20, 0.0573, 0.4366),
            (10, 100, 0.0490, 0.1762),
        ];
        for (hits, runs, lower, upper) in known {
            let found = clopper_pearson(hits, runs, 0.95);
            near(found.0, lower, 0.00005);
            near(found.1, upper, 0.00005);
        }
        // Without hits, and with nothing else, the ends are roots.
        let (_, upper) = clopper_pearson(0, 1_000_000, 0.99);
        near(upper, 1.0 - 0.005f64.powf(1e-6), 1e-15);
        let (lower, _) = clopper_pearson(30, 30, 0.9);
        near(lower, 0.05f64.powf(1.0 / 30.0), 1e-12);
    }

    /// Whatever the value is, the chance of numbers of hits whose interval contains it is at least the confidence.
    #[test]
    fn exact_intervals_keep_their_promise() {
        for runs in [1u64, 2, 7, 30] {
            for confidence in [0.5, 0.9, 0.95, 0.999] {
                for percent in 0..=100 {
                    let p = f64::from(percent) / 100.0;
                    let mut inside = 0.0;
                    let mut ways = 1.0;
                    for hits in 0..=runs {
                        let (lower, upper) = clopper_pearson(hits, runs, confidence);
                        if (lower..=upper).contains(&p) {
                            inside += ways * p.powi(hits as i32) * (1.0 - p).powi((runs - hits) as i32);
                        }
                        ways = ways * (runs - hits) as f64 / (hits + 1) as f64;
                    }
                    assert!(inside >= confidence - 1e-9, "{runs} {confidence} {p}: {inside}");
                }
            }
        }
    }

    /// Quantiles of Student's distribution as they are in every table: 2.776 for 4 degrees of freedom, 2.093 for 19.
    #[test]
    fn intervals_of_means_are_those_of_student() {
        let mut mean = Mean::default();
        [3.0, 5.0, 7.0, 5.0, 5.0].into_iter().for_each(|value| mean.add(value));
        assert_eq!(mean.mean, 5.0);
        // The variance is 8 / 4, that of the mean 2 / 5.
        let (lower, upper) = mean.interval(0.95);
        near(lower, 5.0 - 2.776 * 0.4f64.sqrt(), 0.0005);
        near(upper, 5.0 + 2.776 * 0.4f64.sqrt(), 0.0005);
        let mut twenty = Mean::default();
        (0..20).for_each(|value| twenty.add(f64::from(value)));
        let (_, upper) = twenty.interval(0.95);
        near(upper, 9.5 + 2.093 * (35.0f64 / 20.0).sqrt(), 0.001);
        let mut one = Mean::default();
        one.add(4.0);
        assert_eq!(one.interval(0.95), (f64::NEG_INFINITY, f64::INFINITY));
    }
}
