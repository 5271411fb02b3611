//! The exact store: a hash set of packed states, which threads fill together.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::hash::Hasher;
use std::ops::Range;

use bughound_kernel::{Changes, Layout, Lookup, OutOfMemory, State, StateBuf, StateId, StateStore};

use crate::expected::Expected;
use crate::field_hasher::FieldHasher;
use crate::numbering::{Novelty, Numbering};
use crate::packing::Packer;
use crate::repacking::Repacker;

/// What an expected state will be compared with is fetched when so many more were found.
const SOME: usize = 5;

/// Every state, packed, compared word by word. For models without covers. A handle: [`fork`](StateStore::fork) makes others
/// on the same states.
#[derive(Debug)]
pub struct ExactStore {
    packer: RefCell<Repacker>,
    states: Numbering,
    /// Room for a state that is inserted at once.
    packed: Box<[u32]>,
    expected: Expected,
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
        let packer = Packer::new(layout);
        let states = Numbering::new(packer.max_words());
        Self::of(packer, states, u64::MAX)
    }

    /// A handle for another thread.
    pub(crate) fn another(&self) -> Self {
        Self::of(self.packer.borrow().packer().clone(), self.states.fork(), self.total)
    }

    /// Has the processor fetch what the state is compared with that is expected last, and a little later the rest of it.
    #[inline]
    fn fetch(&mut self, hash: u64) {
        self.states.prefetch_place(hash);
        if let Some(hash) = self.expected.before(SOME) {
            self.states.prefetch_words(hash);
        }
    }

    fn of(packer: Packer, states: Numbering, total: u64) -> Self {
        let (packed, expected) = (vec![0; packer.max_words()].into(), Expected::new(packer.max_words()));
        ExactStore { packer: RefCell::new(Repacker::of(packer)), states, packed, expected, total }
    }

    /// Refuses to grow beyond `bytes`, *before* the memory is taken.
    pub fn with_budget(mut self, bytes: u64) -> Self {
        self.set_budget(bytes);
        self
    }

    /// An empty store with numbers for so few states, or hardly more: to see what comes of it.
    pub fn with_most_states(mut self, most: u32) -> Self {
        self.states = Numbering::limited(self.packer.get_mut().packer().max_words(), most);
        self
    }

    pub(crate) fn set_budget(&mut self, bytes: u64) {
        self.total = bytes;
        self.states.set_budget(bytes);
    }

    /// Rather fills its table to the brim than to take more than `bytes` for a larger one.
    pub(crate) fn set_table_budget(&mut self, bytes: u64) {
        self.states.set_table_budget(bytes);
    }

    /// Has the others know of all states that this handle has added.
    pub(crate) fn tell_count(&mut self) {
        self.states.tell_count();
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
    pub(crate) fn insert_key(
        &mut self,
        key: &[i32],
        changes: Option<&Changes<'_>>,
    ) -> Result<(StateId, Novelty), OutOfMemory> {
        let used = self.packer.get_mut().pack(key, changes, &mut self.packed);
        let packed = &self.packed[..used];
        let (number, novelty) = self.states.number(hash_of(packed), packed)?;
        Ok((StateId(number), novelty))
    }

    /// The keys of the states that it expects: others will see to them.
    pub(crate) fn give_up_expected(&mut self) -> VecDeque<Vec<i32>> {
        let mut keys = VecDeque::new();
        while let Some((_, words)) = self.expected.first() {
            let mut key = Vec::new();
            self.packer.get_mut().packer().unpack(words, &mut key);
            keys.push_back(key);
            self.expected.take_first();
        }
        keys
    }

    pub(crate) fn read_key(&self, id: StateId, key: &mut Vec<i32>) {
        let mut repacker = self.packer.borrow_mut();
        let packer = repacker.packer();
        let words = self.states.words(id.0, |first| packer.words_of(&[first]));
        repacker.unpack(words, key);
    }
}

#[inline]
fn hash_of(packed: &[u32]) -> u64 {
    let mut hasher = FieldHasher::default();
    hasher.write(bytemuck::cast_slice(packed));
    hasher.finish()
}

impl StateStore for ExactStore {
    fn fork(&self) -> Option<Box<dyn StateStore + '_>> {
        Some(Box::new(self.another()))
    }

    #[inline]
    fn insert(&mut self, state: State<'_>, _cost: u64, _displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        debug_assert!(state.cover.is_empty());
        self.insert_key(state.key, None).map(|(id, novelty)| novelty.lookup(id))
    }

    #[inline]
    fn insert_beside(
        &mut self,
        state: State<'_>,
        changes: &Changes<'_>,
        _cost: u64,
        _displaced: &mut Vec<StateId>,
    ) -> Result<Lookup, OutOfMemory> {
        self.insert_key(state.key, Some(changes)).map(|(id, novelty)| novelty.lookup(id))
    }

    #[inline]
    fn read(&self, id: StateId, into: &mut StateBuf) {
        self.read_key(id, &mut into.key);
        into.cover.clear();
    }

    #[inline]
    fn expect(&mut self, state: State<'_>, changes: Option<&Changes<'_>>) -> bool {
        if !self.expected.has_room() {
            return false;
        }
        let packer = self.packer.get_mut();
        let hash = self.expected.add(|words| {
            let used = packer.pack(state.key, changes, words);
            (hash_of(&words[..used]), used)
        });
        self.fetch(hash);
        true
    }

    #[inline]
    fn expect_packed(&mut self, words: &[u32]) -> bool {
        if !self.expected.has_room() {
            return false;
        }
        let hash = self.expected.add(|into| {
            into[..words.len()].copy_from_slice(words);
            (hash_of(words), words.len())
        });
        self.fetch(hash);
        true
    }

    #[inline]
    fn insert_expected(&mut self) -> Option<Result<Lookup, OutOfMemory>> {
        let (hash, words) = self.expected.first()?;
        let (number, novelty) = match self.states.number(hash, words) {
            Ok(found) => found,
            Err(OutOfMemory) => return Some(Err(OutOfMemory)),
        };
        self.expected.take_first();
        Some(Ok(novelty.lookup(StateId(number))))
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

    fn is_restorable(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::{MOST_EXPECTED, Random, Slot, delays};
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

    #[test]
    fn states_that_were_expected_are_found_as_if_they_were_inserted_at_once() {
        let mut random = Random::new(5);
        for short_keys in [false, true] {
            let layout = Layout::new(vec![Slot::new(0, 1_000_000); 6]);
            let (mut at_once, mut later) = (ExactStore::new(&layout), ExactStore::new(&layout));
            let mut waiting = VecDeque::new();
            for _ in 0..20_000 {
                let n = random.below(8_000) as i32;
                let key = vec![n; if short_keys { 1 + n as usize % 6 } else { 6 }];
                assert!(later.expect(State::discrete(&key), None));
                waiting.push_back(at_once.insert(State::discrete(&key), 0, &mut Vec::new()));
                while waiting.len() == MOST_EXPECTED || random.one_in(16) && !waiting.is_empty() {
                    assert_eq!(later.insert_expected(), waiting.pop_front());
                }
            }
            // There is room for no more than that.
            while later.expect(State::discrete(&[1; 6]), None) {
                waiting.push_back(at_once.insert(State::discrete(&[1; 6]), 0, &mut Vec::new()));
            }
            assert_eq!(waiting.len(), MOST_EXPECTED);
            while let Some(found) = waiting.pop_front() {
                assert_eq!(later.insert_expected(), Some(found));
            }
            assert!(later.insert_expected().is_none() && later.len() == at_once.len() && at_once.len() > 7_000);
        }
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
