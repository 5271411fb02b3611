//! Vectors that are carried through a uniformised chain, step by step, and summed.
//!
//! Nothing here is negative, so nothing cancels: a step in round-to-nearest changes each value by a factor within
//! (1 ± 2⁻⁵³)^(n+2), where n is the number of its terms (n products, n − 1 additions, two for the rounding of a weight), and what
//! underflows is less than [`TINY`] for each product. So one vector of plain numbers is carried along, and what rounding may have done to it is put
//! around the sum at the end (Higham, *Accuracy and Stability of Numerical Algorithms* (2002), §3.1). It stops early where that
//! is certain: if the vector does not change any more, if it has come close to the value without a time bound, or if all its
//! values are alike.

use std::collections::HashMap;

use dashu_ratio::RBig;

use crate::answer::Work;
use crate::effort::{Effort, Failure};
use crate::model::Model;
use crate::numbers::{Interval, down, up};

/// More than what underflow can take away from a product, which is at most 2⁻¹⁰⁷⁵.
const TINY: f64 = 5e-324;

/// Values below this are as good as nothing: doubles have hardly any digits there.
const NOTHING: f64 = 1e-290;

/// Intervals that are not wider than this, relatively, are numbers that were rounded.
const ROUNDED: f64 = 4.0 * f64::EPSILON;

/// The uniformised chain. States that do not move keep their value.
pub(super) struct Uniform {
    pub rate: RBig,
    start: Vec<u32>,
    /// Target, and where its weight is: entries are many and have to be short, different weights are few.
    entries: Vec<(u32, u32)>,
    /// Rounded to the nearest.
    weights: Vec<f64>,
}

impl Uniform {
    pub fn new(model: &Model, moves: impl Fn(usize) -> bool) -> Uniform {
        let leaves = |state: usize| {
            let others = model.entries(state).filter(|&(target, _)| target != state);
            others.fold(RBig::ZERO, |sum, (_, rate)| sum + model.exact(rate))
        };
        let exits: Vec<RBig> =
            (0..model.states()).map(|state| if moves(state) { leaves(state) } else { RBig::ZERO }).collect();
        let rate = exits.iter().max().cloned().unwrap_or(RBig::ZERO);
        let mut uniform = Uniform { rate, start: vec![0], entries: Vec::new(), weights: Vec::new() };
        let mut shares: HashMap<u32, u32> = HashMap::new();
        let mut rests: HashMap<RBig, u32> = HashMap::new();
        for (state, exit) in exits.into_iter().enumerate() {
            if !exit.is_zero() {
                for (target, weight) in model.entries(state).filter(|&(target, _)| target != state) {
                    let share = *shares.entry(weight.0).or_insert_with(|| {
                        uniform.weights.push((model.exact(weight) / &uniform.rate).to_f64().value());
                        uniform.weights.len() as u32 - 1
                    });
                    uniform.entries.push((target as u32, share));
                }
                let rest = match rests.get(&exit) {
                    Some(rest) => *rest,
                    None => {
                        uniform.weights.push((RBig::ONE - &exit / &uniform.rate).to_f64().value());
                        rests.insert(exit, uniform.weights.len() as u32 - 1);
                        uniform.weights.len() as u32 - 1
                    }
                };
                if uniform.weights[rest as usize] > 0.0 {
                    uniform.entries.push((state as u32, rest));
                }
            }
            uniform.start.push(uniform.entries.len() as u32);
        }
        uniform
    }

    /// Does the state keep its value?
    pub fn rests(&self, state: usize) -> bool {
        self.start[state] == self.start[state + 1]
    }

    /// The most entries of a state.
    fn widest(&self) -> usize {
        self.start.windows(2).map(|pair| (pair[1] - pair[0]) as usize).max().unwrap_or(0)
    }

    /// One step; true if nothing changes.
    fn step(&self, values: &[f64], after: &mut [f64]) -> bool {
        let mut same = true;
        let mut first = 0;
        for ((result, &old), &end) in after.iter_mut().zip(values).zip(&self.start[1..]) {
            let entries = &self.entries[first..end as usize];
            first = end as usize;
            let mut sum = if entries.is_empty() { old } else { 0.0 };
            for &(target, weight) in entries {
                sum += self.weights[weight as usize] * values[target as usize];
            }
            same &= sum == old;
            *result = sum;
        }
        same
    }
}

/// How much each step counts.
pub(super) struct Shares<'a> {
    pub of: &'a dyn Fn(u64) -> Interval,
    pub last: u64,
    /// Bounds from above for what the first steps without a share, and those after the last, count together.
    pub before: f64,
    pub beyond: f64,
    /// What all steps count together.
    pub total: Interval,
}

/// What is known of the vectors that are still to come.
#[derive(Clone, Copy)]
pub(super) enum Limit<'a> {
    None,
    /// They only rise, and stay below this.
    Above(&'a [Interval]),
    /// They only fall, and stay above this.
    Below(&'a [Interval]),
}

/// Σ share(i) · Pⁱ · values.
pub(super) fn transient(
    uniform: &Uniform,
    values: Vec<Interval>,
    shares: &Shares,
    limit: Limit<'_>,
    effort: &Effort,
    work: &mut Work,
) -> Result<Vec<Interval>, Failure> {
    effort.reserve(values.len() * 48 + uniform.entries.len() * 8 + uniform.weights.len() * 8)?;
    let bound = values.iter().map(|value| value.upper).fold(0.0, f64::max);
    if !bound.is_finite() {
        return Ok(vec![Interval { lower: 0.0, upper: f64::INFINITY }; values.len()]);
    }
    let carrier = Carrier { uniform, shares, limit, bound, widest: uniform.widest() as f64, effort };
    let is_rounded = |value: &Interval| value.upper - value.lower <= ROUNDED * value.lower;
    if values.iter().all(is_rounded) {
        return carrier.carry(values.iter().map(|value| value.lower).collect(), work);
    }
    // More is never less: each end of the sums comes from the ends of the values.
    let low = carrier.carry(values.iter().map(|value| value.lower).collect(), work)?;
    let high = carrier.carry(values.iter().map(|value| value.upper).collect(), work)?;
    let join = |(low, high): (Interval, Interval)| Interval { lower: low.lower, upper: high.upper };
    Ok(low.into_iter().zip(high).map(join).collect())
}

struct Carrier<'a> {
    uniform: &'a Uniform,
    shares: &'a Shares<'a>,
    limit: Limit<'a>,
    /// No value is above this.
    bound: f64,
    widest: f64,
    effort: &'a Effort<'a>,
}

impl Carrier<'_> {
    /// How far the truth may be from a number that was computed with so many steps, relatively: (1 + u)^m is less than 1 + 2·m·u. The sums
    /// add two operations for each step; the values that it began with were rounded, too.
    fn error(&self, steps: u64) -> f64 {
        (steps as f64 * (self.widest + 4.0) + 16.0) * f64::EPSILON
    }

    /// What lies around a number that was computed.
    fn around(&self, value: f64, steps: u64) -> Interval {
        let error = self.error(steps);
        if error >= 0.5 {
            return Interval { lower: 0.0, upper: self.bound };
        }
        // Every step has so many products, the sums one more; shares may add up to more than 1.
        let products = (steps as f64 + 2.0) * (self.widest + 4.0);
        let tiny = TINY * (products * self.bound.max(1.0) * self.shares.total.upper.max(1.0)).ceil();
        Interval { lower: down(value * (1.0 - error) - tiny).max(0.0), upper: up(value * (1.0 + error) + tiny) }
    }

    fn carry(&self, mut values: Vec<f64>, work: &mut Work) -> Result<Vec<Interval>, Failure> {
        let (uniform, shares) = (self.uniform, self.shares);
        let mut sums = vec![(0.0f64, 0.0f64); values.len()];
        let mut after = values.clone();
        let mut used = Interval::ZERO;
        let every = (1_000_000 / (uniform.entries.len() as u64 + 1)).max(1);
        let mut i = 0;
        loop {
            let share = (shares.of)(i);
            if share.upper > 0.0 {
                used = used.plus(share);
                for (sum, value) in sums.iter_mut().zip(&values) {
                    sum.0 += share.lower * value;
                    sum.1 += share.upper * value;
                }
            }
            let bounds = |sum: &(f64, f64), steps: u64| Interval {
                lower: self.around(sum.0, steps).lower,
                upper: self.around(sum.1, steps).upper,
            };
            if i == shares.last {
                let rest = up(up(shares.before + shares.beyond) * self.bound);
                let with_rest = |sum: Interval| Interval {
                    upper: if rest > 0.0 { up(sum.upper + rest) } else { sum.upper },
                    ..sum
                };
                return Ok(sums.iter().map(|sum| with_rest(bounds(sum, i))).collect());
            }
            let same = uniform.step(&values, &mut after);
            work.sweeps += 1;
            std::mem::swap(&mut values, &mut after);
            i += 1;
            if i % every == 0 {
                self.effort.check()?;
            }
            if !same && (i % 16 != 0 || !self.is_settled(&values, i)) {
                continue;
            }
            // If nothing changes, all vectors up to the last step are computed; later ones are worth anything. If it is settled,
            // what is said of later vectors is true of all of them.
            let (steps, beyond) = if same { (shares.last, shares.beyond) } else { (i, 0.0) };
            let left = down(down((shares.total.lower - used.upper).max(0.0)) - shares.before);
            let rest = match same {
                // A sum does not cancel: what is left may be all there is to a value that is tiny.
                true => (i..=shares.last).fold(Interval::ZERO, |sum, step| sum.plus((shares.of)(step))),
                false => {
                    let upper = up((shares.total.upper - used.lower).max(0.0));
                    Interval { lower: down(left - beyond).max(0.0), upper }
                }
            };
            // What was left out at the beginning may have been worth anything, too.
            let start = Interval { lower: 0.0, upper: up(up(shares.before + beyond) * self.bound) };
            let (least, most) = self.extremes(&values, i);
            let finish = |(state, sum): (usize, &(f64, f64))| {
                let value = self.around(values[state], steps);
                let later = match (same, self.limit) {
                    (true, _) => value,
                    (_, Limit::Above(limit)) => Interval { lower: value.lower, upper: limit[state].upper },
                    (_, Limit::Below(limit)) => {
                        Interval { lower: limit[state].lower.min(value.upper), upper: value.upper }
                    }
                    (_, Limit::None) => Interval { lower: least, upper: most },
                };
                let sum = bounds(sum, i).plus(rest.times(later));
                if start.upper > 0.0 { sum.plus(start) } else { sum }
            };
            return Ok(sums.iter().enumerate().map(finish).collect());
        }
    }

    fn extremes(&self, values: &[f64], steps: u64) -> (f64, f64) {
        let ends = |(least, most): (f64, f64), &value: &f64| (f64::min(least, value), f64::max(most, value));
        let (least, most) = values.iter().fold((f64::INFINITY, 0.0), ends);
        (self.around(least, steps).lower, self.around(most, steps).upper)
    }

    /// Are all later vectors known well enough?
    fn is_settled(&self, values: &[f64], steps: u64) -> bool {
        let close = |lower: f64, upper: f64| upper - lower <= 0.1 * self.effort.relative * lower;
        match self.limit {
            Limit::Above(limit) => {
                values.iter().zip(limit).all(|(&value, limit)| close(self.around(value, steps).lower, limit.upper))
            }
            Limit::Below(limit) => values.iter().zip(limit).all(|(&value, limit)| {
                let upper = self.around(value, steps).upper;
                close(limit.lower, upper) || upper < NOTHING
            }),
            Limit::None => {
                let (least, most) = self.extremes(values, steps);
                close(least, most)
            }
        }
    }
}
