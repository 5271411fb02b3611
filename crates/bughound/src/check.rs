//! Checking: what is asked, and what comes back. The work between is planned by [`plan`](crate::plan) and run by `execute`.

use std::sync::Arc;

use bughound_ir::question::Property;
use bughound_kernel::{Failure, Limits};
use bughound_search::StopPolicy;
use bughound_trace::Trace;

use crate::answer::Answer;
use crate::chances::samples::SampleOptions;
use crate::chances::{ChanceOptions, Counterexample, MostProbable, Outcome};
use crate::coverage::UnreachedIn;
pub use crate::execute::{AfterError, Cheapest, Extremes, Fastest, Others, claim};
use crate::execute::{compare_with_whole, execute};
use crate::expected::{Expected, agrees};
use crate::model::Model;
use crate::plan::{Plan, plan};
use crate::properties::listed;
use crate::run::{Hooks, ReductionMode, RunError, RunOptions, RunStats};
use crate::searches;
use crate::verdict::Verdict;
use crate::zones::ZoneOptions;

/// What is to be checked, and how.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// Names and groups of properties; empty: all.
    pub selection: Vec<String>,
    pub stop: StopPolicy,
    /// What becomes of the others once an error is known.
    pub after: AfterError,
    pub run: RunOptions,
    /// How clock zones are treated, in timed models.
    pub zones: ZoneOptions,
    /// In timed models: what takes the least time, not what has the fewest steps.
    pub fastest: bool,
    /// States are to be reached at the least cost; nothing said: in models with prices.
    pub cheapest: Option<bool>,
    /// So many different errors are looked for by each search for errors in states: at other failing statements, or with
    /// processes at other locations.
    pub different: usize,
    /// Values of probabilistic models are estimated from random runs.
    pub samples: Option<SampleOptions>,
    /// How questions about chances are explored, and what is wanted besides the answers.
    pub chances: ChanceOptions,
}

impl Default for CheckRequest {
    fn default() -> Self {
        let run = RunOptions {
            search: "bfs".into(),
            searches: searches::ALL,
            cycle_search: None,
            cost_search: None,
            heuristic: None,
            hints: Vec::new(),
            improve: None,
            seed: 0,
            fair: false,
            dead_variables: true,
            store: Default::default(),
            threads: 1,
            alone: 0,
            disk: None,
            limits: Limits::default(),
            reduction: ReductionMode::default(),
        };
        CheckRequest {
            selection: Vec::new(),
            stop: StopPolicy::FirstError,
            after: AfterError::Stop,
            run,
            zones: ZoneOptions::default(),
            fastest: false,
            cheapest: None,
            different: 1,
            samples: None,
            chances: ChanceOptions::default(),
        }
    }
}

/// The kind of questions after extreme values.
const EXTREMES: &str = "extremes";

/// The result for one property. Copies share their traces.
#[derive(Clone, Debug)]
pub struct PropertyReport {
    /// By which it can be selected, counted from 1; `None` for what is checked only if it is named.
    pub number: Option<usize>,
    pub name: String,
    pub kind: &'static str,
    pub verdict: Verdict,
    /// Why the verdict is no better than it is.
    pub reason: Option<String>,
    pub proven_shortest: bool,
    /// For infinite runs: no path and cycle of the product with the claim are shorter. The model may have a shorter lasso:
    /// the claim may need several turns around a loop.
    pub proven_for_claim: bool,
    /// The run that decided it; `None` if there was none.
    pub stats: Option<RunStats>,
    /// The counterexample, or the witness of a satisfied question.
    pub trace: Option<Arc<Trace>>,
    /// The failing step at the end of the trace, if it ends in one.
    pub failure: Option<Failure>,
    /// For a run that goes on for ever: micro steps before its loop. All of them: it comes to rest.
    pub cycle: Option<usize>,
    /// The loop leaves out no process that could always move.
    pub fair: bool,
    /// In timed models: does the loop take finite time however often it is gone through? Nothing if there is no loop, or if
    /// that is not known.
    pub zeno: Option<bool>,
    /// In timed models: the zones of clock values along the trace, the first one included.
    pub zones: Vec<String>,
    /// How fast the run of the trace is, if a fastest one was looked for.
    pub fastest: Option<Fastest>,
    /// What is known of the least cost, if a cheapest run was looked for.
    pub cheapest: Option<Cheapest>,
    /// For questions after extreme values: as far as they are known.
    pub extremes: Vec<Extremes>,
    /// For questions about chances: the answer, if it is known.
    pub chance: Option<Outcome>,
    /// For a violated bound on a probability: a part of the model that suffices to violate it.
    pub counterexample: Option<Arc<Counterexample>>,
    /// The most probable paths to what the question is about, if they were asked for.
    pub most_probable: Option<Arc<MostProbable>>,
    /// What the file says that the answer should be.
    pub expected: Option<Expected>,
    /// Different errors besides the first one, each with its own trace.
    pub more_errors: Vec<PropertyReport>,
    /// If several errors were looked for: are there more?
    pub others: Option<Others>,
}

impl PropertyReport {
    /// Nothing is known yet.
    pub fn undecided(asked: &Property) -> PropertyReport {
        PropertyReport {
            number: None,
            name: asked.name.clone(),
            kind: asked.question.kind(),
            verdict: Verdict::Inconclusive,
            reason: None,
            proven_shortest: false,
            proven_for_claim: false,
            stats: None,
            trace: None,
            failure: None,
            cycle: None,
            fair: false,
            zeno: None,
            zones: Vec::new(),
            fastest: None,
            cheapest: None,
            extremes: Vec::new(),
            chance: None,
            counterexample: None,
            most_probable: None,
            expected: None,
            more_errors: Vec::new(),
            others: None,
        }
    }

    /// The answer, as far as there is one. A question after the values of several quantities has one for each of its
    /// [`extremes`](PropertyReport::extremes) instead.
    pub fn answer(&self) -> Option<Answer> {
        match &self.chance {
            Some(Outcome::Number(chance)) => return Some(Answer::Chance(chance.clone())),
            Some(Outcome::Range(lower, upper)) => {
                return Some(Answer::Range { lower: lower.clone(), upper: upper.clone() });
            }
            Some(Outcome::Estimate(estimate)) => return Some(Answer::Estimate((**estimate).clone())),
            Some(Outcome::Truth(..)) | None => {}
        }
        if let Some(answer) = self.cheapest.as_ref().and_then(Answer::of_cheapest) {
            return Some(answer);
        }
        if self.kind != EXTREMES {
            return self.is_true().map(|value| Answer::Truth { value });
        }
        match (self.verdict, &self.extremes[..]) {
            (Verdict::Satisfied, [only]) => Answer::of_extremes(only),
            _ => None,
        }
    }

    /// How many different errors are known.
    pub fn errors(&self) -> usize {
        usize::from(self.verdict == Verdict::Violated) + self.more_errors.len()
    }

    /// Is the answer the one that the file expects? `None` if it expects none, or if there is no answer.
    pub fn as_expected(&self) -> Option<bool> {
        match (self.expected.as_ref()?, &self.chance) {
            (Expected::Truth(expected), _) => self.is_true().map(|found| *expected == found),
            (Expected::Result(result), Some(outcome)) => agrees(result, outcome),
            (Expected::Result(_), None) => None,
        }
    }

    /// There is no answer because of an error of the model, to which the trace leads.
    pub fn shows_model_error(&self) -> bool {
        self.verdict == Verdict::Inconclusive && self.trace.is_some()
    }

    fn is_true(&self) -> Option<bool> {
        match self.verdict {
            Verdict::Holds | Verdict::Satisfied => Some(true),
            Verdict::Violated => Some(false),
            Verdict::Inconclusive | Verdict::Limit => None,
        }
    }
}

/// The result for all properties.
#[derive(Clone, Debug)]
pub struct CheckReport {
    pub verdict: Verdict,
    pub search: String,
    /// The heuristic that guided it, if one did.
    pub heuristic: Option<String>,
    pub properties: Vec<PropertyReport>,
    /// Of all searches together; nothing if there was none.
    pub stats: Option<RunStats>,
    /// What was not checked although the model has something to say about it.
    pub notes: Vec<String>,
    /// After a complete search without error: statements that are never executed.
    pub unreached: Option<Vec<UnreachedIn>>,
}

impl CheckReport {
    /// Before anything is decided.
    pub(crate) fn empty(plan: &Plan) -> CheckReport {
        let mut properties: Vec<PropertyReport> = plan.questions.iter().map(PropertyReport::undecided).collect();
        for (number, why) in &plan.refused {
            properties[*number].reason = Some(format!("not checked: {why}"));
        }
        CheckReport {
            verdict: Verdict::Inconclusive,
            search: plan.search.text.clone(),
            heuristic: plan.search.heuristic.clone(),
            properties,
            stats: None,
            notes: plan.notes.clone(),
            unreached: None,
        }
    }

    /// What is known when the program has to end before the check does. What is not decided was kept from it by `reason`.
    pub fn stopped(mut properties: Vec<PropertyReport>, reason: &str) -> CheckReport {
        for property in &mut properties {
            if property.verdict == Verdict::Inconclusive && property.reason.is_none() {
                (property.verdict, property.reason) = (Verdict::Limit, Some(reason.into()));
            }
        }
        // Nothing is decided but what was looked at: the rest of the work is missing.
        let is_violated = properties.iter().any(|property| property.verdict == Verdict::Violated);
        CheckReport {
            verdict: if is_violated { Verdict::Violated } else { Verdict::Limit },
            search: String::new(),
            heuristic: None,
            properties,
            stats: None,
            notes: Vec::new(),
            unreached: None,
        }
    }

    /// Says something once.
    pub(crate) fn note(&mut self, text: &str) {
        if !self.notes.iter().any(|known| known == text) {
            self.notes.push(text.into());
        }
    }

    /// Adds the numbers of a search to those of the whole check.
    pub(crate) fn count(&mut self, stats: &RunStats) {
        self.stats = Some(match self.stats.take() {
            None => stats.clone(),
            Some(before) => before.followed_by(stats),
        });
    }
}

/// Checks the selected properties.
pub fn check(model: &Model, request: &CheckRequest, hooks: Hooks<'_>) -> Result<CheckReport, RunError> {
    check_as_planned(model, request, &plan(model, request)?, hooks)
}

/// The same with a plan that is at hand. Of the request, the limits may have changed since it was planned.
pub(crate) fn check_as_planned(
    model: &Model,
    request: &CheckRequest,
    plan: &Plan,
    mut hooks: Hooks<'_>,
) -> Result<CheckReport, RunError> {
    let mut report = CheckReport::empty(plan);
    let listed = listed(model);
    for (property, asked) in report.properties.iter_mut().zip(&plan.questions) {
        property.number = listed.iter().position(|known| known == asked).map(|at| at + 1);
        property.expected = model.expectation(&property.name);
    }
    hooks.tell(&report.properties);
    execute(model, request, plan, &mut hooks, &mut report)?;
    if request.run.reduction == ReductionMode::Check && plan.jobs.iter().any(|job| job.reduces.is_on()) {
        compare_with_whole(model, request, &hooks, &mut report)?;
    }
    if let Some(stats) = &report.stats {
        (report.search, report.heuristic) = (stats.search.clone(), stats.heuristic.clone());
    }
    report.verdict = Verdict::together(report.properties.iter().map(|p| p.verdict));
    Ok(report)
}
