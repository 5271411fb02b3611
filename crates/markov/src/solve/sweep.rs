//! Optimistic value iteration in one component: bounds from below by iteration, bounds from above by guess and proof.
//!
//! Hartmanns and Kaminski, *Optimistic value iteration* (CAV 2020), in Gauss–Seidel order. From below: every sweep starts at a
//! bound from below and rounds down, so that it stays one. From above: a vector that one sweep (rounded up) does not raise
//! anywhere is a bound of the least solution (Park); a sweep of the lower bounds times 1+ε usually becomes one. No bound from
//! above is needed before, so probabilities and rewards are treated alike. If rounding keeps the guess from being proved, the
//! guess is made wider: the answer is then less precise than wanted, never wrong.

use super::local::Local;
use super::rounding::{grown, shrunk};
use crate::answer::Extreme;
use crate::effort::{Effort, Failure};
use crate::numbers::Interval;

/// The numbers of a component, lower and upper ends apart.
pub(crate) struct Sweeper {
    maximise: bool,
    row_start: Vec<u32>,
    entry_start: Vec<u32>,
    targets: Vec<u32>,
    low: Vec<f64>,
    high: Vec<f64>,
    constant_low: Vec<f64>,
    constant_high: Vec<f64>,
    /// Bounds from below.
    pub lower: Vec<f64>,
    /// The row that gave each lower bound (when maximising), or upper bound (when minimising).
    pub chosen: Vec<u32>,
    pub sweeps: u64,
}

/// How a run of sweeps ended.
pub(crate) enum Ended {
    /// With these bounds from above.
    Proved(Vec<f64>),
    /// After as many sweeps as it had.
    Tired,
}

/// How precise it has to become.
#[derive(Clone, Copy)]
pub(crate) struct Tolerance {
    pub relative: f64,
    pub absolute: f64,
}

impl Sweeper {
    pub fn new(local: &Local<Interval>, extreme: Extreme) -> Sweeper {
        let n = local.variables();
        Sweeper {
            maximise: extreme == Extreme::Max,
            row_start: local.row_start.clone(),
            entry_start: local.entry_start.clone(),
            targets: local.targets.clone(),
            low: local.weights.iter().map(|weight| weight.lower).collect(),
            high: local.weights.iter().map(|weight| weight.upper).collect(),
            constant_low: local.constant.iter().map(|constant| constant.lower).collect(),
            constant_high: local.constant.iter().map(|constant| constant.upper).collect(),
            lower: vec![0.0; n],
            chosen: local.row_start[..n].to_vec(),
            sweeps: 0,
        }
    }

    /// Raises the lower bounds once. Returns the largest relative change.
    fn raise(&mut self, floor: f64) -> f64 {
        let mut change = 0.0f64;
        let mut first_row = self.row_start[0] as usize;
        for variable in 0..self.lower.len() {
            let end_row = self.row_start[variable + 1] as usize;
            let mut best = if self.maximise { -1.0 } else { f64::INFINITY };
            let mut best_row = first_row;
            for row in first_row..end_row {
                let range = self.entry_start[row] as usize..self.entry_start[row + 1] as usize;
                let mut sum = self.constant_low[row];
                for (&target, &weight) in self.targets[range.clone()].iter().zip(&self.low[range.clone()]) {
                    sum += weight * self.lower[target as usize];
                }
                let value = shrunk(sum, range.len());
                if if self.maximise { value > best } else { value < best } {
                    best = value;
                    best_row = row;
                }
            }
            first_row = end_row;
            let old = self.lower[variable];
            if best > old {
                change = change.max((best - old) / best.max(floor));
                self.lower[variable] = best;
                if self.maximise {
                    self.chosen[variable] = best_row as u32;
                }
            }
        }
        self.sweeps += 1;
        change
    }

    /// One sweep over a guess from above: did anything go up, did anything go down, did anything fall below the lower bounds?
    fn try_guess(&mut self, guess: &mut [f64]) -> (bool, bool, bool) {
        let (mut up, mut down, mut crossed) = (false, false, false);
        let mut first_row = self.row_start[0] as usize;
        for variable in 0..guess.len() {
            let end_row = self.row_start[variable + 1] as usize;
            let mut best = if self.maximise { 0.0 } else { f64::INFINITY };
            let mut best_row = first_row;
            for row in first_row..end_row {
                let range = self.entry_start[row] as usize..self.entry_start[row + 1] as usize;
                let mut sum = self.constant_high[row];
                for (&target, &weight) in self.targets[range.clone()].iter().zip(&self.high[range.clone()]) {
                    sum += weight * guess[target as usize];
                }
                // A sum of zeros is zero and not something that underflowed, if every part of it is.
                let zero =
                    sum == 0.0 && self.targets[range.clone()].iter().all(|&target| guess[target as usize] == 0.0);
                let value = if zero { 0.0 } else { grown(sum, range.len()) };
                if if self.maximise { value > best } else { value < best } {
                    best = value;
                    best_row = row;
                }
            }
            first_row = end_row;
            if !self.maximise {
                self.chosen[variable] = best_row as u32;
            }
            let old = guess[variable];
            up |= best > old;
            down |= best < old;
            crossed |= best < self.lower[variable];
            guess[variable] = best;
        }
        self.sweeps += 1;
        (up, down, crossed)
    }

    /// Lowers proved bounds from above and raises those from below until they are close: a guess may rise before it is proved.
    fn narrow(&mut self, mut upper: Vec<f64>, by: Tolerance, end: u64, effort: &Effort) -> Result<Ended, Failure> {
        let close = |lower: &[f64], upper: &[f64]| {
            let wanted = |low: f64| (low * by.relative).max(by.absolute);
            lower.iter().zip(upper).all(|(&low, &high)| high - low <= wanted(low) * (1.0 + 1e-9))
        };
        while self.sweeps < end && !close(&self.lower, &upper) {
            let change = self.raise(f64::MIN_POSITIVE);
            let before = upper.clone();
            self.try_guess(&mut upper);
            // What was proved stays proved: rounding alone may raise it again.
            upper.iter_mut().zip(&before).for_each(|(now, before)| *now = now.min(*before));
            if change == 0.0 && upper == before {
                break;
            }
            effort.check()?;
        }
        Ok(Ended::Proved(upper))
    }

    /// Sweeps until the bounds are as close as wanted, or `patience` sweeps are over.
    pub fn run(&mut self, tolerance: Tolerance, patience: u64, effort: &Effort) -> Result<Ended, Failure> {
        let end = self.sweeps.saturating_add(patience);
        let mut threshold = tolerance.relative;
        let mut widening = 1.0;
        // A clock is asked after about a million entries.
        let every = (1_000_000 / (self.targets.len() as u64 + 1)).max(1);
        let floor = if tolerance.absolute > 0.0 { tolerance.absolute / tolerance.relative } else { f64::MIN_POSITIVE };
        loop {
            let change = self.raise(floor);
            if self.sweeps.is_multiple_of(every) {
                effort.check()?;
            }
            if change > threshold {
                if self.sweeps >= end {
                    return Ok(Ended::Tired);
                }
                continue;
            }
            let mut guess: Vec<f64> = self
                .lower
                .iter()
                .map(|&low| (low * (1.0 + widening * tolerance.relative)).max(low + widening * tolerance.absolute))
                .collect();
            for _ in 0..20 + self.sweeps / 4 {
                let (up, down, crossed) = self.try_guess(&mut guess);
                if !up {
                    return self.narrow(guess, tolerance, end, effort);
                }
                if crossed || !down {
                    break;
                }
                if self.sweeps.is_multiple_of(every) {
                    effort.check()?;
                }
            }
            if change == 0.0 {
                widening *= 8.0;
                if widening > 1e40 {
                    return Ok(Ended::Proved(vec![f64::INFINITY; self.lower.len()]));
                }
            } else {
                threshold *= 0.1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fair walk between a ditch and home.
    fn walk(n: usize) -> Local<Interval> {
        let half = Interval::new(0.5, 0.5);
        let mut local = Local {
            row_start: vec![0],
            origin: Vec::new(),
            constant: Vec::new(),
            leak: Vec::new(),
            entry_start: vec![0],
            targets: Vec::new(),
            weights: Vec::new(),
        };
        for place in 1..n {
            for (is_in, target) in [(place > 1, place.wrapping_sub(2)), (place + 1 < n, place)] {
                if is_in {
                    local.targets.push(target as u32);
                    local.weights.push(half);
                }
            }
            local.entry_start.push(local.targets.len() as u32);
            local.constant.push(if place + 1 == n { half } else { Interval::ZERO });
            local.leak.push(if place == 1 || place + 1 == n { half } else { Interval::ZERO });
            local.origin.push(place as u32 - 1);
            local.row_start.push(place as u32);
        }
        local
    }

    #[test]
    fn both_bounds_hold_and_are_close() {
        let mut sweeper = Sweeper::new(&walk(30), Extreme::Max);
        let tolerance = Tolerance { relative: 1e-6, absolute: 0.0 };
        let Ok(Ended::Proved(upper)) = sweeper.run(tolerance, u64::MAX, &Effort::default()) else {
            panic!("not proved")
        };
        for place in 1..30 {
            let (value, low, high) = (place as f64 / 30.0, sweeper.lower[place - 1], upper[place - 1]);
            assert!(low <= value && value <= high && high - low <= 1.1e-6 * low, "{low} {value} {high}");
        }
    }

    #[test]
    fn a_precision_beyond_the_machine_is_answered_as_well_as_possible() {
        let mut sweeper = Sweeper::new(&walk(30), Extreme::Min);
        let tolerance = Tolerance { relative: 1e-17, absolute: 0.0 };
        let Ok(Ended::Proved(upper)) = sweeper.run(tolerance, u64::MAX, &Effort::default()) else {
            panic!("not proved")
        };
        for place in 1..30 {
            let (value, low, high) = (place as f64 / 30.0, sweeper.lower[place - 1], upper[place - 1]);
            assert!(low <= value && value <= high && high - low <= 1e-8 * low, "{low} {value} {high}");
        }
    }
}
