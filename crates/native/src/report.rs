//! Answers and traces.

use std::fmt;

use bughound_kernel::Verdict;
use bughound_search::{Incompleteness, Statistics};

use crate::model::RustModel;
use crate::property::PropertyKind;

/// A step of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep<A, S> {
    pub action: A,
    /// The state that the action led to.
    pub state: S,
}

/// A way from an initial state to one that decides a property, executed once more by the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace<A, S> {
    pub start: S,
    pub steps: Vec<TraceStep<A, S>>,
    /// What the steps cost together: their number where the model gives no costs.
    pub cost: u64,
    /// No trace for this property costs less. If the search used an estimate that claims to be admissible, this rests on
    /// that claim.
    pub proven_shortest: bool,
}

impl<A, S> Trace<A, S> {
    /// The last state.
    pub fn end(&self) -> &S {
        self.steps.last().map_or(&self.start, |step| &step.state)
    }

    /// All states, the first one included.
    pub fn states(&self) -> impl Iterator<Item = &S> {
        std::iter::once(&self.start).chain(self.steps.iter().map(|step| &step.state))
    }
}

impl<A: fmt::Debug, S: fmt::Debug> fmt::Display for Trace<A, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "start: {:?}", self.start)?;
        for (number, step) in self.steps.iter().enumerate() {
            writeln!(f, "{:>5}: {:?}\n       {:?}", number + 1, step.action, step.state)?;
        }
        Ok(())
    }
}

/// The answer to one property.
pub struct Answer<M: RustModel> {
    pub property: String,
    pub kind: PropertyKind,
    /// `Satisfied` is the good news about [`PropertyKind::Sometimes`]; `Violated` the bad news about any.
    pub verdict: Verdict,
    /// A counterexample, or an example for [`PropertyKind::Sometimes`].
    pub trace: Option<Trace<M::Action, M::State>>,
    /// Why the verdict is no better than it is; empty if there is nothing better.
    pub incomplete_because: Vec<Incompleteness>,
    /// Of the search that decided it, which may have decided others as well.
    pub statistics: Statistics,
}

impl<M: RustModel> fmt::Display for Answer<M>
where
    M::Action: fmt::Debug,
    M::State: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.property, self.verdict)?;
        if !self.incomplete_because.is_empty() {
            let reasons: Vec<String> = self.incomplete_because.iter().map(ToString::to_string).collect();
            write!(f, " ({})", reasons.join("; "))?;
        }
        let Some(trace) = &self.trace else { return writeln!(f) };
        let shortest = if trace.proven_shortest { ", shortest (proven)" } else { "" };
        writeln!(f, " after {} steps at a cost of {}{shortest}\n{trace}", trace.steps.len(), trace.cost)
    }
}

/// The answers to all properties, in the order of the model.
pub struct Report<M: RustModel> {
    pub answers: Vec<Answer<M>>,
    /// Of all searches together.
    pub statistics: Statistics,
}

impl<M: RustModel> Report<M> {
    /// The worst news of all.
    pub fn verdict(&self) -> Verdict {
        Verdict::together(self.answers.iter().map(|answer| answer.verdict))
    }

    /// The answer to the property of this name.
    pub fn answer(&self, property: &str) -> Option<&Answer<M>> {
        self.answers.iter().find(|answer| answer.property == property)
    }
}

impl<M: RustModel> fmt::Display for Report<M>
where
    M::Action: fmt::Debug,
    M::State: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.answers.iter().try_for_each(|answer| write!(f, "{answer}"))
    }
}
