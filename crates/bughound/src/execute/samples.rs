//! Questions about chances that random runs answer, one after the other.

use std::time::Instant;

use bughound_ir::chance::ChanceQuestion;
use bughound_ir::expr::Expr;
use bughound_kernel::registry::{Expression, expression};
use bughound_search::Statistics;
use bughound_semantics::DiscreteSystem;

use super::Execution;
use crate::chances::Outcome;
use crate::chances::samples::{NotSampled, Sample, SampleOptions, Sampling, sample};
use crate::check::{CheckReport, PropertyReport};
use crate::condition::parse_condition;
use crate::machine::{cpu_time, peak_memory};
use crate::numbers::count;
use crate::plan::Job;
use crate::run::{Hooks, RunError, RunStats};
use crate::verdict::Verdict;

impl Execution<'_> {
    pub(super) fn decide_by_samples(
        &self,
        job: &Job,
        options: SampleOptions,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        for number in &job.questions {
            let mut atoms: Vec<Expr> = Vec::new();
            if let Some(question) = self.numbered(*number, &mut atoms) {
                let entry = &mut report.properties[*number];
                self.sample_one(job, options, (&question, &atoms), hooks, entry)?;
                if let Some(stats) = entry.stats.clone() {
                    report.count(&stats);
                }
                hooks.tell(&report.properties);
            }
        }
        Ok(())
    }

    fn sample_one(
        &self,
        job: &Job,
        options: SampleOptions,
        (question, atoms): (&ChanceQuestion<usize>, &[Expr]),
        hooks: &mut Hooks<'_>,
        entry: &mut PropertyReport,
    ) -> Result<(), RunError> {
        let started = Instant::now();
        let cpu_before = cpu_time();
        let system = DiscreteSystem::new(self.plan.network.clone(), atoms);
        let read_expression = |text: &str| parse_condition(self.model, text);
        let wanted: Option<Expression> = job.search.heuristic.as_deref().and_then(|text| expression::parse(text).ok());
        let sampling = Sampling {
            system: &system,
            question,
            atoms,
            options,
            seed: self.seed,
            heuristic: wanted.as_ref(),
            read_expression: &read_expression,
        };
        let mut counts = Statistics::default();
        let outcome = sample(&sampling, self.limits, hooks, &mut counts);
        counts.elapsed = started.elapsed();
        let mut stats = RunStats {
            counts,
            complete: false,
            peak_memory_bytes: peak_memory(),
            cpu_time: cpu_before.zip(cpu_time()).map(|(before, after)| after.saturating_sub(before)),
            search: job.search.text.clone(),
            heuristic: job.search.heuristic.clone(),
            stop_reason: None,
            compared: None,
        };
        match outcome {
            Ok(sample) => {
                stats.stop_reason = sample.cut;
                (entry.verdict, entry.reason) = concluded(&sample, options);
                entry.chance = Some(Outcome::Estimate(Box::new(sample.estimate)));
            }
            Err(NotSampled::Refused(why)) => {
                let why = if why.starts_with("not ") { why } else { format!("not decided: {why}") };
                (entry.verdict, entry.reason) = (Verdict::Inconclusive, Some(why));
            }
            Err(NotSampled::Stopped(reason)) => {
                stats.stop_reason = Some(reason);
                (entry.verdict, entry.reason) = (Verdict::Limit, Some(reason.describe().into()));
            }
            Err(NotSampled::Heuristic(error)) => {
                let text = job.search.heuristic.as_deref().unwrap_or_default();
                return Err(RunError::Usage(format!("--heuristic: {}", error.render(text))));
            }
        }
        entry.stats = Some(stats);
        Ok(())
    }
}

/// Runs prove nothing: a bound stays open, whatever they say about it.
fn concluded(sample: &Sample, options: SampleOptions) -> (Verdict, Option<String>) {
    let cut = sample.cut.map(|reason| {
        let (drawn, wanted) = (count(sample.estimate.samples), count(options.runs));
        format!("{} in run {drawn} of {wanted}", reason.describe())
    });
    let judged = sample.bound.map(|holds| match holds {
        Some(true) => "not proven; statistically it holds",
        Some(false) => "not proven; statistically it is violated",
        None => "not decided: the bound lies inside of the interval",
    });
    let reason = match (&cut, judged) {
        (Some(cut), Some(judged)) => Some(format!("{judged} ({cut})")),
        (Some(cut), None) => Some(cut.clone()),
        (None, judged) => judged.map(Into::into),
    };
    match (cut, judged) {
        (Some(_), _) => (Verdict::Limit, reason),
        (None, Some(_)) => (Verdict::Inconclusive, reason),
        (None, None) => (Verdict::Satisfied, None),
    }
}
