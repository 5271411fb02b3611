//! Search for an accepting strongly connected component, on the fly, for any number of conditions.
//!
//! One depth-first walk. The components of the part seen so far lie on a stack, each with the marks of all steps inside
//! it; a step back to the path merges the components it spans. As soon as one has all marks, there is an accepting cycle
//! in it: earlier than any other algorithm can see it on the same walk (Couvreur 1999, "On-the-fly verification of linear
//! temporal logic"; Couvreur, Duret-Lutz, Poitrenaud 2005 for several conditions; Geldenhuys, Valmari 2005).

use bughound_kernel::{Marks, StateId};

use crate::engines::cycles::arcs::{Arc, Palette};
use crate::engines::cycles::lasso::Distances;
use crate::engines::cycles::walk::{Event, Walk};
use crate::engines::cycles::{Lasso, Space, Violation};
use crate::engines::ending::Halt;

/// A component of the part seen so far. Its first state lies on the path.
#[derive(Clone, Copy, Debug)]
struct Component {
    /// Number of its first state, in the order of the walk.
    root: u32,
    /// Where that state lies on the path: the step that leads there leads into the component.
    place: u32,
    /// Marks of the steps inside it: a number among the sets of marks that occur.
    inside: u32,
}

const NEW: u32 = 0;
const DONE: u32 = u32::MAX;

/// A walk over components that can be continued from other states: what is done stays done.
#[derive(Debug, Default)]
pub(super) struct Components {
    /// By state: its number in the order of the walk, counted from 1.
    numbers: Vec<u32>,
    walk: Walk,
    stack: Vec<Component>,
    sets: Palette<Marks>,
    /// States of the components on the stack, in the order of the walk.
    live: Vec<StateId>,
}

/// Looks for an accepting cycle or a state that is an error.
pub(super) fn components(space: &mut Space<'_, '_>) -> Result<Option<Violation>, Halt> {
    let mut search = Components::default();
    for initial in space.initial()? {
        if let Some(found) = search.walk_from(space, initial, &mut |_, _, _| true)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

impl Components {
    fn number(&mut self, space: &Space<'_, '_>, state: StateId) -> &mut u32 {
        if self.numbers.len() <= state.index() {
            self.numbers.resize(space.len().max(state.index() + 1), NEW);
        }
        &mut self.numbers[state.index()]
    }

    pub(super) fn is_new(&self, state: StateId) -> bool {
        self.numbers.get(state.index()).is_none_or(|number| *number == NEW)
    }

    pub(super) fn memory(&self) -> u64 {
        let stack = self.stack.capacity() * size_of::<Component>() + self.live.capacity() * 4;
        (self.numbers.capacity() * 4 + stack) as u64 + self.walk.memory() + self.sets.memory()
    }

    fn enter(&mut self, space: &mut Space<'_, '_>, arc: Arc) -> Result<(), Halt> {
        self.live.push(arc.to);
        let root = self.live.len() as u32;
        *self.number(space, arc.to) = root;
        let (place, inside) = (self.walk.len() as u32, self.sets.number(Marks::NONE));
        self.stack.push(Component { root, place, inside });
        self.walk.enter(space, arc).map(|_| ())
    }

    /// Walks on from a state, over the steps that `follow` allows. The path of a violation begins at that state.
    pub(super) fn walk_from(
        &mut self,
        space: &mut Space<'_, '_>,
        start: StateId,
        follow: &mut dyn FnMut(&mut Space<'_, '_>, &Walk, Arc) -> bool,
    ) -> Result<Option<Violation>, Halt> {
        if !self.is_new(start) {
            return Ok(None);
        }
        if space.is_error(start) {
            return Ok(Some(Violation::State(vec![start])));
        }
        let required = space.required();
        self.enter(space, Arc { to: start, weight: 0, marks: Marks::NONE })?;
        while let Some(event) = self.walk.next() {
            space.inner_memory = self.memory();
            match event {
                Event::Arc(arc) => {
                    if !follow(space, &self.walk, arc) {
                        continue;
                    }
                    match *self.number(space, arc.to) {
                        DONE => {}
                        NEW if space.is_error(arc.to) => {
                            let path = self.walk.states().chain([arc.to]).collect();
                            return Ok(Some(Violation::State(path)));
                        }
                        NEW => self.enter(space, arc)?,
                        number => {
                            if self.merge(number, arc.marks).include(required) {
                                let members = self.top_component();
                                let path = self.walk.states().collect();
                                space.lift_limits(true);
                                let lasso = extract(space, path, members);
                                space.lift_limits(false);
                                return Ok(Some(Violation::Cycle(lasso?)));
                            }
                        }
                    }
                }
                Event::Leave(frame) => {
                    let number = *self.number(space, frame.state());
                    if self.stack.last().is_some_and(|top| top.root == number) {
                        self.stack.pop();
                        for state in self.live.drain(number as usize - 1..) {
                            self.numbers[state.index()] = DONE;
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// A step leads back to the state with this number: all components behind it are one.
    fn merge(&mut self, number: u32, marks: Marks) -> Marks {
        let mut all = marks;
        while let Some(top) = self.stack.last_mut() {
            let inside = self.sets.value(top.inside);
            if top.root <= number {
                top.inside = self.sets.number(inside | all);
                return inside | all;
            }
            all |= inside | self.walk.arc_to(top.place as usize).marks;
            self.stack.pop();
        }
        all
    }

    fn top_component(&self) -> Vec<StateId> {
        let root = self.stack.last().map_or(1, |top| top.root);
        self.live[root as usize - 1..].to_vec()
    }
}

/// An accepting cycle inside a component, at the end of a path into it as far as that lies outside.
pub(super) fn extract(space: &mut Space<'_, '_>, path: Vec<StateId>, mut members: Vec<StateId>) -> Result<Lasso, Halt> {
    members.sort_unstable();
    let head_at = path.iter().position(|state| members.binary_search(state).is_ok()).unwrap_or(0);
    let head = path[head_at];
    let required = space.required();
    let mut cycle: Vec<Arc> = Vec::new();
    let mut carried = Marks::NONE;
    let mut at = head;
    // The nearest step with a mark that is missing, again and again; then back.
    while !carried.include(required) {
        let useful = |arc: &Arc| !(required & arc.marks & !carried).is_empty();
        let Some(way) = nearest(space, at, &members, useful)? else { break };
        carried = way.iter().fold(carried, |all, arc| all | arc.marks);
        at = way.last().map_or(at, |arc| arc.to);
        cycle.extend(way);
    }
    if at != head {
        cycle.extend(nearest(space, at, &members, |arc| arc.to == head)?.unwrap_or_default());
    }
    Ok(Lasso { stem: path[..=head_at].to_vec(), cycle })
}

/// A short way inside the component (its states are sorted) whose last step is wanted: nothing before it could be shorter.
fn nearest(
    space: &mut Space<'_, '_>,
    from: StateId,
    members: &[StateId],
    wanted: impl Fn(&Arc) -> bool,
) -> Result<Option<Vec<Arc>>, Halt> {
    // Distances by place among the members: the component may be a small part of all states.
    let place = |state: StateId| members.binary_search(&state).ok().map(|place| StateId(place as u32));
    let mut tree = Distances::default();
    tree.reach(place(from).unwrap_or(StateId(0)), 0, None);
    let mut arcs = Vec::new();
    while let Some((cost, at)) = tree.next() {
        arcs.clear();
        space.arcs(members[at.index()], &mut arcs)?;
        arcs.retain(|arc| place(arc.to).is_some());
        if let Some(last) = arcs.iter().find(|arc| wanted(arc)) {
            let last = *last;
            let mut way = Vec::new();
            for pair in tree.path_to(at).windows(2) {
                arcs.clear();
                space.arcs(members[pair[0].index()], &mut arcs)?;
                let to = members[pair[1].index()];
                way.extend(arcs.iter().filter(|arc| arc.to == to).min_by_key(|arc| arc.weight));
            }
            way.push(last);
            return Ok(Some(way));
        }
        for arc in &arcs {
            if let Some(to) = place(arc.to) {
                tree.reach(to, cost.saturating_add(arc.weight), Some(at));
            }
        }
    }
    Ok(None)
}
