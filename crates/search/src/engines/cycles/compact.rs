//! The part of a space near the start, as arrays: for searches that walk it again and again.
//!
//! States are numbered by rank, their place in the order of their distance from the start.

use bughound_kernel::{Components, Cycles, Marks, StateBuf, StateId};
use std::collections::HashMap;

use crate::engines::cycles::algebra::Algebra;
use crate::engines::cycles::lasso::Distances;
use crate::engines::cycles::space::Space;
use crate::engines::ending::Halt;

#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub to: u32,
    pub weight: u32,
    pub label: u32,
}

/// All states nearer to the start than a bound, and the steps between them.
pub(super) struct Compact {
    /// By rank: the state and its distance.
    pub states: Vec<(StateId, u64)>,
    /// By rank: states in which the model is the same have the same class. A loop leads from a class to itself.
    pub class: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// By rank: no accepting cycle leads through the state, says its region.
    pub is_barren: Vec<bool>,
    forward: Rows<Step>,
    /// The steps that lead to a state: where they come from, and their weights.
    backward: Rows<(u32, u32)>,
    /// The nearest state that is an error by itself.
    pub error: Option<(StateId, u64)>,
    pub heaviest: u32,
}

/// Lists one behind the other.
struct Rows<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Rows<T> {
    fn get(&self, row: u32) -> &[T] {
        &self.items[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }
}

impl Compact {
    /// Everything nearer than `bound`; up to the first error if there is one. The tree of distances tells the ways.
    pub(super) fn new(
        space: &mut Space<'_, '_>,
        algebra: &mut Algebra<'_>,
        bound: u64,
        tree: &mut Distances,
    ) -> Result<Compact, Halt> {
        for id in space.initial()? {
            tree.reach(id, 0, None);
        }
        let mut states: Vec<(StateId, u64)> = Vec::new();
        let mut ranks: Vec<u32> = Vec::new();
        let mut error = None;
        let mut arcs = Vec::new();
        let mut rows: Vec<(u32, u32, u32)> = Vec::new();
        let mut starts = vec![0_u32];
        let mut heaviest = 0;
        while let Some((cost, id)) = tree.next() {
            if cost >= bound {
                break;
            }
            space.note_depth(cost);
            if space.is_error(id) {
                error = Some((id, cost));
                break;
            }
            if ranks.len() <= id.index() {
                ranks.resize(space.len().max(id.index() + 1), u32::MAX);
            }
            ranks[id.index()] = states.len() as u32;
            states.push((id, cost));
            arcs.clear();
            space.arcs(id, &mut arcs)?;
            for arc in &arcs {
                tree.reach(arc.to, cost.saturating_add(arc.weight), Some(id));
                // What is heavier than any lasso of interest does not matter.
                if arc.weight < bound && arc.weight < u64::from(u32::MAX) {
                    heaviest = heaviest.max(arc.weight as u32);
                    rows.push((arc.to.0, arc.weight as u32, algebra.label(space, arc)));
                }
            }
            starts.push(u32::try_from(rows.len()).map_err(|_| Halt::Budget)?);
            space.side_memory = tree.memory() + (rows.capacity() * 12 + states.capacity() * 20) as u64;
        }
        let forward = keep_near(&rows, &starts, &ranks);
        let backward = reversed(&forward, states.len());
        let class = classes(space, &states);
        let mut members: Vec<Vec<u32>> = Vec::new();
        for (rank, class) in class.iter().enumerate() {
            members.resize(members.len().max(*class as usize + 1), Vec::new());
            members[*class as usize].push(rank as u32);
        }
        let is_barren = states.iter().map(|(id, _)| space.region(*id).cycles == Cycles::None).collect();
        Ok(Compact { states, class, members, is_barren, forward, backward, error, heaviest })
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    pub(super) fn steps(&self, rank: u32) -> &[Step] {
        self.forward.get(rank)
    }

    pub(super) fn back(&self, rank: u32) -> &[(u32, u32)] {
        self.backward.get(rank)
    }

    /// The states of a class that come from this rank on.
    pub(super) fn members_from(&self, class: u32, rank: u32) -> impl Iterator<Item = u32> {
        let members = &self.members[class as usize];
        members[members.partition_point(|member| *member < rank)..].iter().copied()
    }

    /// By class: the strongly connected component of the model's part near the start, and whether its steps carry all
    /// required marks. `None`: no cycle of interest goes through.
    pub(super) fn components(&self, algebra: &Algebra<'_>, required: Marks) -> Vec<Option<u32>> {
        let classes = self.members.len();
        let successors = |class: usize, out: &mut Vec<u32>| {
            for rank in &self.members[class] {
                out.extend(self.steps(*rank).iter().map(|step| self.class[step.to as usize]));
            }
        };
        let Components { of: component, count } = Components::new(classes, successors);
        let mut marks: Vec<Option<Marks>> = vec![None; count];
        for (rank, class) in self.class.iter().enumerate() {
            for step in self.steps(rank as u32) {
                let here = component[*class as usize];
                if component[self.class[step.to as usize] as usize] == here {
                    let known = marks[here as usize].unwrap_or(Marks::NONE);
                    marks[here as usize] = Some(known | algebra.marks(step.label));
                }
            }
        }
        let of_interest = |component: u32| marks[component as usize].is_some_and(|marks| marks.include(required));
        component.into_iter().map(|component| of_interest(component).then_some(component)).collect()
    }

    pub(super) fn memory(&self) -> u64 {
        let rows = self.forward.items.len() * 12 + self.backward.items.len() * 8 + self.forward.starts.len() * 8;
        (rows + self.states.len() * 24) as u64
    }
}

fn keep_near(rows: &[(u32, u32, u32)], starts: &[u32], ranks: &[u32]) -> Rows<Step> {
    let mut near = Rows { starts: vec![0], items: Vec::new() };
    for row in starts.windows(2) {
        for &(to, weight, label) in &rows[row[0] as usize..row[1] as usize] {
            let to = ranks.get(to as usize).copied().unwrap_or(u32::MAX);
            if to != u32::MAX {
                near.items.push(Step { to, weight, label });
            }
        }
        near.starts.push(near.items.len() as u32);
    }
    near
}

fn reversed(forward: &Rows<Step>, states: usize) -> Rows<(u32, u32)> {
    let mut starts = vec![0_u32; states + 1];
    for step in &forward.items {
        starts[step.to as usize + 1] += 1;
    }
    for at in 0..states {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut items = vec![(0, 0); forward.items.len()];
    for from in 0..states as u32 {
        for step in forward.get(from) {
            let place = &mut next[step.to as usize];
            items[*place as usize] = (from, step.weight);
            *place += 1;
        }
    }
    Rows { starts, items }
}

/// By rank: the number of the model's state.
fn classes(space: &Space<'_, '_>, states: &[(StateId, u64)]) -> Vec<u32> {
    let Some(runs) = space.task.system.claim_runs() else { return (0..states.len() as u32).collect() };
    let mut numbers: HashMap<Vec<i32>, u32> = HashMap::new();
    let mut state = StateBuf::default();
    let class = |(id, _): &(StateId, u64)| {
        space.read(*id, &mut state);
        let next = numbers.len() as u32;
        *numbers.entry(runs.read_at(state.as_state()).key.to_vec()).or_insert(next)
    };
    states.iter().map(class).collect()
}
