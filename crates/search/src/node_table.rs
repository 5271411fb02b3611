//! What a search knows of each stored state: its parent, its cost and whether it waits to be expanded. 8 bytes each, in one
//! word, so that threads see a cost together with the parent that it belongs to.
//!
//! **Several threads.** A state can be met by one thread before the thread that has stored it has made its node: whoever is
//! first makes it, and has to open the state. A cost only falls, by an exchange of the whole word; who has lowered it opens the
//! state again, so a state whose cost fell while it was being expanded is expanded once more.
//!
//! **One thread.** It need not exchange words but reads and writes them: before a word is locked, the processor waits until all that
//! was written before is in the cache. So a table belongs to one thread until it is [shared](NodeTable::share).

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bughound_kernel::{Growing, OutOfMemory, StateId, delays};

const OPEN: u64 = 1 << 63;
const EXPANDED: u64 = 1 << 62;
/// All of its steps were taken, although some could have been postponed.
const WHOLE: u64 = 1 << 61;
/// There is a node. Never without this flag, so that 0 is no node.
const PRESENT: u64 = 1 << 60;
const FLAGS: u64 = OPEN | EXPANDED | WHOLE | PRESENT;
/// The parent takes the lower half.
const PARENT_BITS: u32 = u32::BITS;
/// In place of a cost that does not fit 28 bits; the cost is in the side map.
const WIDE: u64 = (1 << 28) - 1;
/// In place of a parent. Stores number at most `u32::MAX - 1` states.
const NO_PARENT: u32 = u32::MAX;

/// Was a state expanded before?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    First,
    Again,
}

/// What is known of a state that is taken for expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    pub visit: Visit,
    pub cost: u64,
    /// Was it expanded as a whole, although a part would have been enough but for the order of the search?
    pub is_whole: bool,
}

/// All that is known of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub parent: Option<StateId>,
    pub cost: u64,
    pub is_open: bool,
    pub was_expanded: bool,
    pub is_whole: bool,
}

/// When a state takes a new path to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relink {
    /// If it is cheaper.
    Cheaper,
    /// If it is cheaper, and the state waits to be expanded.
    CheaperIfOpen,
    /// If the state waits to be expanded.
    AnyIfOpen,
}

/// What a new path to a state is to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// The first one: the state has a node now.
    First,
    /// It was taken. This is how the state was before.
    Better { cost: u64, closed: bool },
    /// Nothing has changed.
    NoBetter,
}

#[derive(Debug, Default)]
pub struct NodeTable {
    nodes: Growing<AtomicU64>,
    wide: Mutex<HashMap<u32, u64>>,
    /// No state ever cost more.
    highest_cost: AtomicU64,
    /// Several threads change it.
    is_shared: AtomicBool,
    #[cfg(debug_assertions)]
    owner: std::sync::OnceLock<std::thread::ThreadId>,
}

fn with_cost(cost: u64) -> u64 {
    cost.min(WIDE) << PARENT_BITS
}

fn with_parent(parent: Option<StateId>) -> u64 {
    parent.map_or(NO_PARENT, |parent| parent.0).into()
}

impl NodeTable {
    pub fn memory(&self) -> u64 {
        let wide = self.wide().capacity() * (size_of::<(u32, u64)>() + 1);
        self.nodes.memory() + wide as u64
    }

    /// From now on, several threads change it. To be told before they begin.
    pub fn share(&self) {
        self.is_shared.store(true, Ordering::Release);
    }

    /// Exchanges a word if it is the old one; what it is otherwise.
    #[inline]
    fn exchange_word(&self, node: &AtomicU64, (old, new): (u64, u64)) -> Result<(), u64> {
        if self.is_shared.load(Ordering::Relaxed) {
            return node.compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire).map(|_| ());
        }
        #[cfg(debug_assertions)]
        {
            let here = std::thread::current().id();
            assert_eq!(*self.owner.get_or_init(|| here), here, "threads change a table that was not shared");
        }
        let known = node.load(Ordering::Relaxed);
        if known != old {
            return Err(known);
        }
        node.store(new, Ordering::Release);
        Ok(())
    }

    fn wide(&self) -> MutexGuard<'_, HashMap<u32, u64>> {
        self.wide.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A state is about to be stored at this cost. To be told before others can meet it, because of
    /// [`reach`](Self::reach).
    #[inline]
    pub fn announce(&self, cost: u64) {
        if cost > self.highest_cost.load(Ordering::Relaxed) {
            self.highest_cost.fetch_max(cost, Ordering::Relaxed);
        }
    }

    /// Makes the node of a state, not open, unless there is one.
    pub fn enter(&self, id: StateId, parent: Option<StateId>, cost: u64) -> Result<Reached, OutOfMemory> {
        self.announce(cost);
        let node = &self.nodes.reserve(id.0)?[0];
        let word = PRESENT | with_cost(cost) | with_parent(parent);
        let entered = self.exchange(node, id, (0, word), cost, None)?;
        Ok(if entered.is_ok() { Reached::First } else { Reached::NoBetter })
    }

    /// Exchanges the word of a node for another one with this cost. A cost that does not fit is noted under the same lock under
    /// which others read it: nobody sees it before or after the word.
    #[inline]
    fn exchange(
        &self,
        node: &AtomicU64,
        id: StateId,
        (old, new): (u64, u64),
        cost: u64,
        wide: Option<&mut HashMap<u32, u64>>,
    ) -> Result<Result<(), u64>, OutOfMemory> {
        delays::here();
        let exchange = || self.exchange_word(node, (old, new));
        if cost < WIDE {
            return Ok(exchange());
        }
        let mut guard = None;
        let wide = match wide {
            Some(wide) => wide,
            None => &mut **guard.insert(self.wide()),
        };
        wide.try_reserve(1).map_err(|_| OutOfMemory)?;
        Ok(exchange().inspect(|()| {
            wide.insert(id.0, cost);
        }))
    }

    /// Gives a state another parent and another cost. For one thread.
    pub fn relink(&self, id: StateId, parent: Option<StateId>, cost: u64) -> Result<(), OutOfMemory> {
        self.announce(cost);
        let node = &self.nodes.reserve(id.0)?[0];
        let old = node.load(Ordering::Relaxed);
        let new = old & FLAGS | PRESENT | with_cost(cost) | with_parent(parent);
        self.exchange(node, id, (old, new), cost, None).map(|_| ())
    }

    /// A path leads to a state that others may have reached before.
    #[inline]
    pub fn reach(
        &self,
        id: StateId,
        parent: Option<StateId>,
        cost: u64,
        relink: Relink,
    ) -> Result<Reached, OutOfMemory> {
        if relink != Relink::AnyIfOpen && self.highest_cost.load(Ordering::Relaxed) <= cost {
            // Nobody can have stored it at a higher cost, and whoever has stored it makes its node.
            return Ok(Reached::NoBetter);
        }
        self.improve(id, parent, cost, relink)
    }

    fn improve(&self, id: StateId, parent: Option<StateId>, cost: u64, relink: Relink) -> Result<Reached, OutOfMemory> {
        // Others may be faster to make room for the node and to enter it at a higher cost: no way past the comparison.
        let node = &self.nodes.reserve(id.0)?[0];
        let mut word = node.load(Ordering::Acquire);
        // Wide costs change under this lock only.
        let mut wide = None;
        loop {
            if word & PRESENT == 0 {
                drop(wide.take());
                if self.enter(id, parent, cost)? == Reached::First {
                    return Ok(Reached::First);
                }
                word = node.load(Ordering::Acquire);
                continue;
            }
            let known = match word >> PARENT_BITS & WIDE {
                WIDE => wide.get_or_insert_with(|| self.wide()).get(&id.0).copied().unwrap_or(u64::MAX),
                narrow => narrow,
            };
            let is_better = match relink {
                Relink::Cheaper => known > cost,
                Relink::CheaperIfOpen => known > cost && word & OPEN != 0,
                Relink::AnyIfOpen => word & OPEN != 0,
            };
            if !is_better {
                return Ok(Reached::NoBetter);
            }
            let better = word & FLAGS | with_cost(cost) | with_parent(parent);
            match self.exchange(node, id, (word, better), cost, wide.as_deref_mut())? {
                Ok(()) => {
                    let closed = word & (OPEN | EXPANDED) == EXPANDED;
                    return Ok(Reached::Better { cost: known, closed });
                }
                Err(changed) => word = changed,
            }
        }
    }

    /// All states that have a node, in ascending order of their ids.
    pub fn present(&self) -> impl Iterator<Item = StateId> + '_ {
        let end = u32::try_from(self.nodes.end()).unwrap_or(u32::MAX);
        (0..end).map(StateId).filter(|id| self.is_present(*id))
    }

    /// All that is known of a state.
    pub fn known(&self, id: StateId) -> Known {
        let word = self.node(id);
        Known {
            parent: self.parent(id),
            cost: self.cost_in(word, id),
            is_open: word & OPEN != 0,
            was_expanded: word & EXPANDED != 0,
            is_whole: word & WHOLE != 0,
        }
    }

    /// Makes the node of a state of which so much is known. For one thread.
    pub fn restore(&self, id: StateId, known: Known) -> Result<(), OutOfMemory> {
        self.relink(id, known.parent, known.cost)?;
        let flag = |holds: bool, flag: u64| if holds { flag } else { 0 };
        let flags = flag(known.is_open, OPEN) | flag(known.was_expanded, EXPANDED) | flag(known.is_whole, WHOLE);
        self.update(id, |word| word | flags);
        Ok(())
    }

    pub fn parent(&self, id: StateId) -> Option<StateId> {
        let parent = self.node(id) as u32;
        (parent != NO_PARENT).then_some(StateId(parent))
    }

    #[inline]
    pub fn cost(&self, id: StateId) -> u64 {
        self.cost_in(self.node(id), id)
    }

    #[inline]
    fn cost_in(&self, word: u64, id: StateId) -> u64 {
        match word >> PARENT_BITS & WIDE {
            WIDE => self.wide().get(&id.0).copied().unwrap_or(u64::MAX),
            narrow => narrow,
        }
    }

    #[inline]
    pub fn is_open(&self, id: StateId) -> bool {
        self.node(id) & OPEN != 0
    }

    /// The state is to be expanded. Was it open before?
    #[inline]
    pub fn open(&self, id: StateId) -> bool {
        self.update(id, |word| word | OPEN).is_some_and(|before| before & OPEN != 0)
    }

    /// The state need not be expanded (any more).
    #[inline]
    pub fn close(&self, id: StateId) {
        self.update(id, |word| word & !OPEN);
    }

    pub fn is_present(&self, id: StateId) -> bool {
        self.node(id) & PRESENT != 0
    }

    pub fn was_expanded(&self, id: StateId) -> bool {
        self.node(id) & EXPANDED != 0
    }

    pub fn set_whole(&self, id: StateId) {
        self.update(id, |word| word | WHOLE);
    }

    /// Takes an open state for expansion; `None` if it is not open: its entry in the open list is out of date.
    #[inline]
    pub fn take(&self, id: StateId) -> Option<Taken> {
        let node = self.nodes.get(id.0)?;
        let mut word = node.load(Ordering::Acquire);
        while word & OPEN != 0 {
            match self.exchange_word(node, (word, word & !OPEN | EXPANDED)) {
                Ok(()) => {
                    let visit = if word & EXPANDED == 0 { Visit::First } else { Visit::Again };
                    return Some(Taken { visit, cost: self.cost_in(word, id), is_whole: word & WHOLE != 0 });
                }
                Err(changed) => word = changed,
            }
        }
        None
    }

    #[inline]
    fn node(&self, id: StateId) -> u64 {
        self.nodes.get(id.0).map_or(0, |node| node.load(Ordering::Acquire))
    }

    /// Changes the word of a node, and tells what it was before.
    #[inline]
    fn update(&self, id: StateId, change: impl Fn(u64) -> u64) -> Option<u64> {
        let node = self.nodes.get(id.0)?;
        let mut word = node.load(Ordering::Acquire);
        while let Err(changed) = self.exchange_word(node, (word, change(word))) {
            word = changed;
        }
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_of_every_size_survive_flags() {
        let table = NodeTable::default();
        for (n, cost) in [0, 1, WIDE - 1, WIDE, u64::from(u32::MAX), u64::MAX].into_iter().enumerate() {
            let id = StateId(n as u32);
            assert_eq!(table.enter(id, Some(StateId(7)), cost), Ok(Reached::First));
            assert_eq!(table.take(id), None);
            table.open(id);
            assert_eq!((table.cost(id), table.is_open(id), table.was_expanded(id)), (cost, true, false));
            assert_eq!(table.take(id), Some(Taken { visit: Visit::First, cost, is_whole: false }));
            table.open(id);
            table.set_whole(id);
            assert_eq!(table.take(id), Some(Taken { visit: Visit::Again, cost, is_whole: true }));
            assert_eq!((table.cost(id), table.parent(id)), (cost, Some(StateId(7))));
            table.relink(id, None, 3).unwrap();
            assert_eq!((table.cost(id), table.parent(id)), (3, None));
            table.relink(id, None, cost).unwrap();
        }
    }

    #[test]
    fn a_path_is_taken_if_it_is_better() {
        for huge in [0, u64::from(u32::MAX)] {
            let (table, id, parent) = (NodeTable::default(), StateId(3), Some(StateId(1)));
            assert_eq!(table.enter(id, None, huge + 9), Ok(Reached::First));
            assert_eq!(table.reach(id, parent, huge + 9, Relink::Cheaper), Ok(Reached::NoBetter));
            assert_eq!(table.reach(id, parent, huge + 8, Relink::CheaperIfOpen), Ok(Reached::NoBetter));
            table.open(id);
            let better = Reached::Better { cost: huge + 9, closed: false };
            assert_eq!(table.reach(id, parent, huge + 8, Relink::CheaperIfOpen), Ok(better));
            table.take(id);
            let better = Reached::Better { cost: huge + 8, closed: true };
            assert_eq!(table.reach(id, parent, huge + 5, Relink::Cheaper), Ok(better));
            assert_eq!((table.cost(id), table.parent(id), table.is_open(id)), (huge + 5, parent, false));
            // Whoever meets a state first makes its node, if its cost may be less than that of others.
            assert_eq!(table.reach(StateId(4), None, huge + 2, Relink::Cheaper), Ok(Reached::First));
            assert_eq!(table.enter(StateId(4), None, huge + 1), Ok(Reached::NoBetter));
        }
    }

    /// Threads meet a state that has no room in the table so far, at different costs: the least one stays.
    #[test]
    fn the_first_cost_is_no_better_than_a_lower_one() {
        for round in 0..300 {
            let table = NodeTable::default();
            table.share();
            table.announce(100);
            let start = std::sync::Barrier::new(4);
            std::thread::scope(|scope| {
                for cost in 0..4 {
                    let (table, start) = (&table, &start);
                    scope.spawn(move || {
                        start.wait();
                        table.reach(StateId(round), Some(StateId(cost)), cost.into(), Relink::Cheaper).unwrap();
                        assert!(table.cost(StateId(round)) <= cost.into());
                    });
                }
            });
            assert_eq!((table.cost(StateId(round)), table.parent(StateId(round))), (0, Some(StateId(0))));
        }
    }

    /// Threads lower the costs of the same states: the least one stays, with the parent that came with it.
    #[test]
    fn the_least_cost_stays_with_its_parent() {
        for base in [0, WIDE - 2_000, WIDE + 5] {
            let table = NodeTable::default();
            table.share();
            table.announce(base + 100_000);
            std::thread::scope(|scope| {
                for thread in 0..4_u32 {
                    let table = &table;
                    scope.spawn(move || {
                        delays::set(500);
                        for round in (0..1_000_u32).rev() {
                            let cost = 4 * round + (thread + round) % 4;
                            for id in 0..4 {
                                let parent = Some(StateId(cost));
                                table.reach(StateId(id), parent, base + u64::from(cost), Relink::Cheaper).unwrap();
                                let known = table.cost(StateId(id));
                                assert!(known <= base + u64::from(cost));
                            }
                        }
                    });
                }
            });
            for id in (0..4).map(StateId) {
                assert_eq!((table.cost(id), table.parent(id)), (base, Some(StateId(0))));
            }
        }
    }

    /// Who forgets to share a table learns of it in every test.
    #[test]
    #[should_panic(expected = "not shared")]
    #[cfg(debug_assertions)]
    fn a_table_that_is_not_shared_refuses_other_threads() {
        let table = NodeTable::default();
        table.enter(StateId(0), None, 0).unwrap();
        let other = std::thread::scope(|scope| scope.spawn(|| table.enter(StateId(1), None, 0)).join());
        std::panic::resume_unwind(other.unwrap_err());
    }
}
