//! What a search looks for and when it may stop.

use bughound_kernel::{AtomId, Failure, FailureKind, State};

/// The caller's number of a property; witnesses carry it.
pub type PropertyIndex = usize;

/// A predicate that must have the expected truth value in every reachable state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvariantGoal {
    pub property: PropertyIndex,
    pub atom: AtomId,
    /// The truth value without error: `true` for `A[] p`, `false` for a predicate that must not be reached.
    pub expected: bool,
}

/// Where an error is, as far as errors of one property are told apart; empty if they are not.
pub type Place = Vec<i32>;

/// Which errors of one property are different, and which of them are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The slots of a key that say where the processes are: errors in states are different if one of these is. Failing steps
    /// are different if they fail at different edges, or at different checks of one.
    pub slots: Vec<u32>,
    /// These count no more.
    pub known: Vec<(PropertyIndex, Place)>,
}

/// The errors that count. `None`: not asked for; such errors are counted in the statistics but are no witnesses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goals {
    pub deadlock: Option<PropertyIndex>,
    /// Failed assertions.
    pub assertion: Option<PropertyIndex>,
    /// Evaluation errors.
    pub evaluation: Option<PropertyIndex>,
    pub invariants: Vec<InvariantGoal>,
    /// Accepting cycles, in systems that have conditions on infinite runs.
    pub cycle: Option<PropertyIndex>,
    /// If several errors of one property are looked for. Cycles are not told apart.
    pub difference: Option<Difference>,
    /// The user's hints, for searches that [take them](crate::Search::takes_hints): steps are first taken from states in which the
    /// first one is true, and when there are no more of them, in which the next one is. They change nothing in what is found.
    pub hints: Vec<AtomId>,
}

impl Goals {
    /// No error counts: the search walks the whole state space.
    pub fn none() -> Self {
        Goals::default()
    }

    pub fn failure(&self, kind: FailureKind) -> Option<PropertyIndex> {
        match kind {
            FailureKind::Assertion => self.assertion,
            FailureKind::Evaluation => self.evaluation,
        }
    }

    /// Where an error is: a failing step, or else the state.
    pub fn place(&self, failure: Option<Failure>, state: State<'_>) -> Place {
        match (&self.difference, failure) {
            (None, _) => Place::new(),
            (Some(_), Some(Failure { kind, edge, code })) => vec![kind as i32, edge as i32, code as i32],
            // A process that does not exist is nowhere.
            (Some(difference), None) => {
                let at = |slot: &u32| state.key.get(*slot as usize).copied().unwrap_or(i32::MIN);
                difference.slots.iter().map(at).collect()
            }
        }
    }

    /// Is it an error that does not count any more?
    pub fn is_known(&self, property: PropertyIndex, failure: Option<Failure>, state: State<'_>) -> bool {
        let Some(difference) = self.difference.as_ref().filter(|difference| !difference.known.is_empty()) else {
            return false;
        };
        let place = self.place(failure, state);
        difference.known.iter().any(|(other, known)| *other == property && *known == place)
    }

    /// The properties asked for, each once.
    pub fn properties(&self) -> Vec<PropertyIndex> {
        let invariants = self.invariants.iter().map(|goal| goal.property);
        let mut all: Vec<_> = [self.deadlock, self.assertion, self.evaluation, self.cycle]
            .into_iter()
            .flatten()
            .chain(invariants)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// When a search ends before it has seen everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopPolicy {
    /// At the first error.
    FirstError,
    /// As soon as every property has a witness. Without properties: never.
    EveryProperty,
    /// Never: the whole state space is counted.
    Exhaustive,
}

impl StopPolicy {
    /// May the search end once it has witnesses for `found` of its `properties`?
    pub(crate) fn is_satisfied(self, found: usize, properties: usize) -> bool {
        match self {
            StopPolicy::FirstError => found > 0,
            StopPolicy::EveryProperty => found > 0 && found == properties,
            StopPolicy::Exhaustive => false,
        }
    }
}
