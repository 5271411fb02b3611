//! A depth-first walk: the path, and the steps beside it that were not taken yet.

use bughound_kernel::{Marks, StateId};

use crate::engines::cycles::arcs::Arc;
use crate::engines::cycles::space::Space;
use crate::engines::ending::Halt;

/// A state on the path.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub state: StateId,
    /// The step that led to it.
    pub weight: u64,
    pub marks: Marks,
    /// Some step from it carries all marks that are required.
    pub accepting: bool,
    first: usize,
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
    pub frames: Vec<Frame>,
    arcs: Vec<Arc>,
    cost: u64,
}

impl Walk {
    /// The state goes onto the path.
    pub fn enter(&mut self, space: &mut Space<'_, '_>, arc: Arc) -> Result<(), Halt> {
        let first = self.arcs.len();
        space.arcs(arc.to, &mut self.arcs)?;
        let required = space.task.system.required();
        let accepting = self.arcs[first..].iter().any(|arc| arc.marks.include(required));
        // They are taken from the end.
        self.arcs[first..].reverse();
        self.frames.push(Frame { state: arc.to, weight: arc.weight, marks: arc.marks, accepting, first });
        self.cost += arc.weight;
        space.note_depth(self.cost);
        Ok(())
    }

    /// Begins at a state.
    pub fn start(&mut self, space: &mut Space<'_, '_>, state: StateId) -> Result<(), Halt> {
        self.enter(space, Arc { to: state, weight: 0, marks: Marks::NONE })
    }

    /// The next step or the end of a state; `None` when the path is empty.
    pub fn next(&mut self) -> Option<Event> {
        let first = self.frames.last()?.first;
        if self.arcs.len() > first {
            return self.arcs.pop().map(Event::Arc);
        }
        let frame = self.frames.pop()?;
        self.cost -= frame.weight;
        Some(Event::Leave(frame))
    }

    pub fn states(&self) -> impl Iterator<Item = StateId> {
        self.frames.iter().map(|frame| frame.state)
    }

    pub fn memory(&self) -> u64 {
        (self.frames.capacity() * size_of::<Frame>() + self.arcs.capacity() * size_of::<Arc>()) as u64
    }
}
