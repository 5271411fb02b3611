//! Bounds on the probability of getting somewhere: the questions that can be answered, and refuted, on a part of the model.

use bughound_ir::chance::{
    Asked, Bound, Bounded, ChanceQuestion, Comparison, Extreme as Said, FilterFunction, Kind, Measure, Number,
    PathFormula, Quantity, StateFormula,
};
use bughound_markov::Extreme;
use bughound_markov::directed::{Objective, Threshold, When};

use super::formulas::steps_within;
use super::on_the_fly::Formula;

/// `P⋈p [ left U right ]` with conditions on single states, in one of its many forms.
pub struct Reachability {
    pub left: Formula,
    pub right: Formula,
    pub objective: Objective,
    /// What was asked for, if it was a bound: about the probability of `left U right`, whatever the question said.
    pub threshold: Option<Threshold>,
    /// The question was about the complement: `G`, `W`, `R`.
    pub is_complement: bool,
}

impl Reachability {
    /// Nothing if the question is of another kind.
    pub fn new(question: &ChanceQuestion<usize>, kind: Kind) -> Option<Reachability> {
        if !matches!(question.states, None | Some(StateFormula::Initial)) {
            return None;
        }
        let (quantity, bound) = match (&question.asked, question.function) {
            (
                Asked::Truth(StateFormula::Bound(quantity, comparison, bound)),
                FilterFunction::State | FilterFunction::ForAll,
            ) => (&**quantity, Some((*comparison, bound))),
            (Asked::Value(quantity), FilterFunction::State | FilterFunction::Min | FilterFunction::Max) => {
                (quantity, None)
            }
            _ => return None,
        };
        let Measure::Probability(path) = &quantity.measure else { return None };
        let (left, right, bounds, is_complement) = parts(path)?;
        if !is_simple(&left) || !is_simple(&right) {
            return None;
        }
        let when = within(bounds, kind)?;
        let threshold = bound.map(|(comparison, bound)| threshold(comparison, bound, is_complement));
        let extreme = extreme(quantity, bound.map(|(comparison, _)| comparison), is_complement);
        Some(Reachability { left, right, objective: Objective { extreme, when }, threshold, is_complement })
    }
}

/// Every path formula is `left U right` or the opposite of one.
fn parts(path: &PathFormula<usize>) -> Option<(Formula, Formula, &[Bound], bool)> {
    // True is what is not both true and false.
    let always = |f: &Formula| f.clone().or(f.clone().not());
    Some(match path {
        PathFormula::Next(_) => return None,
        PathFormula::Finally(f, bounds) => (always(f), f.clone(), bounds, false),
        PathFormula::Until(left, right, bounds) => (left.clone(), right.clone(), bounds, false),
        PathFormula::Globally(f, bounds) => (always(f), f.clone().not(), bounds, true),
        PathFormula::Release(left, right, bounds) => (left.clone().not(), right.clone().not(), bounds, true),
        PathFormula::WeakUntil(left, right, bounds) => {
            let lost = left.clone().not().and(right.clone().not());
            (right.clone().not(), lost, bounds, true)
        }
    })
}

/// What can be seen in a single state, without looking at its steps.
fn is_simple(formula: &Formula) -> bool {
    match formula {
        StateFormula::Atom(_) | StateFormula::Initial => true,
        StateFormula::Deadlock | StateFormula::Bound(..) => false,
        StateFormula::Not(f) => is_simple(f),
        StateFormula::And(a, b) | StateFormula::Or(a, b) => is_simple(a) && is_simple(b),
    }
}

fn within(bounds: &[Bound], kind: Kind) -> Option<When> {
    let [bound] = bounds else { return bounds.is_empty().then_some(When::Ever) };
    match bound.of {
        Bounded::Time if kind == Kind::Ctmc => {
            let starts = bound.lower.as_ref().is_none_or(|limit| limit.value.is_zero());
            let end = bound.upper.as_ref().filter(|limit| starts && limit.value > Number::ZERO);
            end.map(|limit| When::Time(limit.value.clone()))
        }
        Bounded::Time | Bounded::Steps if kind != Kind::Ctmc => {
            let steps = steps_within(bound).ok().flatten().filter(|steps| steps.from == 0)?;
            steps.to.map(When::Steps)
        }
        _ => None,
    }
}

fn threshold(comparison: Comparison, bound: &Number, is_complement: bool) -> Threshold {
    let is_strict = matches!(comparison, Comparison::Less | Comparison::Greater);
    match is_complement {
        false => Threshold { bound: bound.clone(), is_upper: comparison.is_upper(), is_strict },
        true => Threshold { bound: Number::ONE - bound, is_upper: !comparison.is_upper(), is_strict },
    }
}

fn extreme(quantity: &Quantity<usize>, comparison: Option<Comparison>, is_complement: bool) -> Extreme {
    let said = match quantity.extreme {
        Said::Min => Extreme::Min,
        Said::Max => Extreme::Max,
        // A bound has to hold for every scheduler.
        Said::Unsaid if comparison.is_some_and(Comparison::is_upper) => Extreme::Max,
        Said::Unsaid => Extreme::Min,
    };
    match (said, is_complement) {
        (Extreme::Min, false) | (Extreme::Max, true) => Extreme::Min,
        (Extreme::Max, false) | (Extreme::Min, true) => Extreme::Max,
    }
}
