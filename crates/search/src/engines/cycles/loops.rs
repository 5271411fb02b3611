//! The search for an accepting cycle through a known state.
//!
//! Places are pairs of a state and the marks carried so far; the cycle is closed when the state comes back with all marks.
//! Ordered by cost, the first cycle is a shortest one; ordered by the estimated distance to the state, it is found soon
//! (Edelkamp, Lluch Lafuente, Leue 2001: the inner search with the heuristic for "every process is where it was").

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use bughound_kernel::registry::Expression;
use bughound_kernel::{Estimate, Marks, StateBuf, StateId};

use crate::engines::cycles::arcs::Arc;
use crate::engines::cycles::space::Space;
use crate::engines::ending::Halt;
use crate::search::HeuristicSource;

#[derive(Clone, Copy, Debug)]
struct Node {
    cost: u64,
    parent: usize,
    arc: Arc,
    marks: Marks,
}

/// Working memory, to be used again.
#[derive(Debug, Default)]
pub(super) struct Loops {
    nodes: Vec<Node>,
    numbers: HashMap<(StateId, Marks), usize>,
    open: BinaryHeap<Reverse<(u64, u64, usize)>>,
    /// The same states are looked at with many sets of marks: by state, where its arcs are.
    known: HashMap<StateId, (usize, usize)>,
    arcs: Vec<Arc>,
}

/// A cycle and its cost.
pub(super) type Found = Option<(Vec<Arc>, u64)>;

/// How far the search goes.
#[derive(Clone, Copy)]
pub(super) struct Reach<'r> {
    /// Cycles may cost so much.
    pub bound: u64,
    /// It gives up when it has looked at so many places.
    pub places: usize,
    pub excluded: &'r dyn Fn(StateId) -> bool,
}

impl Loops {
    /// A shortest accepting cycle through the head.
    pub(super) fn shortest(
        &mut self,
        space: &mut Space<'_, '_>,
        head: StateId,
        reach: Reach<'_>,
    ) -> Result<Found, Halt> {
        self.search(space, head, reach, &mut |_, cost, _, _| Some(cost))
    }

    /// An accepting cycle through the head, found by running at it; `None` proves nothing.
    pub(super) fn directed(
        &mut self,
        space: &mut Space<'_, '_>,
        head: StateId,
        heuristics: &dyn HeuristicSource,
        heuristic: &Expression,
        reach: Reach<'_>,
    ) -> Result<Found, Halt> {
        let (mut goal, mut state) = (StateBuf::default(), StateBuf::default());
        space.read(head, &mut goal);
        // A model for which there is no such heuristic is searched without this shortcut.
        let built = space.driver.prepare(heuristic, |watch| heuristics.build(heuristic, Some(&goal), watch));
        let Ok(mut heuristic) = built else { return Ok(None) };
        self.search(space, head, reach, &mut |space, _, to, missing| {
            space.read(to, &mut state);
            match heuristic.estimate(state.as_state().into()) {
                Estimate::Finite(back) => Some(back.saturating_add(u64::from(missing.len()))),
                Estimate::DeadEnd => None,
            }
        })
    }

    fn search(
        &mut self,
        space: &mut Space<'_, '_>,
        head: StateId,
        reach: Reach<'_>,
        rank: &mut dyn FnMut(&Space<'_, '_>, u64, StateId, Marks) -> Option<u64>,
    ) -> Result<Found, Halt> {
        let required = space.required();
        let region = space.region(head).number;
        self.restart(head);
        while let Some(Reverse((_, cost, at))) = self.open.pop() {
            let Node { cost: least, arc: Arc { to: state, .. }, marks, .. } = self.nodes[at];
            if cost > least {
                continue;
            }
            if at != 0 && state == head && marks == required {
                return Ok(Some((self.way_to(at), cost)));
            }
            if self.nodes.len() > reach.places {
                break;
            }
            space.inner_memory = self.memory();
            let (first, end) = self.arcs_of(space, state)?;
            for position in first..end {
                let arc = &self.arcs[position];
                let cost = cost.saturating_add(arc.weight);
                if cost > reach.bound || (reach.excluded)(arc.to) || space.region(arc.to).number != region {
                    continue;
                }
                let marks = (marks | arc.marks) & required;
                let number = *self.numbers.entry((arc.to, marks)).or_insert(self.nodes.len());
                let node = Node { cost, parent: at, arc: *arc, marks };
                if number == self.nodes.len() {
                    self.nodes.push(node);
                } else if cost < self.nodes[number].cost {
                    self.nodes[number] = node;
                } else {
                    continue;
                }
                if let Some(rank) = rank(space, cost, arc.to, required & !marks) {
                    self.open.push(Reverse((rank, cost, number)));
                }
            }
        }
        Ok(None)
    }

    fn arcs_of(&mut self, space: &mut Space<'_, '_>, state: StateId) -> Result<(usize, usize), Halt> {
        if let Some(&(first, end)) = self.known.get(&state) {
            space.check_limits(1 + (end - first) as u64)?;
            return Ok((first, end));
        }
        let first = self.arcs.len();
        space.arcs(state, &mut self.arcs)?;
        self.known.insert(state, (first, self.arcs.len()));
        Ok((first, self.arcs.len()))
    }

    fn restart(&mut self, head: StateId) {
        let arc = Arc { to: head, weight: 0, marks: Marks::NONE };
        self.nodes.clear();
        self.nodes.push(Node { cost: 0, parent: 0, arc, marks: Marks::NONE });
        // The head as the beginning of a cycle is another place than the head reached again without marks.
        self.numbers.clear();
        self.open.clear();
        self.open.push(Reverse((0, 0, 0)));
    }

    fn way_to(&self, at: usize) -> Vec<Arc> {
        let back = std::iter::successors(Some(at), |&at| Some(self.nodes[at].parent).filter(|before| *before != 0));
        let mut way: Vec<Arc> = back.map(|at| self.nodes[at].arc).collect();
        way.reverse();
        way
    }

    fn memory(&self) -> u64 {
        let nodes = self.nodes.capacity() * size_of::<Node>();
        (nodes
            + self.arcs.capacity() * size_of::<Arc>()
            + self.known.capacity() * 24
            + self.numbers.capacity() * 48
            + self.open.capacity() * 24) as u64
    }
}
