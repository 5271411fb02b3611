//! Several threads that search together, and one that looks at the clock and the memory, and reports progress.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use bughound_kernel::{StopReason, StopSignal, delays};

use super::meter::{Gauge, Gauged, SharedObserver};
use crate::driver::{Driver, Snapshot};

/// Time between two looks at the clock and the memory.
const PAUSE: Duration = Duration::from_millis(2);

/// The bytes that a crew shares.
pub(super) struct Held {
    pub states: u64,
    pub beside: u64,
}

/// Runs `work` for each member of a crew in a thread of its own, and waits for all of them. Whoever leaves ends the work of
/// all: the search is over, or has failed. `memory` is what they share, `end` wakes those who wait for something, and
/// is told which limit was reached, if it was one.
pub(super) fn together<W: Send, R: Send>(
    members: Vec<W>,
    phase: &'static str,
    driver: &mut Driver<'_>,
    memory: &dyn Fn() -> Held,
    end: &(dyn Fn(Option<StopReason>) + Sync),
    work: impl Fn(usize, W, Gauged<'_, '_>) -> R + Sync,
) -> Vec<R> {
    let mut taken = driver.observer.take();
    let results = match &mut taken {
        Some(observer) => supervise(members, phase, driver, Some(&Mutex::new(&mut **observer)), memory, end, &work),
        None => supervise(members, phase, driver, None, memory, end, &work),
    };
    driver.observer = taken;
    results
}

fn supervise<W: Send, R: Send>(
    members: Vec<W>,
    phase: &'static str,
    driver: &mut Driver<'_>,
    observer: Option<&SharedObserver<'_>>,
    memory: &dyn Fn() -> Held,
    end: &(dyn Fn(Option<StopReason>) + Sync),
    work: &(impl Fn(usize, W, Gauged<'_, '_>) -> R + Sync),
) -> Vec<R> {
    let signal = StopSignal::default();
    let gauges: Vec<Gauge> = members.iter().map(|_| Gauge::default()).collect();
    let working = AtomicUsize::new(members.len());
    let most_states = driver.limits().states;
    let delayed = delays::get();
    thread::scope(|scope| {
        let supervisor = thread::current();
        let mut workers = Vec::new();
        for (number, (member, gauge)) in members.into_iter().zip(&gauges).enumerate() {
            let leaving = Leaving { working: &working, end, signal: &signal, supervisor: supervisor.clone() };
            let meter = Gauged::new(gauge, signal.clone(), observer, most_states);
            workers.push(scope.spawn(move || {
                let _leaving = leaving;
                delays::set(delayed);
                work(number, member, meter)
            }));
        }
        while working.load(Ordering::Acquire) > 0 {
            let mut now = Snapshot { phase, ..Snapshot::default() };
            gauges.iter().for_each(|gauge| gauge.add_to(&mut now));
            let Held { states, beside } = memory();
            now.memory += beside;
            let beside = now.memory + driver.uncounted();
            gauges.iter().for_each(|gauge| gauge.tell_beside_states(beside));
            now.memory += states;
            if let Some(reason) = driver.check(now) {
                end(Some(reason));
                signal.raise(reason);
            }
            thread::park_timeout(PAUSE);
        }
        let join = |worker: thread::ScopedJoinHandle<'_, R>| {
            // A mistake of the program is not to be hidden.
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    })
}

/// Tells the others when a worker leaves, however it does.
struct Leaving<'l> {
    working: &'l AtomicUsize,
    end: &'l (dyn Fn(Option<StopReason>) + Sync),
    signal: &'l StopSignal,
    supervisor: Thread,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.signal.raise(StopReason::Interrupted);
        (self.end)(None);
        self.working.fetch_sub(1, Ordering::AcqRel);
        self.supervisor.unpark();
    }
}
