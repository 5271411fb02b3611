//! A* to the regions in which there can be accepting cycles, and a search for a cycle behind each entrance.
//!
//! While the claim is in a region without accepting cycles, states are taken from an open list by cost and estimate, as
//! in A*. A state in another region is an entrance: a directed search tries to get back to it, and if that fails, a
//! depth-first walk looks through the region; where the walk leaves it, the states go into the open list. No cycle leaves
//! a region, so each region needs to be walked through only once (Edelkamp, Lluch Lafuente, Leue 2001, section 4.3; where
//! the text says "P- or S-component", F- or P- must be meant: the end of a claim is an error at once).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bughound_kernel::registry::Expression;
use bughound_kernel::{Cycles, Estimate, Heuristic, StateBuf, StateId};

use crate::engines::cycles::components::Components;
use crate::engines::cycles::loops::{Loops, Reach};
use crate::engines::cycles::{Lasso, Space, Violation};
use crate::engines::ending::Halt;
use crate::evaluators::Weights;

/// Each search back to an entrance may look at so many places.
const INNER_EFFORT: usize = 2_000;
/// All of them together may generate so many states, and as many as everything else.
const ALL_INNER_EFFORT: u64 = 10_000;

#[derive(Clone, Copy, Debug)]
struct Node {
    cost: u64,
    parent: u32,
}

/// Costs are at most so large: one more means that a state was not reached.
const MOST: u64 = u64::MAX - 1;
const UNREACHED: Node = Node { cost: u64::MAX, parent: u32::MAX };

/// By f, estimate and age, the youngest first; then the state, and the cost at which it was reached.
type Waiting = (u64, u64, Reverse<u64>, u32, u64);

struct Entry<'s, 't, 'd, 'h> {
    space: &'s mut Space<'t, 'd>,
    heuristic: &'h mut dyn Heuristic,
    weights: Weights,
    nodes: Vec<Node>,
    open: BinaryHeap<Reverse<Waiting>>,
    age: u64,
    state: StateBuf,
}

/// Looks for an accepting cycle or a state that is an error. `inner` names the heuristic for the way back to an entrance.
pub(super) fn entry(
    space: &mut Space<'_, '_>,
    heuristic: &mut dyn Heuristic,
    weights: Weights,
    inner: Option<&Expression>,
) -> Result<Option<Violation>, Halt> {
    let initial = space.initial()?;
    let heuristics = space.task.heuristics;
    let (nodes, open) = (Vec::new(), BinaryHeap::new());
    let mut search = Entry { space, heuristic, weights, nodes, open, age: 0, state: StateBuf::default() };
    let mut components = Components::default();
    for id in initial {
        search.reach(id, 0, None);
    }
    let (mut arcs, mut loops, mut inner_generated) = (Vec::new(), Loops::default(), 0);
    while let Some(Reverse((.., id, cost))) = search.open.pop() {
        let id = StateId(id);
        if cost > search.nodes[id.index()].cost {
            continue;
        }
        search.space.note_depth(cost);
        if search.space.is_error(id) {
            return Ok(Some(Violation::State(search.path_to(id))));
        }
        search.space.side_memory = search.memory();
        search.space.inner_memory = components.memory();
        let region = search.space.region(id);
        if region.cycles == Cycles::None {
            arcs.clear();
            search.space.arcs(id, &mut arcs)?;
            for arc in &arcs {
                search.reach(arc.to, cost.saturating_add(arc.weight).min(MOST), Some(id));
            }
            continue;
        }
        if !components.is_new(id) {
            continue;
        }
        let before = search.space.generated();
        if let Some(inner) = inner
            && inner_generated < ALL_INNER_EFFORT + (before - inner_generated)
            && let Some((cycle, _)) = {
                // No accepting cycle goes through what was walked through: so nothing is looked at from two entrances.
                let reach =
                    Reach { bound: u64::MAX, places: INNER_EFFORT, excluded: &|state| !components.is_new(state) };
                loops.directed(search.space, id, heuristics, inner, reach)?
            }
        {
            return Ok(Some(Violation::Cycle(Lasso { stem: search.path_to(id), cycle })));
        }
        inner_generated += search.space.generated() - before;
        // States behind the region, reached at less cost than before.
        let mut exits: Vec<StateId> = Vec::new();
        let nodes = &mut search.nodes;
        let found = components.walk_from(search.space, id, &mut |space, walk, arc| {
            let Some(from) = walk.last() else { return false };
            let cost = nodes[from.index()].cost.saturating_add(arc.weight).min(MOST);
            let to = node(nodes, arc.to);
            if space.region(arc.to).number != region.number {
                if cost < to.cost {
                    *to = Node { cost, parent: from.0 };
                    exits.push(arc.to);
                }
                return false;
            }
            // The first way into a state of the region is the one that counts.
            if to.cost == u64::MAX {
                *to = Node { cost, parent: from.0 };
            }
            true
        })?;
        match found {
            Some(Violation::State(path)) => {
                return Ok(Some(Violation::State(search.behind(path))));
            }
            Some(Violation::Cycle(lasso)) => {
                let stem = search.behind(lasso.stem);
                return Ok(Some(Violation::Cycle(Lasso { stem, ..lasso })));
            }
            None => {}
        }
        exits.sort_unstable();
        exits.dedup();
        for exit in exits {
            search.open(exit);
        }
    }
    Ok(None)
}

fn node(nodes: &mut Vec<Node>, id: StateId) -> &mut Node {
    if nodes.len() <= id.index() {
        nodes.resize(id.index() + 1, UNREACHED);
    }
    &mut nodes[id.index()]
}

impl Entry<'_, '_, '_, '_> {
    fn reach(&mut self, id: StateId, cost: u64, parent: Option<StateId>) {
        let known = node(&mut self.nodes, id);
        if cost >= known.cost {
            return;
        }
        *known = Node { cost, parent: parent.map_or(u32::MAX, |parent| parent.0) };
        self.open(id);
    }

    /// A state that was reached at less cost than before is to be looked at.
    fn open(&mut self, id: StateId) {
        let cost = self.nodes[id.index()].cost;
        self.space.read(id, &mut self.state);
        self.space.note_evaluation();
        let estimate = match self.heuristic.estimate(self.state.as_state().into()) {
            Estimate::Finite(estimate) => estimate,
            Estimate::DeadEnd if self.heuristic.claims().safe => return,
            // A guess: it waits until everything else is done.
            Estimate::DeadEnd => u64::MAX / 4,
        };
        let f = (self.weights.cost.saturating_mul(cost)).saturating_add(self.weights.estimate.saturating_mul(estimate));
        self.age += 1;
        self.open.push(Reverse((f, estimate, Reverse(self.age), id.0, cost)));
    }

    fn memory(&self) -> u64 {
        (self.nodes.capacity() * size_of::<Node>() + self.open.capacity() * size_of::<Waiting>()) as u64
            + self.heuristic.memory()
    }

    fn path_to(&self, id: StateId) -> Vec<StateId> {
        let parent = |id: &StateId| Some(self.nodes[id.index()].parent).filter(|p| *p != u32::MAX).map(StateId);
        let mut path: Vec<StateId> = std::iter::successors(Some(id), parent).collect();
        path.reverse();
        path
    }

    /// A path that begins at an entrance, from the start on.
    fn behind(&self, path: Vec<StateId>) -> Vec<StateId> {
        let mut whole = path.first().map(|first| self.path_to(*first)).unwrap_or_default();
        whole.extend(path.into_iter().skip(1));
        whole
    }
}
