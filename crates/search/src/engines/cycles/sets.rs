//! Parts of strongly connected components that several threads know together: disjoint sets of states that only grow, each
//! with the marks of the steps inside it, the workers that are in it, and a list of its states that are still to be expanded.
//!
//! Sets are trees of pointers to a root (Tarjan 1975), and what is known of a set is written at its root. Who asks for a root
//! takes no lock, and halves the path that is followed. Everything that changes a set happens under one lock, except that
//! somebody takes a state that nobody has. So what is said of a set was true at a moment: that all of its states are done,
//! above all.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bughound_kernel::{Growing, Marks, OutOfMemory, StateId, delays};

use crate::engines::cycles::arcs::Palette;

/// Workers are bits of a word.
pub(super) const MOST_WORKERS: usize = u64::BITS as usize;

/// What is known of a state. Numbers of states are counted from 1; 0 is the state itself.
#[derive(Debug, Default)]
struct Node {
    /// At the root: who is in the set.
    workers: AtomicU64,
    /// Another state of the set, nearer to the root.
    parent: AtomicU32,
    /// The next state in the list of the set, which is a ring.
    next: AtomicU32,
    /// At the root: the last state in the list.
    last: AtomicU32,
    /// At the root: the marks of the steps inside, a number among the sets of marks that occur.
    marks: AtomicU32,
    /// The state that it was first reached from; 0 if it is an initial one.
    from: AtomicU32,
    flags: AtomicU8,
}

/// All steps of the state were followed: they stay inside its set or lead to a component that is closed.
const DONE: u8 = 1;
/// At the root: all states are done. The set is a whole component, and holds no accepting cycle.
const CLOSED: u8 = 2;
/// At the root, in place of the last state of a list: there is none.
const NOTHING: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(super) struct Sets {
    nodes: Growing<Node>,
    marks: Mutex<Palette<Marks>>,
}

/// What a worker finds that comes to a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// It was not in the state's set before, and is now.
    First,
    /// It is in the set already: the step closes a cycle.
    Again,
    /// There is nothing to be found any more.
    Closed,
}

impl Sets {
    pub(super) fn memory(&self) -> u64 {
        self.nodes.memory() + self.lock().memory()
    }

    fn lock(&self) -> MutexGuard<'_, Palette<Marks>> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A state that somebody has come to.
    fn node(&self, state: u32) -> &Node {
        // There is room for whoever has arrived: see `arrive`.
        &self.nodes.row(state).expect("nobody asks for a state before coming to it")[0]
    }

    fn root(&self, of: StateId) -> u32 {
        let mut at = of.0;
        loop {
            let node = self.node(at);
            let Some(parent) = node.parent.load(Ordering::Acquire).checked_sub(1) else { return at };
            let Some(further) = self.node(parent).parent.load(Ordering::Acquire).checked_sub(1) else { return parent };
            // If another thread was faster, its pointer is as good.
            let _ = node.parent.compare_exchange(parent + 1, further + 1, Ordering::AcqRel, Ordering::Relaxed);
            at = further;
        }
    }

    /// Are the sets of two states the same?
    pub(super) fn are_one(&self, one: StateId, other: StateId) -> bool {
        loop {
            let (root, other) = (self.root(one), self.root(other));
            if root == other {
                return true;
            }
            delays::here();
            // If it is no root any more, both may have been below it when the first of them was asked for.
            if self.node(root).parent.load(Ordering::Acquire) == 0 {
                return false;
            }
        }
    }

    /// A worker comes to a state, by a step from another one.
    pub(super) fn arrive(&self, worker: usize, at: StateId, from: Option<StateId>) -> Result<Arrival, OutOfMemory> {
        let bit = 1 << worker;
        let node = &self.nodes.reserve(at.0)?[0];
        if node.workers.compare_exchange(0, bit, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            // Nobody was here before, so this is a set of its own, and whoever unites it has to come here first.
            node.from.store(from.map_or(0, |from| from.0 + 1), Ordering::Release);
            return Ok(Arrival::First);
        }
        delays::here();
        // Workers stay in a set until it is closed, so what is seen without the lock is true later on. If a worker does not see
        // itself in a set that is being united with its own, it looks again under the lock.
        let seen = self.node(self.root(at));
        if seen.flags.load(Ordering::Acquire) & CLOSED != 0 {
            return Ok(Arrival::Closed);
        }
        if seen.workers.load(Ordering::Acquire) & bit != 0 {
            return Ok(Arrival::Again);
        }
        delays::here();
        let _lock = self.lock();
        let root = self.node(self.root(at));
        if root.flags.load(Ordering::Acquire) & CLOSED != 0 {
            return Ok(Arrival::Closed);
        }
        let before = root.workers.fetch_or(bit, Ordering::AcqRel);
        Ok(if before & bit == 0 { Arrival::First } else { Arrival::Again })
    }

    /// Steps with these marks lie inside the sets of these states, which are one from now on: all of them lie on a cycle. The
    /// marks of the set.
    pub(super) fn unite(&self, states: impl IntoIterator<Item = StateId>, marks: Marks) -> Marks {
        delays::here();
        let mut palette = self.lock();
        let mut states = states.into_iter();
        let Some(first) = states.next() else { return marks };
        let mut root = self.root(first);
        for state in states {
            root = self.link(&mut palette, root, self.root(state));
        }
        let node = self.node(root);
        let known = palette.value_or_default(node.marks.load(Ordering::Relaxed));
        let all = known | marks;
        if all != known {
            node.marks.store(palette.number(all) + 1, Ordering::Release);
        }
        all
    }

    /// The marks inside the set of a state, or some of them.
    pub(super) fn number_of_marks(&self, of: StateId) -> u32 {
        self.node(self.root(of)).marks.load(Ordering::Acquire)
    }

    /// What the numbers of marks mean, appended to what is known.
    pub(super) fn learn_marks(&self, known: &mut Vec<Marks>) {
        let palette = self.lock();
        (known.len() as u32..=palette.len()).for_each(|number| known.push(palette.value_or_default(number)));
    }

    /// Hangs one of two roots below the other, which is returned.
    fn link(&self, palette: &mut Palette<Marks>, one: u32, other: u32) -> u32 {
        if one == other {
            return one;
        }
        let (root, below) = (one.min(other), one.max(other));
        let (upper, lower) = (self.node(root), self.node(below));
        debug_assert_eq!((upper.flags.load(Ordering::Relaxed) | lower.flags.load(Ordering::Relaxed)) & CLOSED, 0);
        let read = |node: &Node| palette.value_or_default(node.marks.load(Ordering::Relaxed));
        let (known, all) = (read(upper), read(upper) | read(lower));
        if all != known {
            upper.marks.store(palette.number(all) + 1, Ordering::Release);
        }
        // Two rings become one when the successors of their ends change places.
        match (self.last(root), self.last(below)) {
            (Some(end), Some(other_end)) => {
                let (next, other_next) = (self.next(end), self.next(other_end));
                self.node(end).next.store(other_next + 1, Ordering::Relaxed);
                self.node(other_end).next.store(next + 1, Ordering::Relaxed);
            }
            (None, Some(end)) => upper.last.store(end + 1, Ordering::Relaxed),
            (_, None) => {}
        }
        lower.parent.store(root + 1, Ordering::Release);
        delays::here();
        // At last: a worker that finds itself in a set without the lock must find the set on its path, too.
        upper.workers.fetch_or(lower.workers.load(Ordering::Acquire), Ordering::AcqRel);
        root
    }

    fn last(&self, root: u32) -> Option<u32> {
        match self.node(root).last.load(Ordering::Relaxed) {
            0 => Some(root),
            NOTHING => None,
            last => Some(last - 1),
        }
    }

    fn next(&self, state: u32) -> u32 {
        self.node(state).next.load(Ordering::Relaxed).checked_sub(1).unwrap_or(state)
    }

    /// A state is done. Another one of the same set that is not, if there is one and `wants_more`; otherwise the set is closed.
    pub(super) fn finish(&self, state: StateId, wants_more: bool) -> Option<StateId> {
        delays::here();
        let _lock = self.lock();
        self.node(state.0).flags.fetch_or(DONE, Ordering::AcqRel);
        if !wants_more {
            return None;
        }
        let root = self.root(state);
        loop {
            let Some(last) = self.last(root) else {
                self.node(root).flags.fetch_or(CLOSED, Ordering::AcqRel);
                return None;
            };
            let first = self.next(last);
            if self.node(first).flags.load(Ordering::Relaxed) & DONE == 0 {
                // The next one who asks gets another state.
                self.node(root).last.store(first + 1, Ordering::Relaxed);
                return Some(StateId(first));
            }
            if first == last {
                self.node(root).last.store(NOTHING, Ordering::Relaxed);
            } else {
                let second = self.next(first);
                self.node(last).next.store(second + 1, Ordering::Relaxed);
            }
        }
    }

    /// All states of a set, sorted, if there are no ids from this one on.
    pub(super) fn members(&self, of: StateId, end: u32) -> Vec<StateId> {
        let root = self.root(of);
        let is_member = |state: &u32| {
            self.nodes.row(*state).is_some_and(|node| node[0].workers.load(Ordering::Acquire) != 0)
                && self.root(StateId(*state)) == root
        };
        (0..end).filter(is_member).map(StateId).collect()
    }

    /// The way on which a state was first reached, from an initial state on.
    pub(super) fn path_to(&self, state: StateId) -> Vec<StateId> {
        let from = |state: &StateId| self.node(state.0).from.load(Ordering::Acquire).checked_sub(1).map(StateId);
        let mut path: Vec<StateId> = std::iter::successors(Some(state), from).collect();
        path.reverse();
        path
    }
}
