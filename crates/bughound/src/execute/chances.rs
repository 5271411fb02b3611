//! Questions about chances: the state space is written down as an explicit Markov model once, then each of them is answered.

use std::sync::Arc;
use std::time::Instant;

use bughound_ir::chance::ChanceQuestion;
use bughound_ir::expr::Expr;
use bughound_ir::question::Question;
use bughound_kernel::StopReason;
use bughound_markov::Effort;
use bughound_search::Statistics;
use bughound_semantics::DiscreteSystem;
use bughound_trace::{Claim, Reason, Trace, replay};

use super::Execution;
use crate::chances::{Asker, NoAnswer, NotBuilt, Outcome, Wrong, walk};
use crate::check::CheckReport;
use crate::machine::{cpu_time, own_memory, peak_memory};
use crate::plan::Job;
use crate::run::{Hooks, RunError, RunStats};
use crate::verdict::Verdict;

impl Execution<'_> {
    pub(super) fn decide_chances(
        &self,
        job: &Job,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let started = Instant::now();
        let cpu_before = cpu_time();
        let mut atoms: Vec<Expr> = Vec::new();
        let questions: Vec<(usize, ChanceQuestion<usize>)> =
            job.questions.iter().filter_map(|number| Some((*number, self.numbered(*number, &mut atoms)?))).collect();
        let system = DiscreteSystem::new(self.plan.network.clone(), &atoms);
        let mut stats = RunStats {
            counts: Statistics::default(),
            complete: true,
            peak_memory_bytes: 0,
            cpu_time: None,
            search: job.search.text.clone(),
            heuristic: None,
            stop_reason: None,
            compared: None,
        };
        let built = walk(&system, self.limits, hooks, &mut stats.counts);
        let mut verdicts = Vec::new();
        for (number, question) in &questions {
            let answer = match &built {
                Ok(built) => {
                    let stop = hooks.stop.clone();
                    let until = self.limits.until;
                    let is_over = move || stop.is_raised() || until.is_some_and(|until| Instant::now() >= until);
                    let memory = self.limits.memory.map_or(u64::MAX, |limit| limit.saturating_sub(own_memory()));
                    let effort = Effort { stop: &is_over, memory: memory as usize, ..Effort::default() };
                    Asker { built, effort }.answer(question)
                }
                Err(NotBuilt::Stopped(reason)) => {
                    verdicts.push((*number, Verdict::Limit, Some(reason.describe().to_string()), None));
                    (stats.complete, stats.stop_reason) = (false, Some(*reason));
                    continue;
                }
                Err(NotBuilt::Wrong(wrong)) => {
                    Err(NoAnswer::Refused(format!("not decided: the model is wrong: {}", wrong.what)))
                }
            };
            verdicts.push(match answer {
                Ok(Outcome::Truth(true, value)) => (*number, Verdict::Holds, None, Some(Outcome::Truth(true, value))),
                Ok(Outcome::Truth(false, value)) => {
                    (*number, Verdict::Violated, None, Some(Outcome::Truth(false, value)))
                }
                Ok(outcome) => (*number, Verdict::Satisfied, None, Some(outcome)),
                Err(NoAnswer::Refused(why)) => (*number, Verdict::Inconclusive, Some(undecided(&why)), None),
                Err(stopped) => {
                    let reason = self.why_stopped(&stopped, hooks);
                    (stats.complete, stats.stop_reason) = (false, Some(reason));
                    (*number, Verdict::Limit, Some(reason.describe().to_string()), None)
                }
            });
        }
        if let Ok(built) = &built
            && built.rounded
        {
            report.notes.push(ROUNDED.into());
        }
        if let Ok(built) = &built
            && built.model.deadlocks().len() > 0
        {
            report.notes.push(deadlocks(built.model.deadlocks().len()));
        }
        stats.counts.elapsed = started.elapsed();
        stats.peak_memory_bytes = peak_memory();
        stats.cpu_time = cpu_before.zip(cpu_time()).map(|(before, after)| after.saturating_sub(before));
        report.count(&stats);
        let trace = match &built {
            Err(NotBuilt::Wrong(wrong)) => self.way_to_error(wrong)?,
            _ => None,
        };
        for (number, verdict, reason, outcome) in verdicts {
            let entry = &mut report.properties[number];
            (entry.verdict, entry.reason, entry.chance) = (verdict, reason, outcome);
            entry.stats = Some(stats.clone());
            entry.trace.clone_from(&trace);
        }
        Ok(())
    }

    /// The way to the state in which the model is wrong, if it is about one.
    fn way_to_error(&self, wrong: &Wrong) -> Result<Option<Arc<Trace>>, RunError> {
        let Some(way) = &wrong.way else { return Ok(None) };
        // There is nothing to claim of the state but that it is reached.
        let (never, network) = (Expr::truth(false), &self.plan.network);
        let replayed = replay(network, way, &Claim::Condition { condition: &never, expected: true });
        let mut trace = replayed.map_err(|error| {
            RunError::Internal(format!("the way to an error of the model could not be confirmed: {error}"))
        })?;
        trace.reason = Reason { headline: wrong.what.clone(), ..Reason::default() };
        Ok(Some(trace.into()))
    }

    /// The question with numbers of atoms in place of its conditions.
    fn numbered(&self, number: usize, atoms: &mut Vec<Expr>) -> Option<ChanceQuestion<usize>> {
        let Question::Chance(question) = &self.plan.questions[number].question else { return None };
        let numbered: Result<_, std::convert::Infallible> = question.try_map(&mut |condition| {
            let known = atoms.iter().position(|atom| atom == condition);
            Ok(known.unwrap_or_else(|| {
                atoms.push(condition.clone());
                atoms.len() - 1
            }))
        });
        numbered.ok()
    }

    fn why_stopped(&self, stopped: &NoAnswer, hooks: &Hooks<'_>) -> StopReason {
        match (stopped, hooks.stop.reason()) {
            (NoAnswer::Memory, _) => StopReason::Memory,
            (_, Some(reason)) => reason,
            (_, None) => StopReason::Time,
        }
    }
}

/// Answers to such a model are certain, but about other numbers than those that stand there.
const ROUNDED: &str = "numbers without an exact value (roots, logarithms) are rounded to the nearest double: the answers are about the \
     rounded model";

/// States in which nothing can happen are no error here, but seldom meant.
fn deadlocks(count: usize) -> String {
    let states = if count == 1 { "1 state has".into() } else { format!("{count} states have") };
    format!("{states} no step: nothing changes there any more, and the label \"deadlock\" holds")
}

fn undecided(why: &str) -> String {
    if why.starts_with("not decided") { why.into() } else { format!("not decided: {why}") }
}
