//! What the workers of one process share, and who supervises them: why the search ends, the cost of the best error known, how far
//! everybody is.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bughound_kernel::{StopReason, StopSignal};
use bughound_search::engines::ending::Halt;
use bughound_search::{NetworkUse, PropertyIndex, Snapshot, StopPolicy};

use crate::pause::Pause;

/// No error is known.
const NONE: u64 = u64::MAX;

pub struct Board {
    /// Heeded inside of expansions. The reason for which a search has ended is in `halt`.
    pub signal: StopSignal,
    halt: Mutex<Option<Halt>>,
    /// The cheapest error that some worker of some process knows.
    known: AtomicU64,
    /// Properties whose cheapest error is certain, with its cost.
    settled: Mutex<Vec<(PropertyIndex, u64)>>,
    stop: StopPolicy,
    properties: usize,
    /// States stored within the bound, by workers of this process.
    stored: AtomicU64,
    most_states: Option<u64>,
    pub gauges: Vec<Gauge>,
    pub working: AtomicUsize,
    pub pause: Pause,
}

/// How far a worker is.
#[derive(Debug, Default)]
pub struct Gauge {
    expanded: AtomicU64,
    frontier: AtomicU64,
    depth: AtomicU64,
    memory: AtomicU64,
    best: AtomicU64,
    at_least: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
    duplicates: AtomicU64,
}

impl Gauge {
    pub fn tell(&self, now: &Snapshot) {
        let best = now.best_estimate.map_or(0, |best| best.saturating_add(1));
        let network = now.network.unwrap_or_default();
        for (gauge, value) in [
            (&self.expanded, now.expanded),
            (&self.frontier, now.frontier),
            (&self.depth, now.depth),
            (&self.memory, now.memory),
            (&self.best, best),
            (&self.at_least, now.at_least),
            (&self.sent, network.sent_bytes),
            (&self.received, network.received_bytes),
            (&self.duplicates, network.duplicates),
        ] {
            gauge.store(value, Ordering::Relaxed);
        }
    }

    fn add_to(&self, all: &mut Snapshot) {
        let read = |gauge: &AtomicU64| gauge.load(Ordering::Relaxed);
        all.expanded += read(&self.expanded);
        all.frontier += read(&self.frontier);
        all.depth = all.depth.max(read(&self.depth));
        all.memory += read(&self.memory);
        all.best_estimate = all.best_estimate.into_iter().chain(read(&self.best).checked_sub(1)).min();
        all.network.get_or_insert_default().add(&NetworkUse {
            sent_bytes: read(&self.sent),
            received_bytes: read(&self.received),
            duplicates: read(&self.duplicates),
        });
        // Each worker's view of the whole is right, the highest is the most recent.
        all.at_least = all.at_least.max(read(&self.at_least));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Board {
    pub fn new(workers: usize, stop: StopPolicy, properties: usize, most_states: Option<u64>) -> Self {
        Board {
            signal: StopSignal::default(),
            halt: Mutex::new(None),
            known: AtomicU64::new(NONE),
            settled: Mutex::default(),
            stop,
            properties,
            stored: AtomicU64::new(0),
            most_states,
            gauges: (0..workers).map(|_| Gauge::default()).collect(),
            working: AtomicUsize::new(workers),
            pause: Pause::default(),
        }
    }

    /// Ends the search; the first reason counts.
    pub fn end(&self, halt: Halt) {
        lock(&self.halt).get_or_insert(halt);
        self.signal.raise(StopReason::Interrupted);
    }

    pub fn halted(&self) -> Option<Halt> {
        *lock(&self.halt)
    }

    #[inline]
    pub fn is_over(&self) -> bool {
        self.signal.is_raised()
    }

    /// An error of this cost is known to somebody.
    pub fn know(&self, cost: u64) {
        self.known.fetch_min(cost, Ordering::Relaxed);
    }

    pub fn known(&self) -> Option<u64> {
        Some(self.known.load(Ordering::Relaxed)).filter(|known| *known != NONE)
    }

    /// States that lead to errors of this cost at least need not be expanded.
    pub fn bound(&self) -> u64 {
        if self.stop == StopPolicy::FirstError { self.known.load(Ordering::Relaxed) } else { NONE }
    }

    /// An error of a property is certain to be the cheapest one, or need not be. Ends the search if that is all it is for.
    pub fn settle(&self, property: PropertyIndex, cost: u64) {
        let mut settled = lock(&self.settled);
        match settled.iter_mut().find(|(other, _)| *other == property) {
            Some((_, known)) => *known = cost.min(*known),
            None => settled.push((property, cost)),
        }
        let enough = match self.stop {
            StopPolicy::FirstError => true,
            StopPolicy::EveryProperty => settled.len() == self.properties,
            StopPolicy::Exhaustive => false,
        };
        drop(settled);
        if enough {
            self.end(Halt::Error);
        }
    }

    /// All workers of this process begin to work again.
    pub fn go_on(&self) {
        self.pause.forget();
        self.working.store(self.gauges.len(), Ordering::Release);
    }

    /// Do all workers of this process stand?
    pub fn all_stand(&self) -> bool {
        self.pause.is_asked() && self.pause.standing() >= self.gauges.len()
    }

    pub fn settled(&self) -> Vec<(PropertyIndex, u64)> {
        lock(&self.settled).clone()
    }

    /// One more state is stored. False, and not counted, if that is one too many.
    #[inline]
    pub fn admits_another(&self) -> bool {
        let before = self.stored.fetch_add(1, Ordering::Relaxed);
        let admitted = self.most_states.is_none_or(|most| before < most);
        if !admitted {
            self.stored.fetch_sub(1, Ordering::Relaxed);
        }
        admitted
    }

    /// States that were stored in an earlier process.
    pub fn add_stored(&self, states: u64) {
        self.stored.fetch_add(states, Ordering::Relaxed);
    }

    /// A stored state has given way to another one.
    pub fn one_less(&self) {
        self.stored.fetch_sub(1, Ordering::Relaxed);
    }

    /// How far all workers of this process are.
    pub fn snapshot(&self, phase: &'static str) -> Snapshot {
        let mut now = Snapshot { phase, stored: self.stored.load(Ordering::Relaxed), ..Snapshot::default() };
        self.gauges.iter().for_each(|gauge| gauge.add_to(&mut now));
        now
    }

    pub fn most_states(&self) -> Option<u64> {
        self.most_states
    }
}
