//! What a search looks for and when it may stop.

use bughound_kernel::{AtomId, FailureKind};

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
