//! Grades by interference contexts.

use bughound_checkpoint::{Error, Reader, Writer};
use bughound_kernel::{Contexts, StepClass};

use crate::evaluators::{Arrival, Grade, Grader};
use crate::prioritised::{Classes, PerState, read_class, write_class};
use crate::saving::{Ids, Snapshot};

/// A step that follows an innocent one has the distance between the two as its grade: who can profit from the last step
/// comes first. Whatever follows a step that contributes to the error by itself comes first, too.
///
/// **Why pruning loses nothing**, although a state is kept with the step that led to it, and one that was left out is not
/// opened when a good step leads to it later. Suppose an error can be reached and none was found. Of all expansions take
/// those from which the way to an error is shortest, and of these the first: state s, way π. If s was reached by an
/// innocent step t and π has no step that is connected with t, π leads from the parent of s to an error, too: t changed
/// nothing that π needs, and nothing that is true of the error only behind t. The parent was expanded before s. So π has
/// a step that may follow (or any may), and the first such commutes with all before it: let it be the first of π. The
/// state s′ behind it was not opened, for the rest of π is shorter. So it had been met before, by a step t″ from a state
/// s″ that was expanded before s (not from s: steps without connection lead to the same state only if both change nothing,
/// and then π is not shortest). From s″, t″ and the rest of π lead to an error, and are no longer than π. Either way there
/// was an earlier expansion, which cannot be.
pub(crate) struct ByContext<'c> {
    contexts: Option<Classes<'c>>,
    /// Steps without any connection are left out instead of being last.
    prune: bool,
    incoming: PerState<Option<StepClass>>,
}

impl<'c> ByContext<'c> {
    pub(crate) fn new(contexts: Option<Box<dyn Contexts + 'c>>, prune: bool) -> Self {
        ByContext { contexts: contexts.map(Classes::new), prune, incoming: PerState::default() }
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

impl Snapshot for ByContext<'_> {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        self.contexts.save(ids, to);
        self.incoming.save(ids, to, write_class);
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        self.contexts.load(ids, from)?;
        let classes = self.contexts.as_ref();
        self.incoming.load(ids, from, |from| read_class(classes, from))
    }
}
