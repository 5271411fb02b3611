//! The exact store: a hash set of packed states, which threads fill together.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bughound_kernel::{Layout, Lookup, OutOfMemory, State, StateBuf, StateId, StateStore, delays};
use foldhash::quality::FixedState;

use crate::packed_states::{PackedStates, Writer};
use crate::packing::{DeltaPacker, DeltaUnpacker};
use crate::shared_table::{Found, SharedTable};

/// New states that a thread counts for itself before it tells the others.
const COUNTED_AT_ONCE: u64 = 32;

/// Every state, packed, compared word by word. For models without covers. A handle: [`fork`](StateStore::fork) makes others
/// on the same states.
#[derive(Debug)]
pub struct ExactStore {
    set: Arc<Set>,
    /// The newest table that this thread knows of.
    table: Arc<SharedTable>,
    packer: DeltaPacker,
    unpacker: RefCell<DeltaUnpacker>,
    writer: Writer,
    /// New states that the others do not know of.
    uncounted: u64,
    hasher: FixedState,
    budget: u64,
}

/// What the handles share.
#[derive(Debug)]
struct Set {
    states: PackedStates,
    /// The table that counts; locked while it is exchanged for a larger one.
    newest: Mutex<Arc<SharedTable>>,
    count: AtomicU64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Novelty {
    New,
    Known,
}

impl ExactStore {
    pub fn new(layout: &Layout) -> Self {
        debug_assert!(layout.cover_len == 0, "states with a cover belong into a covering store");
        Self::for_keys(layout)
    }

    /// A store of the keys of `layout`, whatever its covers are.
    pub(crate) fn for_keys(layout: &Layout) -> Self {
        let packer = DeltaPacker::new(layout);
        let states = PackedStates::new(packer.packer().max_words());
        let table = Arc::new(SharedTable::new());
        let set = Set { states, newest: Mutex::new(Arc::clone(&table)), count: AtomicU64::new(0) };
        Self::handle(Arc::new(set), table, packer, u64::MAX)
    }

    fn handle(set: Arc<Set>, table: Arc<SharedTable>, packer: DeltaPacker, budget: u64) -> Self {
        let (writer, unpacker) = (Writer::default(), RefCell::default());
        ExactStore { set, table, packer, unpacker, writer, uncounted: 0, hasher: FixedState::default(), budget }
    }

    /// Refuses to grow beyond `bytes`, *before* the memory is taken. Limits that are checked now and then come too late
    /// for a hash table that doubles.
    pub fn with_budget(mut self, bytes: u64) -> Self {
        self.set_budget(bytes);
        self
    }

    pub(crate) fn set_budget(&mut self, bytes: u64) {
        self.budget = bytes;
    }

    fn count(&self) -> u64 {
        self.set.count.load(Ordering::Relaxed) + self.uncounted
    }

    /// The id of a key, and whether it is new.
    #[inline]
    pub(crate) fn insert_key(&mut self, key: &[i32]) -> Result<(StateId, Novelty), OutOfMemory> {
        let packed = self.packer.pack(key);
        let mut hasher = self.hasher.build_hasher();
        hasher.write(bytemuck::cast_slice(packed));
        let hash = hasher.finish();
        let states = &self.set.states;
        match self.table.find(hash, self.table.home(hash), |number| states.is(number, packed)) {
            Found::Number(number) => Ok((StateId(number), Novelty::Known)),
            found => self.add(hash, found),
        }
    }

    /// Adds the state that is packed, which was not found; or finds it after all, if another thread was faster.
    fn add(&mut self, hash: u64, mut found: Found) -> Result<(StateId, Novelty), OutOfMemory> {
        loop {
            found = match found {
                Found::Number(number) => return Ok((StateId(number), Novelty::Known)),
                Found::Full => {
                    self.grow()?;
                    self.look(hash, None)
                }
                Found::Frozen => {
                    self.table = Arc::clone(&self.set.newest.lock().unwrap_or_else(PoisonError::into_inner));
                    self.look(hash, None)
                }
                Found::Vacancy(_) if self.table.is_crowded(self.count()) && self.has_grown()? => self.look(hash, None),
                Found::Vacancy(vacancy) => {
                    let room = self.budget.saturating_sub(self.memory());
                    let number = self.set.states.write(&mut self.writer, self.packer.packed(), room)?;
                    delays::here();
                    if !self.table.has_room_for(number) {
                        self.grow()?;
                        self.look(hash, None)
                    } else if self.table.enter(vacancy, hash, number) {
                        self.writer.keep();
                        self.uncounted += 1;
                        if self.uncounted == COUNTED_AT_ONCE {
                            self.tell_count();
                        }
                        return Ok((StateId(number), Novelty::New));
                    } else {
                        // Somebody was faster: perhaps with this very state.
                        self.look(hash, Some(vacancy))
                    }
                }
            };
        }
    }

    fn look(&self, hash: u64, from: Option<usize>) -> Found {
        let (states, packed) = (&self.set.states, self.packer.packed());
        let from = from.unwrap_or_else(|| self.table.home(hash));
        self.table.find(hash, from, |number| states.is(number, packed))
    }

    /// Has the crowded table given way to a larger one? If the memory for that is missing, it is used until it is full.
    #[cold]
    fn has_grown(&mut self) -> Result<bool, OutOfMemory> {
        match self.grow() {
            Err(OutOfMemory) if !self.table.is_full(self.count()) => Ok(false),
            grown => grown.map(|()| true),
        }
    }

    /// Exchanges the table for a larger one, unless another thread has done so.
    #[cold]
    fn grow(&mut self) -> Result<(), OutOfMemory> {
        let mut newest = self.set.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&newest, &self.table) {
            *newest = Arc::new(newest.grow(self.budget.saturating_sub(self.set.states.memory()))?);
        }
        self.table = Arc::clone(&newest);
        Ok(())
    }

    fn tell_count(&mut self) {
        self.set.count.fetch_add(std::mem::take(&mut self.uncounted), Ordering::Relaxed);
    }

    pub(crate) fn read_key(&self, id: StateId, key: &mut Vec<i32>) {
        let packer = self.packer.packer();
        let words = self.set.states.words(id.0, |first| packer.words_of(&[first]));
        self.unpacker.borrow_mut().unpack(packer, words, key);
    }
}

impl Drop for ExactStore {
    fn drop(&mut self) {
        self.tell_count();
    }
}

impl StateStore for ExactStore {
    fn fork(&self) -> Option<Box<dyn StateStore + '_>> {
        let packer = DeltaPacker::of(self.packer.packer().clone());
        Some(Box::new(Self::handle(Arc::clone(&self.set), Arc::clone(&self.table), packer, self.budget)))
    }

    #[inline]
    fn insert(&mut self, state: State<'_>, _cost: u64, _displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        debug_assert!(state.cover.is_empty());
        self.insert_key(state.key).map(|(id, novelty)| match novelty {
            Novelty::New => Lookup::New(id),
            Novelty::Known => Lookup::Known(id),
        })
    }

    #[inline]
    fn read(&self, id: StateId, into: &mut StateBuf) {
        self.read_key(id, &mut into.key);
        into.cover.clear();
    }

    fn len(&self) -> usize {
        self.count() as usize
    }

    fn memory(&self) -> u64 {
        self.set.states.memory() + self.table.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Slot;

    #[test]
    fn a_budget_holds_for_states_that_outgrow_their_table() {
        let layout = Layout::new(vec![Slot::new(0, i32::MAX); 1000]);
        let mut store = ExactStore::new(&layout).with_budget(1 << 20);
        let mut key = vec![0; 1000];
        while store.insert(State::discrete(&key), 0, &mut Vec::new()).is_ok() {
            key[0] += 1;
        }
        assert!(store.memory() <= 1 << 20 && key[0] > 240, "{} states in {} bytes", key[0], store.memory());
    }

    #[test]
    fn a_budget_ends_growth_and_keeps_what_is_there() {
        let mut store = ExactStore::new(&Layout::new(vec![Slot::new(0, i32::MAX)])).with_budget(1 << 20);
        let mut displaced = Vec::new();
        let mut n = 0;
        while store.insert(State::discrete(&[n]), 0, &mut displaced).is_ok() {
            n += 1;
        }
        assert!(store.memory() <= 1 << 20 && n > 20_000, "{n} states in {} bytes", store.memory());
        let mut state = StateBuf::default();
        store.read(StateId(n as u32 - 1), &mut state);
        assert_eq!(state.key, [n - 1]);
    }

    /// Threads that insert overlapping ranges of states, of one length or of several.
    fn filled_together(threads: i32, each: i32, short_keys: bool) {
        let layout = Layout::new(vec![Slot::new(0, i32::MAX); 3]);
        let store = ExactStore::new(&layout);
        let new = AtomicU64::new(0);
        let key = |n: i32| vec![n; if short_keys { 1 + n as usize % 3 } else { 3 }];
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let (mut store, new) = (store.fork().unwrap(), &new);
                scope.spawn(move || {
                    let (mut state, mut displaced) = (StateBuf::default(), Vec::new());
                    for n in (0..each).map(|n| n + thread * each / 4) {
                        let found = store.insert(State::discrete(&key(n)), 0, &mut displaced).unwrap();
                        let (Lookup::New(id) | Lookup::Known(id) | Lookup::Covered(id)) = found;
                        new.fetch_add(u64::from(matches!(found, Lookup::New(_))), Ordering::Relaxed);
                        store.read(id, &mut state);
                        assert_eq!(state.key, key(n));
                        let again = store.insert(State::discrete(&key(n)), 0, &mut displaced);
                        assert_eq!(again, Ok(Lookup::Known(id)));
                    }
                });
            }
        });
        let different = (each + (threads - 1) * each / 4) as usize;
        assert_eq!((store.len(), new.into_inner() as usize), (different, different));
    }

    #[test]
    fn threads_agree_on_every_state_while_the_table_grows() {
        for short_keys in [false, true] {
            filled_together(4, 40_000, short_keys);
            filled_together(8, 500, short_keys);
        }
    }
}
