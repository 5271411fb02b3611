//! The covering store: for each key the covers (clock zones) met with it, of which the largest are kept.
//!
//! A state is superfluous if another one with the same key has a larger cover and was reached at no higher cost: what
//! the small one can do, the large one can do as cheaply. Dropping a state in favour of a larger one that costs more would
//! lose shortest paths. Superfluous states leave the list of their key but stay readable: they may lie on the path to
//! others.
//!
//! The list of a key only serves to compare newcomers. In a search that takes states in the order of their costs, all
//! newcomers are as dear as the latest one (the *floor*), so a smaller state leaves the list even if it was cheaper.

use bughound_kernel::{Layout, Lookup, OutOfMemory, State, StateBuf, StateId, StateStore};

use crate::column::Column;
use crate::exact::{ExactStore, Novelty};
use crate::rows::Covers;
use crate::sharded::Rationed;

/// A list link: the id plus one, 0 at the end.
type Link = u32;

/// States with covers. `C` decides whether of two covers of states with a key the first includes the second.
#[derive(Debug)]
pub struct CoveringStore<C> {
    covers: C,
    cover_len: usize,
    keys: ExactStore,
    /// By key: the newest live state with this key.
    heads: Column<Link>,
    /// By state: its key, the next live state of the same key, the cost at which it was reached, its cover.
    key_of: Column<u32>,
    next: Column<Link>,
    costs: Column<u64>,
    zones: Covers,
    /// The cover of a known state that is being compared.
    known: Box<[i32]>,
    /// Newcomers cost at least this.
    floor: u64,
    budget: u64,
}

impl<C: Fn(&[i32], &[i32], &[i32]) -> bool + Send> CoveringStore<C> {
    /// For states with covers. `covers(key, large, small)`: usually that of the system. It must be transitive.
    pub fn new(layout: &Layout, covers: C) -> Self {
        CoveringStore {
            covers,
            cover_len: layout.cover_len,
            keys: ExactStore::for_keys(layout),
            heads: Column::new(),
            key_of: Column::new(),
            next: Column::new(),
            costs: Column::new(),
            zones: Covers::new(layout.cover_len),
            known: vec![0; layout.cover_len].into(),
            floor: 0,
            budget: u64::MAX,
        }
    }

    /// Refuses to grow beyond `bytes`.
    pub fn with_budget(mut self, bytes: u64) -> Self {
        self.budget = bytes;
        self
    }

    /// Is there a state with the same key that makes this one, reached at `cost`, superfluous?
    fn find_cover(&mut self, key: u32, state: State<'_>, cost: u64) -> Option<Lookup> {
        let mut link = self.heads.get(key);
        while link != 0 {
            let number = link - 1;
            self.zones.read(number, &mut self.known);
            let known = &*self.known;
            if known == state.cover {
                return Some(Lookup::Known(StateId(number)));
            }
            if self.costs.get(number) <= cost && (self.covers)(state.key, known, state.cover) {
                return Some(Lookup::Covered(StateId(number)));
            }
            link = self.next.get(number);
        }
        None
    }

    /// Takes out of the list all states but `except` that this one, reached at `cost`, makes superfluous.
    fn displace(&mut self, key: u32, state: State<'_>, cost: u64, except: Option<u32>, displaced: &mut Vec<StateId>) {
        let mut before = None;
        let mut link = self.heads.get(key);
        while link != 0 {
            let number = link - 1;
            let next = self.next.get(number);
            let superfluous = except != Some(number) && (cost <= self.floor || self.costs.get(number) >= cost) && {
                self.zones.read(number, &mut self.known);
                (self.covers)(state.key, state.cover, &self.known)
            };
            if !superfluous {
                before = Some(number);
            } else {
                displaced.push(StateId(number));
                match before {
                    Some(before) => self.next.set(before, next),
                    None => self.heads.set(key, next),
                }
            }
            link = next;
        }
    }

    fn add(&mut self, key: u32, cover: &[i32], cost: u64) -> Result<StateId, OutOfMemory> {
        let number = self.key_of.len() as u32;
        if number >= u32::MAX - 1 || self.memory() > self.budget {
            return Err(OutOfMemory);
        }
        // All room first: a failure in between must not leave half a state.
        self.key_of.reserve()?;
        self.next.reserve()?;
        self.costs.reserve()?;
        self.zones.push(cover, self.budget.saturating_sub(self.memory() - self.zones.memory()))?;
        self.key_of.push(key);
        self.next.push(self.heads.get(key));
        self.costs.push(cost);
        self.heads.set(key, number + 1);
        Ok(StateId(number))
    }
}

impl<C: Fn(&[i32], &[i32], &[i32]) -> bool + Send> Rationed for CoveringStore<C> {
    fn set_budget(&mut self, bytes: u64) {
        self.budget = bytes;
    }
}

impl<C: Fn(&[i32], &[i32], &[i32]) -> bool + Send> StateStore for CoveringStore<C> {
    /// A state that is there already but is now reached at less cost is `Known`, and the store takes note of the cost.
    fn insert(&mut self, state: State<'_>, cost: u64, displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        assert!(state.cover.len() == self.cover_len, "a cover has the wrong length");
        let budget = self.budget.saturating_sub(self.memory() - self.keys.memory());
        self.keys.set_budget(budget);
        self.heads.reserve()?;
        let (StateId(key), novelty) = self.keys.insert_key(state.key)?;
        if novelty == Novelty::New {
            self.heads.push(0);
        }
        match self.find_cover(key, state, cost) {
            Some(Lookup::Known(id)) => {
                if cost < self.costs.get(id.0) {
                    self.costs.set(id.0, cost);
                    self.displace(key, state, cost, Some(id.0), displaced);
                }
                Ok(Lookup::Known(id))
            }
            Some(found) => Ok(found),
            None => {
                let id = self.add(key, state.cover, cost)?;
                self.displace(key, state, cost, Some(id.0), displaced);
                Ok(Lookup::New(id))
            }
        }
    }

    fn set_floor(&mut self, cost: u64) {
        self.floor = cost;
    }

    fn read(&self, id: StateId, into: &mut StateBuf) {
        self.keys.read_key(StateId(self.key_of.get(id.0)), &mut into.key);
        into.cover.resize(self.cover_len, 0);
        self.zones.read(id.0, &mut into.cover);
    }

    /// All states that ever had an id, displaced ones included: ids are dense.
    fn len(&self) -> usize {
        self.key_of.len()
    }

    fn memory(&self) -> u64 {
        let columns = self.heads.memory() + self.key_of.memory() + self.next.memory() + self.costs.memory();
        self.keys.memory() + columns + self.zones.memory()
    }
}
