//! The states of the path and no others: no cycle is followed, but each path is.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use bughound_kernel::{OutOfMemory, State, StateBuf, TransitionSystem};

use crate::engines::depth_first::visited::{Kept, StateStack, Visited};
use crate::node_table::Visit;
use crate::search::Task;

#[derive(Clone, Copy, Debug)]
struct OnPath {
    state: Kept,
    hash: u64,
    /// The last state before it on the path with the same hash.
    before: Option<usize>,
}

pub(super) struct PathOnly<'t> {
    system: &'t dyn TransitionSystem,
    /// The states of the path and beside it.
    states: StateStack,
    path: Vec<OnPath>,
    /// By hash of the key: the last such state on the path.
    last: HashMap<u64, usize>,
    longest: usize,
    least_cut: Option<u64>,
}

impl<'t> PathOnly<'t> {
    pub(super) fn new(task: &Task<'t>) -> Self {
        PathOnly {
            system: task.system,
            states: StateStack::default(),
            path: Vec::new(),
            last: HashMap::new(),
            longest: 0,
            least_cut: None,
        }
    }

    /// Is the state, or one that covers it, on the path? Costs only grow along the path: it was reached at no less.
    fn is_on_path(&self, state: State<'_>) -> bool {
        let mut at = self.last.get(&hash(state)).copied();
        while let Some(number) = at {
            let known = self.states.get(self.path[number].state);
            if known.key == state.key && self.system.covers(state.key, known.cover, state.cover) {
                return true;
            }
            at = self.path[number].before;
        }
        false
    }
}

fn hash(state: State<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.key.hash(&mut hasher);
    hasher.finish()
}

impl Visited for PathOnly<'_> {
    fn meet(&mut self, state: State<'_>, _cost: u64) -> Result<Option<Kept>, OutOfMemory> {
        if self.is_on_path(state) {
            return Ok(None);
        }
        self.states.push(state).map(Some)
    }

    fn read(&self, kept: Kept, into: &mut StateBuf) {
        into.set(self.states.get(kept));
    }

    fn enter(&mut self, kept: Kept, _cost: u64) -> Result<Option<Visit>, OutOfMemory> {
        self.path.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.last.try_reserve(1).map_err(|_| OutOfMemory)?;
        let hash = hash(self.states.get(kept));
        let before = self.last.insert(hash, self.path.len());
        self.path.push(OnPath { state: kept, hash, before });
        self.longest = self.longest.max(self.path.len());
        Ok(Some(Visit::First))
    }

    fn leave(&mut self) {
        if let Some(OnPath { hash, before, .. }) = self.path.pop() {
            match before {
                Some(before) => self.last.insert(hash, before),
                None => self.last.remove(&hash),
            };
        }
    }

    fn note_cut(&mut self, _kept: Kept, f: u64) -> Result<(), OutOfMemory> {
        self.least_cut = self.least_cut.into_iter().chain([f]).min();
        Ok(())
    }

    fn least_cut(&self) -> Option<u64> {
        self.least_cut
    }

    fn mark(&self) -> usize {
        self.states.len()
    }

    fn release(&mut self, mark: usize) {
        self.states.truncate(mark);
    }

    /// The most states that were on the path at once.
    fn stored(&self) -> u64 {
        self.longest as u64
    }

    fn memory(&self) -> u64 {
        let index = self.last.capacity() * (size_of::<(u64, usize)>() + 1);
        self.states.memory() + (self.path.capacity() * size_of::<OnPath>() + index) as u64
    }

    fn is_lossy(&self) -> bool {
        false
    }

    fn restart(&mut self) -> bool {
        self.states.truncate(0);
        self.path.clear();
        self.last.clear();
        (self.longest, self.least_cut) = (0, None);
        true
    }
}
