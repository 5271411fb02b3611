//! The exact store: a hash set of packed states, which threads fill together.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use bughound_kernel::{Layout, Lookup, OutOfMemory, State, StateBuf, StateId, StateStore};
use foldhash::quality::FixedState;

use crate::numbering::{Novelty, Numbering};
use crate::packing::{DeltaPacker, DeltaUnpacker};

/// Every state, packed, compared word by word. For models without covers. A handle: [`fork`](StateStore::fork) makes others
/// on the same states.
#[derive(Debug)]
pub struct ExactStore {
    packer: DeltaPacker,
    unpacker: RefCell<DeltaUnpacker>,
    states: Numbering,
    hasher: FixedState,
    /// What it may take, with what others hold.
    total: u64,
}

impl ExactStore {
    pub fn new(layout: &Layout) -> Self {
        debug_assert!(layout.cover_len == 0, "states with a cover belong into a covering store");
        Self::for_keys(layout)
    }

    /// A store of the keys of `layout`, whatever its covers are.
    pub(crate) fn for_keys(layout: &Layout) -> Self {
        let packer = DeltaPacker::new(layout);
        let states = Numbering::new(packer.packer().max_words());
        ExactStore { packer, unpacker: RefCell::default(), states, hasher: FixedState::default(), total: u64::MAX }
    }

    /// A handle for another thread.
    pub(crate) fn another(&self) -> Self {
        let packer = DeltaPacker::of(self.packer.packer().clone());
        ExactStore {
            packer,
            unpacker: RefCell::default(),
            states: self.states.fork(),
            hasher: self.hasher.clone(),
            total: self.total,
        }
    }

    /// Refuses to grow beyond `bytes`, *before* the memory is taken.
    pub fn with_budget(mut self, bytes: u64) -> Self {
        self.set_budget(bytes);
        self
    }

    pub(crate) fn set_budget(&mut self, bytes: u64) {
        self.total = bytes;
        self.states.set_budget(bytes);
    }

    /// Ids that this handle has taken and not used so far.
    pub(crate) fn unused(&self) -> Range<u32> {
        self.states.unused()
    }

    /// All ids are below this.
    pub(crate) fn end(&self) -> u32 {
        self.states.end()
    }

    /// The id of a key, and whether it is new.
    #[inline]
    pub(crate) fn insert_key(&mut self, key: &[i32]) -> Result<(StateId, Novelty), OutOfMemory> {
        let packed = self.packer.pack(key);
        let mut hasher = self.hasher.build_hasher();
        hasher.write(bytemuck::cast_slice(packed));
        self.states.number(hasher.finish(), packed).map(|(number, novelty)| (StateId(number), novelty))
    }

    pub(crate) fn read_key(&self, id: StateId, key: &mut Vec<i32>) {
        let packer = self.packer.packer();
        let words = self.states.words(id.0, |first| packer.words_of(&[first]));
        self.unpacker.borrow_mut().unpack(packer, words, key);
    }
}

impl StateStore for ExactStore {
    fn fork(&self) -> Option<Box<dyn StateStore + '_>> {
        Some(Box::new(self.another()))
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
        self.states.count() as usize
    }

    fn memory(&self) -> u64 {
        self.states.memory()
    }

    fn leave_room(&mut self, bytes: u64) {
        self.states.set_budget(self.total.saturating_sub(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::{Slot, delays};
    use std::sync::atomic::{AtomicU64, Ordering};

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
                    delays::set(200);
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
