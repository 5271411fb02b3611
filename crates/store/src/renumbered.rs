//! A sharded store that has taken over the states of another one and answers to their ids there.
//!
//! The states that were taken over are the first ones of each part. Ids of states that came later follow those of the other
//! store.

use std::sync::Arc;

use bughound_kernel::{Lookup, OutOfMemory, State, StateBuf, StateId, StateStore};

use crate::sharded::{Rationed, Sharded};

/// In place of an id: nothing had this number.
const NONE: u32 = u32::MAX;

pub(crate) struct Renumbered<S> {
    store: Sharded<S>,
    old: Arc<Old>,
}

/// What was taken over.
#[derive(Clone, Default)]
struct Old {
    /// By id there: the id here.
    moved: Vec<u32>,
    /// By part and number in it: the id there.
    back: Vec<Vec<u32>>,
}

impl<S: Rationed> Renumbered<S> {
    /// For states whose ids are below `end`.
    pub(crate) fn new(store: Sharded<S>, end: usize) -> Option<Self> {
        let (mut moved, mut back) = (Vec::new(), vec![Vec::new(); store.parts()]);
        moved.try_reserve_exact(end).ok()?;
        // Hashes divide them nearly evenly.
        let each = end / store.parts();
        back.iter_mut().try_for_each(|back| back.try_reserve_exact(each + each / 32)).ok()?;
        Some(Renumbered { store, old: Arc::new(Old { moved, back }) })
    }

    /// All ids are below this.
    pub(crate) fn end(&self) -> usize {
        let lens = (0..self.store.parts()).map(|part| self.store.len_of(part));
        self.old.moved.len() + lens.max().unwrap_or(0) * self.store.parts()
    }

    /// Takes a state over. To be done before there is another handle, in the order of the ids.
    pub(crate) fn admit(&mut self, id: StateId, state: State<'_>) -> Option<()> {
        let Ok(Lookup::New(here)) = self.store.insert(state, 0, &mut Vec::new()) else { return None };
        let (part, _) = self.store.place(here);
        let old = Arc::get_mut(&mut self.old)?;
        old.moved.resize(id.index(), NONE);
        old.moved.push(here.0);
        old.back[part].try_reserve(1).ok()?;
        old.back[part].push(id.0);
        Some(())
    }

    pub(crate) fn set_total(&mut self, bytes: u64) {
        self.store.set_total(bytes);
    }

    pub(crate) fn another(&self) -> Self {
        Renumbered { store: self.store.another(), old: Arc::clone(&self.old) }
    }

    /// Visits all ids, until that fails.
    pub(crate) fn for_each_id(&self, visit: &mut dyn FnMut(StateId) -> Option<()>) -> Option<()> {
        let old = self.old.moved.iter().enumerate().filter(|(_, here)| **here != NONE);
        old.map(|(id, _)| StateId(id as u32)).try_for_each(&mut *visit)?;
        // In the order of the ids.
        let first = self.old.back.iter().map(Vec::len).min().unwrap_or(0);
        let lens: Vec<usize> = (0..self.store.parts()).map(|part| self.store.len_of(part)).collect();
        for local in first..lens.iter().copied().max().unwrap_or(0) {
            for (part, len) in lens.iter().enumerate() {
                if (self.old.back[part].len()..*len).contains(&local) {
                    visit(self.there(self.store.id(StateId(local as u32), part).ok()?).ok()?)?;
                }
            }
        }
        Some(())
    }

    fn here(&self, there: StateId) -> StateId {
        match self.old.moved.get(there.index()) {
            Some(here) => StateId(*here),
            None => StateId(there.0 - self.old.moved.len() as u32),
        }
    }

    fn there(&self, here: StateId) -> Result<StateId, OutOfMemory> {
        let (part, local) = self.store.place(here);
        match self.old.back[part].get(local.index()) {
            Some(there) => Ok(StateId(*there)),
            None => {
                let id = here.0.checked_add(self.old.moved.len() as u32).filter(|id| *id < NONE - 1);
                id.map(StateId).ok_or(OutOfMemory)
            }
        }
    }
}

impl<S: Rationed> StateStore for Renumbered<S> {
    fn insert(&mut self, state: State<'_>, cost: u64, displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        Ok(match self.store.insert(state, cost, displaced)? {
            Lookup::New(id) => Lookup::New(self.there(id)?),
            Lookup::Known(id) => Lookup::Known(self.there(id)?),
            Lookup::Covered(id) => Lookup::Covered(self.there(id)?),
        })
    }

    fn read(&self, id: StateId, into: &mut StateBuf) {
        self.store.read(self.here(id), into);
    }

    fn hold(&mut self, id: StateId, state: State<'_>) -> Result<(), OutOfMemory> {
        self.store.hold(self.here(id), state)
    }

    fn take(&mut self, id: StateId, into: &mut StateBuf) {
        self.store.take(self.here(id), into);
    }

    fn let_go(&mut self, id: StateId) {
        self.store.let_go(self.here(id));
    }

    fn is(&mut self, id: StateId, state: State<'_>) -> bool {
        self.store.is(self.here(id), state)
    }

    fn len(&self) -> usize {
        self.store.len()
    }

    fn memory(&self) -> u64 {
        let back: usize = self.old.back.iter().map(Vec::capacity).sum();
        self.store.memory() + ((self.old.moved.capacity() + back) * size_of::<u32>()) as u64
    }

    fn leave_room(&mut self, bytes: u64) {
        self.store.leave_room(bytes + self.memory() - self.store.memory());
    }

    fn is_lossy(&self) -> bool {
        self.store.is_lossy()
    }

    fn is_restorable(&self) -> bool {
        self.store.is_restorable()
    }
}
