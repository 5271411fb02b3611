//! Lassos, and how they become shorter.
//!
//! Improvement goes around in turns: the shortest way from the start to *any* state of the cycle becomes the stem, and the
//! state it ends in the head of the loop; then the shortest accepting cycle through that head becomes the loop. Each turn
//! makes the whole shorter, or it was the last. The result is short but need not be a shortest lasso: another cycle may
//! be better (see `shortest`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bughound_kernel::StateId;

use crate::engines::cycles::arcs::Arc;
use crate::engines::cycles::loops::{Loops, Reach};
use crate::engines::cycles::space::Space;
use crate::engines::ending::Halt;

/// A path and a cycle at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lasso {
    /// From an initial state to the head of the loop.
    pub stem: Vec<StateId>,
    /// From the head back to it.
    pub cycle: Vec<Arc>,
}

impl Lasso {
    pub(super) fn loop_cost(&self) -> u64 {
        self.cycle.iter().fold(0, |sum, arc| sum.saturating_add(arc.weight))
    }

    /// The same cycle, begun at one of its states.
    fn rotate_to(&mut self, head: StateId) {
        if let Some(at) = self.cycle.iter().position(|arc| arc.to == head) {
            self.cycle.rotate_left(at + 1);
        }
    }
}

/// The search for a shorter loop gives up when it has looked at so many places.
const LOOP_PLACES: usize = 4_000_000;

/// Makes a lasso shorter. Where a limit is reached, what is known so far is the result.
pub(super) fn improve(space: &mut Space<'_, '_>, lasso: Lasso) -> Lasso {
    let mut best = lasso;
    let mut loops = Loops::default();
    loop {
        let heads: Vec<StateId> = best.cycle.iter().map(|arc| arc.to).collect();
        let Ok(Some(stem)) = shortest_stem(space, &heads) else { return best };
        let Some(&head) = stem.last() else { return best };
        best.rotate_to(head);
        best.stem = stem;
        let cost = best.loop_cost();
        // A loop of no cost is a run at rest.
        let Some(bound) = cost.checked_sub(1) else { return best };
        match loops.shortest(space, head, Reach { bound, places: LOOP_PLACES, excluded: &|_| false }) {
            Ok(Some((cycle, _))) => best.cycle = cycle,
            Ok(None) | Err(_) => return best,
        }
    }
}

/// A shortest path from an initial state to one of the heads.
fn shortest_stem(space: &mut Space<'_, '_>, heads: &[StateId]) -> Result<Option<Vec<StateId>>, Halt> {
    let mut wanted: Vec<StateId> = heads.to_vec();
    wanted.sort_unstable();
    let mut tree = Distances::default();
    for id in space.initial()? {
        tree.reach(id, 0, None);
    }
    let mut arcs = Vec::new();
    while let Some((cost, id)) = tree.next() {
        space.side_memory = tree.memory();
        if wanted.binary_search(&id).is_ok() {
            return Ok(Some(tree.path_to(id)));
        }
        arcs.clear();
        space.arcs(id, &mut arcs)?;
        for arc in &arcs {
            tree.reach(arc.to, cost.saturating_add(arc.weight), Some(id));
        }
    }
    Ok(None)
}

/// Least distances, growing from some states (Dijkstra 1959).
#[derive(Debug, Default)]
pub(super) struct Distances {
    /// By state: distance and parent.
    nodes: Vec<(u64, u32)>,
    open: BinaryHeap<Reverse<(u64, u32)>>,
}

const NOBODY: u32 = u32::MAX;

impl Distances {
    pub(super) fn reach(&mut self, id: StateId, cost: u64, parent: Option<StateId>) {
        if self.nodes.len() <= id.index() {
            self.nodes.resize(id.index() + 1, (u64::MAX, NOBODY));
        }
        let node = &mut self.nodes[id.index()];
        // The largest number means that a state was not reached.
        let cost = cost.min(u64::MAX - 1);
        if cost < node.0 {
            *node = (cost, parent.map_or(NOBODY, |parent| parent.0));
            self.open.push(Reverse((cost, id.0)));
        }
    }

    /// The nearest state that was not returned before.
    pub(super) fn next(&mut self) -> Option<(u64, StateId)> {
        while let Some(Reverse((cost, id))) = self.open.pop() {
            if self.nodes[id as usize].0 == cost {
                return Some((cost, StateId(id)));
            }
        }
        None
    }

    pub(super) fn path_to(&self, id: StateId) -> Vec<StateId> {
        let parent = |id: &StateId| Some(self.nodes[id.index()].1).filter(|p| *p != NOBODY).map(StateId);
        let mut path: Vec<StateId> = std::iter::successors(Some(id), parent).collect();
        path.reverse();
        path
    }

    pub(super) fn memory(&self) -> u64 {
        (self.nodes.capacity() * 16 + self.open.capacity() * 16) as u64
    }
}
