//! Questions after the cheapest run to a state: in models with prices by zones with costs, in others by the weights of steps.
//!
//! The search adds up what runs cost at least. What it finds is a path; the cheapest run along it is computed once more by
//! other means (`realise.rs` in `semantics`), replayed by the evaluator without zones, and its cost added up step by step: all
//! three have to agree.

use std::cmp::Ordering;

use bughound_ir::expr::Expr;
use bughound_ir::question::{Property, Question};
use bughound_ir::rational::Rational;
use bughound_ir::targets::Targets;
use bughound_search::{Goals, InvariantGoal, SearchResult, Witness};
use bughound_semantics::timed::priced::{CheapestEnd, PricedSystem, Pricing};
use bughound_trace::schedule::{ScheduleError, ScheduleView};
use bughound_trace::{Times, replay_timed};

use super::confirm::claim;
use super::{Execution, Hunt};
use crate::check::{CheckReport, PropertyReport};
use crate::guide::without_clocks;
use crate::plan::{Base, Job};
use crate::run::{Hooks, RunError};
use crate::verdict::Verdict;

/// Why a question after a cheapest run is answered with no.
const NO_RUN: &str = "no run leads to a state that satisfies the condition";

/// What is known of the least cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cheapest {
    /// The infimum of the costs of runs along the steps of the trace; nothing if no run is known.
    pub cost: Option<u64>,
    /// The run of the trace costs just that; otherwise all cost more, if ever so little.
    pub attained: bool,
    /// No run costs less.
    pub lower_bound: u64,
    /// When who does what, in models with time.
    pub schedule: Option<ScheduleView>,
}

impl Cheapest {
    /// No run costs less than the one that is known.
    pub fn is_proven(&self) -> bool {
        self.cost.is_some_and(|cost| cost <= self.lower_bound)
    }

    /// By which part of the least cost the known one is above it, at most. Nothing if that can be any number.
    pub fn gap(&self) -> Option<f64> {
        let cost = self.cost?;
        if cost <= self.lower_bound {
            return Some(0.0);
        }
        (self.lower_bound > 0).then(|| (cost - self.lower_bound) as f64 / self.lower_bound as f64)
    }
}

impl std::fmt::Display for Cheapest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let least = self.lower_bound;
        let Some(cost) = self.cost else { return write!(f, "no run costs less than {least}") };
        match self.attained {
            true => write!(f, "cost {cost}")?,
            false => write!(f, "cost as little above {cost} as one likes (infimum, not attained by these steps)")?,
        }
        match self.gap() {
            _ if self.is_proven() => f.write_str(", cheapest (proven)"),
            Some(gap) => {
                // Never less than it can be.
                let percent = (gap * 1000.0).ceil() / 10.0;
                write!(f, ", not proven cheapest: at most {percent} % above the least cost, which is {least} or more")
            }
            None => f.write_str(", not proven cheapest"),
        }
    }
}

impl Execution<'_> {
    pub(super) fn decide_cheapest(
        &self,
        job: &Job,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        match job.base {
            Base::States => self.decide_by_weights(job, hooks, report),
            Base::Zones(_) => self.decide_by_prices(job, hooks, report),
        }
    }

    /// Steps have weights, and paths cost what their steps weigh.
    fn decide_by_weights(&self, job: &Job, hooks: &mut Hooks<'_>, report: &mut CheckReport) -> Result<(), RunError> {
        let Some(prepared) = self.prepare(job, report) else { return Ok(()) };
        let (result, stats) = self.search_states(job, &prepared, hooks, None)?;
        for &number in &job.questions {
            self.answer(number, job, &prepared, (&result, &stats), hooks, report)?;
            let entry = &mut report.properties[number];
            let is_run = entry.failure.is_none() && entry.verdict == Verdict::Satisfied;
            let cost = entry.trace.as_ref().filter(|_| is_run).map(|trace| trace.cost);
            let is_known = is_run || entry.verdict == Verdict::Limit;
            entry.cheapest = is_known.then(|| known(cost, true, &result, None));
        }
        report.count(&stats);
        Ok(())
    }

    fn decide_by_prices(&self, job: &Job, hooks: &mut Hooks<'_>, report: &mut CheckReport) -> Result<(), RunError> {
        let number = job.questions[0];
        let asked = &self.plan.questions[number];
        let Question::Reach(goal) = &asked.question else { return Ok(()) };
        let system = PricedSystem::new(self.model.network.clone(), goal, Pricing::Automatic);
        let ends =
            system.as_ref().map_err(Clone::clone).and_then(|system| Ok((system, CheapestEnd::new(system, goal)?)));
        let (system, ends) = match ends {
            Ok(both) => both,
            Err(why) => {
                report.properties[number].reason = Some(format!("not checked: {why}"));
                return Ok(());
            }
        };
        let reached = InvariantGoal { property: number, atom: ends.reached(), expected: false };
        let goals = Goals { invariants: vec![reached], ..Goals::none() };
        let hunt = Hunt {
            system: &ends,
            known: system.discrete(),
            goals: &goals,
            stop: job.stop,
            targets: Targets { conditions: vec![without_clocks(goal)], prices: true, ..Targets::default() },
            strategy: &job.search,
            recorded_as: None,
        };
        let (result, stats) = self.search(hunt, hooks, None)?;
        report.count(&stats);
        let entry = &mut report.properties[number];
        entry.stats = Some(stats);
        if let Some(witness) = result.witnesses.first() {
            (entry.verdict, entry.reason) = (Verdict::Satisfied, None);
            self.add_schedule(system, asked, goal, witness, &result, entry)?;
        } else if let Some(error) = system.error() {
            (entry.verdict, entry.reason) = (Verdict::Inconclusive, Some(format!("not decided: {error}")));
        } else {
            (entry.verdict, entry.reason) = job.conclusion.without_witness(&result, NO_RUN);
            if entry.verdict == Verdict::Limit {
                entry.cheapest = Some(known(None, false, &result, None));
            }
        }
        if result.stats.failed_assertions > 0 {
            // Steps go on behind a failed assertion, but no answer may be one that only such runs give.
            (entry.trace, entry.cheapest) = (None, None);
        }
        self.mind_model_errors(number, &result, hooks, entry)?;
        self.mind_missing_state(number, hooks, entry)
    }

    /// The cheapest run along the path that was found, replayed, with its cost added up.
    fn add_schedule(
        &self,
        system: &PricedSystem,
        asked: &Property,
        goal: &Expr,
        witness: &Witness,
        result: &SearchResult,
        entry: &mut PropertyReport,
    ) -> Result<(), RunError> {
        let bug = |why: String| {
            RunError::Internal(format!(
                "the schedule found for property `{}` could not be confirmed: {why}",
                asked.name
            ))
        };
        // The last step leads from a state that satisfies the goal to the end.
        let path = match witness.path.split_last() {
            Some((last, path)) if last.is_empty() => path,
            _ => return Err(bug("it does not end at the goal".into())),
        };
        let realised = system.realise(path, goal).map_err(|error| bug(error.to_string()))?;
        let realised = realised.ok_or_else(|| bug("its steps have no times".into()))?;
        let schedule = &realised.schedule;
        let times = Times::over(schedule.denominator, &schedule.times, Some(schedule.end));
        let times = times.ok_or_else(|| bug("the times of its steps are no numbers".into()))?;
        let network = system.discrete().network();
        let trace = replay_timed(network, &path.concat(), &times, &claim(asked, None, None, false));
        let trace = trace.map_err(|error| bug(error.to_string()))?;
        // The steps of a path may lead through several zones; the search knows what one of them costs.
        let cost = u64::try_from(realised.cost).unwrap_or(0);
        if !(result.at_least.min(witness.length)..=witness.length).contains(&cost) {
            return Err(bug(format!("its least cost is {cost}, not {}", witness.length)));
        }
        let view = match ScheduleView::of(network, &trace) {
            Ok(view) => Some(view),
            // It cannot be compared, but it is a run.
            Err(ScheduleError::TooLarge) => None,
            Err(error) => return Err(bug(error.to_string())),
        };
        let wanted = if realised.attained { Ordering::Equal } else { Ordering::Greater };
        let compared = |view: &ScheduleView| view.cost.compare(Rational::new(cost.into(), 1)?);
        if let Some(view) = &view
            && compared(view).is_some_and(|order| order != wanted)
        {
            return Err(bug(format!("its cost is {}, and {cost} was found", view.cost)));
        }
        entry.trace = Some(trace.into());
        entry.cheapest = Some(known(Some(cost), realised.attained, result, view));
        let met_errors = result.stats.evaluation_errors + result.stats.failed_assertions > 0;
        if (system.error().is_some() || met_errors)
            && let Some(cheapest) = &mut entry.cheapest
        {
            // Some runs were not followed to their ends.
            cheapest.lower_bound = 0;
            entry.reason = Some("runs that end in an error of the model were met".into());
        }
        Ok(())
    }
}

fn known(cost: Option<u64>, attained: bool, result: &SearchResult, schedule: Option<ScheduleView>) -> Cheapest {
    let lower_bound = cost.map_or(result.at_least, |cost| cost.min(result.at_least));
    Cheapest { cost, attained, lower_bound, schedule }
}
