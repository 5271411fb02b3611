//! What a worker knows of the states that it owns: their cost, the way they were reached, whether they are open.

use bughound_kernel::{Growing, OutOfMemory, StateId};
use std::sync::atomic::{AtomicU64, Ordering};

/// A state, wherever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    pub worker: u32,
    pub id: StateId,
}

/// By state: its cost, and a word with its parent and what becomes of it.
#[derive(Debug)]
pub struct Nodes {
    costs: Growing<AtomicU64>,
    links: Growing<AtomicU64>,
}

const OPEN: u64 = 1 << 63;
const EXPANDED: u64 = 1 << 62;
const BEYOND: u64 = 1 << 61;
const ROOT: u64 = 1 << 60;
const PARENT: u64 = ROOT - 1;

/// Parents are told by 28 bits for the worker and 32 for the number.
#[cfg(test)]
const MOST_WORKERS: usize = 1 << 28;

impl Nodes {
    pub fn new() -> Self {
        Nodes { costs: Growing::default(), links: Growing::default() }
    }

    fn link(&self, id: StateId) -> u64 {
        self.links.get(id.0).map_or(0, |link| link.load(Ordering::Relaxed))
    }

    fn change(&mut self, id: StateId, change: impl FnOnce(u64) -> u64) {
        if let Some(link) = self.links.get(id.0) {
            link.store(change(link.load(Ordering::Relaxed)), Ordering::Relaxed);
        }
    }

    /// Notes how a state was reached, for the first time or at less cost.
    #[inline]
    pub fn reach(&mut self, id: StateId, parent: Option<Address>, cost: u64) -> Result<(), OutOfMemory> {
        let parent = parent.map_or(ROOT, |Address { worker, id }| (u64::from(worker) << 32) | u64::from(id.0));
        self.costs.reserve(id.0)?[0].store(cost, Ordering::Relaxed);
        let link = &self.links.reserve(id.0)?[0];
        link.store(link.load(Ordering::Relaxed) & !(PARENT | ROOT) | parent, Ordering::Relaxed);
        Ok(())
    }

    #[inline]
    pub fn cost(&self, id: StateId) -> u64 {
        self.costs.get(id.0).map_or(0, |cost| cost.load(Ordering::Relaxed))
    }

    pub fn parent(&self, id: StateId) -> Option<Address> {
        let link = self.link(id);
        let parent = link & PARENT;
        (link & ROOT == 0).then_some(Address { worker: (parent >> 32) as u32, id: StateId(parent as u32) })
    }

    #[inline]
    pub fn open(&mut self, id: StateId) {
        self.change(id, |link| link | OPEN);
    }

    pub fn close(&mut self, id: StateId) {
        self.change(id, |link| link & !OPEN);
    }

    /// Takes an open state to expand it; tells whether it is expanded for the first time. `None` if it is not open any more.
    #[inline]
    pub fn take(&mut self, id: StateId) -> Option<Visit> {
        let link = self.link(id);
        if link & OPEN == 0 {
            return None;
        }
        self.change(id, |link| link & !OPEN | EXPANDED);
        Some(if link & EXPANDED == 0 { Visit::First } else { Visit::Again })
    }

    pub fn was_expanded(&self, id: StateId) -> bool {
        self.link(id) & EXPANDED != 0
    }

    /// It lies beyond the bound on costs: stored, but not counted.
    pub fn set_beyond(&mut self, id: StateId, beyond: bool) {
        self.change(id, |link| if beyond { link | BEYOND } else { link & !BEYOND });
    }

    pub fn is_beyond(&self, id: StateId) -> bool {
        self.link(id) & BEYOND != 0
    }

    /// All that is known of a state, as two numbers.
    pub fn as_numbers(&self, id: StateId) -> [u64; 2] {
        [self.cost(id), self.link(id)]
    }

    /// The inverse.
    pub fn restore(&mut self, id: StateId, [cost, link]: [u64; 2]) -> Result<(), OutOfMemory> {
        self.costs.reserve(id.0)?[0].store(cost, Ordering::Relaxed);
        self.links.reserve(id.0)?[0].store(link, Ordering::Relaxed);
        Ok(())
    }

    pub fn memory(&self) -> u64 {
        self.costs.memory() + self.links.memory()
    }
}

/// Whether a state was expanded before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    First,
    Again,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_expanded_once_for_each_time_that_it_was_opened() {
        let (mut nodes, id) = (Nodes::new(), StateId(5));
        nodes.reach(id, None, 9).unwrap();
        assert_eq!((nodes.parent(id), nodes.cost(id), nodes.take(id)), (None, 9, None));
        nodes.open(id);
        nodes.open(id);
        assert_eq!((nodes.take(id), nodes.take(id)), (Some(Visit::First), None));
        let parent = Address { worker: MOST_WORKERS as u32 - 1, id: StateId(u32::MAX) };
        nodes.reach(id, Some(parent), 4).unwrap();
        nodes.open(id);
        nodes.set_beyond(id, true);
        assert_eq!((nodes.parent(id), nodes.cost(id), nodes.is_beyond(id)), (Some(parent), 4, true));
        assert_eq!((nodes.take(id), nodes.was_expanded(id)), (Some(Visit::Again), true));
        nodes.set_beyond(id, false);
        nodes.open(id);
        nodes.close(id);
        assert_eq!((nodes.take(id), nodes.is_beyond(id)), (None, false));
    }
}
