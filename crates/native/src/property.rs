//! Properties of models written in Rust, and estimates of the way to what they look for.

use bughound_kernel::{Estimate, HeuristicClaims};

use crate::model::RustModel;

type Condition<M> = dyn Fn(&M, &<M as RustModel>::State) -> bool + Send + Sync;
type Estimating<M> = dyn Fn(&M, &<M as RustModel>::State) -> Estimate + Send + Sync;

/// What a property asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PropertyKind {
    /// Does a condition hold in every reachable state? A trace is a counterexample.
    Always,
    /// Is there a reachable state in which a condition holds? A trace is an example.
    Sometimes,
    /// Can every reachable state be left, unless the system may end there? A trace is a counterexample.
    NoDeadlock,
}

/// A question about the reachable states of a model.
pub struct Property<M: RustModel> {
    name: String,
    kind: PropertyKind,
    condition: Box<Condition<M>>,
    estimate: Option<(Box<Estimating<M>>, HeuristicClaims)>,
}

impl<M: RustModel> Property<M> {
    fn new(
        name: impl Into<String>,
        kind: PropertyKind,
        condition: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        Property { name: name.into(), kind, condition: Box::new(condition), estimate: None }
    }

    /// The condition holds in every reachable state.
    pub fn always(name: impl Into<String>, condition: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static) -> Self {
        Property::new(name, PropertyKind::Always, condition)
    }

    /// The condition holds in some reachable state.
    pub fn sometimes(
        name: impl Into<String>,
        condition: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        Property::new(name, PropertyKind::Sometimes, condition)
    }

    /// Every reachable state has a step, or [may be an end](RustModel::may_end).
    pub fn no_deadlock(name: impl Into<String>) -> Self {
        Property::new(name, PropertyKind::NoDeadlock, |_, _| true)
    }

    /// Guides searches: about how much it costs to get from a state to one that decides this property (that violates it, or
    /// for [`sometimes`](Self::sometimes) fulfils it). `None` or [`Estimate::DeadEnd`]: there seems to be no way.
    ///
    /// Nothing is claimed about it, so no trace is proven shortest by it.
    pub fn estimate<E: Into<Estimate>>(self, estimate: impl Fn(&M, &M::State) -> E + Send + Sync + 'static) -> Self {
        self.claiming(HeuristicClaims::NONE, estimate)
    }

    /// The same for an estimate that is never more than the true cost. Dead ends are taken for proof.
    ///
    /// The claim is believed: [`check_estimates`](crate::check_estimates) puts it to the test.
    pub fn admissible_estimate<E: Into<Estimate>>(
        self,
        estimate: impl Fn(&M, &M::State) -> E + Send + Sync + 'static,
    ) -> Self {
        self.claiming(HeuristicClaims::ADMISSIBLE, estimate)
    }

    /// The same for an estimate that is 0 where the property is decided and falls by at most the cost of a step along each
    /// step. It is admissible, then.
    pub fn consistent_estimate<E: Into<Estimate>>(
        self,
        estimate: impl Fn(&M, &M::State) -> E + Send + Sync + 'static,
    ) -> Self {
        self.claiming(HeuristicClaims::CONSISTENT, estimate)
    }

    fn claiming<E: Into<Estimate>>(
        mut self,
        claims: HeuristicClaims,
        estimate: impl Fn(&M, &M::State) -> E + Send + Sync + 'static,
    ) -> Self {
        self.estimate = Some((Box::new(move |model, state| estimate(model, state).into()), claims));
        self
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn kind(&self) -> PropertyKind {
        self.kind
    }

    /// What is claimed about the estimate; `None` if there is none.
    pub fn claims(&self) -> Option<HeuristicClaims> {
        self.estimate.as_ref().map(|(_, claims)| *claims)
    }

    /// The estimate of a state; 0 if there is none.
    pub fn estimate_of(&self, model: &M, state: &M::State) -> Estimate {
        self.estimate.as_ref().map_or(Estimate::ZERO, |(estimate, _)| estimate(model, state))
    }

    /// Does the condition hold? Always true for deadlocks, which are no matter of a condition.
    pub fn holds_in(&self, model: &M, state: &M::State) -> bool {
        (self.condition)(model, state)
    }

    /// Does a state decide the property? Asks the model for steps only if that matters.
    pub(crate) fn is_decided_in(&self, model: &M, state: &M::State) -> bool {
        match self.kind {
            PropertyKind::Always => !self.holds_in(model, state),
            PropertyKind::Sometimes => self.holds_in(model, state),
            PropertyKind::NoDeadlock => {
                let mut actions = Vec::new();
                model.actions(state, &mut actions);
                !model.may_end(state) && actions.iter().all(|action| model.next_state(state, action).is_none())
            }
        }
    }
}
