//! A model whose states are found while one looks at them.

use crate::effort::Failure;
use crate::model::{Builder, Model, Numbers};
use crate::states::StateSet;

/// What a state is to the question after `left U right`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// `left` holds and `right` does not: nothing is decided.
    Open,
    /// `right` holds: whoever gets here has made it.
    Goal,
    /// Neither holds, or it is known that no goal can be reached: whoever gets here has lost.
    Lost,
}

/// What is known of a state before it is expanded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    pub standing: Standing,
    /// No way from here to a goal is more probable than this. 1 promises nothing.
    pub promise: f64,
}

/// States and steps on demand. States are numbered in the order in which they are found; initial ones come first.
pub trait Space {
    type Failure: From<Failure>;

    /// Where states are written to, empty: its kind is that of the model.
    fn builder(&mut self) -> Builder;

    fn initial(&self) -> &[u32];

    /// Asked once for each state, before it is expanded.
    fn look(&mut self, state: usize) -> Result<Look, Self::Failure>;

    /// Writes the state with its choices behind those written before. Entries lead to states by their numbers.
    fn expand(&mut self, state: usize, into: &mut Builder) -> Result<(), Self::Failure>;
}

/// A whole model as a space.
pub struct Whole<'a> {
    model: &'a Model,
    left: &'a StateSet,
    right: &'a StateSet,
    initial: Vec<u32>,
}

impl<'a> Whole<'a> {
    pub fn new(model: &'a Model, left: &'a StateSet, right: &'a StateSet) -> Whole<'a> {
        Whole { model, left, right, initial: model.initial.clone() }
    }

    /// Starts in these states instead of the initial ones.
    pub fn from_states(self, initial: Vec<u32>) -> Whole<'a> {
        Whole { initial, ..self }
    }
}

impl Space for Whole<'_> {
    type Failure = Failure;

    fn builder(&mut self) -> Builder {
        Builder::with_numbers(self.model.kind(), Numbers::from_pool(self.model.pool().clone()))
    }

    fn initial(&self) -> &[u32] {
        &self.initial
    }

    fn look(&mut self, state: usize) -> Result<Look, Failure> {
        let standing = match (self.right.contains(state), self.left.contains(state)) {
            (true, _) => Standing::Goal,
            (false, true) => Standing::Open,
            (false, false) => Standing::Lost,
        };
        Ok(Look { standing, promise: 1.0 })
    }

    fn expand(&mut self, state: usize, into: &mut Builder) -> Result<(), Failure> {
        into.state();
        for choice in self.model.choices_of(state) {
            into.choice();
            self.model.entries(choice).for_each(|(target, weight)| into.entry(target, weight));
        }
        Ok(())
    }
}
