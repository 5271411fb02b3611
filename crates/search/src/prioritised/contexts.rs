//! Grades by interference contexts.

use bughound_kernel::{Contexts, StepClass};

use crate::evaluators::{Arrival, Grade, Grader};
use crate::prioritised::PerState;

/// A step that follows an innocent one has the distance between the two as its grade: who can profit from the last step
/// comes first. Whatever follows a step that contributes to the error by itself comes first, too.
pub(crate) struct ByContext<'c> {
    contexts: Option<Box<dyn Contexts + 'c>>,
    /// Steps without any connection are left out instead of being last.
    prune: bool,
    incoming: PerState<Option<StepClass>>,
}

impl<'c> ByContext<'c> {
    pub(crate) fn new(contexts: Option<Box<dyn Contexts + 'c>>, prune: bool) -> Self {
        ByContext { contexts, prune, incoming: PerState::default() }
    }
}

impl Grader for ByContext<'_> {
    fn grade(&mut self, arrival: &Arrival<'_>, _estimate: Option<u64>) -> Option<Grade> {
        let (Some(contexts), Some(from)) = (&mut self.contexts, arrival.from) else { return Some(Grade::FIRST) };
        let step = contexts.class(arrival.moves);
        self.incoming.set(arrival.id.index(), Some(step));
        let Some(before) = self.incoming.get(from.id.index()) else { return Some(Grade::FIRST) };
        if !contexts.is_innocent(before) {
            return Some(Grade::FIRST);
        }
        match contexts.distance(before, step) {
            Some(distance) => Some(Grade(distance.into())),
            None if self.prune => None,
            None => Some(Grade::LAST),
        }
    }

    fn memory(&self) -> u64 {
        self.incoming.memory() + self.contexts.as_ref().map_or(0, |contexts| contexts.memory())
    }
}
