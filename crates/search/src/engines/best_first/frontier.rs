//! Where a worker gets the states from that it expands, and where it puts those that it opens.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use bughound_kernel::{OutOfMemory, StateId, delays};

use crate::open_lists::{Divisible, Level, OpenList};
use crate::result::QueueAccess;
use crate::saving::Snapshot;

/// What a worker does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next<K> {
    Expand(K, StateId),
    /// Everything below this key is used up, and nothing is under way: the worker settles what waited for that, and
    /// [begins the level](Frontier::begin_level).
    Level(K),
    /// There is nothing left, or the search has come to its end.
    Over,
}

pub(super) trait Frontier<K> {
    /// A state to be expanded, if there is one now.
    fn take(&mut self) -> Option<(K, StateId)>;

    /// Puts everything that was opened where other workers can find it.
    fn hand_in(&mut self) -> Result<(), OutOfMemory>;

    /// A state to be expanded, or what else is to be done. It may wait for other workers: all that this one knows of must be
    /// [handed in](Self::hand_in).
    fn next(&mut self) -> Next<K>;

    /// Does it make no difference if something with this key or a higher one is pushed before or after the next state is
    /// [taken](Self::take)?
    fn can_wait(&mut self, key: K) -> bool;

    fn begin_level(&mut self, key: K);

    fn push(&mut self, key: K, id: StateId) -> Result<(), OutOfMemory>;

    fn end_of_expansion(&mut self) -> Result<(), OutOfMemory>;

    /// The search is over, for all workers.
    fn end(&mut self);

    fn len(&self) -> usize;

    fn memory(&self) -> u64;

    fn has_lost_entries(&self) -> bool;

    fn accesses(&self) -> Vec<QueueAccess>;

    /// All that is open, if this one knows of all of it.
    fn open(&mut self) -> Option<&mut dyn Snapshot> {
        None
    }
}

/// The open list of a worker that is alone: what it takes is the least of all.
pub(super) struct Alone<O>(pub O);

impl<K: Copy, O: OpenList<K>> Frontier<K> for Alone<O> {
    #[inline]
    fn take(&mut self) -> Option<(K, StateId)> {
        self.0.pop()
    }

    fn hand_in(&mut self) -> Result<(), OutOfMemory> {
        Ok(())
    }

    fn next(&mut self) -> Next<K> {
        self.take().map_or(Next::Over, |(key, id)| Next::Expand(key, id))
    }

    #[inline]
    fn can_wait(&mut self, key: K) -> bool {
        self.0.is_before(key)
    }

    fn begin_level(&mut self, _key: K) {}

    #[inline]
    fn push(&mut self, key: K, id: StateId) -> Result<(), OutOfMemory> {
        self.0.push(key, id)
    }

    #[inline]
    fn end_of_expansion(&mut self) -> Result<(), OutOfMemory> {
        self.0.end_of_expansion();
        Ok(())
    }

    fn end(&mut self) {}

    fn len(&self) -> usize {
        self.0.len()
    }

    fn memory(&self) -> u64 {
        self.0.memory()
    }

    fn has_lost_entries(&self) -> bool {
        self.0.has_lost_entries()
    }

    fn accesses(&self) -> Vec<QueueAccess> {
        self.0.accesses()
    }

    fn open(&mut self) -> Option<&mut dyn Snapshot> {
        Some(&mut self.0)
    }
}

/// In which order several workers go through the open states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sequence {
    /// All states of a level before those of the next, in any order within it.
    ByLevel,
    /// Each worker takes the best that it has.
    Free,
}

/// The open lists of several workers. Each opens states in its own and takes them from there; who has nothing takes from
/// others. Where the order matters, all work on the same level: those states whose keys are of no higher
/// [level](Level::level), and the next one begins when all workers rest.
///
/// **Why an error is a cheapest one.** Keys are lower bounds on the cost of errors behind a state, if the heuristic is
/// admissible. When a level begins, nothing is under way and every open state has a key of this level or a higher one. As long
/// as an error is not met, some state on a cheapest way to it is open, or under way, at its least cost: so no error costs less
/// than the level, and one that is met on it is a cheapest. This also holds if a state is opened below the level later on,
/// because the heuristic is not consistent: there is no cheaper error behind it either. Such states are expanded before the
/// level is over.
///
/// **Resting.** A worker that finds nothing rests. It holds no state then, and nor do the others that rest: when all of them
/// rest, what is open is in the lists and nothing is under way. Those who rest are called when there is enough for them to
/// do, never for a handful of states: where a level has few, one worker goes on alone and wakes nobody. Before it rests, a worker
/// inserts all states that it expects: they are under way as long as they are in nobody's list.
pub(super) struct Queues<O> {
    sequence: Sequence,
    queues: Vec<Apart<Mutex<O>>>,
    level: AtomicU64,
    resting: AtomicUsize,
    rest: Mutex<Rest>,
    call: Condvar,
}

/// On cache lines of its own: what one thread writes all the time must not lie beside what another one does.
#[repr(align(128))]
struct Apart<T>(T);

#[derive(Default)]
struct Rest {
    resting: usize,
    calls: u64,
    over: bool,
}

/// Others are called if a list has so many states of the level.
const WORTH_A_CALL: usize = 16;
/// So many states are taken from another list at once, at most, and half of those that are there.
const AT_ONCE: usize = 64;
/// So many are taken from the own list at once, at most, and a quarter of those among which the order makes no difference.
const OWN_AT_ONCE: usize = 32;
/// So many states of later levels are handed in at once.
const HANDED_IN_AT_ONCE: usize = 64;

impl<O> Queues<O> {
    pub(super) fn new(sequence: Sequence, queues: impl IntoIterator<Item = O>) -> Self {
        Queues {
            sequence,
            queues: queues.into_iter().map(|queue| Apart(Mutex::new(queue))).collect(),
            level: AtomicU64::new(0),
            resting: AtomicUsize::new(0),
            rest: Mutex::default(),
            call: Condvar::new(),
        }
    }

    fn queue(&self, number: usize) -> MutexGuard<'_, O> {
        self.queues[number].0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rest(&self) -> MutexGuard<'_, Rest> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody takes another state.
    pub(super) fn end(&self) {
        self.rest().over = true;
        self.call.notify_all();
    }

    fn call_others(&self) {
        self.rest().calls += 1;
        self.call.notify_all();
    }
}

/// The place of one worker.
pub(super) struct Seat<'q, K, O> {
    queues: &'q Queues<O>,
    number: usize,
    /// Opened and not in the list so far.
    opened: Vec<(K, StateId)>,
    /// Some of them belong to the level that is under way, or every order counts.
    is_urgent: bool,
    /// Taken from a list to be expanded next, the first one last.
    taken: Vec<(K, StateId)>,
}

impl<'q, K: Copy + Ord + Level, O: Divisible<K>> Seat<'q, K, O> {
    pub(super) fn new(queues: &'q Queues<O>, number: usize) -> Self {
        Seat { queues, number, opened: Vec::new(), is_urgent: false, taken: Vec::with_capacity(AT_ONCE) }
    }

    fn level(&self, key: K) -> u64 {
        match self.queues.sequence {
            Sequence::ByLevel => key.level(),
            Sequence::Free => 0,
        }
    }

    fn is_due(&self, key: K) -> bool {
        self.level(key) <= self.queues.level.load(Ordering::SeqCst)
    }

    fn take_own(&mut self) -> Option<(K, StateId)> {
        let mut own = self.queues.queue(self.number);
        let (key, _) = own.front()?;
        if !self.is_due(key) {
            return None;
        }
        if self.queues.sequence == Sequence::Free {
            return own.pop();
        }
        let others = (own.equals() / 4).min(OWN_AT_ONCE);
        let first = own.pop();
        self.taken.extend((0..others).map_while(|_| own.pop()));
        self.taken.reverse();
        first
    }

    /// Takes some states of another worker.
    fn take_from_others(&mut self) -> Option<(K, StateId)> {
        let count = self.queues.queues.len();
        for victim in (1..count).map(|step| (self.number + step) % count) {
            let mut other = self.queues.queue(victim);
            let Some((key, waiting)) = other.front() else { continue };
            if !self.is_due(key) {
                continue;
            }
            let first = other.pop();
            let several = 1..waiting.div_ceil(2).min(AT_ONCE);
            self.taken.extend(several.map_while(|_| other.pop()));
            drop(other);
            delays::here();
            let mut own = self.queues.queue(self.number);
            let mut kept = 0;
            for (key, id) in &self.taken {
                if own.push(*key, *id).is_err() {
                    break;
                }
                kept += 1;
            }
            // What there is no room for stays with this worker.
            self.taken.drain(..kept);
            self.taken.reverse();
            return first;
        }
        None
    }

    /// Waits for something to do.
    fn rest(&mut self) -> Option<Next<K>> {
        let queues = self.queues;
        let mut rest = queues.rest();
        rest.resting += 1;
        queues.resting.store(rest.resting, Ordering::Relaxed);
        let calls = rest.calls;
        let next = loop {
            if rest.over {
                break Some(Next::Over);
            }
            if rest.resting == queues.queues.len() {
                let least = (0..queues.queues.len()).filter_map(|number| queues.queue(number).front()).min();
                break match least {
                    Some((key, _)) => Some(Next::Level(key)),
                    None => {
                        rest.over = true;
                        queues.call.notify_all();
                        Some(Next::Over)
                    }
                };
            }
            if rest.calls != calls {
                break None;
            }
            rest = queues.call.wait(rest).unwrap_or_else(PoisonError::into_inner);
        };
        rest.resting -= 1;
        queues.resting.store(rest.resting, Ordering::Relaxed);
        next
    }

    /// Calls those who rest if there is enough to do for them.
    fn share(&self) {
        if self.queues.resting.load(Ordering::Relaxed) > 0 {
            let front = self.queues.queue(self.number).front();
            if front.is_some_and(|(key, waiting)| waiting >= WORTH_A_CALL && self.is_due(key)) {
                self.queues.call_others();
            }
        }
    }
}

impl<K: Copy + Ord + Level, O: Divisible<K>> Frontier<K> for Seat<'_, K, O> {
    fn take(&mut self) -> Option<(K, StateId)> {
        self.taken.pop().or_else(|| self.take_own()).or_else(|| self.take_from_others())
    }

    fn hand_in(&mut self) -> Result<(), OutOfMemory> {
        if self.opened.is_empty() {
            return Ok(());
        }
        self.is_urgent = false;
        let mut own = self.queues.queue(self.number);
        for (key, id) in self.opened.drain(..) {
            own.push(key, id)?;
        }
        own.end_of_expansion();
        Ok(())
    }

    fn next(&mut self) -> Next<K> {
        loop {
            if let Some((key, id)) = self.take() {
                return Next::Expand(key, id);
            }
            if let Some(next) = self.rest() {
                return next;
            }
        }
    }

    /// The next level does not begin before this worker rests, and its states may come in any order.
    fn can_wait(&mut self, key: K) -> bool {
        self.queues.sequence == Sequence::ByLevel && !self.is_due(key)
    }

    fn begin_level(&mut self, key: K) {
        self.queues.level.store(self.level(key), Ordering::SeqCst);
        let count = self.queues.queues.len();
        let most = (0..count).filter_map(|number| self.queues.queue(number).front());
        if most.filter(|(key, _)| self.is_due(*key)).any(|(_, waiting)| waiting >= WORTH_A_CALL) {
            self.queues.call_others();
        }
    }

    fn push(&mut self, key: K, id: StateId) -> Result<(), OutOfMemory> {
        self.opened.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.opened.push((key, id));
        self.is_urgent |= !self.can_wait(key);
        Ok(())
    }

    fn end_of_expansion(&mut self) -> Result<(), OutOfMemory> {
        if self.is_urgent || self.opened.len() >= HANDED_IN_AT_ONCE {
            self.hand_in()?;
            self.share();
        }
        Ok(())
    }

    fn end(&mut self) {
        self.queues.end();
    }

    fn len(&self) -> usize {
        self.queues.queue(self.number).len()
    }

    fn memory(&self) -> u64 {
        self.queues.queue(self.number).memory()
    }

    fn has_lost_entries(&self) -> bool {
        false
    }

    fn accesses(&self) -> Vec<QueueAccess> {
        self.queues.queue(self.number).accesses()
    }
}
