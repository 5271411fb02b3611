//! A store that begins as the exact one and goes on as a tree when half of its memory is used up: as fast as possible while there
//! is room, and room for more states after that. Nothing is started again, and states keep their ids.

use bughound_kernel::{Changes, Layout, Lookup, OutOfMemory, State, StateBuf, StateId, StateStore};

use crate::exact::ExactStore;
use crate::tree::TreeStore;

#[derive(Debug)]
pub struct HandingOver {
    now: Now,
    layout: Layout,
    budget: u64,
    /// The same with what others hold.
    total: u64,
    /// Bytes of the exact store at which trees are tried, if they are still to be tried.
    limit: Option<u64>,
}

#[derive(Debug)]
enum Now {
    Exact(ExactStore),
    Tree(TreeStore),
}

impl HandingOver {
    /// A store that never takes more than `budget` bytes.
    pub fn new(layout: &Layout, budget: u64) -> Self {
        let now = Now::Exact(ExactStore::new(layout).with_budget(budget));
        let limit = TreeStore::fits(layout).then_some(budget / 2);
        HandingOver { now, layout: layout.clone(), budget, total: budget, limit }
    }

    /// The same states as trees, if there is room for that beside the exact store.
    fn as_trees(&self, exact: &ExactStore) -> Option<TreeStore> {
        let mut tree = TreeStore::new(&self.layout).with_budget(self.budget.saturating_sub(exact.memory()));
        let (mut state, mut displaced) = (StateBuf::default(), Vec::new());
        for id in (0..exact.len() as u32).map(StateId) {
            exact.read(id, &mut state);
            if tree.insert(state.as_state(), 0, &mut displaced) != Ok(Lookup::New(id)) {
                return None;
            }
        }
        Some(tree.with_budget(self.total))
    }

    #[cold]
    fn hand_over(&mut self) {
        let Now::Exact(exact) = &self.now else { return };
        match self.as_trees(exact) {
            // If next to nothing is saved, trees would only be slower.
            Some(tree) if tree.memory() < exact.memory() / 4 * 3 => self.now = Now::Tree(tree),
            _ => {}
        }
        self.limit = None;
    }
}

impl StateStore for HandingOver {
    #[inline]
    fn insert(&mut self, state: State<'_>, cost: u64, displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        match &mut self.now {
            Now::Exact(exact) => {
                let done = exact.insert(state, cost, displaced);
                if self.limit.is_some_and(|limit| exact.memory() >= limit) {
                    self.hand_over();
                }
                done
            }
            Now::Tree(tree) => tree.insert(state, cost, displaced),
        }
    }

    #[inline]
    fn insert_beside(
        &mut self,
        state: State<'_>,
        changes: Changes<'_>,
        cost: u64,
        displaced: &mut Vec<StateId>,
    ) -> Result<Lookup, OutOfMemory> {
        match &mut self.now {
            Now::Exact(exact) if self.limit.is_none_or(|limit| exact.memory() < limit) => {
                exact.insert_beside(state, changes, cost, displaced)
            }
            _ => self.insert(state, cost, displaced),
        }
    }

    #[inline]
    fn read(&self, id: StateId, into: &mut StateBuf) {
        match &self.now {
            Now::Exact(exact) => exact.read(id, into),
            Now::Tree(tree) => tree.read(id, into),
        }
    }

    fn len(&self) -> usize {
        match &self.now {
            Now::Exact(exact) => exact.len(),
            Now::Tree(tree) => tree.len(),
        }
    }

    fn memory(&self) -> u64 {
        match &self.now {
            Now::Exact(exact) => exact.memory(),
            Now::Tree(tree) => tree.memory(),
        }
    }

    fn leave_room(&mut self, bytes: u64) {
        self.budget = self.total.saturating_sub(bytes);
        self.limit = self.limit.map(|_| self.budget / 2);
        match &mut self.now {
            Now::Exact(exact) => exact.leave_room(bytes),
            Now::Tree(tree) => tree.leave_room(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Slot;

    /// States of 60 words in which two small numbers change.
    fn fill(store: &mut dyn StateStore) -> u32 {
        let mut key = vec![1; 60];
        for n in 0..1_000_000 {
            (key[3], key[31], key[50]) = (n % 100, n / 100 % 100, n / 10_000);
            match store.insert(State::discrete(&key), 0, &mut Vec::new()) {
                Ok(found) => assert_eq!(found, Lookup::New(StateId(n as u32))),
                Err(OutOfMemory) => return n as u32,
            }
        }
        1_000_000
    }

    #[test]
    fn more_states_fit_and_keep_their_numbers() {
        let layout = Layout::new(vec![Slot::new(i32::MIN, i32::MAX); 60]);
        let budget = 1 << 21;
        let exact = fill(&mut ExactStore::new(&layout).with_budget(budget));
        let mut store = HandingOver::new(&layout, budget);
        let both = fill(&mut store);
        assert!(matches!(store.now, Now::Tree(_)) && both > 3 * exact, "{exact} and {both}");
        assert!(store.memory() <= budget);
        let mut state = StateBuf::default();
        for n in 0..both {
            store.read(StateId(n), &mut state);
            let n = n as i32;
            assert_eq!((state.key[3], state.key[31], state.key[50]), (n % 100, n / 100 % 100, n / 10_000));
        }
    }

    #[test]
    fn where_nothing_is_shared_the_exact_store_goes_on() {
        let layout = Layout::new(vec![Slot::new(i32::MIN, i32::MAX); 2]);
        let mut store = HandingOver::new(&layout, 1 << 20);
        let mut n = 0;
        while store.insert(State::discrete(&[n, n]), 0, &mut Vec::new()).is_ok() {
            n += 1;
        }
        assert!(matches!(store.now, Now::Exact(_)) && n > 20_000, "{n}");
    }
}
