//! A store for several threads that is made of stores for one: each key belongs to one of them, by its hash, and each has a
//! lock. For stores whose insertions look at many states: the covers of a key, the parts of a tree.
//!
//! States with the same key meet in the same part, so covers are compared with all that they have to be compared with. What a
//! part keeps once (rows of zones, parts of states), every part keeps once.

use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bughound_kernel::{Lookup, OutOfMemory, Presence, State, StateBuf, StateId, StateStore};
use foldhash::fast::FixedState;

/// Parts for each thread: so many that two threads seldom want the same one.
const PARTS_EACH: usize = 8;
const MOST_PARTS: usize = 256;

/// How many parts a store for so many threads has.
pub(crate) fn parts_for(threads: usize) -> usize {
    (PARTS_EACH * threads).min(MOST_PARTS).next_power_of_two()
}

/// A store whose budget can be changed while it is filled.
pub(crate) trait Rationed: StateStore {
    /// Refuses to grow beyond so many bytes from now on.
    fn set_budget(&mut self, bytes: u64);

    /// The same with what others hold besides.
    fn set_total(&mut self, bytes: u64);
}

struct Shard<S> {
    store: S,
    /// Its memory, as it was counted last.
    memory: u64,
}

struct Shards<S> {
    shards: Box<[Mutex<Shard<S>>]>,
    /// An id is that of the part, and below it so many bits for the number of the part.
    bits: u32,
    /// Of all parts together.
    memory: AtomicU64,
    count: AtomicU64,
    total: AtomicU64,
    /// What is left of it for states.
    budget: AtomicU64,
}

/// A handle on the parts.
pub(crate) struct Sharded<S> {
    all: Arc<Shards<S>>,
    floor: u64,
    hasher: FixedState,
}

impl<S: Rationed> Sharded<S> {
    pub(crate) fn new(threads: usize, budget: u64, make: impl Fn() -> S) -> Self {
        let count = parts_for(threads);
        let shards = (0..count).map(|_| Mutex::new(Shard { store: make(), memory: 0 })).collect();
        let (memory, states) = (AtomicU64::new(0), AtomicU64::new(0));
        let all = Shards {
            shards,
            bits: count.ilog2(),
            memory,
            count: states,
            total: AtomicU64::new(budget),
            budget: AtomicU64::new(budget),
        };
        Sharded { all: Arc::new(all), floor: 0, hasher: FixedState::default() }
    }

    pub(crate) fn another(&self) -> Self {
        Sharded { all: Arc::clone(&self.all), floor: self.floor, hasher: self.hasher.clone() }
    }

    /// It may take so many bytes, with what others hold.
    pub(crate) fn set_total(&mut self, bytes: u64) {
        self.all.total.store(bytes, Ordering::Relaxed);
        self.all.budget.store(bytes, Ordering::Relaxed);
    }

    /// How many parts there are.
    pub(crate) fn parts(&self) -> usize {
        self.all.shards.len()
    }

    pub(crate) fn len_of(&self, part: usize) -> usize {
        self.shard(part).store.len()
    }

    fn shard(&self, number: usize) -> MutexGuard<'_, Shard<S>> {
        self.all.shards[number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a part grow, within what all of them may take together, and counts what it has taken.
    fn grow<R>(&self, number: usize, work: impl FnOnce(&mut S) -> R) -> R {
        let mut guard = self.shard(number);
        let shard = &mut *guard;
        let others = self.all.memory.load(Ordering::Relaxed).saturating_sub(shard.memory);
        shard.store.set_budget(self.all.budget.load(Ordering::Relaxed).saturating_sub(others));
        let done = work(&mut shard.store);
        let memory = shard.store.memory();
        if memory != shard.memory {
            self.all.memory.fetch_add(memory.wrapping_sub(shard.memory), Ordering::Relaxed);
            shard.memory = memory;
        }
        done
    }

    /// The part that has a state, and its id there.
    pub(crate) fn place(&self, id: StateId) -> (usize, StateId) {
        (id.index() & (self.all.shards.len() - 1), StateId(id.0 >> self.all.bits))
    }

    /// Which part a key belongs to.
    fn number(&self, key: &[i32]) -> usize {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(bytemuck::cast_slice(key));
        (hasher.finish() >> (u64::BITS / 2)) as usize & (self.all.shards.len() - 1)
    }

    pub(crate) fn id(&self, local: StateId, number: usize) -> Result<StateId, OutOfMemory> {
        let id = u64::from(local.0) << self.all.bits | number as u64;
        u32::try_from(id).ok().filter(|id| *id < u32::MAX - 1).map(StateId).ok_or(OutOfMemory)
    }
}

impl<S: Rationed> StateStore for Sharded<S> {
    fn fork(&self) -> Option<Box<dyn StateStore + '_>> {
        Some(Box::new(self.another()))
    }

    fn insert(&mut self, state: State<'_>, cost: u64, displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        let number = self.number(state.key);
        let before = displaced.len();
        let lookup = self.grow(number, |store| {
            store.set_floor(self.floor);
            store.insert(state, cost, displaced)
        });
        for id in &mut displaced[before..] {
            *id = self.id(*id, number)?;
        }
        Ok(match lookup? {
            Lookup::New(id) => {
                self.all.count.fetch_add(1, Ordering::Relaxed);
                Lookup::New(self.id(id, number)?)
            }
            Lookup::Known(id) => Lookup::Known(self.id(id, number)?),
            Lookup::Covered(id) => Lookup::Covered(self.id(id, number)?),
        })
    }

    fn set_floor(&mut self, cost: u64) {
        self.floor = cost;
    }

    fn read(&self, id: StateId, into: &mut StateBuf) {
        let (number, local) = self.place(id);
        self.shard(number).store.read(local, into);
    }

    fn hold(&mut self, id: StateId, state: State<'_>) -> Result<(), OutOfMemory> {
        let (number, local) = self.place(id);
        self.grow(number, |store| store.hold(local, state))
    }

    fn take(&mut self, id: StateId, into: &mut StateBuf) {
        let (number, local) = self.place(id);
        self.grow(number, |store| store.take(local, into));
    }

    fn let_go(&mut self, id: StateId) {
        let (number, local) = self.place(id);
        self.grow(number, |store| store.let_go(local));
    }

    fn is(&mut self, id: StateId, state: State<'_>) -> bool {
        let (number, local) = self.place(id);
        self.number(state.key) == number && self.shard(number).store.is(local, state)
    }

    fn len(&self) -> usize {
        self.all.count.load(Ordering::Relaxed) as usize
    }

    fn memory(&self) -> u64 {
        self.all.memory.load(Ordering::Relaxed)
    }

    fn leave_room(&mut self, bytes: u64) {
        self.all.budget.store(self.all.total.load(Ordering::Relaxed).saturating_sub(bytes), Ordering::Relaxed);
    }

    fn is_lossy(&self) -> bool {
        self.shard(0).store.is_lossy()
    }

    fn is_restorable(&self) -> bool {
        self.shard(0).store.is_restorable()
    }

    fn restore(&mut self, state: State<'_>, presence: Presence) -> Result<Lookup, OutOfMemory> {
        let number = self.number(state.key);
        let lookup = self.grow(number, |store| store.restore(state, presence))?;
        if let Lookup::New(id) = lookup {
            self.all.count.fetch_add(1, Ordering::Relaxed);
            return Ok(Lookup::New(self.id(id, number)?));
        }
        Ok(lookup)
    }
}
