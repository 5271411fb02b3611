//! The exact store: a hash set of packed states.

use std::hash::{BuildHasher, Hasher};

use bughound_kernel::{Layout, Lookup, OutOfMemory, State, StateBuf, StateId, StateStore};
use foldhash::quality::FixedState;

use crate::arena::Arena;
use crate::id_table::IdTable;
use crate::packing::DeltaPacker;

/// Every state, packed, compared word by word. For models without covers.
#[derive(Debug)]
pub struct ExactStore {
    packer: DeltaPacker,
    states: Arena,
    table: IdTable,
    hasher: FixedState,
    budget: u64,
}

impl ExactStore {
    pub fn new(layout: &Layout) -> Self {
        debug_assert!(layout.cover_len == 0, "states with a cover belong into a covering store");
        Self::for_keys(layout)
    }

    /// A store of the keys of `layout`, whatever its covers are.
    pub(crate) fn for_keys(layout: &Layout) -> Self {
        let packer = DeltaPacker::new(layout);
        ExactStore {
            states: Arena::new(packer.packer().max_words()),
            packer,
            table: IdTable::new(),
            hasher: FixedState::default(),
            budget: u64::MAX,
        }
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

    /// The id of a key, and whether it is new.
    #[inline]
    pub(crate) fn insert_key(&mut self, key: &[i32]) -> Result<(StateId, Novelty), OutOfMemory> {
        let packed = self.packer.pack(key);
        let mut hasher = self.hasher.build_hasher();
        hasher.write(bytemuck::cast_slice(packed));
        let hash = hasher.finish();
        // Reserved before the look-up so that the vacancy it finds stays valid.
        self.table.set_budget(self.budget.saturating_sub(self.states.memory()));
        self.table.reserve()?;
        match self.table.find(hash, |number| self.states.begins_with(number, packed)) {
            Ok(number) => Ok((StateId(number), Novelty::Known)),
            Err(vacancy) => {
                let number = self.states.len();
                let room = self.budget.saturating_sub(self.states.memory() + self.table.memory());
                if number >= u32::MAX - 1 || size_of_val(packed) as u64 > room {
                    return Err(OutOfMemory);
                }
                self.states.push(packed)?;
                self.table.occupy(vacancy, number);
                Ok((StateId(number), Novelty::New))
            }
        }
    }

    pub(crate) fn read_key(&self, id: StateId, key: &mut Vec<i32>) {
        self.packer.packer().unpack(self.states.tail(id.0), key);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Novelty {
    New,
    Known,
}

impl StateStore for ExactStore {
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
        self.states.len() as usize
    }

    fn memory(&self) -> u64 {
        self.states.memory() + self.table.memory()
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
        assert!(store.memory() <= 1 << 20 && key[0] > 250, "{} states in {} bytes", key[0], store.memory());
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
}
