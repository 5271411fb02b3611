//! Questions about extreme values: `sup`, `inf`, `bounds`. Each is answered by a search through all states.
//!
//! Zones that differ only beyond a constant are not told apart. If a clock gets beyond it, the search is repeated with a
//! larger one. A clock that grows without bound, by ever more steps, is given up at some time: that no constant is large
//! enough is not proven then.

use bughound_dbm::Interval;
use bughound_ir::expr::Expr;
use bughound_ir::question::Quantity;
use bughound_ir::question::{ExtremesQuestion, Question};
use bughound_ir::targets::Targets;
use bughound_ir::types::{ClockConstraint, ClockId, MAX_CLOCK_CONSTANT, Relation};
use bughound_search::{Goals, InvariantGoal};
use bughound_semantics::timed::{Abstraction, Measured, TimedSystem};

use super::{Execution, Hunt};
use crate::check::{CheckReport, PropertyReport};
use crate::plan::Job;
use crate::run::{Hooks, RunError, RunStats, verdict_without_witness};
use crate::verdict::Verdict;

/// Clocks are followed until a search has met so many states, and so many times as many as the first one.
const FAR: u64 = 1 << 12;
const TIMES_AS_FAR: u64 = 16;

/// The values that a quantity can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extremes {
    /// The quantity as the user wrote it.
    pub of: String,
    /// Is the least value asked for? The greatest?
    pub least: bool,
    pub greatest: bool,
    /// Nothing: there is no state in which the condition holds and the quantity has a value.
    pub values: Option<Interval>,
}

impl std::fmt::Display for Extremes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(values) = self.values else { return write!(f, "{}: no such state", self.of) };
        if self.least && self.greatest {
            return write!(f, "{} in {values}", self.of);
        }
        let reached = |open: bool| if open { ", not reached" } else { "" };
        match (self.greatest, values.upper) {
            (true, Some(upper)) => write!(f, "sup {} = {upper}{}", self.of, reached(values.upper_open)),
            (true, None) => write!(f, "sup {} = inf", self.of),
            (false, _) => write!(f, "inf {} = {}{}", self.of, values.lower, reached(values.lower_open)),
        }
    }
}

impl Execution<'_> {
    pub(super) fn decide_values(
        &self,
        job: &Job,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let property = job.questions[0];
        let Question::Extremes(question) = &self.plan.questions[property].question else { return Ok(()) };
        if let Some(stats) = self.measure(job, question, hooks, &mut report.properties[property])? {
            report.count(&stats);
            report.properties[property].stats = Some(stats);
        }
        Ok(())
    }

    fn measure(
        &self,
        job: &Job,
        question: &ExtremesQuestion,
        hooks: &mut Hooks<'_>,
        entry: &mut PropertyReport,
    ) -> Result<Option<RunStats>, RunError> {
        let property = job.questions[0];
        let network = &self.model.network;
        let mut constants: Vec<i32> = vec![1; question.of.len()];
        let mut all: Option<RunStats> = None;
        let mut at_first = None;
        loop {
            let atoms: Vec<Expr> =
                question.of.iter().zip(&constants).filter_map(|(of, constant)| ceiling(of, *constant)).collect();
            let atoms = [vec![question.condition.clone()], atoms].concat();
            let system = TimedSystem::new(network.clone(), &atoms, Abstraction::MEASURES);
            let measured = system
                .as_ref()
                .map_err(Clone::clone)
                .and_then(|system| Measured::new(system, &question.condition, &question.of).map(|m| (system, m)));
            let (system, measured) = match measured {
                Ok(both) => both,
                Err(why) => {
                    entry.reason = Some(format!("not checked: {why}"));
                    return Ok(None);
                }
            };
            let goal = InvariantGoal { property, atom: measured.met(), expected: false };
            let goals = Goals { invariants: vec![goal], ..Goals::none() };
            let hunt = Hunt {
                system: &measured,
                known: system.discrete(),
                goals: &goals,
                stop: job.stop,
                targets: Targets::default(),
                strategy: &job.search,
                recorded_as: None,
            };
            let (result, stats) = self.search(hunt, hooks, None)?;
            let stored = stats.counts.stored;
            let at_first = *at_first.get_or_insert(stored);
            // Of all rounds together.
            let stats = match all.take() {
                Some(before) => before.followed_by(&stats),
                None => stats,
            };
            all = Some(stats.clone());
            let values = measured.values();
            entry.extremes = self.named(question, &values);
            let (verdict, reason) = verdict_without_witness(&result);
            (entry.verdict, entry.reason) = (verdict, reason);
            self.mind_model_errors(property, &result, hooks, entry)?;
            if entry.verdict != Verdict::Holds {
                return Ok(Some(stats));
            }
            entry.verdict = Verdict::Inconclusive;
            let clock_without_bound = |(of, values): (&Quantity, &Option<Interval>)| {
                matches!(of, Quantity::Clock(_)) && values.is_some_and(|values| values.upper.is_none())
            };
            if question.greatest
                && system.has_given_up_bounds()
                && question.of.iter().zip(&values).any(clock_without_bound)
            {
                entry.reason = Some(format!("not decided: a clock gets beyond {MAX_CLOCK_CONSTANT}"));
                return Ok(Some(stats));
            }
            let (mut known, followed) = (true, constants.clone());
            for ((of, constant), values) in question.of.iter().zip(&mut constants).zip(&values) {
                known &= is_known(question, of, constant, values);
            }
            if known {
                entry.verdict = Verdict::Satisfied;
                if measured.met_errors() {
                    let condition = &question.condition;
                    let values = question.of.iter().filter_map(|of| match of {
                        Quantity::Value(value) => Some((Some(condition), value)),
                        Quantity::Clock(_) => None,
                    });
                    for value in [(None, condition)].into_iter().chain(values) {
                        if entry.verdict == Verdict::Satisfied && value.1.can_fail() {
                            self.mind_missing_value(property, value, hooks, entry)?;
                        }
                    }
                }
                return Ok(Some(stats));
            }
            let farthest = followed.into_iter().zip(&constants).filter(|(before, now)| before < now);
            let farthest = farthest.map(|(before, _)| before).max().unwrap_or(0);
            if farthest >= MAX_CLOCK_CONSTANT || stored > FAR.max(at_first.saturating_mul(TIMES_AS_FAR)) {
                entry.reason = Some(format!("not decided: a clock gets beyond {farthest}"));
                return Ok(Some(stats));
            }
            constants.iter_mut().for_each(|constant| *constant = (*constant).min(MAX_CLOCK_CONSTANT));
        }
    }

    fn named(&self, question: &ExtremesQuestion, values: &[Option<Interval>]) -> Vec<Extremes> {
        let (least, greatest) = (question.least, question.greatest);
        let named = question.names.iter().zip(values);
        named.map(|(of, values)| Extremes { of: of.clone(), least, greatest, values: *values }).collect()
    }
}

/// Lets the values of a clock up to a constant be told apart.
fn ceiling(of: &Quantity, constant: i32) -> Option<Expr> {
    let Quantity::Clock(clock) = of else { return None };
    let compared = |clock: ClockId| ClockConstraint {
        left: clock,
        minus: None,
        relation: Relation::Equal,
        bound: Expr::Const(constant),
    };
    Some(Expr::Clock(Box::new(compared(*clock))))
}

/// Is what was asked for within the constant? If not, the constant grows.
fn is_known(question: &ExtremesQuestion, of: &Quantity, constant: &mut i32, values: &Option<Interval>) -> bool {
    let (Quantity::Clock(_), Some(values)) = (of, values) else { return true };
    let within = |value: i128| value <= i128::from(*constant);
    let greatest = !question.greatest || values.upper.is_none_or(within);
    // What lies right behind the constant stands for all that lies behind it.
    let least = !question.least || values.lower < (*constant).into() || within(values.lower) && !values.lower_open;
    if greatest && least {
        return true;
    }
    let beyond = values.upper.unwrap_or(0).max(values.lower);
    *constant = i32::try_from(beyond).unwrap_or(i32::MAX).saturating_mul(2);
    false
}
