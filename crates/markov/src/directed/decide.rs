//! Explores until a bound on a probability is decided.
//!
//! Between expansions the part that is known is evaluated twice: with its frontier lost, which gives a lower bound, and with
//! its frontier won, which gives an upper bound (Brázdil et al., *Verification of Markov decision processes using learning
//! algorithms*, ATVA 2014, asymptotically; McMahan, Likhachev and Gordon, *Bounded real-time dynamic programming*, ICML 2005).
//! A lower bound above p refutes `P<=p`, an upper bound of at most p proves it, and most of the model need not be seen. Every
//! bound is certain, whatever order was used: the numbers are those of `until` and its like about the part as a model.
//!
//! Evaluations come when the known part has grown by a share of itself, so all of them together cost as much as a few of the
//! last one, and whenever the order thinks that enough has arrived.

use dashu_ratio::RBig;

use super::order::{By, Order};
use super::part::Part;
use super::space::Space;
use crate::answer::{Answer, Extreme};
use crate::effort::{Effort, ExactLimits, Failure};
use crate::model::Kind;
use crate::questions::{Steps, until, until_steps, until_time};

/// Within which bound a goal has to be reached.
#[derive(Clone, Debug, PartialEq)]
pub enum When {
    Ever,
    /// So many steps at most, in discrete time.
    Steps(u64),
    /// So much time at most, in continuous time.
    Time(RBig),
}

/// The probability of reaching a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    pub extreme: Extreme,
    pub when: When,
}

/// A bound on a probability: `<= p` and so on.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    pub bound: RBig,
    /// From above?
    pub is_upper: bool,
    pub is_strict: bool,
}

impl Threshold {
    pub fn holds(&self, value: &RBig) -> bool {
        match (self.is_upper, self.is_strict) {
            (true, true) => *value < self.bound,
            (true, false) => *value <= self.bound,
            (false, true) => *value > self.bound,
            (false, false) => *value >= self.bound,
        }
    }

    fn holds_at(&self, value: f64) -> bool {
        RBig::try_from(value).is_ok_and(|value| self.holds(&value))
    }
}

/// What is known of the probability: a lower bound from the known part, and an upper one.
pub struct Bounds {
    pub lower: Answer,
    pub upper: Answer,
}

/// How it ended.
pub enum Decision {
    /// It holds in every initial state.
    Holds(Bounds),
    /// It is violated in this initial state.
    Violated(u32, Bounds),
    /// The bound is the value, as far as one can see, and exact arithmetic did not tell more.
    Open(Bounds),
}

impl Decision {
    pub fn bounds(&self) -> &Bounds {
        match self {
            Decision::Holds(bounds) | Decision::Violated(_, bounds) | Decision::Open(bounds) => bounds,
        }
    }
}

/// Told of before each expansion; an error ends the exploration.
pub type Heed<'h, F> = &'h mut dyn FnMut(&Part, &Order) -> Result<(), F>;

/// A part that grows.
pub struct Exploration<'s, S: Space> {
    pub space: &'s mut S,
    pub part: Part,
    pub order: Order,
    /// What was known of the probability when it was asked for last, nothing decided: what is left if a limit ends it.
    pub known: Option<Bounds>,
}

impl<'s, S: Space> Exploration<'s, S> {
    pub fn new(space: &'s mut S, by: By) -> Result<Self, S::Failure> {
        let part = Part::new(space)?;
        let by = if part.kind() == Kind::Mdp { By::Path } else { by };
        let order = Order::new(by, &part);
        Ok(Exploration { space, part, order, known: None })
    }

    /// Expands one more state; false if there is none.
    pub fn expand(&mut self) -> Result<bool, S::Failure> {
        let Some(state) = self.order.next(&self.part) else { return Ok(false) };
        self.part.expand(state, self.space)?;
        self.order.pass_on(&self.part, state);
        Ok(true)
    }

    /// Explores until the bound is decided.
    pub fn decide(
        &mut self,
        objective: &Objective,
        threshold: &Threshold,
        effort: &Effort,
        heed: Heed<'_, S::Failure>,
    ) -> Result<Decision, S::Failure> {
        // Small parts are eliminated: sweeps through loops that are hardly ever left would take for ever.
        let small = ExactLimits { states: 200, operations: 20_000, bits: 4096 };
        let quick = Effort { relative: 1e-6, exact: small, ..*effort };
        let near = threshold.bound.to_f64().value();
        let mut next = 16;
        let mut arrived = near;
        loop {
            let grown = loop {
                heed(&self.part, &self.order)?;
                if !self.expand()? {
                    break false;
                }
                let is_promising = threshold.is_upper && self.order.arrived() > arrived;
                if is_promising || self.part.expanded().len() >= next {
                    break true;
                }
            };
            if !grown {
                return Ok(self.decide_whole(objective, threshold, effort)?);
            }
            match self.decided(threshold, self.bounds(objective, &quick)?) {
                Decision::Open(bounds) => self.known = Some(bounds),
                decision => return Ok(decision),
            }
            // What was promising was not enough: bounds in time leave some of it out.
            arrived = near.max(self.order.arrived() * 1.02);
            next = next.max(self.part.expanded().len() * 5 / 4 + 16);
        }
    }

    /// Everything that can be reached is known: narrower, then exactly.
    fn decide_whole(&self, objective: &Objective, threshold: &Threshold, effort: &Effort) -> Result<Decision, Failure> {
        let narrower = [1e-6, 1e-9, 1e-13].map(|relative| effort.approximate(relative));
        let exact = Effort { exact: ExactLimits::UNLIMITED, ..*effort };
        let mut last = None;
        for effort in [*effort].into_iter().chain(narrower).chain([exact]) {
            let answer = self.evaluate(objective, false, &effort)?;
            let bounds = Bounds { lower: answer.clone(), upper: answer };
            match self.decided(threshold, bounds) {
                Decision::Open(_) => last = Some(effort),
                decision => return Ok(decision),
            }
        }
        let answer = self.evaluate(objective, false, &last.unwrap_or(exact))?;
        Ok(Decision::Open(Bounds { lower: answer.clone(), upper: answer }))
    }

    /// What is known of the probability.
    pub fn bounds(&self, objective: &Objective, effort: &Effort) -> Result<Bounds, Failure> {
        Ok(Bounds { lower: self.evaluate(objective, false, effort)?, upper: self.evaluate(objective, true, effort)? })
    }

    /// The probability in the known part, its frontier lost or won.
    fn evaluate(&self, objective: &Objective, is_frontier_won: bool, effort: &Effort) -> Result<Answer, Failure> {
        let model = self.part.model(|state| self.part.standing(state) == super::Standing::Open, None);
        let left = self.part.open();
        let goals = self.part.goals();
        let right = if is_frontier_won { goals.union(&self.part.frontier()) } else { goals };
        probability(&model, objective, &left, &right, effort)
    }

    /// What bounds decide.
    fn decided(&self, threshold: &Threshold, bounds: Bounds) -> Decision {
        let mut all = true;
        for &state in self.part.initial() {
            let (low, high) =
                (bounds.lower.values.interval(state as usize), bounds.upper.values.interval(state as usize));
            let exact = bounds.lower.values.exact(state as usize).zip(bounds.upper.values.exact(state as usize));
            let (at_low, at_high) = match exact.and_then(|(low, high)| low.finite().zip(high.finite())) {
                Some((low, high)) => (threshold.holds(low), threshold.holds(high)),
                None => (threshold.holds_at(low.lower), threshold.holds_at(high.upper)),
            };
            match (at_low, at_high) {
                (true, true) => {}
                (false, false) => return Decision::Violated(state, bounds),
                _ => all = false,
            }
        }
        if all { Decision::Holds(bounds) } else { Decision::Open(bounds) }
    }
}

/// The probability of an objective in a model.
pub(crate) fn probability(
    model: &crate::Model,
    objective: &Objective,
    left: &crate::StateSet,
    right: &crate::StateSet,
    effort: &Effort,
) -> Result<Answer, Failure> {
    match &objective.when {
        When::Ever => until(model, objective.extreme, left, right, effort),
        When::Steps(most) => {
            until_steps(model, objective.extreme, left, right, Steps { from: 0, to: Some(*most) }, effort)
        }
        When::Time(most) => until_time(model, left, right, &RBig::ZERO, Some(most), effort),
    }
}
