//! Questions about whole runs of timed models: `A<>`, `E[]`, `-->`. Each has a search of its own, for a run that avoids a
//! condition for ever.

use bughound_ir::expr::Expr;
use bughound_ir::question::Question;
use bughound_ir::targets::{ErrorCondition, Targets};
use bughound_search::Goals;
use bughound_semantics::timed::{Abstraction, AvoidingRuns, TimedSystem};

use super::{Execution, Hunt, timed_trace};
use crate::check::CheckReport;
use crate::plan::Job;
use crate::run::{Hooks, RunError};

/// Why a question about existence is answered with no.
const NO_RUN: &str = "no run satisfies the condition all the time";

impl Execution<'_> {
    pub(super) fn decide_run(
        &self,
        job: &Job,
        non_zeno: bool,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let number = job.questions[0];
        let asked = &self.plan.questions[number];
        let Question::Run(question) = &asked.question else { return Ok(()) };
        let plain = TimedSystem::new(self.model.network.clone(), &[], Abstraction::RUNS);
        let system = match non_zeno {
            true => TimedSystem::ticking(&self.model.network, Abstraction::RUNS),
            false => TimedSystem::new(self.model.network.clone(), &[], Abstraction::RUNS),
        };
        let runs = system.as_ref().map_err(Clone::clone).and_then(|system| {
            AvoidingRuns::new(system, question.from(), &question.avoided()).map(|runs| (system, runs))
        });
        let (plain, (system, runs)) = match plain.and_then(|plain| runs.map(|runs| (plain, runs))) {
            Ok(both) => both,
            Err(why) => {
                report.properties[number].reason = Some(format!("not checked: {why}"));
                return Ok(());
            }
        };
        // A run may go wrong anywhere: a heuristic that knew only where it begins to would call the rest dead ends.
        let anywhere = ErrorCondition { condition: Expr::truth(true), wanted: true };
        let goals = Goals { cycle: Some(number), ..Goals::none() };
        let hunt = Hunt {
            system: &runs,
            known: system.discrete(),
            goals: &goals,
            stop: job.stop,
            targets: Targets { conditions: vec![anywhere], ..Targets::default() },
            strategy: &job.search,
        };
        let (result, stats) = self.search(hunt, hooks, None)?;
        let entry = &mut report.properties[number];
        entry.stats = Some(stats.clone());
        match result.witnesses.first() {
            Some(witness) => {
                entry.verdict = job.conclusion.with_witness();
                timed_trace::add_run(&plain, asked, witness, non_zeno, entry)?;
            }
            None => (entry.verdict, entry.reason) = job.conclusion.without_witness(&result, NO_RUN),
        }
        self.mind_model_errors(number, &result, hooks, entry)?;
        report.count(&stats);
        Ok(())
    }
}
