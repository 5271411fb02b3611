//! Steps before states: the grade of the step that leads to a state decides first, then the key of the state.

use std::fmt;
use std::time::Duration;

use bughound_checkpoint::{Error, Reader, Record, Writer};

use crate::evaluators::{Arrival, Priority, Rank};
use crate::saving::{Ids, Snapshot};

/// How promising a step is; smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grade(pub u32);

impl Grade {
    pub const FIRST: Grade = Grade(0);
    /// Behind all others.
    pub const LAST: Grade = Grade(u32::MAX);
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Grade::LAST { f.write_str("rest") } else { write!(f, "q{}", self.0) }
    }
}

/// Grades the steps of a search.
pub trait Grader: Snapshot {
    /// The grade of the step that leads to a state; `None`: the step is of no use at all. `estimate`: that of the state.
    fn grade(&mut self, arrival: &Arrival<'_>, estimate: Option<u64>) -> Option<Grade>;

    /// Calls of a heuristic so far and the time they took.
    fn evaluations(&self) -> (u64, Duration) {
        (0, Duration::ZERO)
    }

    /// Bytes used.
    fn memory(&self) -> u64 {
        0
    }
}

/// A priority in which the grade of the last step comes first.
pub struct Graded<G, P> {
    grader: G,
    states: P,
}

impl<G: Grader, P: Priority> Graded<G, P> {
    pub fn new(grader: G, states: P) -> Self {
        Graded { grader, states }
    }
}

impl<G: Grader, P: Priority> Priority for Graded<G, P> {
    type Key = (Grade, P::Key);

    fn rank(&mut self, arrival: &Arrival<'_>) -> Rank<Self::Key> {
        let key = match self.states.rank(arrival) {
            Rank::Open(key) => key,
            Rank::Prune => return Rank::Prune,
            Rank::Beyond => return Rank::Beyond,
        };
        match self.grader.grade(arrival, self.states.estimate_in(key)) {
            Some(grade) => Rank::Open((grade, key)),
            None => Rank::Prune,
        }
    }

    fn rank_error(&self, cost: u64) -> Self::Key {
        (Grade::FIRST, self.states.rank_error(cost))
    }

    fn finds_cheapest_first(&self) -> bool {
        false
    }

    /// Graders leave out what is proven to be of no use only.
    fn prunes_safely(&self) -> bool {
        self.states.prunes_safely()
    }

    fn best_estimate(&self) -> Option<u64> {
        self.states.best_estimate()
    }

    fn estimate_in(&self, (_, key): Self::Key) -> Option<u64> {
        self.states.estimate_in(key)
    }

    fn evaluations(&self) -> (u64, Duration) {
        let ((of_states, long), (of_steps, longer)) = (self.states.evaluations(), self.grader.evaluations());
        (of_states + of_steps, long + longer)
    }

    fn memory(&self) -> u64 {
        self.states.memory() + self.grader.memory()
    }
}

impl Record for Grade {
    fn write(&self, to: &mut Writer) {
        to.number(self.0.into());
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        from.small().map(Grade)
    }
}

impl<G: Grader, P: Priority> Snapshot for Graded<G, P> {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        self.grader.save(ids, to);
        self.states.save(ids, to);
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        self.grader.load(ids, from)?;
        self.states.load(ids, from)
    }
}
