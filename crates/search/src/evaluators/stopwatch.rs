//! The time that a heuristic takes, measured on a sample of its calls: a clock costs more than a cheap estimate.

use std::time::{Duration, Instant};

use bughound_kernel::{Estimate, Heuristic, State};

/// One call of so many is timed.
const SAMPLE: u64 = 64;

#[derive(Clone, Copy, Debug, Default)]
pub struct Stopwatch {
    calls: u64,
    timed: u64,
    spent: Duration,
}

impl Stopwatch {
    #[inline]
    pub fn estimate(&mut self, heuristic: &mut dyn Heuristic, state: State<'_>) -> Estimate {
        self.time(|| heuristic.estimate(state))
    }

    /// Counts and times any call of a heuristic.
    #[inline]
    pub fn time<T>(&mut self, call: impl FnOnce() -> T) -> T {
        self.calls += 1;
        if self.calls % SAMPLE != 1 {
            return call();
        }
        let start = Instant::now();
        let estimate = call();
        self.spent += start.elapsed();
        self.timed += 1;
        estimate
    }

    /// Calls, and the time of all of them by that of the sample.
    pub fn read(&self) -> (u64, Duration) {
        let time = self.spent.as_secs_f64() / self.timed.max(1) as f64 * self.calls as f64;
        (self.calls, Duration::from_secs_f64(time))
    }
}
