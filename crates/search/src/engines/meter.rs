//! How a worker is told to stop, and tells how far it is: by the driver itself if it is alone, by a gauge of its own if others
//! work beside it and somebody else looks at the clock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bughound_kernel::{Move, StopReason, StopSignal};

use crate::driver::{Driver, Snapshot};
use crate::observer::Observer;
use crate::saving::{Ids, Image};

pub(super) trait Meter {
    /// To be heeded inside of expansions.
    fn signal(&self) -> &StopSignal;

    /// Was the search told to end?
    #[inline]
    fn stopped(&self) -> Option<StopReason> {
        if self.signal().is_raised() { self.signal().reason() } else { None }
    }

    /// Counts work; tells whether it is time for a [`check`](Self::check).
    fn is_due(&mut self, work: u64) -> bool;

    /// Which limit is reached?
    fn check(&mut self, now: Snapshot) -> Option<StopReason>;

    fn observe(&mut self, moves: &[Move]);

    /// Bytes that the search and the process have besides the states, as far as they are known. `own`: those that this worker knows
    /// of.
    fn beside_states(&self, own: u64) -> u64;

    /// Are so many stored states too many?
    fn exceeds_states(&self, stored: u64) -> bool;

    /// An error at this cost is known, and the search goes on for cheaper ones.
    fn know(&mut self, _cost: u64) {}

    /// Is the search saved, so that another process can go on with it?
    fn saves(&self) -> bool {
        false
    }

    /// Is it time for that?
    fn is_time_to_save(&self) -> bool {
        false
    }

    /// Will another process go on if this reason ends the search?
    fn saves_at(&self, _reason: StopReason) -> bool {
        false
    }

    /// Saves the search as it is.
    fn save(&mut self, _ids: &Ids, _image: &Image<'_>) {}

    /// These are the states that were saved.
    fn loaded(&mut self, _ids: &Ids) {}

    /// What was saved last is where another process goes on.
    fn end_saving(&mut self) {}

    /// The bytes of what workers share, if it is for this one to count them.
    fn shared_memory(&self, count: impl FnOnce() -> u64) -> u64 {
        count()
    }
}

impl Meter for &mut Driver<'_> {
    #[inline]
    fn signal(&self) -> &StopSignal {
        self.stop_signal()
    }

    #[inline]
    fn is_due(&mut self, work: u64) -> bool {
        Driver::is_due(self, work)
    }

    fn check(&mut self, now: Snapshot) -> Option<StopReason> {
        Driver::check(self, now)
    }

    fn know(&mut self, cost: u64) {
        Driver::know(self, Some(cost));
    }

    fn saves(&self) -> bool {
        Driver::saves(self)
    }

    fn is_time_to_save(&self) -> bool {
        Driver::is_time_to_save(self)
    }

    fn saves_at(&self, reason: StopReason) -> bool {
        Driver::saves_at(self, reason)
    }

    fn save(&mut self, ids: &Ids, image: &Image<'_>) {
        let so_far = self.so_far();
        if let Some(journal) = &mut self.journal {
            journal.save_run(ids, so_far, image);
        }
    }

    fn loaded(&mut self, ids: &Ids) {
        if let Some(journal) = &mut self.journal {
            journal.loaded(ids);
        }
    }

    fn end_saving(&mut self) {
        Driver::end_saving(self);
    }

    fn beside_states(&self, own: u64) -> u64 {
        own + self.uncounted()
    }

    #[inline]
    fn observe(&mut self, moves: &[Move]) {
        Driver::observe(self, moves);
    }

    #[inline]
    fn exceeds_states(&self, stored: u64) -> bool {
        Driver::exceeds_states(self, stored)
    }
}

/// The meter of who has found something and only has to write it down: no limit ends that.
pub(super) struct Unlimited<'m, M> {
    meter: &'m mut M,
    signal: StopSignal,
}

impl<'m, M> Unlimited<'m, M> {
    pub(super) fn new(meter: &'m mut M) -> Self {
        Unlimited { meter, signal: StopSignal::default() }
    }
}

impl<M: Meter> Meter for Unlimited<'_, M> {
    fn signal(&self) -> &StopSignal {
        &self.signal
    }

    fn is_due(&mut self, _work: u64) -> bool {
        false
    }

    fn check(&mut self, _now: Snapshot) -> Option<StopReason> {
        None
    }

    fn observe(&mut self, moves: &[Move]) {
        self.meter.observe(moves);
    }

    fn beside_states(&self, own: u64) -> u64 {
        self.meter.beside_states(own)
    }

    fn exceeds_states(&self, _stored: u64) -> bool {
        false
    }
}

/// How far one of several workers is, for all to see.
#[derive(Debug, Default)]
pub(super) struct Gauge {
    stored: AtomicU64,
    expanded: AtomicU64,
    frontier: AtomicU64,
    depth: AtomicU64,
    /// Plus one; 0 if there is none.
    best_estimate: AtomicU64,
    memory: AtomicU64,
    /// What all have besides the states: told by who looks at the clock.
    beside: AtomicU64,
}

/// Work between two looks at a gauge.
const QUANTUM: u64 = 1 << 10;

impl Gauge {
    fn write(&self, now: &Snapshot) {
        let best = now.best_estimate.map_or(0, |best| best.saturating_add(1));
        let values = [
            (&self.stored, now.stored),
            (&self.expanded, now.expanded),
            (&self.frontier, now.frontier),
            (&self.depth, now.depth),
            (&self.best_estimate, best),
            (&self.memory, now.memory),
        ];
        values.into_iter().for_each(|(gauge, value)| gauge.store(value, Ordering::Relaxed));
    }

    pub(super) fn tell_beside_states(&self, bytes: u64) {
        self.beside.store(bytes, Ordering::Relaxed);
    }

    /// Adds what it shows to what others show. Memory that workers share is not in it.
    pub(super) fn add_to(&self, all: &mut Snapshot) {
        let read = |gauge: &AtomicU64| gauge.load(Ordering::Relaxed);
        // A state may be stored by one worker and displaced by another.
        all.stored = all.stored.wrapping_add(read(&self.stored));
        all.expanded += read(&self.expanded);
        all.frontier += read(&self.frontier);
        all.depth = all.depth.max(read(&self.depth));
        let best = read(&self.best_estimate).checked_sub(1);
        all.best_estimate = all.best_estimate.into_iter().chain(best).min();
        all.memory += read(&self.memory);
    }
}

/// What all workers tell an observer.
pub(super) type SharedObserver<'o> = Mutex<&'o mut dyn Observer>;

/// The meter of one of several workers.
pub(super) struct Gauged<'g, 'o> {
    gauge: &'g Gauge,
    signal: StopSignal,
    observer: Option<&'g SharedObserver<'o>>,
    most_states: Option<u64>,
    work: u64,
    /// Edges that the observer was told of: it is told of each once, so that workers do not wait for each other.
    told: Vec<u64>,
}

impl<'g, 'o> Gauged<'g, 'o> {
    pub(super) fn new(
        gauge: &'g Gauge,
        signal: StopSignal,
        observer: Option<&'g SharedObserver<'o>>,
        most_states: Option<u64>,
    ) -> Self {
        Gauged { gauge, signal, observer, most_states, work: 0, told: Vec::new() }
    }

    /// Is there an edge among these of which the observer does not know?
    fn is_news(&mut self, moves: &[Move]) -> bool {
        let mut news = false;
        for Move { edge, .. } in moves {
            let (at, bit) = (*edge as usize / 64, 1 << (edge % 64));
            if at >= self.told.len() {
                self.told.resize(at + 1, 0);
            }
            news |= self.told[at] & bit == 0;
            self.told[at] |= bit;
        }
        news
    }
}

impl Meter for Gauged<'_, '_> {
    fn shared_memory(&self, _count: impl FnOnce() -> u64) -> u64 {
        0
    }

    #[inline]
    fn signal(&self) -> &StopSignal {
        &self.signal
    }

    #[inline]
    fn is_due(&mut self, work: u64) -> bool {
        self.work += work;
        self.work >= QUANTUM
    }

    fn beside_states(&self, _own: u64) -> u64 {
        self.gauge.beside.load(Ordering::Relaxed)
    }

    fn check(&mut self, now: Snapshot) -> Option<StopReason> {
        self.work = 0;
        self.gauge.write(&now);
        self.stopped()
    }

    fn observe(&mut self, moves: &[Move]) {
        if let Some(observer) = self.observer
            && self.is_news(moves)
        {
            observer.lock().unwrap_or_else(PoisonError::into_inner).step(moves);
        }
    }

    fn exceeds_states(&self, stored: u64) -> bool {
        self.most_states.is_some_and(|most| stored > most)
    }
}
