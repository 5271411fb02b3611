//! Shortest lassos, proven, with memory for the states and steps only.
//!
//! The head of a shortest lasso can be chosen as the state of its loop that is nearest to the start: otherwise the stem
//! could end there and the lasso would be shorter. So the states are taken as heads in the order of their distance, and
//! from each the shortest accepting loop over states that were *not* heads before is looked for, no longer than what makes
//! the lasso shorter than the best one known. When the distance of the next head reaches the length of the best lasso, that
//! is a shortest one. Recording states finds the same lassos with up to the square of the memory.
//!
//! From each head, distances *back to it* are computed first; the search for the loop then follows only steps from which
//! the head can be reached again in time.
//!
//! Errors without a loop (the claim is at its end) compete. In a system that follows all runs of the claim at once, the
//! lassos are those of the model: see `algebra`.

use std::collections::HashMap;

use bughound_kernel::StateId;

use crate::engines::cycles::algebra::Algebra;
use crate::engines::cycles::arcs::Arc;
use crate::engines::cycles::compact::Compact;
use crate::engines::cycles::dial::Dial;
use crate::engines::cycles::lasso::Distances;
use crate::engines::cycles::{Lasso, Space, Violation};
use crate::engines::ending::Halt;

/// What the search has found out.
pub(super) struct Shortest {
    /// A violation cheaper than the bound, the cheapest one found, and its cost.
    pub found: Option<(Violation, u64)>,
    /// What ended it; nothing if no cheaper one is left.
    pub halt: Option<Halt>,
}

/// Looks for the cheapest violation below `bound`. `effort`: how many steps may be looked at in search of loops.
pub(super) fn shortest(space: &mut Space<'_, '_>, bound: u64, effort: Option<u64>) -> Shortest {
    let mut algebra = Algebra::new(space);
    let mut tree = Distances::default();
    let graph = match Compact::new(space, &mut algebra, bound, &mut tree) {
        Ok(graph) => graph,
        Err(halt) => return Shortest { found: None, halt: Some(halt) },
    };
    let mut found = graph.error.map(|(id, cost)| (Violation::State(tree.path_to(id)), cost));
    let required = space.task.system.required();
    let components = graph.components(&algebra, required);
    space.side_memory = graph.memory() * 2 + tree.memory();
    let mut loops = Loops::new(&graph, &components, &mut algebra, effort);
    let mut bound = found.as_ref().map_or(bound, |(_, cost)| *cost);
    let mut ended = None;
    for head in 0..graph.len() as u32 {
        let (id, cost) = graph.states[head as usize];
        if cost >= bound {
            break;
        }
        match loops.through(space, head, id, bound - 1 - cost) {
            Ok(Some((cycle, length))) => {
                bound = cost + length;
                found = Some((Violation::Cycle(Lasso { stem: tree.path_to(id), cycle }), bound));
            }
            Ok(None) => {}
            Err(halt) => {
                ended = Some(halt);
                break;
            }
        }
    }
    Shortest { found, halt: ended }
}

/// A place in a search for a loop.
#[derive(Clone, Copy, Debug)]
struct Place {
    state: u32,
    value: u32,
    cost: u64,
    parent: u32,
    /// The step that led there, as a position in the steps of the parent's state.
    step: u32,
}

struct Loops<'g, 'a, 't> {
    graph: &'g Compact,
    components: &'g [Option<u32>],
    algebra: &'a mut Algebra<'t>,
    /// By state: distance back to the head, valid if the stamp is the head's.
    back: Vec<(u32, u64)>,
    places: Vec<Place>,
    numbers: HashMap<(u32, u32), u32>,
    open: Dial,
    left: Option<u64>,
}

impl<'g, 'a, 't> Loops<'g, 'a, 't> {
    fn new(
        graph: &'g Compact,
        components: &'g [Option<u32>],
        algebra: &'a mut Algebra<'t>,
        effort: Option<u64>,
    ) -> Self {
        let back = vec![(u32::MAX, 0); graph.len()];
        let open = Dial::new(graph.heaviest);
        Loops { graph, components, algebra, back, places: Vec::new(), numbers: HashMap::new(), open, left: effort }
    }

    fn component(&self, state: u32) -> Option<u32> {
        self.components[self.graph.class[state as usize] as usize]
    }

    fn spend(&mut self, space: &mut Space<'_, '_>, work: u64) -> Result<(), Halt> {
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(work).ok_or(Halt::Budget)?;
        }
        space.check_limits(work)
    }

    /// The shortest accepting loop through the head over states that come after it, up to a bound.
    fn through(
        &mut self,
        space: &mut Space<'_, '_>,
        head: u32,
        id: StateId,
        bound: u64,
    ) -> Result<Option<(Vec<Arc>, u64)>, Halt> {
        if self.graph.is_barren[head as usize] || self.component(head).is_none() {
            return Ok(None);
        }
        if !self.measure_back(space, head, bound)? {
            return Ok(None);
        }
        let at_head = self.algebra.locations_at(space, id);
        let nothing = self.algebra.nothing();
        self.places.clear();
        self.numbers.clear();
        self.open.restart();
        self.places.push(Place { state: head, value: nothing, cost: 0, parent: u32::MAX, step: 0 });
        self.open.push(0, 0);
        let class = self.graph.class[head as usize];
        while let Some((cost, number)) = self.open.pop() {
            let place = self.places[number as usize];
            if place.cost != cost {
                continue;
            }
            let is_back = number != 0 && self.graph.class[place.state as usize] == class;
            if is_back && self.algebra.is_accepting(at_head, place.value) {
                return Ok(Some((self.way_to(number), cost)));
            }
            let steps = self.graph.steps(place.state);
            self.spend(space, 1 + steps.len() as u64)?;
            for (at, step) in steps.iter().enumerate() {
                let cost = cost + u64::from(step.weight);
                let (stamp, back) = self.back[step.to as usize];
                if step.to < head || stamp != head || cost + back > bound {
                    continue;
                }
                let value = self.algebra.extend(place.value, step.label);
                let next = Place { state: step.to, value, cost, parent: number, step: at as u32 };
                let known = *self.numbers.entry((step.to, value)).or_insert(self.places.len() as u32);
                if known as usize == self.places.len() {
                    self.places.push(next);
                } else if cost < self.places[known as usize].cost {
                    self.places[known as usize] = next;
                } else {
                    continue;
                }
                self.open.push(cost, known);
            }
        }
        Ok(None)
    }

    /// Distances to the class of the head, over states that come after it. False if no loop is short enough.
    fn measure_back(&mut self, space: &mut Space<'_, '_>, head: u32, bound: u64) -> Result<bool, Halt> {
        let component = self.component(head);
        let class = self.graph.class[head as usize];
        self.open.restart();
        // Other states of the class are ends of the loop, too. They cannot come before the head in time but in rank.
        for state in self.graph.members_from(class, head) {
            self.back[state as usize] = (head, 0);
            self.open.push(0, state);
        }
        let mut closes = false;
        while let Some((cost, state)) = self.open.pop() {
            if self.back[state as usize] != (head, cost) {
                continue;
            }
            let steps = self.graph.back(state);
            self.spend(space, 1 + steps.len() as u64)?;
            for &(from, weight) in steps {
                let cost = cost + u64::from(weight);
                if from < head || cost > bound || self.component(from) != component {
                    continue;
                }
                closes |= from == head;
                let known = &mut self.back[from as usize];
                if known.0 != head || cost < known.1 {
                    *known = (head, cost);
                    self.open.push(cost, from);
                }
            }
        }
        Ok(closes)
    }

    fn way_to(&self, number: u32) -> Vec<Arc> {
        let mut way = Vec::new();
        let mut at = self.places[number as usize];
        while at.parent != u32::MAX {
            let before = self.places[at.parent as usize];
            let step = self.graph.steps(before.state)[at.step as usize];
            let (to, weight) = (self.graph.states[step.to as usize].0, u64::from(step.weight));
            way.push(Arc { to, weight, marks: self.algebra.marks(step.label) });
            at = before;
        }
        way.reverse();
        way
    }
}
