//! What comes before a search: a heuristic is built, within the limits of the run, with progress.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use bughound_kernel::Watch;
use bughound_kernel::registry::Expression;

use crate::driver::{Driver, Snapshot};

/// What heuristics took to be built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preparation {
    pub time: Duration,
    /// One was told to come to an end: it is coarser than it would be with more time and memory.
    pub cut_short: bool,
}

/// Building may take one part in so many of the time and the memory that are left; the rest is for the search.
const SHARE: u32 = 2;

impl Driver<'_> {
    /// Builds a heuristic under a watch.
    pub fn prepare<T>(&mut self, heuristic: &Expression, build: impl FnOnce(&dyn Watch) -> T) -> T {
        let started = self.elapsed();
        let until = self.time_left().map(|left| started + left / SHARE);
        let bytes = self.limits().memory.map(|limit| limit / u64::from(SHARE));
        let watch = Preparing {
            name: heuristic.to_string(),
            until,
            bytes,
            work: Cell::new(0),
            stopped: Cell::new(false),
            driver: RefCell::new(self),
        };
        let built = build(&watch);
        let cut_short = watch.stopped.get();
        let time = self.elapsed() - started;
        self.end_preparation(Preparation { time, cut_short });
        built
    }
}

struct Preparing<'w, 'd> {
    name: String,
    until: Option<Duration>,
    bytes: Option<u64>,
    work: Cell<u64>,
    stopped: Cell<bool>,
    driver: RefCell<&'w mut Driver<'d>>,
}

impl Watch for Preparing<'_, '_> {
    fn go_on(&self, work: u64, bytes: u64) -> bool {
        if self.stopped.get() {
            return false;
        }
        self.work.set(self.work.get() + work);
        let mut driver = self.driver.borrow_mut();
        if !driver.is_due(work) {
            return true;
        }
        let now =
            Snapshot { preparing: Some((self.name.clone(), self.work.get())), memory: bytes, ..Snapshot::default() };
        let limit = driver.check(now).is_some()
            || self.until.is_some_and(|until| driver.elapsed() >= until)
            || self.bytes.is_some_and(|limit| bytes > limit);
        self.stopped.set(limit);
        !limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Controls, Progress};
    use bughound_kernel::{Limits, StopReason, StopSignal};
    use std::time::Instant;

    fn works_on(watch: &dyn Watch, bytes: u64) -> bool {
        (0..200).all(|_| {
            std::thread::sleep(Duration::from_millis(1));
            watch.go_on(1, bytes)
        })
    }

    #[test]
    fn half_of_what_is_left_is_for_the_search() {
        let pdb = Expression::named("pdb");
        let soon = Instant::now() + Duration::from_millis(40);
        let limits = [
            (Limits { until: Some(soon), ..Limits::default() }, 0, true),
            (Limits { memory: Some(1000), ..Limits::default() }, 501, true),
            (Limits { memory: Some(1000), ..Limits::default() }, 499, false),
        ];
        for (limits, bytes, cut_short) in limits {
            let mut driver = Driver::new(Controls { limits, ..Controls::default() });
            assert_eq!(driver.prepare(&pdb, |watch| works_on(watch, bytes)), !cut_short);
            assert_eq!(driver.preparation().cut_short, cut_short);
            assert!(driver.preparation().time > Duration::ZERO);
        }
    }

    #[test]
    fn an_interrupt_ends_it_and_progress_is_shown() {
        let stop = StopSignal::default();
        let mut seen = Vec::new();
        let mut report = |progress: &Progress| {
            seen.extend(progress.now.preparing.clone());
            stop.raise(StopReason::Interrupted);
        };
        let controls = Controls { stop: stop.clone(), progress: Some(&mut report), ..Controls::default() };
        let mut driver = Driver::new(controls);
        assert!(!driver.prepare(&Expression::named("pdb"), |watch| works_on(watch, 0)));
        assert_eq!(seen.first().map(|(name, _)| name.as_str()), Some("pdb"));
    }
}
