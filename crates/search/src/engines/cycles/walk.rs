//! A depth-first walk: the path, and the steps beside it that were not taken yet.
//!
//! The path can be as long as there are states, and each of its states has all its steps here: they are kept small.

use bughound_kernel::{Marks, StateId};

use crate::engines::cycles::arcs::{Arc, Labels, PackedArc};
use crate::engines::cycles::space::Space;
use crate::engines::ending::Halt;

/// Where the steps of a state come from.
pub trait Steps {
    /// Appends the steps from a state.
    fn arcs(&mut self, id: StateId, out: &mut Vec<Arc>) -> Result<(), Halt>;

    fn note_depth(&mut self, depth: u64);

    /// The marks of an accepting cycle.
    fn required(&self) -> Marks;
}

impl Steps for Space<'_, '_> {
    fn arcs(&mut self, id: StateId, out: &mut Vec<Arc>) -> Result<(), Halt> {
        Space::arcs(self, id, out)
    }

    fn note_depth(&mut self, depth: u64) {
        Space::note_depth(self, depth);
    }

    fn required(&self) -> Marks {
        Space::required(self)
    }
}

/// A state on the path.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The step that led to it.
    arc: PackedArc,
    /// Where its own steps begin.
    first: usize,
}

impl Frame {
    pub fn state(&self) -> StateId {
        self.arc.to
    }
}

/// What comes next.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A step from the last state of the path.
    Arc(Arc),
    /// All steps from the last state of the path are done; it has left the path.
    Leave(Frame),
}

#[derive(Debug, Default)]
pub struct Walk {
    frames: Vec<Frame>,
    arcs: Vec<PackedArc>,
    labels: Labels,
    /// Cost of the path: a number with room for any sum of weights.
    cost: u128,
    expansion: Vec<Arc>,
}

impl Walk {
    /// The state goes onto the path. Tells whether some step from it carries all marks that are required.
    pub fn enter(&mut self, space: &mut impl Steps, arc: Arc) -> Result<bool, Halt> {
        let first = self.arcs.len();
        self.expand(space, arc.to)?;
        self.frames.push(Frame { arc: self.labels.pack(&arc), first });
        self.cost += u128::from(arc.weight);
        space.note_depth(u64::try_from(self.cost).unwrap_or(u64::MAX));
        Ok(self.expansion.iter().any(|arc| arc.marks.include(space.required())))
    }

    fn expand(&mut self, space: &mut impl Steps, state: StateId) -> Result<(), Halt> {
        self.expansion.clear();
        space.arcs(state, &mut self.expansion)?;
        // They are taken from the end.
        self.arcs.extend(self.expansion.iter().rev().map(|arc| self.labels.pack(arc)));
        Ok(())
    }

    /// Puts a state that has just left the path back on it, with the steps of another state in place of its own.
    pub fn go_on(&mut self, space: &mut impl Steps, frame: Frame, from: StateId) -> Result<(), Halt> {
        self.put_back(frame);
        self.expand(space, from)
    }

    /// Begins at a state.
    pub fn start(&mut self, space: &mut impl Steps, state: StateId) -> Result<bool, Halt> {
        self.enter(space, Arc { to: state, weight: 0, marks: Marks::NONE })
    }

    /// The next step or the end of a state; `None` when the path is empty.
    pub fn next(&mut self) -> Option<Event> {
        let first = self.frames.last()?.first;
        if self.arcs.len() > first {
            return self.arcs.pop().map(|packed| Event::Arc(self.labels.unpack(packed)));
        }
        let frame = self.frames.pop()?;
        self.cost -= u128::from(self.unpack(frame).weight);
        Some(Event::Leave(frame))
    }

    /// Puts a state that has just left the path back on it, without its steps.
    pub fn put_back(&mut self, frame: Frame) {
        self.cost += u128::from(self.unpack(frame).weight);
        self.frames.push(frame);
    }

    pub fn last(&self) -> Option<StateId> {
        self.frames.last().map(Frame::state)
    }

    /// How many steps the state has that was expanded last.
    pub fn last_expansion(&self) -> usize {
        self.expansion.len()
    }

    /// The step that led to a state of the path.
    pub fn unpack(&self, frame: Frame) -> Arc {
        self.labels.unpack(frame.arc)
    }

    /// How many states the path has.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    pub fn states(&self) -> impl Iterator<Item = StateId> {
        self.frames.iter().map(Frame::state)
    }

    /// The step that led to the state at this place of the path.
    pub fn arc_to(&self, place: usize) -> Arc {
        self.unpack(self.frames[place])
    }

    /// The steps of the path behind its first so many states.
    pub fn arcs_behind(&self, states: usize) -> impl Iterator<Item = Arc> {
        (states..self.frames.len()).map(|place| self.arc_to(place))
    }

    pub fn memory(&self) -> u64 {
        let path = self.frames.capacity() * size_of::<Frame>() + self.arcs.capacity() * size_of::<PackedArc>();
        path as u64 + self.labels.memory()
    }
}
