//! The time that a heuristic takes, measured on a sample of its calls: a clock costs more than a cheap estimate.
//!
//! The time is that of the processor where it is known: on a busy machine, a sample that is interrupted once would stand for
//! all those that are not.

use std::time::Duration;

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::{Estimate, Heuristic, State};

/// One call of so many is timed.
const SAMPLE: u64 = 64;

#[derive(Clone, Copy, Debug, Default)]
pub struct Stopwatch {
    calls: u64,
    timed: u64,
    spent: Duration,
    /// The least time between two looks at the clock: part of every measurement.
    least: Option<Duration>,
}

impl Stopwatch {
    #[inline]
    pub fn estimate(&mut self, heuristic: &mut dyn Heuristic, state: State<'_>) -> Estimate {
        self.time(|| heuristic.estimate(state.into()))
    }

    /// Counts and times any call of a heuristic.
    #[inline]
    pub fn time<T>(&mut self, call: impl FnOnce() -> T) -> T {
        self.calls += 1;
        if self.calls % SAMPLE != 1 {
            return call();
        }
        let (before, start) = (now(), now());
        let estimate = call();
        self.spent += now().saturating_sub(start);
        self.timed += 1;
        let nothing = start.saturating_sub(before);
        self.least = Some(self.least.map_or(nothing, |least| least.min(nothing)));
        estimate
    }

    /// Calls, and the time of all of them by that of the sample.
    pub fn read(&self) -> (u64, Duration) {
        let samples = self.timed.max(1) as f64;
        let each = self.spent.as_secs_f64() / samples - self.least.unwrap_or_default().as_secs_f64();
        // The clock ticks in nanoseconds, and nothing takes no time at all.
        (self.calls, Duration::from_secs_f64(each.max(1e-9) * self.calls as f64))
    }
}

/// The time of this thread on the processor.
#[cfg(unix)]
fn now() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

#[cfg(not(unix))]
fn now() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

impl Record for Stopwatch {
    fn write(&self, to: &mut Writer) {
        to.number(self.calls);
        to.number(self.timed);
        self.spent.write(to);
        self.least.write(to);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        let (calls, timed) = (from.number()?, from.number()?);
        Ok(Stopwatch { calls, timed, spent: Record::read(from)?, least: Record::read(from)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_and_their_time_is_that_of_the_sample() {
        assert_eq!(Stopwatch::default().read(), (0, Duration::ZERO));
        let work = |rounds: u64| (0..rounds).fold(0, |sum: u64, n| std::hint::black_box(sum.rotate_left(1) ^ n));
        let measured = |rounds: u64| {
            let mut stopwatch = Stopwatch::default();
            (0..SAMPLE * 4).for_each(|_| {
                stopwatch.time(|| work(rounds));
            });
            assert_eq!(stopwatch.timed, 4);
            stopwatch.read()
        };
        let (short, long) = (measured(10), measured(10_000));
        assert_eq!((short.0, long.0), (SAMPLE * 4, SAMPLE * 4));
        assert!(short.1 > Duration::ZERO && long.1 > short.1, "{short:?}, {long:?}");
    }
}
