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
        self.raise_with(floor, |_, _| {})
    }

    /// The same; `see` is told what each bound would become and what it was.
    fn raise_with(&mut self, floor: f64, mut see: impl FnMut(f64, f64)) -> f64 {
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
            see(best, old);
            if best > old {
                change = change.max((best - old) / best.max(floor));
                self.lower[variable] = best;
            }
            // After a jump a row may be the best without raising anything.
            if self.maximise && best >= old {
                self.chosen[variable] = best_row as u32;
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
        let mut widening = 1.0;
        // A clock is asked after about a million entries.
        let every = (1_000_000 / (self.targets.len() as u64 + 1)).max(1);
        let floor = if tolerance.absolute > 0.0 { tolerance.absolute / tolerance.relative } else { f64::MIN_POSITIVE };
        let mut pause = 4;
        loop {
            let mut change = 1.0;
            for _ in 0..pause {
                change = self.raise(floor);
                if self.sweeps.is_multiple_of(every) {
                    effort.check()?;
                }
                if change == 0.0 || self.sweeps >= end {
                    break;
                }
            }
            if change > 0.0 && self.sweeps >= end {
                return Ok(Ended::Tired);
            }
            pause = (self.sweeps / 8).clamp(4, 256);
            let guess = match change == 0.0 {
                true => Some(self.lower.iter().map(|&low| widened(low, tolerance, widening)).collect()),
                false => self.extrapolate(tolerance, floor),
            };
            let Some(mut guess) = guess else { continue };
            for _ in 0..8 + self.sweeps / 8 {
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
            }
        }
    }

    /// Guesses from two more sweeps where the iteration is heading. If every difference is at most r times the one before, the
    /// rest is at most r/(1−r) times the last one, and that is a bound from above which one sweep proves. If every difference is
    /// at least r times the one before, the lower bounds may be raised as much, which one sweep proves, too (the solution is the
    /// only one). Returns the guess from above if it would be narrow enough.
    fn extrapolate(&mut self, tolerance: Tolerance, floor: f64) -> Option<Vec<f64>> {
        let start = self.lower.clone();
        self.raise(floor);
        let middle = self.lower.clone();
        self.raise(floor);
        let (mut most, mut least) = (0.0f64, 1.0f64);
        for ((&a, &b), &c) in start.iter().zip(&middle).zip(&self.lower) {
            // Smaller differences are noise.
            if b - a > 1e-13 * c {
                let ratio = (c - b) / (b - a);
                most = most.max(ratio);
                least = least.min(ratio);
            } else if c - b > 1e-13 * c {
                most = f64::INFINITY;
            }
        }
        if least > 0.5 && least < 1.0 {
            self.jump(&middle, 0.999 * least / (1.0 - least), floor);
        }
        if most >= 1.0 {
            return None;
        }
        // A little more than needed, so that rounding does not spoil the proof.
        let factor = 1.001 * most / (1.0 - most);
        let wanted = |low: f64| (low * tolerance.relative).max(tolerance.absolute);
        let rest = |(&b, &c): (&f64, &f64)| factor * (c - b).max(0.0);
        let parts = || middle.iter().zip(&self.lower);
        if parts().any(|pair| rest(pair) > 0.6 * wanted(*pair.1)) {
            return None;
        }
        Some(parts().map(|pair| pair.1 + rest(pair) + 0.3 * wanted(*pair.1)).collect())
    }

    /// Raises all lower bounds by `factor` times their last difference, if one sweep proves it.
    fn jump(&mut self, before: &[f64], factor: f64, floor: f64) {
        let (kept, rows) = (self.lower.clone(), self.chosen.clone());
        for (low, &before) in self.lower.iter_mut().zip(before) {
            *low += factor * (*low - before).max(0.0);
        }
        if !self.raise_all(floor) {
            self.lower = kept;
            self.chosen = rows;
        }
    }

    /// One sweep that must not lower anything: then what was there before is a bound from below.
    fn raise_all(&mut self, floor: f64) -> bool {
        let mut all = true;
        self.raise_with(floor, |new, old| all &= new >= old);
        all
    }
}

fn widened(low: f64, tolerance: Tolerance, widening: f64) -> f64 {
    (low * (1.0 + widening * tolerance.relative)).max(low + widening * tolerance.absolute)
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
