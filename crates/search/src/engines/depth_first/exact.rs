//! All states, with the least cost at which each was entered.
//!
//! States are stored when they are met, so that the alternatives beside the path are mere ids; they count as visited
//! when they are entered, so that the order is depth-first.

use bughound_kernel::{Lookup, OutOfMemory, State, StateBuf, StateId, StateStore, StoreSource};

use crate::engines::depth_first::visited::{Kept, Visited};
use crate::node_table::{NodeTable, Visit};
use crate::search::Task;

pub(super) struct Exact<'t> {
    stores: &'t dyn StoreSource,
    store: Box<dyn StateStore + 't>,
    has_covers: bool,
    /// By state. Expanded: it was entered, at this cost. Open: it was cut off, at this value, and not entered so far.
    nodes: NodeTable,
    /// All ids that have a node are below this.
    end: u32,
    just_displaced: Vec<StateId>,
    stored: u64,
    displaced: u64,
}

impl<'t> Exact<'t> {
    pub(super) fn new(task: &Task<'t>) -> Self {
        Exact {
            stores: task.stores,
            store: task.stores.new_store(),
            has_covers: task.system.layout().cover_len > 0,
            nodes: NodeTable::default(),
            end: 0,
            just_displaced: Vec::new(),
            stored: 0,
            displaced: 0,
        }
    }

    fn was_entered_within(&self, id: StateId, cost: u64) -> bool {
        self.nodes.was_expanded(id) && self.nodes.cost(id) <= cost
    }

    /// A larger state, no dearer, was met and will be entered (or cannot lead to an error within the bound): what it
    /// displaces need not be.
    fn retire_displaced(&mut self) -> Result<(), OutOfMemory> {
        self.displaced += self.just_displaced.len() as u64;
        for id in std::mem::take(&mut self.just_displaced) {
            self.stored -= u64::from(self.nodes.was_expanded(id));
            // As if it were entered at no cost: then it never is.
            self.nodes.relink(id, None, 0)?;
            self.nodes.open(id);
            self.nodes.take(id);
        }
        Ok(())
    }
}

impl Visited for Exact<'_> {
    fn meet(&mut self, state: State<'_>, cost: u64) -> Result<Option<Kept>, OutOfMemory> {
        let id = match self.store.insert(state, cost, &mut self.just_displaced)? {
            Lookup::Covered(_) => return Ok(None),
            Lookup::New(id) | Lookup::Known(id) => id,
        };
        // Known states have no node yet if only an earlier pass has seen them.
        if !self.nodes.is_present(id) {
            self.nodes.enter(id, None, 0)?;
            self.end = self.end.max(id.0 + 1);
        }
        if !self.just_displaced.is_empty() {
            self.retire_displaced()?;
        }
        Ok((!self.was_entered_within(id, cost)).then_some(Kept(id.index())))
    }

    fn read(&self, kept: Kept, into: &mut StateBuf) {
        self.store.read(id(kept), into);
    }

    fn id(&self, kept: Kept) -> Option<StateId> {
        Some(id(kept))
    }

    fn enter(&mut self, kept: Kept, cost: u64) -> Result<Option<Visit>, OutOfMemory> {
        let id = id(kept);
        // It was met at this cost, but may have been entered at less since.
        if self.was_entered_within(id, cost) {
            return Ok(None);
        }
        self.nodes.relink(id, None, cost)?;
        self.nodes.open(id);
        let visit = self.nodes.take(id).map(|taken| taken.visit);
        self.stored += u64::from(visit == Some(Visit::First));
        Ok(visit)
    }

    fn note_cut(&mut self, kept: Kept, f: u64) -> Result<(), OutOfMemory> {
        let id = id(kept);
        let is_lower = !self.nodes.is_open(id) || f < self.nodes.cost(id);
        if !self.nodes.was_expanded(id) && is_lower {
            self.nodes.relink(id, None, f)?;
            self.nodes.open(id);
        }
        Ok(())
    }

    fn least_cut(&self) -> Option<u64> {
        let ids = (0..self.end).map(StateId);
        ids.filter(|&id| self.nodes.is_open(id)).map(|id| self.nodes.cost(id)).min()
    }

    fn stored(&self) -> u64 {
        self.stored
    }

    fn displaced(&self) -> u64 {
        self.displaced
    }

    fn memory(&self) -> u64 {
        self.store.memory() + self.nodes.memory()
    }

    fn leave_room(&mut self, bytes: u64) {
        self.store.leave_room(bytes + self.nodes.memory());
    }

    fn is_lossy(&self) -> bool {
        self.store.is_lossy()
    }

    /// The store stays: most of its states are met again, and their estimates are known by id. Only with covers it
    /// depends on costs which states make others superfluous.
    fn restart(&mut self) -> bool {
        self.nodes = NodeTable::default();
        (self.end, self.stored, self.displaced) = (0, 0, 0);
        if self.has_covers {
            self.store = self.stores.new_store();
        }
        !self.has_covers
    }
}

fn id(kept: Kept) -> StateId {
    StateId(kept.0 as u32)
}
