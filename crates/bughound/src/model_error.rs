//! Errors of a model that a query meets: a value out of its range, a division by zero.
//!
//! UPPAAL gives up with a run-time error there. Here the search goes on, without the steps that fail: a state that was asked
//! for, or one that must not be, is an answer whatever else the model does. Without such a state there is no answer, and
//! the error is shown instead. A failed assertion ends a search at once: steps go on behind it, but no answer may be one
//! that only runs with a failed assertion give.

use bughound_heuristics::Targets;
use bughound_search::{Goals, SearchResult, StopPolicy, Witness};
use bughound_semantics::timed::TimedSystem;

use crate::check::{Checking, Hunt, PropertyReport, add_trace};
use crate::guide::View;
use crate::language::Language;
use crate::run::{Hooks, RunError};
use crate::timed_trace;
use crate::verdict::Verdict;

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
        let met = result.stats.evaluation_errors + result.stats.failed_assertions;
        if !self.errors_are_no_answers() || met == 0 || (entry.trace.is_some() && entry.failure.is_none()) {
            return Ok(());
        }
        if entry.verdict == Verdict::Limit {
            let reason = entry.reason.take().unwrap_or_default();
            entry.reason = Some(format!("{reason}; steps that end in an error of the model were met"));
            return Ok(());
        }
        entry.verdict = Verdict::Inconclusive;
        if let Some(trace) = &entry.trace {
            entry.reason = Some(format!("not decided: {}", trace.reason.headline));
            return Ok(());
        }
        entry.reason = Some("not decided: the model has an error".into());
        let timed = match self.model.network.needs_zones() {
            true => TimedSystem::new(self.model.network.clone(), &[], self.request.zones.reachability()).ok(),
            false => None,
        };
        if self.model_error.get().is_none() {
            let found = self.find_model_error(timed.as_ref(), hooks)?;
            let _ = self.model_error.set(found);
        }
        let Some(Some(witness)) = self.model_error.get() else { return Ok(()) };
        let (asked, witness) = (&self.asked[property], Witness { property, ..witness.clone() });
        match &timed {
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

    fn find_model_error(
        &self,
        timed: Option<&TimedSystem>,
        hooks: &mut Hooks<'_>,
    ) -> Result<Option<Witness>, RunError> {
        let goals = Goals { evaluation: Some(0), assertion: Some(0), ..Goals::none() };
        let hunt = Hunt {
            system: timed.map_or(self.system, |system| system),
            known: timed.map_or(self.system, TimedSystem::discrete),
            goals: &goals,
            stop: StopPolicy::FirstError,
            targets: Targets { failures: true, ..Targets::default() },
            view: View::Whole,
            options: &self.request.run,
        };
        Ok(self.search(hunt, hooks, None)?.0.witnesses.into_iter().next())
    }
}
