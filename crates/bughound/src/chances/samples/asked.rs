//! Which questions runs can answer, and what is looked for in each of them.
//!
//! All path formulas are one: `left U right` within a window of time, and what is not wanted is its complement, as in
//! [`formulas`](super::super::formulas). What runs cannot answer is refused by name, with what to do instead.

use bughound_ir::chance::{
    Asked, Bound, Bounded, ChanceQuestion, Comparison, FilterFunction, Kind, Measure, Number, PathFormula, Quantity,
    RewardFormula, StateFormula,
};
use bughound_ir::expr::Expr;

use super::super::NoAnswer;
use super::super::formulas::{steps_within, whole};

/// A condition on states. Atoms are numbers of atoms of the system.
pub type Condition = StateFormula<usize>;

/// What is observed in a run.
#[derive(Clone, Debug)]
pub enum Observed {
    Path(Path),
    Next(Condition),
    Reward { structure: usize, until: Until },
}

/// `left U right` within a window of time.
#[derive(Clone, Debug)]
pub struct Path {
    /// `None`: always true.
    pub left: Option<Condition>,
    pub right: Condition,
    pub window: Window,
    /// The question is how likely it is that this is false.
    pub negated: bool,
}

/// How long a run earns.
#[derive(Clone, Debug)]
pub enum Until {
    Reached(Condition),
    /// All that is earned before.
    Time(f64),
    /// The reward of the state at this time.
    At(f64),
}

/// When the decisive state may be reached: in steps in discrete time, where each takes one unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    pub from: f64,
    pub to: f64,
}

impl Window {
    pub const ALWAYS: Window = Window { from: 0.0, to: f64::INFINITY };
    const NEVER: Window = Window { from: 0.0, to: -1.0 };

    /// Does it matter when something happens?
    pub fn is_bounded(self) -> bool {
        self != Window::ALWAYS
    }
}

/// A question for runs.
#[derive(Clone, Debug)]
pub struct Sampled {
    pub observed: Observed,
    /// What the value is compared with, if a bound was asked for.
    pub bound: Option<(Comparison, Number)>,
}

fn refused<T>(why: impl Into<String>) -> Result<T, NoAnswer> {
    Err(NoAnswer::Refused(why.into()))
}

const WITHOUT: &str = "ask without --samples";

impl Sampled {
    pub fn new(question: &ChanceQuestion<usize>, kind: Kind) -> Result<Sampled, NoAnswer> {
        if kind == Kind::Mdp {
            return refused(format!(
                "runs of a decision process depend on who decides, and the least and the greatest value on who decides \
                 best: --samples is for Markov chains, {WITHOUT}"
            ));
        }
        if !matches!(question.states, None | Some(StateFormula::Initial)) {
            return refused(format!("runs begin in the initial state, and the filter asks about others: {WITHOUT}"));
        }
        let (quantity, bound) = match (&question.asked, question.function) {
            (Asked::Value(quantity), FilterFunction::State | FilterFunction::Min | FilterFunction::Max) => {
                (quantity, None)
            }
            (Asked::Value(quantity), FilterFunction::Average | FilterFunction::Sum) => (quantity, None),
            (
                Asked::Truth(StateFormula::Bound(quantity, comparison, number)),
                FilterFunction::State | FilterFunction::ForAll | FilterFunction::Exists,
            ) => (&**quantity, Some((*comparison, number.clone()))),
            (Asked::Truth(_), _) => {
                return refused(format!(
                    "runs answer `P` and `R` with `=?` or a bound, and nothing around it: {WITHOUT}"
                ));
            }
            (Asked::Value(_), _) => return refused(format!("this filter is not for one number: {WITHOUT}")),
        };
        Ok(Sampled { observed: observed(quantity, kind)?, bound })
    }
}

fn observed(quantity: &Quantity<usize>, kind: Kind) -> Result<Observed, NoAnswer> {
    let (observed, parts) = match &quantity.measure {
        Measure::LongRun(_) => return refused(format!("no run of finite length shows the long run: {WITHOUT}")),
        Measure::Probability(path) => (until(path, kind)?, path.parts()),
        Measure::Reward { structure, of } => {
            let (until, parts) = match of {
                RewardFormula::Reach(target) => (Until::Reached(target.clone()), vec![target]),
                RewardFormula::Cumulated(time) => (Until::Time(moment(time, kind)?), Vec::new()),
                RewardFormula::Instant(time) => {
                    if kind == Kind::Dtmc {
                        whole(time)?;
                    }
                    (Until::At(moment(time, kind)?), Vec::new())
                }
                RewardFormula::Total => {
                    return refused(format!("no run of finite length shows what is earned for ever: {WITHOUT}"));
                }
                RewardFormula::LongRun => {
                    return refused(format!("no run of finite length shows the long run: {WITHOUT}"));
                }
            };
            (Observed::Reward { structure: structure.0 as usize, until }, parts)
        }
    };
    if parts.into_iter().any(is_nested) {
        return refused(format!("a bound inside of a condition would take runs from every state of a run: {WITHOUT}"));
    }
    Ok(observed)
}

fn is_nested(formula: &Condition) -> bool {
    match formula {
        StateFormula::Atom(_) | StateFormula::Initial | StateFormula::Deadlock => false,
        StateFormula::Not(f) => is_nested(f),
        StateFormula::And(a, b) | StateFormula::Or(a, b) => is_nested(a) || is_nested(b),
        StateFormula::Bound(..) => true,
    }
}

fn until(path: &PathFormula<usize>, kind: Kind) -> Result<Observed, NoAnswer> {
    let (left, right, bounds, negated) = match path {
        PathFormula::Next(formula) => return Ok(Observed::Next(formula.clone())),
        PathFormula::Finally(goal, bounds) => (None, goal.clone(), bounds, false),
        PathFormula::Until(left, right, bounds) => (Some(left.clone()), right.clone(), bounds, false),
        // Complements: what must not happen.
        PathFormula::Globally(formula, bounds) => (None, formula.clone().not(), bounds, true),
        PathFormula::Release(left, right, bounds) => (Some(left.clone().not()), right.clone().not(), bounds, true),
        PathFormula::WeakUntil(left, right, bounds) => {
            let neither = left.clone().not().and(right.clone().not());
            (Some(right.clone().not()), neither, bounds, true)
        }
    };
    let window = match &bounds[..] {
        [] => Window::ALWAYS,
        [bound] => window(bound, kind)?,
        _ => return refused("several bounds on one formula are not supported"),
    };
    Ok(Observed::Path(Path { left, right, window, negated }))
}

fn window(bound: &Bound, kind: Kind) -> Result<Window, NoAnswer> {
    match bound.of {
        Bounded::Reward(_) => refused(format!("bounds on rewards are not supported for runs: {WITHOUT}")),
        Bounded::Steps if kind == Kind::Ctmc => refused("bounds on steps are not supported in continuous time"),
        Bounded::Time if kind == Kind::Ctmc => {
            // Nothing happens at a single moment of time, so strict bounds are no different.
            let end = |number: &Number| number.to_f64().value();
            let from = bound.lower.as_ref().map_or(0.0, |limit| end(&limit.value));
            let to = bound.upper.as_ref().map_or(f64::INFINITY, |limit| end(&limit.value));
            Ok(if to < from { Window::NEVER } else { Window { from, to } })
        }
        Bounded::Time | Bounded::Steps => Ok(match steps_within(bound)? {
            None => Window::NEVER,
            Some(steps) => Window { from: steps.from as f64, to: steps.to.map_or(f64::INFINITY, |to| to as f64) },
        }),
    }
}

fn moment(time: &Number, kind: Kind) -> Result<f64, NoAnswer> {
    if kind == Kind::Dtmc { Ok(whole(&time.floor().into())? as f64) } else { Ok(time.to_f64().value()) }
}

/// The condition as heuristics understand it: true wherever it can be. Whether a state is initial or has no step they do not know.
pub fn as_expression(condition: &Condition, wanted: bool, atoms: &[Expr]) -> Expr {
    let part = |part: &Condition| as_expression(part, wanted, atoms);
    match condition {
        StateFormula::Atom(atom) => atoms[*atom].clone(),
        StateFormula::Initial | StateFormula::Deadlock | StateFormula::Bound(..) => Expr::truth(wanted),
        StateFormula::Not(f) => as_expression(f, !wanted, atoms).not(),
        StateFormula::And(a, b) => part(a).and(part(b)),
        StateFormula::Or(a, b) => part(a).or(part(b)),
    }
}
