//! The merging store: one cover for each key, which grows by every state that is not included in it.
//!
//! For systems that say how covers are merged, such as zones and their convex hulls. Each growth is a new state and
//! displaces the one before. The merged covers have points that nobody has reached: an error that is found need not be
//! one, but where none is found, there is none.

use bughound_kernel::{Layout, Lookup, OutOfMemory, Presence, State, StateBuf, StateId, StateStore, TransitionSystem};

use crate::column::Column;
use crate::exact::ExactStore;
use crate::numbering::Novelty;
use crate::rows::Covers;
use crate::sharded::Rationed;

pub(crate) struct MergingStore<'s> {
    system: &'s dyn TransitionSystem,
    cover_len: usize,
    keys: ExactStore,
    /// By key: the number of its newest state.
    newest: Column<u32>,
    /// By state.
    key_of: Column<u32>,
    covers: Covers,
    known: Vec<i32>,
    merged: Vec<i32>,
    budget: u64,
    /// The same with what others hold.
    total: u64,
}

impl<'s> MergingStore<'s> {
    pub(crate) fn new(system: &'s dyn TransitionSystem, budget: u64) -> Self {
        let layout: &Layout = system.layout();
        MergingStore {
            system,
            cover_len: layout.cover_len,
            keys: ExactStore::for_keys(layout),
            newest: Column::new(),
            key_of: Column::new(),
            covers: Covers::new(layout.cover_len),
            known: vec![0; layout.cover_len],
            merged: Vec::new(),
            budget,
            total: budget,
        }
    }

    fn add(&mut self, key: u32, cover: &[i32]) -> Result<StateId, OutOfMemory> {
        let number = self.key_of.len() as u32;
        if number >= u32::MAX - 1 {
            return Err(OutOfMemory);
        }
        self.key_of.reserve()?;
        self.covers.push(cover, self.budget.saturating_sub(self.memory() - self.covers.memory()))?;
        self.key_of.push(key);
        self.newest.set(key, number);
        Ok(StateId(number))
    }
}

impl Rationed for MergingStore<'_> {
    fn set_budget(&mut self, bytes: u64) {
        self.budget = bytes;
    }

    fn set_total(&mut self, bytes: u64) {
        (self.budget, self.total) = (bytes, bytes);
    }
}

impl StateStore for MergingStore<'_> {
    fn insert(&mut self, state: State<'_>, _cost: u64, displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        self.keys.set_budget(self.budget.saturating_sub(self.memory() - self.keys.memory()));
        self.newest.reserve()?;
        let (StateId(key), novelty) = self.keys.insert_key(state.key, None)?;
        if novelty == Novelty::New {
            self.newest.push(0);
            return self.add(key, state.cover).map(Lookup::New);
        }
        let newest = StateId(self.newest.get(key));
        self.covers.read(newest.0, &mut self.known);
        if self.known == state.cover {
            return Ok(Lookup::Known(newest));
        }
        if self.system.covers(state.key, &self.known, state.cover) {
            return Ok(Lookup::Covered(newest));
        }
        let mut merged = std::mem::take(&mut self.merged);
        merged.clone_from(&self.known);
        self.system.merge_covers(&mut merged, state.cover);
        // The system may not have seen that it is included.
        let grown = (merged != self.known).then(|| self.add(key, &merged)).transpose();
        self.merged = merged;
        Ok(match grown? {
            None => Lookup::Covered(newest),
            Some(id) => {
                displaced.push(newest);
                Lookup::New(id)
            }
        })
    }

    fn read(&self, id: StateId, into: &mut StateBuf) {
        self.keys.read_key(StateId(self.key_of.get(id.0)), &mut into.key);
        into.cover.resize(self.cover_len, 0);
        self.covers.read(id.0, &mut into.cover);
    }

    fn len(&self) -> usize {
        self.key_of.len()
    }

    fn memory(&self) -> u64 {
        self.keys.memory() + self.newest.memory() + self.key_of.memory() + self.covers.memory()
    }

    fn leave_room(&mut self, bytes: u64) {
        self.budget = self.total.saturating_sub(bytes);
    }

    fn is_restorable(&self) -> bool {
        true
    }

    /// Covers were merged when they were stored first.
    fn restore(&mut self, state: State<'_>, _presence: Presence) -> Result<Lookup, OutOfMemory> {
        self.keys.set_budget(self.budget.saturating_sub(self.memory() - self.keys.memory()));
        self.newest.reserve()?;
        let (StateId(key), novelty) = self.keys.insert_key(state.key, None)?;
        if novelty == Novelty::New {
            self.newest.push(0);
        }
        self.add(key, state.cover).map(Lookup::New)
    }
}
