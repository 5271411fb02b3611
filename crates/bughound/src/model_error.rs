//! Errors of a model that a query meets: a value out of its range, a division by zero.
//!
//! UPPAAL gives up with a run-time error there. Here the search goes on, without the steps that fail: a state that was asked
//! for, or one that must not be, is an answer whatever else the model does. Without such a state there is no answer, and
//! the error is shown instead. A failed assertion ends a search at once: steps go on behind it, but no answer may be one
//! that only runs with a failed assertion give.

use bughound_heuristics::Targets;
use bughound_ir::expr::Expr;
use bughound_ir::reference::EvalError;
use bughound_kernel::{AtomId, Failure, FailureKind};
use bughound_search::{Goals, InvariantGoal, SearchResult, StopPolicy, Witness};
use bughound_semantics::timed::TimedSystem;

use crate::check::{Checking, Hunt, PropertyReport, add_trace};
use crate::guide::{View, without_clocks};
use crate::language::Language;
use crate::properties::{Asked, Question};
use crate::run::{Hooks, RunError};
use crate::timed_trace;
use crate::verdict::Verdict;

const MODEL_ERROR: &str = "not decided: the model has an error";
const NO_VALUE: &str = "not decided: what is asked for has no value in some state";
const UNSEEN: &str = "whether the model has errors was not decided";
/// An error of the model is looked for in so many states.
const LOOKING: u64 = 200_000;

/// What is known of errors of the model.
#[derive(Debug)]
pub(crate) struct ModelError {
    /// A way to one.
    witness: Option<Witness>,
    /// If there is no way: there is none.
    is_certain: bool,
}

impl Checking<'_> {
    /// Promela has a property for errors.
    pub(crate) fn errors_are_no_answers(&self) -> bool {
        self.model.language == Language::Uppaal
    }

    /// Takes the answer back that a search without a witness would give, if there are errors in its way.
    pub(crate) fn mind_model_errors(
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
        let met = result.stats.evaluation_errors + result.stats.failed_assertions;
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
        if entry.verdict == Verdict::Limit {
            let reason = entry.reason.take().unwrap_or_default();
            entry.reason = Some(format!("{reason}; steps that end in an error of the model were met"));
            return Ok(());
        }
        if let Some(trace) = &entry.trace {
            entry.verdict = Verdict::Inconclusive;
            entry.reason = Some(format!("not decided: {}", trace.reason.headline));
            return Ok(());
        }
        let timed = self.timed();
        match self.model_error(timed.as_ref(), hooks)?.witness.as_ref() {
            Some(witness) => self.show_model_error(property, timed.as_ref(), witness, entry),
            None => {
                (entry.verdict, entry.reason) = (Verdict::Inconclusive, Some(MODEL_ERROR.into()));
                Ok(())
            }
        }
    }

    fn timed(&self) -> Option<TimedSystem> {
        let zones = self.request.zones.reachability();
        self.model
            .network
            .needs_zones()
            .then(|| TimedSystem::new(self.model.network.clone(), &[], zones).ok())
            .flatten()
    }

    /// Instead of an answer.
    fn show_model_error(
        &self,
        property: usize,
        timed: Option<&TimedSystem>,
        witness: &Witness,
        entry: &mut PropertyReport,
    ) -> Result<(), RunError> {
        (entry.verdict, entry.reason) = (Verdict::Inconclusive, Some(MODEL_ERROR.into()));
        let (asked, witness) = (&self.asked[property], Witness { property, ..witness.clone() });
        match timed {
            // Approximate zones may have errors that the model does not have.
            Some(system) => match timed_trace::add(system, asked, &witness, self.request.zones.hull, entry)? {
                Ok(()) => {}
                Err(_) => return Ok(()),
            },
            None => add_trace(self.system.network(), asked, &witness, entry)?,
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
        let timed = self.timed();
        let error = self.model_error(timed.as_ref(), hooks)?;
        match &error.witness {
            Some(witness) => self.show_model_error(property, timed.as_ref(), witness, entry),
            None if error.is_certain => Ok(()),
            None => {
                let reason = entry.reason.take().map_or(String::new(), |reason| format!("{reason}; "));
                entry.reason = Some(format!("{reason}{UNSEEN}"));
                Ok(())
            }
        }
    }

    /// There is no state that was asked for: is there one where the question has no answer?
    pub(crate) fn mind_missing_state(
        &self,
        property: usize,
        hooks: &mut Hooks<'_>,
        entry: &mut PropertyReport,
    ) -> Result<(), RunError> {
        match &self.asked[property].question {
            Question::Reach(condition)
                if self.errors_are_no_answers() && entry.verdict == Verdict::Violated && condition.can_fail() =>
            {
                self.mind_missing_value(property, (None, condition), hooks, entry)
            }
            _ => Ok(()),
        }
    }

    /// Takes an answer back that rests on an expression which has no value in some state that matters to it.
    pub(crate) fn mind_missing_value(
        &self,
        property: usize,
        (of, expression): (Option<&Expr>, &Expr),
        hooks: &mut Hooks<'_>,
        entry: &mut PropertyReport,
    ) -> Result<(), RunError> {
        let error = expression.has_no_value();
        let error = of.map_or(error.clone(), |of| of.clone().and(error));
        let zones = self.request.zones.reachability();
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
        let asked = Asked { name: self.asked[property].name.clone(), question };
        if self.model.network.needs_zones() {
            // Without times there is no trace.
            let hull = self.request.zones.hull;
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
        let (known, options) = (system.discrete(), &self.request.run);
        Hunt { system, known, goals, stop: StopPolicy::FirstError, targets, view: View::Whole, options }
    }

    fn model_error(&self, timed: Option<&TimedSystem>, hooks: &mut Hooks<'_>) -> Result<&ModelError, RunError> {
        if self.model_error.get().is_none() {
            let found = self.find_model_error(timed, hooks)?;
            let _ = self.model_error.set(found);
        }
        self.model_error.get().ok_or_else(|| RunError::Internal("an error of the model got lost".into()))
    }

    fn find_model_error(&self, timed: Option<&TimedSystem>, hooks: &mut Hooks<'_>) -> Result<ModelError, RunError> {
        let goals = Goals { evaluation: Some(0), assertion: Some(0), ..Goals::none() };
        let mut options = self.request.run.clone();
        options.limits.states = Some(self.states.map_or(LOOKING, |states| states.min(LOOKING)));
        let hunt = Hunt {
            system: timed.map_or(self.system, |system| system),
            known: timed.map_or(self.system, TimedSystem::discrete),
            goals: &goals,
            stop: StopPolicy::FirstError,
            targets: Targets { failures: true, ..Targets::default() },
            view: View::Whole,
            options: &options,
        };
        let result = self.search(hunt, hooks, None)?.0;
        Ok(ModelError { is_certain: result.complete, witness: result.witnesses.into_iter().next() })
    }
}
