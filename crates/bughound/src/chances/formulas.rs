//! From a question to its answer: formulas are taken apart from the inside out.
//!
//! A bound is decided only if what is known decides it: if the number lies between the two ends of an interval, the interval is
//! made narrower, and at last the value is computed exactly, however long that takes.

use bughound_ir::chance::{
    Asked, Bound, Bounded, ChanceQuestion, Comparison, Extreme as Said, FilterFunction, Limit, Measure, Number,
    PathFormula, Quantity, RewardFormula, StateFormula,
};
use bughound_markov::{
    Answer, Effort, ExactLimits, Extended, Extreme, Failure, Interval, Kind, Model, RewardId, StateSet, Steps, Values,
};

use super::explicit::Built;
use super::value::{ChanceAnswer, Outcome};

/// How precise numbers are from attempt to attempt, where a bound is not decided.
const NARROWER: [f64; 2] = [1e-9, 1e-13];

/// A width that is good enough whatever the value is.
const ABSOLUTE: f64 = 1e-12;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum NoAnswer {
    Stopped,
    Memory,
    /// It cannot be answered, or not so.
    Refused(String),
}

impl From<Failure> for NoAnswer {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Stopped => NoAnswer::Stopped,
            Failure::Memory { .. } => NoAnswer::Memory,
            Failure::Refused(why) => NoAnswer::Refused(why),
        }
    }
}

fn refused<T>(why: impl Into<String>) -> Result<T, NoAnswer> {
    Err(NoAnswer::Refused(why.into()))
}

/// Answers questions about one model. Atoms are numbers of atoms of the system.
pub struct Asker<'a> {
    pub built: &'a Built,
    pub effort: Effort<'a>,
}

type Formula = StateFormula<usize>;

impl Asker<'_> {
    fn model(&self) -> &Model {
        &self.built.model
    }

    /// The answer; without exact numbers if the model has rounded ones, of which they would be.
    pub fn answer(&self, question: &ChanceQuestion<usize>) -> Result<Outcome, NoAnswer> {
        let outcome = self.outcome(question)?;
        if !self.built.rounded {
            return Ok(outcome);
        }
        let plain = ChanceAnswer::without_exact;
        Ok(match outcome {
            Outcome::Number(number) => Outcome::Number(plain(number)),
            Outcome::Range(least, greatest) => Outcome::Range(plain(least), plain(greatest)),
            Outcome::Truth(truth, value) => Outcome::Truth(truth, value.map(plain)),
            Outcome::Estimate(_) => outcome,
        })
    }

    fn outcome(&self, question: &ChanceQuestion<usize>) -> Result<Outcome, NoAnswer> {
        let all = StateSet::all(self.model().states());
        let states = match &question.states {
            None => StateSet::from_states(self.model().states(), self.model().initial()),
            Some(formula) => self.states(formula, &all)?,
        };
        if states.is_empty() {
            return refused("there is no state that the filter asks about");
        }
        match &question.asked {
            Asked::Truth(formula) => self.truth(formula, question.function, &states),
            Asked::Value(quantity) => {
                let extreme = match quantity.extreme {
                    Said::Min => Extreme::Min,
                    Said::Max => Extreme::Max,
                    Said::Unsaid if self.model().kind() == Kind::Mdp => {
                        return refused("in a decision process, say whether the least or the greatest value is meant");
                    }
                    Said::Unsaid => Extreme::Min,
                };
                let answer = self.quantity(&quantity.measure, extreme, &self.effort)?;
                let asked = match question.function {
                    // One state decides about these, and only the others' bounds matter.
                    FilterFunction::Min | FilterFunction::Max | FilterFunction::Range => None,
                    _ => Some(&states),
                };
                if let Some(states) = asked {
                    for state in states.iter() {
                        precise(&ChanceAnswer::of(&answer.values, state), &self.effort)?;
                    }
                }
                let outcome = combined(&answer.values, question.function, &states)?;
                match &outcome {
                    Outcome::Number(number) => precise(number, &self.effort)?,
                    Outcome::Range(least, greatest) => {
                        precise(least, &self.effort)?;
                        precise(greatest, &self.effort)?;
                    }
                    Outcome::Truth(..) | Outcome::Estimate(_) => {}
                }
                Ok(outcome)
            }
        }
    }

    fn truth(&self, formula: &Formula, function: FilterFunction, states: &StateSet) -> Result<Outcome, NoAnswer> {
        let (set, value) = match formula {
            StateFormula::Bound(quantity, comparison, bound) => {
                let (set, answer) = self.decided(quantity, *comparison, bound, states)?;
                let only = if states.count() == 1 { states.iter().next() } else { None };
                (set, only.map(|state| ChanceAnswer::of(&answer.values, state)))
            }
            formula => (self.states(formula, states)?, None),
        };
        let holding = set.intersection(states).count();
        Ok(match function {
            FilterFunction::State | FilterFunction::ForAll => Outcome::Truth(holding == states.count(), value),
            FilterFunction::Exists => Outcome::Truth(holding > 0, value),
            FilterFunction::Count => Outcome::Number(ChanceAnswer::whole(holding as u64)),
            _ => return refused("this filter is for numbers, not for what is true or false"),
        })
    }

    /// The states that satisfy a formula, as far as they are among those that matter.
    fn states(&self, formula: &Formula, matter: &StateSet) -> Result<StateSet, NoAnswer> {
        let model = self.model();
        Ok(match formula {
            StateFormula::Atom(atom) => match &self.built.wrong_atoms[*atom] {
                None => self.built.atoms[*atom].clone(),
                Some(why) => return refused(why.clone()),
            },
            StateFormula::Initial => StateSet::from_states(model.states(), model.initial()),
            StateFormula::Deadlock => StateSet::from_states(model.states(), model.deadlocks()),
            StateFormula::Not(f) => self.states(f, matter)?.complement(),
            StateFormula::And(a, b) => self.states(a, matter)?.intersection(&self.states(b, matter)?),
            StateFormula::Or(a, b) => self.states(a, matter)?.union(&self.states(b, matter)?),
            StateFormula::Bound(quantity, comparison, bound) => self.decided(quantity, *comparison, bound, matter)?.0,
        })
    }

    /// Where a quantity compares so with a number, and its values.
    fn decided(
        &self,
        quantity: &Quantity<usize>,
        comparison: Comparison,
        bound: &Number,
        matter: &StateSet,
    ) -> Result<(StateSet, Answer), NoAnswer> {
        let extreme = match quantity.extreme {
            Said::Min => Extreme::Min,
            Said::Max => Extreme::Max,
            Said::Unsaid if comparison.is_upper() => Extreme::Max,
            Said::Unsaid => Extreme::Min,
        };
        if let Some(set) = self.by_graph(&quantity.measure, comparison, bound)? {
            return Ok((set, self.quantity(&quantity.measure, extreme, &self.effort)?));
        }
        let narrower = NARROWER.map(|relative| self.effort.approximate(relative));
        let exact = Effort { exact: ExactLimits::UNLIMITED, ..self.effort };
        let mut open = None;
        for effort in [self.effort].into_iter().chain(narrower).chain([exact]) {
            let answer = self.quantity(&quantity.measure, extreme, &effort)?;
            let mut set = StateSet::none(self.model().states());
            open = None;
            for state in matter.iter() {
                match compared(&answer.values, state, comparison, bound) {
                    Some(true) => set.insert(state),
                    Some(false) => {}
                    None => open = Some(answer.values.interval(state)),
                }
            }
            if open.is_none() {
                return Ok((set, answer));
            }
        }
        let between = ChanceAnswer::between(open.unwrap_or(Interval::ZERO));
        refused(format!("not decided: the value is {between}, and the bound is {bound}"))
    }

    /// Where a probability within a time compares so with 0 or 1: the graph knows, however close to it the number is.
    fn by_graph(
        &self,
        measure: &Measure<usize>,
        comparison: Comparison,
        bound: &Number,
    ) -> Result<Option<StateSet>, NoAnswer> {
        let Measure::Probability(path) = measure else { return Ok(None) };
        if self.model().kind() != Kind::Ctmc || !(bound.is_zero() || bound.is_one()) {
            return Ok(None);
        }
        let Some((path, is_not)) = self.as_until(path)? else { return Ok(None) };
        let [Bound { of: Bounded::Time, .. }] = path.bounds else { return Ok(None) };
        let (from, to) = times(&path.bounds[0]);
        let (zero, one) = bughound_markov::certain_in_time(self.model(), &path.left, &path.right, &from, to)?;
        let (zero, one) = if is_not { (one, zero) } else { (zero, one) };
        let at = |value: Number| comparison.holds(&value, bound);
        // Between 0 and 1 every value compares alike with either.
        let between = at(Number::from_parts(1.into(), 2_u8.into()));
        Ok(Some(StateSet::from_fn(self.model().states(), |state| match () {
            _ if zero.contains(state) => at(Number::ZERO),
            _ if one.contains(state) => at(Number::ONE),
            _ => between,
        })))
    }

    /// A path formula as an until formula that holds, or that does not; `None` for the next state.
    fn as_until<'f>(&self, path: &'f PathFormula<usize>) -> Result<Option<(Until<'f>, bool)>, NoAnswer> {
        let all = StateSet::all(self.model().states());
        let set = |formula: &Formula| self.states(formula, &all);
        let until = |left, right, bounds: &'f [Bound], is_not| Some((Until { left, right, bounds }, is_not));
        Ok(match path {
            PathFormula::Next(_) => None,
            PathFormula::Finally(formula, bounds) => until(all.clone(), set(formula)?, bounds, false),
            PathFormula::Until(left, right, bounds) => until(set(left)?, set(right)?, bounds, false),
            // Complements: what must not happen.
            PathFormula::Globally(formula, bounds) => until(all.clone(), set(formula)?.complement(), bounds, true),
            PathFormula::Release(left, right, bounds) => {
                until(set(left)?.complement(), set(right)?.complement(), bounds, true)
            }
            PathFormula::WeakUntil(left, right, bounds) => {
                let (left, right) = (set(left)?, set(right)?.complement());
                let lost = left.complement().intersection(&right);
                until(right, lost, bounds, true)
            }
        })
    }

    fn quantity(&self, measure: &Measure<usize>, extreme: Extreme, effort: &Effort<'_>) -> Result<Answer, NoAnswer> {
        let model = self.model();
        let all = StateSet::all(model.states());
        let is_continuous = model.kind() == Kind::Ctmc;
        Ok(match measure {
            Measure::Probability(path) => self.probability(path, extreme, effort)?,
            Measure::LongRun(formula) => {
                bughound_markov::long_run(model, extreme, &self.states(formula, &all)?, effort)?
            }
            Measure::Reward { structure, of } => {
                let reward = self.reward(structure.0 as usize)?;
                match of {
                    RewardFormula::Reach(target) => {
                        let target = self.states(target, &all)?;
                        bughound_markov::reward_until(model, extreme, reward, &target, effort)?
                    }
                    RewardFormula::Total => bughound_markov::reward_total(model, extreme, reward, effort)?,
                    RewardFormula::LongRun => bughound_markov::long_run_reward(model, extreme, reward, effort)?,
                    RewardFormula::Cumulated(time) if is_continuous => {
                        bughound_markov::reward_time(model, reward, time, effort)?
                    }
                    RewardFormula::Instant(time) if is_continuous => {
                        bughound_markov::reward_at_time(model, reward, time, effort)?
                    }
                    RewardFormula::Cumulated(steps) => {
                        bughound_markov::reward_steps(model, extreme, reward, whole(&steps.floor().into())?, effort)?
                    }
                    RewardFormula::Instant(step) => {
                        bughound_markov::reward_at_step(model, extreme, reward, whole(step)?, effort)?
                    }
                }
            }
        })
    }

    fn reward(&self, structure: usize) -> Result<RewardId, NoAnswer> {
        match (self.built.rewards.get(structure), self.built.wrong_rewards.get(structure)) {
            (Some(_), Some(Some(why))) => refused(why.clone()),
            (Some(reward), _) => Ok(*reward),
            (None, _) => refused("there is no such reward structure"),
        }
    }

    fn probability(
        &self,
        path: &PathFormula<usize>,
        extreme: Extreme,
        effort: &Effort<'_>,
    ) -> Result<Answer, NoAnswer> {
        if let PathFormula::Next(formula) = path {
            let set = self.states(formula, &StateSet::all(self.model().states()))?;
            return Ok(bughound_markov::next(self.model(), extreme, &set, effort)?);
        }
        let Some((path, is_not)) = self.as_until(path)? else { return refused("this is no formula about runs") };
        if !is_not {
            return self.until(&path.left, &path.right, path.bounds, extreme, effort);
        }
        // What is left of 1 is computed as such in real time: it may be too small to be a difference.
        if let ([bound @ Bound { of: Bounded::Time, .. }], Kind::Ctmc) = (path.bounds, self.model().kind()) {
            let (from, to) = times(bound);
            return Ok(bughound_markov::not_until_time(self.model(), &path.left, &path.right, &from, to, effort)?);
        }
        let opposite = if extreme == Extreme::Min { Extreme::Max } else { Extreme::Min };
        Ok(self.until(&path.left, &path.right, path.bounds, opposite, effort)?.complement())
    }

    fn until(
        &self,
        left: &StateSet,
        right: &StateSet,
        bounds: &[Bound],
        extreme: Extreme,
        effort: &Effort<'_>,
    ) -> Result<Answer, NoAnswer> {
        let model = self.model();
        let bound = match bounds {
            [] => return Ok(bughound_markov::until(model, extreme, left, right, effort)?),
            [bound] => bound,
            _ => return refused("several bounds on one formula are not supported"),
        };
        match bound.of {
            Bounded::Time if model.kind() == Kind::Ctmc => {
                let (from, to) = times(bound);
                Ok(bughound_markov::until_time(model, left, right, &from, to, effort)?)
            }
            Bounded::Steps if is_next(bound) && model.kind() == Kind::Ctmc && left.count() == model.states() => {
                Ok(bughound_markov::next(model, extreme, right, effort)?)
            }
            Bounded::Steps if model.kind() == Kind::Ctmc => {
                refused("bounds on steps are not supported in continuous time")
            }
            Bounded::Time | Bounded::Steps => match steps_within(bound)? {
                None => Ok(Answer { precise: true, ..nowhere(model) }),
                Some(steps) => Ok(bughound_markov::until_steps(model, extreme, left, right, steps, effort)?),
            },
            Bounded::Reward(structure) => {
                if bound.lower.iter().chain(&bound.upper).any(|limit| limit.strict) {
                    return refused("strict bounds on rewards are not supported");
                }
                let reward = self.reward(structure.0 as usize)?;
                if self.built.drawn_rewards[structure.0 as usize] {
                    return refused("bounds on rewards that depend on where a step leads are not supported");
                }
                let from = bound.lower.as_ref().map_or(Number::ZERO, |limit| limit.value.clone());
                let to = bound.upper.as_ref().map(|limit| &limit.value);
                Ok(bughound_markov::until_spent(model, extreme, left, right, reward, &from, to, effort)?)
            }
        }
    }
}

/// The numbers of steps that a bound allows in discrete time; `None` if there are none.
pub(super) fn steps_within(bound: &Bound) -> Result<Option<Steps>, NoAnswer> {
    let from = match &bound.lower {
        None => 0,
        Some(limit) if limit.strict => whole(&(limit.value.floor() + dashu_int::IBig::ONE).into())?,
        Some(limit) => whole(&limit.value.ceil().into())?,
    };
    let to = match &bound.upper {
        None => None,
        Some(limit) if limit.strict && limit.value <= Number::ZERO => return Ok(None),
        Some(limit) if limit.strict => Some(whole(&(limit.value.ceil() - dashu_int::IBig::ONE).into())?),
        Some(limit) if limit.value < Number::ZERO => return Ok(None),
        Some(limit) => Some(whole(&limit.value.floor().into())?),
    };
    Ok(Some(Steps { from, to }).filter(|steps| steps.to.is_none_or(|to| to >= steps.from)))
}

/// `left U right` with bounds.
struct Until<'f> {
    left: StateSet,
    right: StateSet,
    bounds: &'f [Bound],
}

/// Is it about the state after exactly one step?
fn is_next(bound: &Bound) -> bool {
    let is_one = |limit: &Option<Limit>| limit.as_ref().is_some_and(|limit| !limit.strict && limit.value.is_one());
    is_one(&bound.lower) && is_one(&bound.upper)
}

/// The ends of a bound on time. Nothing happens at a single moment of time, so strict bounds are no different.
fn times(bound: &Bound) -> (Number, Option<&Number>) {
    let from = bound.lower.as_ref().map_or(Number::ZERO, |limit| limit.value.clone());
    (from, bound.upper.as_ref().map(|limit| &limit.value))
}

/// A number that is not as precise as wanted is no answer: an interval from 0 to 1 says nothing about a probability.
fn precise(number: &ChanceAnswer, effort: &Effort<'_>) -> Result<(), NoAnswer> {
    let is_precise = match (number.lower, number.upper) {
        _ if number.exact.is_some() => true,
        // It is infinite, or an exact number that no double can say.
        (None, _) => true,
        (Some(lower), None) => lower == f64::MAX,
        // Sums of answers and rounding widen a little.
        (Some(lower), Some(upper)) => upper - lower <= (1.01 * effort.relative * lower).max(ABSOLUTE),
    };
    if is_precise {
        return Ok(());
    }
    refused(format!("not decided: the value is {number}, which is less precise than wanted: more is not known"))
}

/// Probability 0 everywhere.
fn nowhere(model: &Model) -> Answer {
    let values = Values::Exact(vec![Extended::Finite(Number::ZERO); model.states()]);
    Answer { values, scheduler: None, precise: true, work: Default::default() }
}

pub(super) fn whole(number: &Number) -> Result<u64, NoAnswer> {
    let number = if number.is_int() { u64::try_from(number.numerator().clone()).ok() } else { None };
    number.ok_or_else(|| NoAnswer::Refused("a number of steps has to be a whole number that is not negative".into()))
}

/// Does the value of a state compare so with a number, as far as it is known?
fn compared(values: &Values, state: usize, comparison: Comparison, bound: &Number) -> Option<bool> {
    if let Some(exact) = values.exact(state) {
        return Some(match exact {
            Extended::Finite(value) => comparison.holds(value, bound),
            Extended::Infinite => !comparison.is_upper(),
        });
    }
    let Interval { lower, upper } = values.interval(state);
    let compare = |end: f64| match Number::try_from(end) {
        Ok(end) => comparison.holds(&end, bound),
        Err(_) => !comparison.is_upper(),
    };
    let (at_lower, at_upper) = (compare(lower), compare(upper));
    (at_lower == at_upper).then_some(at_lower)
}

/// One answer from the values of several states.
fn combined(values: &Values, function: FilterFunction, states: &StateSet) -> Result<Outcome, NoAnswer> {
    let least = || outermost(values, states, Extreme::Min);
    let greatest = || outermost(values, states, Extreme::Max);
    Ok(match function {
        FilterFunction::State => {
            let (least, greatest) = (least(), greatest());
            let end = |end: Option<f64>| end.unwrap_or(f64::INFINITY);
            // Intervals that overlap may be around one value: then it lies in all of them, and in the one around them all.
            if !values.is_exact() && end(greatest.lower) <= end(least.upper) {
                let around = Interval { lower: end(least.lower), upper: end(greatest.upper) };
                return Ok(Outcome::Number(ChanceAnswer::between(around)));
            }
            // Different fractions may look alike once they are rounded.
            let is_same =
                |exact: &[Extended]| states.iter().zip(states.iter().skip(1)).all(|(a, b)| exact[a] == exact[b]);
            if !matches!(values, Values::Exact(exact) if is_same(exact)) {
                return refused(format!(
                    "the states have different values, from {least} to {greatest}: use filter(min, …) or filter(max, …)"
                ));
            }
            Outcome::Number(least)
        }
        FilterFunction::Min => Outcome::Number(least()),
        FilterFunction::Max => Outcome::Number(greatest()),
        FilterFunction::Range => Outcome::Range(least(), greatest()),
        FilterFunction::Sum | FilterFunction::Average => {
            let count = if function == FilterFunction::Sum { 1 } else { states.count() };
            Outcome::Number(summed(values, states, count))
        }
        FilterFunction::Count | FilterFunction::ForAll | FilterFunction::Exists => {
            return refused("this filter is for what is true or false, not for numbers");
        }
    })
}

/// The least or the greatest of the values of these states: of exact ones that one, otherwise what is certain of it.
fn outermost(values: &Values, states: &StateSet, extreme: Extreme) -> ChanceAnswer {
    let found = match values {
        Values::Exact(exact) => {
            let all = states.iter().map(|state| &exact[state]);
            let found = if extreme == Extreme::Min { all.min() } else { all.max() };
            found.map(ChanceAnswer::exact)
        }
        Values::Between(between) => {
            let of = if extreme == Extreme::Min { f64::min } else { f64::max };
            let all = states.iter().map(|state| between[state]);
            let around = all.reduce(|a, b| Interval { lower: of(a.lower, b.lower), upper: of(a.upper, b.upper) });
            around.map(ChanceAnswer::between)
        }
    };
    found.unwrap_or_else(|| ChanceAnswer::whole(0))
}

/// The sum of the values of these states, divided by a number.
fn summed(values: &Values, states: &StateSet, by: usize) -> ChanceAnswer {
    let by = Number::from(by.max(1));
    let ends = |end: &dyn Fn(Interval) -> f64| -> Option<Number> {
        states
            .iter()
            .try_fold(Number::ZERO, |sum, state| Some(sum + Number::try_from(end(values.interval(state))).ok()?))
    };
    if let Values::Exact(exact) = values {
        let sum = states.iter().try_fold(Number::ZERO, |sum, state| Some(sum + exact[state].finite()?));
        return ChanceAnswer::exact(&sum.map_or(Extended::Infinite, |sum| Extended::Finite(sum / by)));
    }
    let lower = ends(&|interval| interval.lower).map_or(f64::INFINITY, |sum| Interval::around(&(sum / &by)).lower);
    let upper = ends(&|interval| interval.upper).map_or(f64::INFINITY, |sum| Interval::around(&(sum / &by)).upper);
    ChanceAnswer::between(Interval { lower, upper })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combine(values: Values) -> Result<Outcome, NoAnswer> {
        combined(&values, FilterFunction::State, &StateSet::all(values.len()))
    }

    #[test]
    fn values_are_different_only_if_that_is_certain() {
        let between = |ends: &[(f64, f64)]| {
            Values::Between(ends.iter().map(|&(lower, upper)| Interval { lower, upper }).collect())
        };
        let Ok(Outcome::Number(one)) = combine(between(&[(0.5, 0.7), (0.6, 0.8)])) else { panic!() };
        assert_eq!((one.lower, one.upper), (Some(0.5), Some(0.8)));
        let Err(NoAnswer::Refused(why)) = combine(between(&[(0.5, 0.6), (0.7, 0.8)])) else { panic!() };
        assert!(why.starts_with("the states have different values"), "{why}");
        let fractions = [1, 2].map(|n| Extended::Finite(Number::from(n)));
        assert!(combine(Values::Exact(fractions.to_vec())).is_err());
    }

    #[test]
    fn a_bound_inside_of_an_interval_is_not_decided() {
        let values = Values::Between(vec![Interval { lower: 0.25, upper: 0.5 }]);
        let compare = |comparison, bound: f64| compared(&values, 0, comparison, &Number::try_from(bound).unwrap());
        use Comparison::{Greater, GreaterEqual, Less, LessEqual};
        for comparison in [Less, LessEqual, Greater, GreaterEqual] {
            assert_eq!(compare(comparison, 0.375), None);
            assert_eq!(compare(comparison, 0.75), Some(comparison.is_upper()));
            assert_eq!(compare(comparison, 0.125), Some(!comparison.is_upper()));
        }
        // At an end, it depends on whether that is allowed.
        assert_eq!((compare(LessEqual, 0.5), compare(Less, 0.5)), (Some(true), None));
        assert_eq!((compare(GreaterEqual, 0.25), compare(Greater, 0.25)), (Some(true), None));
    }

    #[test]
    fn fractions_are_compared_as_fractions() {
        // The same double, and the second one is less.
        let third = Number::from_parts(1.into(), 3_u8.into());
        let less = &third - Number::ONE / Number::from(10).pow(30);
        let values = Values::Exact([&third, &less].map(|value| Extended::Finite(value.clone())).to_vec());
        let all = StateSet::all(2);
        let exact = |function| match combined(&values, function, &all) {
            Ok(Outcome::Number(number)) => number.exact,
            _ => None,
        };
        assert_eq!(exact(FilterFunction::Min), Some(less.to_string()));
        assert_eq!(exact(FilterFunction::Max), Some(third.to_string()));
        assert!(combine(values.clone()).is_err());
    }

    #[test]
    fn what_is_hardly_known_is_no_answer() {
        let effort = Effort::default();
        let between = |lower, upper| precise(&ChanceAnswer::between(Interval { lower, upper }), &effort);
        assert!(between(0.0, 1.0).is_err() && between(0.5, 0.51).is_err() && between(3.0, f64::INFINITY).is_err());
        assert!(between(0.5, 0.500_000_1).is_ok() && between(0.0, 1e-20).is_ok());
        assert!(between(f64::INFINITY, f64::INFINITY).is_ok());
    }
}
