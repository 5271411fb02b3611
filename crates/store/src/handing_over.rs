//! A store that begins as the exact one and goes on as a tree when half of its memory is used up: as fast as possible while there
//! is room, and room for more states after that. If that is allowed, trees give way to hashes in the same way. Nothing is started
//! again, and states keep their ids.
//!
//! **Several threads.** Every handle has its stage of the store under a lock of its own, which nobody else wants: until one
//! of them takes all these locks, hands over, and gives each handle the next stage. The others wait meanwhile. A handle that
//! expects states keeps its lock from one call to the next, until it [rests](StateStore::rest) or somebody is about to hand over.

mod stage;

use std::cell::{RefCell, RefMut};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};

use bughound_kernel::{Changes, Growing, Layout, Lookup, OutOfMemory, State, StateBuf, StateId, StateStore};
use parking_lot::{ArcMutexGuard, Mutex, RawMutex};

use crate::compact::CompactStore;
use crate::exact::ExactStore;
use crate::heed::Heed;
use crate::renumbered::Renumbered;
use crate::sharded::{Rationed, Sharded};
use crate::tree::TreeStore;
use stage::Stage;

/// States between two looks at the clock.
const AT_ONCE: u32 = 1 << 10;

/// How a store is made that hands over.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    pub layout: Layout,
    /// It never takes more.
    pub budget: u64,
    pub threads: usize,
    /// Trees may give way to hashes.
    pub lossy: bool,
    pub heed: Heed,
}

pub(crate) struct HandingOver {
    own: Own,
    all: Arc<All>,
}

/// What belongs to a handle: without a lock if there is no other handle.
#[expect(clippy::large_enum_variant, reason = "there is one of them for each thread")]
enum Own {
    Alone(Part),
    Shared {
        part: Arc<Mutex<Part>>,
        /// Its lock, while it is kept.
        kept: RefCell<Option<Guard>>,
    },
}

type Guard = ArcMutexGuard<RawMutex, Part>;

/// The part that a handle has in the store.
struct Part {
    stage: Stage,
    /// States that the stage before this one has expected.
    expected: VecDeque<Vec<i32>>,
}

impl Part {
    fn new(stage: Stage) -> Self {
        Part { stage, expected: VecDeque::new() }
    }

    /// The next stage begins. What this one expects is left for it.
    fn go_on(&mut self, next: Stage) {
        if let Stage::Exact(store) = &mut self.stage {
            self.expected.append(&mut store.give_up_expected());
        }
        self.stage = next;
    }
}

/// What the handles share.
struct All {
    course: Course,
    handles: Mutex<Vec<Arc<Mutex<Part>>>>,
    /// Somebody is about to hand over: nobody keeps a lock.
    is_wanted: AtomicBool,
    /// What is left of the budget for states.
    room: AtomicU64,
    /// Bytes with which it is handed over; `u64::MAX`: never again.
    limit: AtomicU64,
    /// Bytes of the states, both stages of them while it is handed over; as they were counted last.
    counted: AtomicU64,
    /// How often it was tried to hand over.
    tried: AtomicU64,
    /// By state, if they may be forgotten: how often it is held.
    held: Growing<AtomicU16>,
}

impl HandingOver {
    /// For one thread.
    pub(crate) fn alone(course: Course) -> Self {
        let all = All::new(course);
        HandingOver { own: Own::Alone(Part::new(all.first())), all }
    }

    /// For several.
    pub(crate) fn shared(course: Course) -> Self {
        let all = All::new(course);
        HandingOver { own: all.enlist(all.first()), all }
    }

    #[inline]
    fn look<R>(&self, work: impl FnOnce(&Stage) -> R) -> R {
        match &self.own {
            Own::Alone(part) => work(&part.stage),
            Own::Shared { part, kept } => match &*self.all.kept(kept) {
                Some(part) => work(&part.stage),
                None => work(&part.lock().stage),
            },
        }
    }

    #[inline]
    fn with<R>(&mut self, work: impl FnOnce(&mut Stage, &All) -> R) -> R {
        self.with_part(|part, all| work(&mut part.stage, all))
    }

    #[inline]
    fn with_part<R>(&mut self, work: impl FnOnce(&mut Part, &All) -> R) -> R {
        match &mut self.own {
            Own::Alone(part) => work(part, &self.all),
            Own::Shared { part, kept } => match &mut *self.all.kept(kept) {
                Some(part) => work(part, &self.all),
                None => work(&mut part.lock(), &self.all),
            },
        }
    }

    #[inline]
    fn put(
        &mut self,
        state: State<'_>,
        changes: Option<&Changes<'_>>,
        cost: u64,
        displaced: &mut Vec<StateId>,
    ) -> Result<Lookup, OutOfMemory> {
        let (done, time) = self.try_put(state, changes, cost, displaced);
        let Some(time) = time else { return done };
        self.hand_over(time);
        // The table may have been full only because a larger one would not have fitted beside the next stage.
        if done.is_err() { self.try_put(state, None, cost, displaced).0 } else { done }
    }

    /// If it is time to hand over: how often that was tried before.
    #[inline]
    fn try_put(
        &mut self,
        state: State<'_>,
        changes: Option<&Changes<'_>>,
        cost: u64,
        displaced: &mut Vec<StateId>,
    ) -> (Result<Lookup, OutOfMemory>, Option<u64>) {
        self.with(|stage, all| {
            let store: &mut dyn StateStore = match stage {
                // Nearly always.
                Stage::Exact(store) => store,
                stage => stage.store_mut(),
            };
            let done = match changes {
                Some(changes) => store.insert_beside(state, changes, cost, displaced),
                None => store.insert(state, cost, displaced),
            };
            let limit = all.limit.load(Ordering::Relaxed);
            let is_time = store.memory() >= limit || done.is_err() && limit != u64::MAX;
            (done, is_time.then(|| all.tried.load(Ordering::Relaxed)))
        })
    }

    #[cold]
    fn hand_over(&mut self, tried: u64) {
        match &mut self.own {
            Own::Alone(part) => match self.all.next(&part.stage, &[]) {
                Some(next) => part.go_on(next),
                None => part.stage.postpone_growth(u64::MAX),
            },
            Own::Shared { kept, .. } => {
                *kept.get_mut() = None;
                let handles = self.all.handles.lock();
                // Another thread may have been faster.
                if self.all.tried.load(Ordering::Relaxed) != tried {
                    return;
                }
                self.all.is_wanted.store(true, Ordering::SeqCst);
                let mut parts: Vec<_> = handles.iter().map(|handle| handle.lock()).collect();
                self.all.is_wanted.store(false, Ordering::SeqCst);
                let unused: Vec<Range<u32>> = parts.iter().filter_map(|part| part.stage.unused()).collect();
                let next = self.all.next(&parts[0].stage, &unused);
                self.all.tried.store(tried + 1, Ordering::Relaxed);
                let Some(mut next) = next else {
                    parts.iter_mut().for_each(|part| part.stage.postpone_growth(u64::MAX));
                    return;
                };
                for part in &mut parts {
                    if let Some(another) = next.another() {
                        part.go_on(std::mem::replace(&mut next, another));
                    }
                }
            }
        }
    }
}

impl Drop for HandingOver {
    /// Its stage stays with the others, because of the ids that it has taken.
    fn drop(&mut self) {
        self.rest();
        if let Own::Shared { part, .. } = &self.own
            && let Stage::Exact(store) = &mut part.lock().stage
        {
            store.tell_count();
        }
    }
}

impl All {
    fn new(course: Course) -> Arc<Self> {
        let fits = TreeStore::fits(&course.layout) || course.lossy;
        let (room, limit) = (course.budget, if fits { course.budget / 2 } else { u64::MAX });
        Arc::new(All {
            course,
            handles: Mutex::default(),
            is_wanted: AtomicBool::new(false),
            room: AtomicU64::new(room),
            limit: AtomicU64::new(limit),
            counted: AtomicU64::new(0),
            tried: AtomicU64::new(0),
            held: Growing::default(),
        })
    }

    fn first(&self) -> Stage {
        let mut first = Stage::Exact(ExactStore::new(&self.course.layout).with_budget(self.course.budget));
        first.postpone_growth(self.limit.load(Ordering::Relaxed));
        first
    }

    fn enlist(&self, stage: Stage) -> Own {
        let part = Arc::new(Mutex::new(Part::new(stage)));
        self.handles.lock().push(Arc::clone(&part));
        Own::Shared { part, kept: RefCell::default() }
    }

    /// The lock that a handle keeps, unless it is wanted: then it is given up, and nothing goes on before it was handed over.
    #[inline]
    fn kept<'k>(&self, kept: &'k RefCell<Option<Guard>>) -> RefMut<'k, Option<Guard>> {
        let mut kept = kept.borrow_mut();
        if self.is_wanted.load(Ordering::Relaxed) {
            *kept = None;
            drop(self.handles.lock());
        }
        kept
    }

    /// The stage after this one, with all states of it, if it takes less memory.
    fn next(&self, now: &Stage, unused: &[Range<u32>]) -> Option<Stage> {
        let Course { layout, threads, lossy, .. } = &self.course;
        let is_exact = matches!(now, Stage::Exact(_));
        let alone = unused.is_empty() && matches!(now, Stage::Exact(_) | Stage::Tree(_));
        // Half of the room is left for the stage after this one to be made beside it.
        let limit = if is_exact && *lossy { self.room.load(Ordering::Relaxed) / 2 } else { u64::MAX };
        let mut next = None;
        if is_exact && TreeStore::fits(layout) {
            // If next to nothing is saved, trees would only be slower.
            let most = now.store().memory() / 4 * 3;
            next = match alone {
                true => self.same_ids(now, most, TreeStore::new(layout)).map(Stage::Tree),
                false => self.other_ids(now, most, unused, || TreeStore::new(layout), *threads).map(Stage::SharedTree),
            };
        }
        let found_tree = next.is_some();
        if next.is_none() && *lossy && !matches!(now, Stage::Hashes(_) | Stage::SharedHashes(_)) {
            let most = now.store().memory();
            next = match alone {
                true => self.same_ids(now, most, CompactStore::new(layout)).map(Stage::Hashes),
                false => {
                    self.other_ids(now, most, unused, || CompactStore::new(layout), *threads).map(Stage::SharedHashes)
                }
            };
        }
        self.limit.store(if found_tree { limit } else { u64::MAX }, Ordering::Relaxed);
        next
    }

    /// What is left for the next stage while this one is there.
    fn room_beside(&self, now: &Stage) -> u64 {
        self.room.load(Ordering::Relaxed).saturating_sub(now.store().memory())
    }

    /// How often a state is held.
    fn held(&self, id: StateId) -> u16 {
        self.held.get(id.0).map_or(0, |held| held.load(Ordering::Relaxed))
    }

    /// The same states with the same ids, if they were dense.
    fn same_ids<S: Rationed>(&self, now: &Stage, most: u64, mut next: S) -> Option<S> {
        next.set_budget(self.room_beside(now));
        self.copy(now, most, &[], |id, state| {
            (next.insert(state, 0, &mut Vec::new()) == Ok(Lookup::New(id))).then_some(())?;
            (0..self.held(id)).try_for_each(|_| next.hold(id, state)).ok()?;
            Some(next.memory())
        })?;
        next.set_total(self.course.budget);
        Some(next)
    }

    /// The same states for several threads.
    fn other_ids<S: Rationed>(
        &self,
        now: &Stage,
        most: u64,
        unused: &[Range<u32>],
        make: impl Fn() -> S,
        threads: usize,
    ) -> Option<Renumbered<S>> {
        let store = Sharded::new(threads, self.room_beside(now), make);
        let mut next = Renumbered::new(store, now.end())?;
        self.copy(now, most, unused, |id, state| {
            next.admit(id, state)?;
            (0..self.held(id)).try_for_each(|_| next.hold(id, state)).ok()?;
            Some(next.memory())
        })?;
        next.set_total(self.course.budget);
        Some(next)
    }

    /// Has `copy` take over each state; it tells what all of its copies take. More than `most` is too much.
    fn copy(
        &self,
        now: &Stage,
        most: u64,
        unused: &[Range<u32>],
        mut copy: impl FnMut(StateId, State<'_>) -> Option<u64>,
    ) -> Option<()> {
        let (mut state, mut left, taken) = (StateBuf::default(), AT_ONCE, now.store().memory());
        now.for_each_id(unused, &mut |id| {
            now.store().read(id, &mut state);
            let copies = copy(id, state.as_state())?;
            left -= 1;
            if left == 0 {
                left = AT_ONCE;
                self.counted.store(taken + copies, Ordering::Relaxed);
                (copies < most && !self.course.heed.is_over()).then_some(())?;
            }
            Some(())
        })
    }
}

impl StateStore for HandingOver {
    fn fork(&self) -> Option<Box<dyn StateStore + '_>> {
        let Own::Shared { .. } = &self.own else { return None };
        let stage = self.look(Stage::another)?;
        Some(Box::new(HandingOver { own: self.all.enlist(stage), all: Arc::clone(&self.all) }))
    }

    #[inline]
    fn insert(&mut self, state: State<'_>, cost: u64, displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        self.put(state, None, cost, displaced)
    }

    #[inline]
    fn insert_beside(
        &mut self,
        state: State<'_>,
        changes: &Changes<'_>,
        cost: u64,
        displaced: &mut Vec<StateId>,
    ) -> Result<Lookup, OutOfMemory> {
        self.put(state, Some(changes), cost, displaced)
    }

    /// Only the first stage expects states, and only if nothing that is held can be forgotten. Another thread may hand over
    /// meanwhile.
    #[inline]
    fn expect(&mut self, state: State<'_>, changes: Option<&Changes<'_>>) -> bool {
        if let Own::Shared { part, kept } = &mut self.own {
            kept.get_mut().get_or_insert_with(|| part.lock_arc());
        }
        self.with_part(|part, all| match &mut part.stage {
            Stage::Exact(store) if !all.course.lossy && part.expected.is_empty() => store.expect(state, changes),
            _ => false,
        })
    }

    #[inline]
    fn expect_packed(&mut self, words: &[u32]) -> bool {
        if let Own::Shared { part, kept } = &mut self.own {
            kept.get_mut().get_or_insert_with(|| part.lock_arc());
        }
        self.with_part(|part, all| match &mut part.stage {
            Stage::Exact(store) if !all.course.lossy && part.expected.is_empty() => store.expect_packed(words),
            _ => false,
        })
    }

    #[inline]
    fn insert_expected(&mut self) -> Option<Result<Lookup, OutOfMemory>> {
        let found = self.with_part(|part, all| {
            let store = match &mut part.stage {
                Stage::Exact(store) => store,
                _ => return Err(part.expected.pop_front()),
            };
            let done = store.insert_expected();
            let limit = all.limit.load(Ordering::Relaxed);
            let is_time = store.memory() >= limit || done == Some(Err(OutOfMemory)) && limit != u64::MAX;
            Ok((done, is_time.then(|| all.tried.load(Ordering::Relaxed))))
        });
        let (done, time) = match found {
            Ok((done, time)) => (done?, time),
            // It was handed over since it was expected.
            Err(left) => return Some(self.put(State::discrete(&left?), None, 0, &mut Vec::new())),
        };
        let Some(time) = time else { return Some(done) };
        self.hand_over(time);
        // As for other states: there may be room now.
        if done.is_err() { self.insert_expected() } else { Some(done) }
    }

    fn rest(&mut self) {
        if let Own::Shared { kept, .. } = &mut self.own {
            *kept.get_mut() = None;
        }
    }

    #[inline]
    fn read(&self, id: StateId, into: &mut StateBuf) {
        self.look(|stage| match stage {
            Stage::Exact(store) => store.read(id, into),
            stage => stage.store().read(id, into),
        });
    }

    fn hold(&mut self, id: StateId, state: State<'_>) -> Result<(), OutOfMemory> {
        if !self.all.course.lossy {
            return Ok(());
        }
        self.with(|stage, all| {
            all.held.reserve(id.0)?[0].fetch_add(1, Ordering::Relaxed);
            stage.store_mut().hold(id, state)
        })
    }

    #[inline]
    fn take(&mut self, id: StateId, into: &mut StateBuf) {
        if !self.all.course.lossy {
            return self.read(id, into);
        }
        self.with(|stage, all| {
            stage.store_mut().take(id, into);
            all.let_go(id);
        });
    }

    fn let_go(&mut self, id: StateId) {
        if self.all.course.lossy {
            self.with(|stage, all| {
                stage.store_mut().let_go(id);
                all.let_go(id);
            });
        }
    }

    fn is(&mut self, id: StateId, state: State<'_>) -> bool {
        self.with(|stage, _| stage.store_mut().is(id, state))
    }

    fn len(&self) -> usize {
        self.look(|stage| stage.store().len())
    }

    /// Nobody has to wait for it while it is handed over.
    fn memory(&self) -> u64 {
        let states = match &self.own {
            Own::Alone(part) => part.stage.store().memory(),
            Own::Shared { part, kept } => {
                let kept = kept.borrow();
                let locked = if kept.is_some() { None } else { part.try_lock() };
                match kept.as_deref().or(locked.as_deref()) {
                    Some(part) => {
                        let memory = part.stage.store().memory();
                        self.all.counted.store(memory, Ordering::Relaxed);
                        memory
                    }
                    None => self.all.counted.load(Ordering::Relaxed),
                }
            }
        };
        states + self.all.held.memory()
    }

    fn leave_room(&mut self, bytes: u64) {
        self.with(|stage, all| {
            let bytes = bytes + all.held.memory();
            let room = all.course.budget.saturating_sub(bytes);
            all.room.store(room, Ordering::Relaxed);
            // Another thread may have found that nothing comes after this stage.
            let update = |limit| (limit != u64::MAX).then_some(room / 2);
            if all.limit.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update).is_ok() {
                stage.postpone_growth(room / 2);
            }
            stage.store_mut().leave_room(bytes);
        });
    }

    fn is_lossy(&self) -> bool {
        self.look(|stage| stage.store().is_lossy())
    }

    fn is_restorable(&self) -> bool {
        self.look(|stage| stage.store().is_restorable())
    }
}

impl All {
    fn let_go(&self, id: StateId) {
        if let Some(held) = self.held.get(id.0) {
            held.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::{MOST_EXPECTED, Slot, StopReason, StopSignal, delays};
    use std::time::Instant;

    fn course(words: usize, budget: u64) -> Course {
        let layout = Layout::new(vec![Slot::new(i32::MIN, i32::MAX); words]);
        Course { layout, budget, threads: 4, lossy: false, heed: Heed::default() }
    }

    fn key(n: i32) -> [i32; 60] {
        let mut key = [1; 60];
        (key[3], key[31], key[50]) = (n % 100, n / 100 % 100, n / 10_000);
        key
    }

    /// The same with words that say nothing of each other but in one state: trees share little of them.
    fn scattered_key(n: i32) -> [i32; 60] {
        let mut key = key(n);
        for (word, factor) in [(7, 0x9e37_79b1), (20, 0x85eb_ca6b), (44, 0xc2b2_ae35_u32)] {
            key[word] = (n as u32).wrapping_mul(factor) as i32;
        }
        key
    }

    /// States of 60 words in which three small numbers change.
    fn fill(store: &mut dyn StateStore) -> u32 {
        fill_with(store, key)
    }

    fn fill_with(store: &mut dyn StateStore, key: fn(i32) -> [i32; 60]) -> u32 {
        for n in 0..1_000_000 {
            match store.insert(State::discrete(&key(n)), 0, &mut Vec::new()) {
                Ok(found) => assert_eq!(found, Lookup::New(StateId(n as u32))),
                Err(OutOfMemory) => return n as u32,
            }
        }
        1_000_000
    }

    #[test]
    fn more_states_fit_and_keep_their_numbers() {
        let course = course(60, 1 << 21);
        let exact = fill(&mut ExactStore::new(&course.layout).with_budget(course.budget));
        let mut store = HandingOver::alone(course);
        let both = fill(&mut store);
        assert!(store.look(|stage| matches!(stage, Stage::Tree(_))) && both > 3 * exact, "{exact} and {both}");
        assert!(store.memory() <= 1 << 21);
        let mut state = StateBuf::default();
        for n in 0..both {
            store.read(StateId(n), &mut state);
            assert_eq!(state.key, key(n as i32));
        }
    }

    /// Inserts states some states after they were expected, until there is no more room.
    fn fill_expected(store: &mut dyn StateStore, key: fn(i32) -> [i32; 60]) -> u32 {
        let mut waiting = VecDeque::new();
        let mut inserted = 0;
        for n in 0..1_000_000 {
            let is_expected = store.expect(State::discrete(&key(n)), None);
            while waiting.len() == MOST_EXPECTED - 1 || !is_expected && !waiting.is_empty() {
                match store.insert_expected() {
                    Some(Ok(found)) => {
                        assert_eq!((Some(inserted), found), (waiting.pop_front(), Lookup::New(StateId(inserted))))
                    }
                    Some(Err(OutOfMemory)) => return inserted,
                    None => panic!("{} were expected", waiting.len()),
                }
                inserted += 1;
            }
            if is_expected {
                waiting.push_back(n as u32);
            } else {
                assert_eq!(store.insert_expected(), None);
                match store.insert(State::discrete(&key(n)), 0, &mut Vec::new()) {
                    Ok(found) => assert_eq!(found, Lookup::New(StateId(inserted))),
                    Err(OutOfMemory) => return inserted,
                }
                inserted += 1;
            }
        }
        inserted
    }

    #[test]
    fn what_was_expected_before_it_was_handed_over_comes_first_afterwards() {
        for (make, budget) in [(key as fn(i32) -> _, 1 << 21), (scattered_key, 1 << 21), (scattered_key, 1 << 19)] {
            let (mut one, mut other) = (HandingOver::alone(course(60, budget)), HandingOver::alone(course(60, budget)));
            let (at_once, later) = (fill_with(&mut one, make), fill_expected(&mut other, make));
            // Trees learn from what they are given, so their sizes may differ a little.
            assert!(later.abs_diff(at_once) < at_once / 10, "{at_once} and {later}");
            let mut state = StateBuf::default();
            for n in 0..later {
                other.read(StateId(n), &mut state);
                assert_eq!(state.key, make(n as i32));
            }
        }
    }

    #[test]
    fn where_nothing_is_shared_the_exact_store_goes_on() {
        let mut store = HandingOver::alone(course(2, 1 << 20));
        let mut n = 0;
        while store.insert(State::discrete(&[n, n]), 0, &mut Vec::new()).is_ok() {
            n += 1;
        }
        assert!(store.look(|stage| matches!(stage, Stage::Exact(_))) && n > 20_000, "{n}");
    }

    fn id_of(found: Lookup) -> StateId {
        let (Lookup::New(id) | Lookup::Known(id) | Lookup::Covered(id)) = found;
        id
    }

    /// Threads insert states that overlap, hold some of them, and find all of them again whatever became of the store.
    fn filled_together(course: Course, each: i32, threads: i32) -> HandingOver {
        const HELD: i32 = 256;
        let store = HandingOver::shared(course);
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let mut store = store.fork().unwrap();
                scope.spawn(move || {
                    delays::set(1_000);
                    let (mut known, mut state) = (Vec::new(), StateBuf::default());
                    let mut waiting = VecDeque::new();
                    for n in (0..each).map(|n| n + thread * each / 4) {
                        // Those that are held at once, most others some states later.
                        if n % HELD != 0 && store.expect(State::discrete(&key(n)), None) {
                            waiting.push_back(n);
                            if waiting.len() == MOST_EXPECTED {
                                let found = store.insert_expected().unwrap().unwrap();
                                known.push((waiting.pop_front().unwrap(), id_of(found)));
                            }
                            continue;
                        }
                        for n in waiting.drain(..) {
                            known.push((n, id_of(store.insert_expected().unwrap().unwrap())));
                        }
                        assert_eq!(store.insert_expected(), None);
                        let id = id_of(store.insert(State::discrete(&key(n)), 0, &mut Vec::new()).unwrap());
                        if n % HELD == 0 {
                            store.hold(id, State::discrete(&key(n))).unwrap();
                        }
                        known.push((n, id));
                    }
                    for n in waiting {
                        known.push((n, id_of(store.insert_expected().unwrap().unwrap())));
                    }
                    for (n, id) in known {
                        assert!(store.is(id, State::discrete(&key(n))));
                        let again = store.insert(State::discrete(&key(n)), 0, &mut Vec::new());
                        assert_eq!(again, Ok(Lookup::Known(id)));
                        if n % HELD == 0 {
                            store.take(id, &mut state);
                            assert_eq!(state.key, key(n));
                        }
                    }
                });
            }
        });
        assert_eq!(store.len(), (each + (threads - 1) * each / 4) as usize);
        store
    }

    #[test]
    fn threads_hand_over_together_and_keep_their_numbers() {
        let store = filled_together(course(60, 16 << 20), 20_000, 4);
        assert!(store.look(|stage| matches!(stage, Stage::SharedTree(_))));
        let store = filled_together(Course { lossy: true, ..course(60, 3 << 20) }, 60_000, 4);
        assert!(store.look(|stage| matches!(stage, Stage::SharedHashes(_))) && store.is_lossy());
    }

    #[test]
    fn threads_go_on_with_the_exact_store_where_nothing_is_shared() {
        let budget = 4 << 20;
        let count = |store: &mut dyn StateStore| {
            let mut n = 0;
            while store.insert(State::discrete(&[n, n]), 0, &mut Vec::new()).is_ok() {
                assert!(store.memory() <= budget, "{} bytes", store.memory());
                n += 1;
            }
            n
        };
        let exact = count(&mut ExactStore::new(&course(2, budget).layout).with_budget(budget));
        let store = HandingOver::shared(course(2, budget));
        let shared = count(&mut *store.fork().unwrap());
        assert!(store.look(|stage| matches!(stage, Stage::Exact(_))) && shared > exact / 10 * 9, "{shared} of {exact}");
        // Both stages are counted, and nobody waits to be told.
        assert!(store.all.tried.load(Ordering::Relaxed) == 1 && store.memory() <= budget);
        let locked = store.all.handles.lock();
        let parts: Vec<_> = locked.iter().map(|part| part.lock()).collect();
        store.all.counted.store(7, Ordering::Relaxed);
        assert_eq!(store.memory(), 7);
        drop(parts);
    }

    #[test]
    fn hashes_come_after_trees_if_they_may() {
        let mut store = HandingOver::alone(Course { lossy: true, ..course(60, 1 << 21) });
        let exact = HandingOver::alone(course(60, 1 << 21));
        let (lossy, tree) = (fill_with(&mut store, scattered_key), fill_with(&mut { exact }, scattered_key));
        assert!(store.is_lossy() && lossy > tree, "{tree} and {lossy}");
    }

    #[test]
    fn it_ends_when_it_is_told_to() {
        let (now, stop) = (Some(Instant::now()), StopSignal::default());
        stop.raise(StopReason::Interrupted);
        for heed in [Heed { until: now, ..Heed::default() }, Heed { stop, until: None }] {
            let mut store = HandingOver::alone(Course { heed, ..course(60, 1 << 21) });
            fill(&mut store);
            assert!(store.look(|stage| matches!(stage, Stage::Exact(_))));
        }
    }
}
