//! Errors of a model that a query meets: a value out of its range, a division by zero.
//!
//! UPPAAL gives up with a run-time error there. Here the search goes on, without the steps that fail: a state that was asked
//! for, or one that must not be, is an answer whatever else the model does. Without such a state there is no answer, and
//! the error is shown instead. A failed assertion ends a search at once: steps go on behind it, but no answer may be one
//! that only runs with a failed assertion give.

use bughound_ir::expr::Expr;
use bughound_ir::question::{Property, Question};
use bughound_ir::reference::EvalError;
use bughound_ir::targets::Targets;
use bughound_kernel::{AtomId, Failure, FailureKind, Limits, StopReason};
use bughound_search::{Goals, InvariantGoal, SearchResult, StopPolicy, Witness};
use bughound_semantics::timed::TimedSystem;

use super::confirm::add_trace;
use super::states::States;
use super::{Execution, Hunt, timed_trace};
use crate::check::PropertyReport;
use crate::guide::without_clocks;
use crate::run::{Hooks, RunError, STOPPED_AT_ERROR};
use crate::verdict::Verdict;

const MODEL_ERROR: &str = "not decided: the model has an error";
const NO_VALUE: &str = "not decided: what is asked for has no value in some state";
const UNSEEN: &str = "whether the model has errors was not decided";
/// An error of the model is looked for in so many states.
const LOOKING: u64 = 200_000;

/// What is known of errors of the model.
#[derive(Debug)]
pub(super) struct ModelError {
    /// A way to one.
    witness: Option<Witness>,
    /// If there is no way: there is none.
    is_certain: bool,
    /// A limit of the whole check ended the search for one.
    cut_by: Option<StopReason>,
}

impl Execution<'_> {
    /// Promela has a property for errors.
    pub(super) fn errors_are_no_answers(&self) -> bool {
        self.model.conventions().errors_are_no_answers
    }

    /// Takes the answer back that a search without a witness would give, if there are errors in its way.
    pub(super) fn mind_model_errors(
        &self,
        property: usize,
        result: &SearchResult,
        hooks: &mut Hooks<'_>,
        entry: &mut PropertyReport,
    ) -> Result<(), RunError> {
        // Codes of other failures mean something else.
        let too_long =
            |failure: Failure| failure.kind == FailureKind::Evaluation && failure.code == EvalError::LongProgram.code();
        if entry.failure.is_some_and(too_long) {
            // No error, and nothing is known of what comes behind it.
            entry.verdict = Verdict::Inconclusive;
            entry.reason = entry.trace.as_ref().map(|trace| format!("not decided: {}", trace.reason.headline));
            entry.proven_shortest = false;
            return Ok(());
        }
        // A search may end at an error before it has counted it.
        let shown = u64::from(entry.failure.is_some());
        let met = result.stats.evaluation_errors + result.stats.failed_assertions + shown;
        if self.errors_are_no_answers() && entry.trace.as_ref().is_some_and(|trace| trace.reason.no_value) {
            // Neither true nor false there.
            entry.verdict = Verdict::Inconclusive;
            entry.reason = entry.trace.as_ref().map(|trace| format!("not decided: {}", trace.reason.headline));
            entry.proven_shortest = false;
            return Ok(());
        }
        if met == 0 && self.errors_are_no_answers() && entry.trace.is_none() && result.stats.dead_ends > 0 {
            return self.mind_unseen_errors(property, hooks, entry);
        }
        if !self.errors_are_no_answers() || met == 0 || (entry.trace.is_some() && entry.failure.is_none()) {
            return Ok(());
        }
        let is_answer = matches!(entry.verdict, Verdict::Holds | Verdict::Violated | Verdict::Satisfied);
        if !is_answer && entry.trace.is_none() {
            // It is not the error that keeps the answer from being known. What waits for its turn is left alone.
            if let Some(reason) = entry.reason.as_mut().filter(|reason| *reason != STOPPED_AT_ERROR) {
                reason.push_str("; steps that end in an error of the model were met");
            }
            return Ok(());
        }
        if let Some(trace) = &entry.trace {
            entry.verdict = Verdict::Inconclusive;
            entry.reason = Some(format!("not decided: {}", trace.reason.headline));
            return Ok(());
        }
        let states = self.all_states();
        match self.model_error(&states, hooks)?.witness.as_ref() {
            Some(witness) => self.show_model_error(property, &states, witness, entry),
            None => {
                (entry.verdict, entry.reason) = (Verdict::Inconclusive, Some(MODEL_ERROR.into()));
                Ok(())
            }
        }
    }

    /// The states of the model, whatever is asked of them.
    fn all_states(&self) -> States<'_> {
        let zones = self.zones.reachability();
        let network = &self.model.network;
        let timed = network.needs_zones().then(|| TimedSystem::new(network.clone(), &[], zones).ok()).flatten();
        timed.map_or(States::Discrete(self.system), |system| States::Timed(Box::new(system)))
    }

    /// Instead of an answer.
    fn show_model_error(
        &self,
        property: usize,
        states: &States<'_>,
        witness: &Witness,
        entry: &mut PropertyReport,
    ) -> Result<(), RunError> {
        (entry.verdict, entry.reason) = (Verdict::Inconclusive, Some(MODEL_ERROR.into()));
        let (asked, witness) = (&self.plan.questions[property], Witness { property, ..witness.clone() });
        // Approximate zones may have errors that the model does not have.
        if states.confirm(&self.plan.network, asked, &witness, self.zones.hull, entry)?.is_err() {
            return Ok(());
        }
        if let Some(trace) = &entry.trace {
            entry.reason = Some(format!("not decided: {}", trace.reason.headline));
        }
        Ok(())
    }

    /// A search that runs by estimates leaves out what leads nowhere, errors of the model included: whether there are any is
    /// looked for once, for a while.
    fn mind_unseen_errors(
        &self,
        property: usize,
        hooks: &mut Hooks<'_>,
        entry: &mut PropertyReport,
    ) -> Result<(), RunError> {
        if !matches!(entry.verdict, Verdict::Holds | Verdict::Violated | Verdict::Satisfied) {
            return Ok(());
        }
        let states = self.all_states();
        let error = self.model_error(&states, hooks)?;
        match &error.witness {
            Some(witness) => self.show_model_error(property, &states, witness, entry),
            None if error.is_certain => Ok(()),
            None if error.cut_by.is_some() => {
                // With more time there might be an error, and then no answer: a limit does not make a proof.
                entry.verdict = Verdict::Limit;
                entry.reason = error.cut_by.map(|reason| format!("{}: {UNSEEN}", reason.describe()));
                Ok(())
            }
            None => {
                let reason = entry.reason.take().map_or(String::new(), |reason| format!("{reason}; "));
                entry.reason = Some(format!("{reason}{UNSEEN}"));
                Ok(())
            }
        }
    }

    /// There is no state that was asked for: is there one where the question has no answer?
    pub(super) fn mind_missing_state(
        &self,
        property: usize,
        hooks: &mut Hooks<'_>,
        entry: &mut PropertyReport,
    ) -> Result<(), RunError> {
        match &self.plan.questions[property].question {
            Question::Reach(condition)
                if self.errors_are_no_answers() && entry.verdict == Verdict::Violated && condition.can_fail() =>
            {
                self.mind_missing_value(property, (None, condition), hooks, entry)
            }
            _ => Ok(()),
        }
    }

    /// Takes an answer back that rests on an expression which has no value in some state that matters to it.
    pub(super) fn mind_missing_value(
        &self,
        property: usize,
        (of, expression): (Option<&Expr>, &Expr),
        hooks: &mut Hooks<'_>,
        entry: &mut PropertyReport,
    ) -> Result<(), RunError> {
        let error = expression.has_no_value();
        let error = of.map_or(error.clone(), |of| of.clone().and(error));
        let zones = self.zones.reachability();
        let Ok(system) = TimedSystem::new(self.model.network.clone(), std::slice::from_ref(&error), zones) else {
            return Ok(());
        };
        let goal = InvariantGoal { property, atom: AtomId(0), expected: false };
        let goals = Goals { invariants: vec![goal], ..Goals::none() };
        let targets = Targets { conditions: vec![without_clocks(&error)], ..Targets::default() };
        let (result, _) = self.search(self.on_zones(&system, &goals, targets), hooks, None)?;
        let Some(witness) = result.witnesses.first() else { return Ok(()) };
        (entry.verdict, entry.reason) = (Verdict::Inconclusive, Some(NO_VALUE.into()));
        let question = Question::Invariant(expression.partial());
        let asked = Property { question, ..self.plan.questions[property].clone() };
        if self.model.network.needs_zones() {
            // Without times there is no trace.
            let hull = self.zones.hull;
            let _ = timed_trace::add_ending(&system, &asked, witness, Some(error), hull, entry)?;
        } else {
            add_trace(&self.model.network, &asked, witness, entry)?;
        }
        entry.proven_shortest = false;
        if let Some(trace) = &entry.trace {
            entry.reason = Some(format!("not decided: {}", trace.reason.headline));
        }
        Ok(())
    }

    fn on_zones<'h>(&'h self, system: &'h TimedSystem, goals: &'h Goals, targets: Targets) -> Hunt<'h> {
        let (known, strategy) = (system.discrete(), &self.plan.search);
        Hunt { system, known, goals, stop: StopPolicy::FirstError, targets, strategy, recorded_as: None }
    }

    fn model_error(&self, states: &States<'_>, hooks: &mut Hooks<'_>) -> Result<&ModelError, RunError> {
        if self.model_error.get().is_none() {
            let found = self.find_model_error(states, hooks)?;
            let _ = self.model_error.set(found);
        }
        self.model_error.get().ok_or_else(|| RunError::Internal("an error of the model got lost".into()))
    }

    fn find_model_error(&self, states: &States<'_>, hooks: &mut Hooks<'_>) -> Result<ModelError, RunError> {
        let goals = Goals { evaluation: Some(0), assertion: Some(0), ..Goals::none() };
        let most = self.states.map_or(LOOKING, |states| states.min(LOOKING));
        let limits = Limits { states: Some(most), ..self.limits.clone() };
        let hunt = Hunt {
            system: states.system(),
            known: states.known(),
            goals: &goals,
            stop: StopPolicy::FirstError,
            targets: Targets { failures: true, ..Targets::default() },
            strategy: &self.plan.search,
            recorded_as: None,
        };
        let result = self.search_within(&limits, hunt, hooks, None)?.0;
        // That it is looked for in so many states only is no limit of the check.
        let cut_by = result.stop_reason.filter(|reason| *reason != StopReason::States || most < LOOKING);
        Ok(ModelError { is_certain: result.complete, cut_by, witness: result.witnesses.into_iter().next() })
    }
}
