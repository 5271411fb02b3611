//! The covering store: for each key the covers (clock zones) met with it, of which the largest are kept.
//!
//! A state is superfluous if another one with the same key has a larger cover and was reached at no higher cost: what
//! the small one can do, the large one can do as cheaply. Dropping a state in favour of a larger one that costs more would
//! lose shortest paths. Superfluous states leave the list of their key but stay readable: they may lie on the path to
//! others.
//!
//! The list of a key only serves to compare newcomers. In a search that takes states in the order of their costs, all
//! newcomers are as dear as the latest one (the *floor*), so a smaller state leaves the list even if it was cheaper.
//!
//! Covers are sequences of rows, each different row stored once. A clock zone is a square matrix. Zones of different states
//! seldom are the same, but their rows often are: a row says how one clock is related to the others. A zone then takes one
//! number for each clock instead of one for each pair.
//!
//! **Several threads** share keys and rows without locks. The list of a key is looked at and changed under one of many locks,
//! so a newcomer is compared with everything that was there before it. What belongs to a state is written before the state is
//! on a list.

use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bughound_kernel::{Growing, Layout, Lookup, OutOfMemory, Presence, State, StateBuf, StateId, StateStore, delays};
use foldhash::quality::FixedState;

use crate::exact::ExactStore;
use crate::numbering::Numbering;

/// A list link: the id plus one, 0 at the end.
type Link = u32;

/// Locks for the lists of keys; two threads seldom want the same one.
const LOCKS: usize = 256;
/// Ids that a thread takes at once.
const BLOCK: u32 = 256;

/// States with covers. `C` decides whether of two covers of states with a key the first includes the second. A handle:
/// [`fork`](StateStore::fork) makes others on the same states.
#[derive(Debug)]
pub struct CoveringStore<C> {
    all: Arc<Lists<C>>,
    keys: ExactStore,
    pen: Pen,
    budget: u64,
    /// The same with what others hold.
    total: u64,
}

/// What a handle reads and writes covers with.
#[derive(Debug)]
struct Pen {
    rows: Numbering,
    hasher: FixedState,
    /// The rows of the cover being added.
    numbers: Box<[u32]>,
    /// The cover of a known state that is being compared.
    known: Box<[i32]>,
    next: u32,
    /// The end of the block of ids.
    end: u32,
}

/// What the handles share besides keys and rows.
#[derive(Debug)]
struct Lists<C> {
    covers: C,
    cover_len: usize,
    row_len: usize,
    locks: Box<[Mutex<()>]>,
    /// By key: the newest live state with this key.
    heads: Growing<AtomicU32>,
    /// By state: its key and the next live state of the same key.
    links: Growing<AtomicU32>,
    /// By state: the cost at which it was reached.
    costs: Growing<AtomicU64>,
    /// By state: the numbers of the rows of its cover.
    zones: Growing<AtomicU32>,
    blocks: AtomicU32,
    count: AtomicU64,
    /// Newcomers cost at least this.
    floor: AtomicU64,
}

impl<C: Fn(&[i32], &[i32], &[i32]) -> bool + Send + Sync> CoveringStore<C> {
    /// For states with covers. `covers(key, large, small)`: usually that of the system. It must be transitive.
    pub fn new(layout: &Layout, covers: C) -> Self {
        let cover_len = layout.cover_len;
        let row_len = cover_len.isqrt().max(1);
        let lists = Lists {
            covers,
            cover_len,
            row_len,
            locks: (0..LOCKS).map(|_| Mutex::new(())).collect(),
            heads: Growing::default(),
            links: Growing::of_rows(2),
            costs: Growing::default(),
            zones: Growing::of_rows(cover_len.div_ceil(row_len)),
            blocks: AtomicU32::new(0),
            count: AtomicU64::new(0),
            floor: AtomicU64::new(0),
        };
        Self::handle(Arc::new(lists), ExactStore::for_keys(layout), Numbering::new(row_len), u64::MAX)
    }

    fn handle(all: Arc<Lists<C>>, keys: ExactStore, rows: Numbering, budget: u64) -> Self {
        let numbers = vec![0; all.cover_len.div_ceil(all.row_len)].into();
        let known = vec![0; all.cover_len].into();
        let pen = Pen { rows, hasher: FixedState::default(), numbers, known, next: 0, end: 0 };
        CoveringStore { all, keys, pen, budget, total: budget }
    }

    /// Refuses to grow beyond `bytes`.
    pub fn with_budget(mut self, bytes: u64) -> Self {
        (self.budget, self.total) = (bytes, bytes);
        self
    }
}

impl<C: Fn(&[i32], &[i32], &[i32]) -> bool> Lists<C> {
    /// Is there a state with the same key that makes this one, reached at `cost`, superfluous?
    fn find_cover(&self, pen: &mut Pen, key: u32, state: State<'_>, cost: u64) -> Option<Lookup> {
        let mut link = self.head(key);
        while link != 0 {
            let number = link - 1;
            self.read(&pen.rows, number, &mut pen.known);
            let known = &*pen.known;
            if known == state.cover {
                return Some(Lookup::Known(StateId(number)));
            }
            if self.cost(number) <= cost && (self.covers)(state.key, known, state.cover) {
                return Some(Lookup::Covered(StateId(number)));
            }
            link = self.links(number).1;
        }
        None
    }

    /// Takes out of the list all states but `except` that this one, reached at `cost`, makes superfluous.
    fn displace(
        &self,
        pen: &mut Pen,
        key: u32,
        state: State<'_>,
        cost: u64,
        except: u32,
        displaced: &mut Vec<StateId>,
    ) {
        let floor = self.floor.load(Ordering::Relaxed);
        let mut before = None;
        let mut link = self.head(key);
        while link != 0 {
            let number = link - 1;
            let next = self.links(number).1;
            let superfluous = except != number && (cost <= floor || self.cost(number) >= cost) && {
                self.read(&pen.rows, number, &mut pen.known);
                (self.covers)(state.key, state.cover, &pen.known)
            };
            if !superfluous {
                before = Some(number);
            } else {
                displaced.push(StateId(number));
                match before {
                    Some(before) => self.set_next(before, next),
                    None => self.set_head(key, next),
                }
            }
            link = next;
        }
    }

    /// Adds a state to the list of its key, which is locked, if that and all rows take no more than so many bytes.
    fn add(&self, pen: &mut Pen, key: u32, cover: &[i32], cost: u64, budget: u64) -> Result<StateId, OutOfMemory> {
        if pen.next == pen.end {
            let block = self.blocks.fetch_add(1, Ordering::Relaxed);
            // The last ids mean other things elsewhere.
            if block >= u32::MAX / BLOCK - 1 {
                self.blocks.store(u32::MAX / BLOCK - 1, Ordering::Relaxed);
                return Err(OutOfMemory);
            }
            (pen.next, pen.end) = (block * BLOCK, (block + 1) * BLOCK);
        }
        let number = pen.next;
        pen.rows.set_budget(budget.saturating_sub(self.memory()));
        for (at, row) in cover.chunks(self.row_len).enumerate() {
            let mut hasher = pen.hasher.build_hasher();
            hasher.write(bytemuck::cast_slice(row));
            (pen.numbers[at], _) = pen.rows.number(hasher.finish(), bytemuck::cast_slice(row))?;
        }
        let room = self.links.room_for(number) + self.costs.room_for(number) + self.zones.room_for(number);
        if room > budget.saturating_sub(self.memory() + pen.rows.memory()) {
            return Err(OutOfMemory);
        }
        let zone = self.zones.reserve(number)?.iter().zip(&pen.numbers);
        zone.for_each(|(place, row)| place.store(*row, Ordering::Relaxed));
        self.costs.reserve(number)?[0].store(cost, Ordering::Relaxed);
        let links = self.links.reserve(number)?;
        links[0].store(key, Ordering::Relaxed);
        links[1].store(self.head(key), Ordering::Relaxed);
        delays::here();
        self.set_head(key, number + 1);
        self.count.fetch_add(1, Ordering::Relaxed);
        pen.next += 1;
        Ok(StateId(number))
    }
}

impl<C> Lists<C> {
    fn head(&self, key: u32) -> Link {
        self.heads.get(key).map_or(0, |head| head.load(Ordering::Relaxed))
    }

    fn set_head(&self, key: u32, link: Link) {
        if let Some(head) = self.heads.get(key) {
            head.store(link, Ordering::Relaxed);
        }
    }

    /// The key of a state, and the link to the next one.
    fn links(&self, number: u32) -> (u32, Link) {
        match self.links.row(number) {
            Some([key, next]) => (key.load(Ordering::Relaxed), next.load(Ordering::Relaxed)),
            _ => (0, 0),
        }
    }

    fn set_next(&self, number: u32, link: Link) {
        if let Some([_, next]) = self.links.row(number) {
            next.store(link, Ordering::Relaxed);
        }
    }

    fn cost(&self, number: u32) -> u64 {
        self.costs.get(number).map_or(0, |cost| cost.load(Ordering::Relaxed))
    }

    /// Copies the cover of a state to `into`, which has its length.
    #[inline]
    fn read(&self, rows: &Numbering, number: u32, into: &mut [i32]) {
        let zone = self.zones.row(number).unwrap_or_default();
        for (part, row) in into.chunks_mut(self.row_len).zip(zone) {
            let length = part.len();
            let words = rows.words(row.load(Ordering::Relaxed), |_| length);
            if words.len() == length {
                part.copy_from_slice(bytemuck::cast_slice(words));
            }
        }
    }

    /// By state, as bits: is it on the list of its key? Nobody may change them meanwhile.
    fn listed(&self) -> Vec<u64> {
        let mut listed = Vec::new();
        for key in 0..u32::try_from(self.heads.end()).unwrap_or(u32::MAX) {
            let mut link = self.head(key);
            while link != 0 {
                let number = link - 1;
                if number as usize / 64 >= listed.len() {
                    listed.resize(number as usize / 64 + 1, 0);
                }
                listed[number as usize / 64] |= 1 << (number % 64);
                link = self.links(number).1;
            }
        }
        listed
    }

    fn memory(&self) -> u64 {
        self.heads.memory() + self.links.memory() + self.costs.memory() + self.zones.memory()
    }
}

impl<C: Fn(&[i32], &[i32], &[i32]) -> bool + Send + Sync> StateStore for CoveringStore<C> {
    fn fork(&self) -> Option<Box<dyn StateStore + '_>> {
        let (all, keys, rows) = (Arc::clone(&self.all), self.keys.another(), self.pen.rows.fork());
        Some(Box::new(Self::handle(all, keys, rows, self.total)))
    }

    /// A state that is there already but is now reached at less cost is `Known`, and the store takes note of the cost.
    fn insert(&mut self, state: State<'_>, cost: u64, displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        assert!(state.cover.len() == self.all.cover_len, "a cover has the wrong length");
        let CoveringStore { all, keys, pen, budget, .. } = self;
        keys.set_budget(budget.saturating_sub(pen.rows.memory() + all.memory()));
        let (StateId(key), _) = keys.insert_key(state.key, None)?;
        all.heads.reserve(key)?;
        let _list = all.locks[key as usize % LOCKS].lock().unwrap_or_else(PoisonError::into_inner);
        match all.find_cover(pen, key, state, cost) {
            Some(Lookup::Known(id)) => {
                if cost < all.cost(id.0) {
                    all.costs.reserve(id.0)?[0].store(cost, Ordering::Relaxed);
                    all.displace(pen, key, state, cost, id.0, displaced);
                }
                Ok(Lookup::Known(id))
            }
            Some(found) => Ok(found),
            None => {
                let id = all.add(pen, key, state.cover, cost, budget.saturating_sub(keys.memory()))?;
                all.displace(pen, key, state, cost, id.0, displaced);
                Ok(Lookup::New(id))
            }
        }
    }

    fn set_floor(&mut self, cost: u64) {
        self.all.floor.store(cost, Ordering::Relaxed);
    }

    fn read(&self, id: StateId, into: &mut StateBuf) {
        self.keys.read_key(StateId(self.all.links(id.0).0), &mut into.key);
        into.cover.resize(self.all.cover_len, 0);
        self.all.read(&self.pen.rows, id.0, &mut into.cover);
    }

    /// All states that ever had an id, displaced ones included.
    fn len(&self) -> usize {
        self.all.count.load(Ordering::Relaxed) as usize
    }

    fn memory(&self) -> u64 {
        self.keys.memory() + self.pen.rows.memory() + self.all.memory()
    }

    fn leave_room(&mut self, bytes: u64) {
        self.budget = self.total.saturating_sub(bytes);
    }

    fn is_restorable(&self) -> bool {
        true
    }

    fn presences(&self, ids: &mut dyn Iterator<Item = StateId>) -> Option<Vec<Presence>> {
        let listed = self.all.listed();
        let presence = |StateId(id): StateId| match listed.get(id as usize / 64) {
            Some(word) if word >> (id % 64) & 1 == 1 => Presence::Compared(self.all.cost(id)),
            _ => Presence::Displaced,
        };
        Some(ids.map(presence).collect())
    }

    /// Every state was on a list once, so lists have the order that they had.
    fn restore(&mut self, state: State<'_>, presence: Presence) -> Result<Lookup, OutOfMemory> {
        assert!(state.cover.len() == self.all.cover_len, "a cover has the wrong length");
        let CoveringStore { all, keys, pen, budget, .. } = self;
        keys.set_budget(budget.saturating_sub(pen.rows.memory() + all.memory()));
        let (StateId(key), _) = keys.insert_key(state.key, None)?;
        all.heads.reserve(key)?;
        let next = all.head(key);
        let cost = if let Presence::Compared(cost) = presence { cost } else { 0 };
        let id = all.add(pen, key, state.cover, cost, budget.saturating_sub(keys.memory()))?;
        if presence == Presence::Displaced {
            all.set_head(key, next);
        }
        Ok(Lookup::New(id))
    }
}
