//! The compact store: 64 bits of each state (hash compaction: Wolper, Leroy 1993, "Reliable hashing without collision detection";
//! Stern, Dill 1995, "Improved probabilistic verification by hash compaction").
//!
//! A state is known by a hash of its packed key. Only open states are kept whole, until they are taken to be expanded; paths
//! are found again by taking their steps once more and comparing hashes.
//!
//! Claims: none. Of two states with the same hash, the second is taken for the first, and what lies behind it may be missed. Two
//! states have the same hash with probability 2^-64, so of n states about n²/2^65 are omitted: of 10^8 states, 3 in 10,000 runs
//! lose one. Cost: 14 to 17 bytes for a state whatever its length, and the open states.
//!
//! Fails: for searches that read states which are not open; where most states are open.

use std::hash::{BuildHasher, Hasher};

use bughound_kernel::{Layout, Lookup, OutOfMemory, State, StateBuf, StateId, StateStore};
use foldhash::quality::FixedState;

use crate::open_states::OpenStates;
use crate::packing::DeltaPacker;
use crate::pairs::Pairs;
use crate::sharded::Rationed;

/// A hash of every state. For models without covers.
#[derive(Debug)]
pub struct CompactStore {
    packer: DeltaPacker,
    /// The halves of the hashes, by id.
    hashes: Pairs,
    open: OpenStates,
    hasher: FixedState,
    /// How much of a hash counts.
    bits: u32,
    budget: u64,
    /// The same with what others hold.
    total: u64,
}

impl CompactStore {
    pub fn new(layout: &Layout) -> Self {
        debug_assert!(layout.cover_len == 0, "states with a cover belong into a covering store");
        CompactStore {
            packer: DeltaPacker::new(layout),
            hashes: Pairs::new(),
            open: OpenStates::default(),
            hasher: FixedState::default(),
            bits: u64::BITS,
            budget: u64::MAX,
            total: u64::MAX,
        }
    }

    /// Refuses to grow beyond `bytes`, *before* the memory is taken.
    pub fn with_budget(mut self, bytes: u64) -> Self {
        (self.budget, self.total) = (bytes, bytes);
        self
    }

    /// So few bits of each hash count that states are confused: at least one, up to 64.
    pub fn with_hash_bits(mut self, bits: u32) -> Self {
        self.bits = bits.clamp(1, u64::BITS);
        self
    }

    /// There are numbers for so few states: to see what comes of it.
    pub fn with_most_states(mut self, most: u32) -> Self {
        self.hashes.most = most;
        self
    }

    fn hash(&mut self, key: &[i32]) -> (u32, u32) {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(bytemuck::cast_slice(self.packer.pack(key)));
        let hash = hasher.finish() >> (u64::BITS - self.bits);
        (hash as u32, (hash >> u32::BITS) as u32)
    }
}

impl Rationed for CompactStore {
    fn set_budget(&mut self, bytes: u64) {
        self.budget = bytes;
    }

    fn set_total(&mut self, bytes: u64) {
        (self.budget, self.total) = (bytes, bytes);
    }
}

impl StateStore for CompactStore {
    fn insert(&mut self, state: State<'_>, _cost: u64, _displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        debug_assert!(state.cover.is_empty());
        let hash = self.hash(state.key);
        let (number, is_new) = self.hashes.number(hash, 0, self.budget.saturating_sub(self.open.memory()))?;
        Ok(if is_new { Lookup::New(StateId(number)) } else { Lookup::Known(StateId(number)) })
    }

    fn read(&self, id: StateId, into: &mut StateBuf) {
        self.packer.packer().unpack(self.open.get(id.0), &mut into.key);
        into.cover.clear();
    }

    fn hold(&mut self, id: StateId, state: State<'_>) -> Result<(), OutOfMemory> {
        let room = self.budget.saturating_sub(self.memory());
        self.open.hold(id.0, self.packer.pack(state.key), room)
    }

    fn take(&mut self, id: StateId, into: &mut StateBuf) {
        self.read(id, into);
        self.let_go(id);
    }

    fn let_go(&mut self, id: StateId) {
        self.open.let_go(id.0);
    }

    fn is(&mut self, id: StateId, state: State<'_>) -> bool {
        self.hash(state.key) == self.hashes.get(id.0)
    }

    fn len(&self) -> usize {
        self.hashes.len()
    }

    fn memory(&self) -> u64 {
        self.hashes.memory() + self.open.memory()
    }

    fn is_lossy(&self) -> bool {
        true
    }

    fn leave_room(&mut self, bytes: u64) {
        self.budget = self.total.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Slot;

    fn store_of(words: usize) -> CompactStore {
        CompactStore::new(&Layout::new(vec![Slot::new(i32::MIN, i32::MAX); words]))
    }

    fn insert(store: &mut CompactStore, key: &[i32]) -> Result<Lookup, OutOfMemory> {
        store.insert(State::discrete(key), 0, &mut Vec::new())
    }

    #[test]
    fn states_are_told_apart_and_open_ones_come_back() {
        let mut store = store_of(3);
        let (mut state, key) = (StateBuf::default(), |n: u32| [n as i32, -1, n as i32 / 7]);
        for n in 0..5_000 {
            assert_eq!(insert(&mut store, &key(n)), Ok(Lookup::New(StateId(n))));
            store.hold(StateId(n), State::discrete(&key(n))).unwrap();
        }
        let full = store.memory();
        for n in 0..5_000 {
            store.take(StateId(n), &mut state);
            assert_eq!(state.key, key(n));
            assert_eq!(insert(&mut store, &key(n)), Ok(Lookup::Known(StateId(n))));
            assert!(store.is(StateId(n), State::discrete(&key(n))));
            assert!(!store.is(StateId(n), State::discrete(&key(n + 1))));
        }
        assert!(store.memory() <= full - 5_000 * 12, "{} of {full} bytes are left", store.memory());
    }

    #[test]
    fn a_state_that_is_held_twice_is_taken_twice() {
        let mut store = store_of(1);
        let mut state = StateBuf::default();
        insert(&mut store, &[7]).unwrap();
        (0..3).for_each(|_| store.hold(StateId(0), State::discrete(&[7])).unwrap());
        store.let_go(StateId(0));
        for _ in 0..2 {
            assert!(store.open.words > 0);
            store.take(StateId(0), &mut state);
            assert_eq!(state.key, [7]);
        }
        assert_eq!(store.open.words, 0);
    }

    #[test]
    fn few_bits_confuse_states() {
        let mut store = store_of(2).with_hash_bits(8);
        (0..5_000).for_each(|n| _ = insert(&mut store, &[n, n]).unwrap());
        assert!(store.is_lossy() && store.len() == 256, "{}", store.len());
    }

    #[test]
    fn a_state_takes_as_much_as_its_hash_however_long_it_is() {
        let mut store = store_of(100);
        let mut key = [0; 100];
        for n in 0..100_000 {
            (key[0], key[50]) = (n, n / 3);
            insert(&mut store, &key).unwrap();
        }
        assert!(store.memory() < 100_000 * 18, "{}", store.memory());
    }

    #[test]
    fn a_budget_holds_for_open_states_too() {
        let mut store = store_of(10).with_budget(1 << 18);
        let mut n = 0;
        while insert(&mut store, &[n; 10]).is_ok() && store.hold(StateId(n as u32), State::discrete(&[n; 10])).is_ok() {
            n += 1;
        }
        assert!(store.memory() <= 1 << 18 && n > 1_000, "{n} in {}", store.memory());
    }
}
