//! The trait of state stores.

use crate::state::{State, StateBuf, StateId};
use crate::step::Changes;

/// The store cannot grow any further. A verdict, never a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

/// So many states can be [expected](StateStore::expect) at a time.
pub const MOST_EXPECTED: usize = 16;

/// What an insertion found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The state was not there; it has this id now.
    New(StateId),
    /// Exactly this state is there.
    Known(StateId),
    /// A state with the same key and a larger cover, reached at no higher cost, is there.
    Covered(StateId),
}

/// Whether newcomers are compared with a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// They are, and it counts as reached at this cost.
    Compared(u64),
    /// It was displaced: it can be read, and nothing else.
    Displaced,
}

/// Makes stores for a system: a search may need several, one after the other.
pub trait StoreSource {
    /// An empty store for the states of the system.
    fn new_store(&self) -> Box<dyn StateStore + '_>;

    /// An empty store that so many threads can [share](StateStore::fork), if there is one.
    fn new_shared_store(&self, _threads: usize) -> Box<dyn StateStore + '_> {
        self.new_store()
    }

    /// Do the stores [forget](StateStore::hold) states that are not open? Whoever reads other states cannot use them.
    fn forgets(&self) -> bool {
        false
    }

    /// An empty approximate set of `bits` bits, with `functions` hash functions made from `seed`.
    fn new_bit_set(&self, bits: u64, functions: u32, seed: u64) -> Result<Box<dyn ApproximateSet + '_>, OutOfMemory>;
}

/// A set of states that remembers them by a few bits: it may take a new state for a known one, never the reverse
/// (Holzmann 1987: supertrace; Bloom 1970).
pub trait ApproximateSet {
    /// Adds a state. True if it was certainly not there before.
    fn insert(&mut self, state: State<'_>) -> bool;

    /// Would adding the state find it there already?
    fn contains(&mut self, state: State<'_>) -> bool;

    /// Empties it and takes other hash functions.
    fn restart(&mut self, seed: u64);

    /// Share of the bits that are set, from 0 to 1.
    fn fill(&self) -> f64;

    fn memory(&self) -> u64;
}

/// A set of states with dense ids, or a handle on one that threads share: what packs and compares states belongs to the
/// handle, the states to all.
pub trait StateStore: Send {
    /// Another handle on the same states, for another thread; `None` if they are for one thread only. Ids are not dense any
    /// more: every handle numbers its states from blocks of ids.
    fn fork(&self) -> Option<Box<dyn StateStore + '_>> {
        None
    }

    /// Adds a state unless it is known or covered. `cost` is the cost at which it was reached: with covers, a state may
    /// only be dropped in favour of a larger one that costs no more. Known states that will not be found any more, because
    /// the new one is larger, are appended to `displaced`; with a floor ([`set_floor`](Self::set_floor)) some of them
    /// may be cheaper than the new one.
    fn insert(&mut self, state: State<'_>, cost: u64, displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory>;

    /// The same for a state that a step leads to. If the step started from the state that this handle has read last, then what it
    /// changes may spare the store work.
    fn insert_beside(
        &mut self,
        state: State<'_>,
        _changes: &Changes<'_>,
        cost: u64,
        displaced: &mut Vec<StateId>,
    ) -> Result<Lookup, OutOfMemory> {
        self.insert(state, cost, displaced)
    }

    /// A state that a step leads to will be inserted after those that are expected so far, without covers or costs to be
    /// compared: the store packs it now, and has the processor fetch what it will be compared with while others are found. No more than
    /// [`MOST_EXPECTED`] at a time. False: this store does not do that now.
    fn expect(&mut self, _state: State<'_>, _changes: Option<&Changes<'_>>) -> bool {
        false
    }

    /// The same for a state without a cover that was packed elsewhere, as states of this layout are packed.
    fn expect_packed(&mut self, _words: &[u32]) -> bool {
        false
    }

    /// Inserts the state that was expected first; `None` if none is expected.
    fn insert_expected(&mut self) -> Option<Result<Lookup, OutOfMemory>> {
        None
    }

    /// Whoever has this handle will not use it for a while: others need not wait for it.
    fn rest(&mut self) {}

    /// No state will be inserted at less than this cost from now on, as far as the search can tell. Larger states up to
    /// this cost then displace smaller ones that were cheaper: nobody will be compared with those any more. Should a
    /// cheaper state come all the same, it is stored again, never lost.
    fn set_floor(&mut self, _cost: u64) {}

    /// A state. Stores that [forget](Self::hold) can only give open ones back.
    fn read(&self, id: StateId, into: &mut StateBuf);

    /// A state that was inserted is open: it will be taken to be expanded. A store that remembers next to nothing of a state keeps
    /// it whole from here on, until it was [taken](Self::take) or [let go](Self::let_go) as often as it was held.
    fn hold(&mut self, _id: StateId, _state: State<'_>) -> Result<(), OutOfMemory> {
        Ok(())
    }

    /// Reads an open state that is open no more.
    #[inline]
    fn take(&mut self, id: StateId, into: &mut StateBuf) {
        self.read(id, into);
    }

    /// An open state need not be read once more than it is held otherwise.
    fn let_go(&mut self, _id: StateId) {}

    /// Is this the state with that id, open or not? A store that is [lossy](Self::is_lossy) may confuse it with another one.
    fn is(&mut self, id: StateId, state: State<'_>) -> bool {
        let mut known = StateBuf::default();
        self.read(id, &mut known);
        known.as_state() == state
    }

    /// Number of states stored, as far as this handle knows: what others are about to add may be missing.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes used.
    fn memory(&self) -> u64;

    /// Others hold so many bytes now, which a store with a budget has to leave to them: what it takes for a moment while it grows
    /// must fit beside them.
    fn leave_room(&mut self, _bytes: u64) {}

    /// Can another store be [filled](Self::restore) so that it is as this one, from the states and their
    /// [presences](Self::presences)?
    fn is_restorable(&self) -> bool {
        false
    }

    /// The presences of these states, in their order, if they are not all compared exactly, whatever they cost.
    fn presences(&self, _ids: &mut dyn Iterator<Item = StateId>) -> Option<Vec<Presence>> {
        None
    }

    /// Adds a state as it was in another store, which had those before it and is given in the order of ids. To the store that has
    /// them all it must be new. For one handle only, before others are made.
    fn restore(&mut self, state: State<'_>, _presence: Presence) -> Result<Lookup, OutOfMemory> {
        self.insert(state, 0, &mut Vec::new())
    }

    /// True if the store may take two different states for the same: then a search without result proves nothing.
    fn is_lossy(&self) -> bool {
        false
    }
}
