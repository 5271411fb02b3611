//! Questions about whole runs of timed models: `A<>`, `E[]`, `-->`. Each has a search of its own, for a run that avoids a
//! condition for ever.

use bughound_heuristics::{ErrorCondition, Targets};
use bughound_ir::expr::Expr;
use bughound_kernel::TransitionSystem;
use bughound_search::registry::CycleSupport;
use bughound_search::{Goals, SearchResult, StopPolicy};
use bughound_semantics::timed::{Abstraction, AvoidingRuns, TimedSystem};

use crate::check::{CheckReport, Checking, Hunt};
use crate::guide::View;
use crate::properties::Question;
use crate::run::{Hooks, RunError, RunOptions, RunStats, cycle_support, verdict_without_witness};
use crate::verdict::Verdict;

/// Finds cycles of zones where the search that was asked for cannot.
const FALLBACK: &str = "scc";

impl Checking<'_> {
    pub(crate) fn decide_run(
        &self,
        property: usize,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let asked = &self.asked[property];
        let Question::Run(question) = &asked.question else { return Ok(()) };
        let non_zeno = self.request.zones.non_zeno;
        let plain = TimedSystem::new(self.model.network.clone(), &[], Abstraction::RUNS);
        let system = match non_zeno {
            true => TimedSystem::ticking(&self.model.network, Abstraction::RUNS),
            false => TimedSystem::new(self.model.network.clone(), &[], Abstraction::RUNS),
        };
        let runs = system.as_ref().map_err(Clone::clone).and_then(|system| {
            AvoidingRuns::new(system, question.from.as_ref(), &question.avoided).map(|runs| (system, runs))
        });
        let (plain, (system, runs)) = match plain.and_then(|plain| runs.map(|runs| (plain, runs))) {
            Ok(both) => both,
            Err(why) => {
                report.properties[property].reason = Some(format!("not checked: {why}"));
                return Ok(());
            }
        };
        let (result, stats) = self.search_runs(property, system, &runs, hooks, report)?;
        let entry = &mut report.properties[property];
        entry.stats = Some(stats.clone());
        match result.witnesses.first() {
            Some(witness) => {
                entry.verdict = if question.asked_for { Verdict::Satisfied } else { Verdict::Violated };
                crate::timed_trace::add_run(&plain, asked, witness, non_zeno, entry)?;
            }
            None => {
                (entry.verdict, entry.reason) = match verdict_without_witness(&result) {
                    (Verdict::Holds, _) if question.asked_for => {
                        (Verdict::Violated, Some("no run satisfies the condition all the time".into()))
                    }
                    other => other,
                }
            }
        }
        self.mind_model_errors(property, &result, hooks, entry)?;
        report.count(&stats);
        Ok(())
    }

    fn search_runs(
        &self,
        property: usize,
        system: &TimedSystem,
        runs: &dyn TransitionSystem,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(SearchResult, RunStats), RunError> {
        let mut options = self.request.run.for_cycles();
        let lacks = match cycle_support(&options) {
            CycleSupport::ByRecording => Some("runs that go on for ever"),
            // Some steps from a state tick and others do not.
            CycleSupport::OneCondition if self.request.zones.non_zeno => Some("runs whose time goes on for ever"),
            CycleSupport::OneCondition | CycleSupport::AnyConditions => None,
        };
        if let Some(lacks) = lacks {
            let note = format!("{} cannot look for {lacks}; {FALLBACK} does it", options.search);
            if !report.notes.contains(&note) {
                report.notes.push(note);
            }
            options = RunOptions { search: FALLBACK.into(), improve: None, ..options };
        }
        // A run may go wrong anywhere: a heuristic that knew only where it begins to would call the rest dead ends.
        let anywhere = ErrorCondition { condition: Expr::truth(true), wanted: true };
        let targets = Targets { conditions: vec![anywhere], ..Targets::default() };
        let goals = Goals { cycle: Some(property), ..Goals::none() };
        let stop = StopPolicy::FirstError;
        let known = system.discrete();
        let hunt =
            Hunt { system: runs, known, goals: &goals, stop, targets, view: View::BehindFirst, options: &options };
        self.search(hunt, hooks, None)
    }
}
