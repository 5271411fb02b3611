//! Questions about whole runs of timed models: `A<>`, `E[]`, `-->`, and formulas of linear temporal logic. Each has a search
//! of its own, for a run that avoids a condition for ever, or that a claim accepts.

use bughound_ir::expr::Expr;
use bughound_ir::question::Question;
use bughound_ir::targets::{ErrorCondition, Targets};
use bughound_kernel::TransitionSystem;
use bughound_search::Goals;
use bughound_semantics::Claim;
use bughound_semantics::timed::{Abstraction, AvoidingRuns, EndlessRuns, TimedError, TimedSystem};

use super::claims::product;
use super::{Execution, Hunt, timed_trace};
use crate::check::CheckReport;
use crate::plan::Job;
use crate::run::{Hooks, RunError};

/// Why a question about existence is answered with no.
const NO_RUN: &str = "no run satisfies the condition all the time";

/// The zones of a model.
struct ZonesOfRuns {
    /// As a trace is scheduled.
    plain: TimedSystem,
    /// As they are searched: with a clock for ticks if time must go on for ever.
    searched: TimedSystem,
    non_zeno: bool,
}

impl Execution<'_> {
    pub(super) fn decide_run(
        &self,
        job: &Job,
        non_zeno: bool,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let number = job.questions[0];
        let not_checked = |why: TimedError, report: &mut CheckReport| {
            report.properties[number].reason = Some(format!("not checked: {why}"));
            Ok(())
        };
        let zones = match self.zones_of_runs(non_zeno) {
            Ok(zones) => zones,
            Err(why) => return not_checked(why, report),
        };
        match (&self.plan.questions[number].question, &self.plan.claims[number]) {
            (Question::Run(question), _) => {
                match AvoidingRuns::new(&zones.searched, question.from(), &question.avoided()) {
                    Ok(runs) => self.look_for_run(job, &zones, &runs, hooks, report),
                    Err(why) => not_checked(why, report),
                }
            }
            (_, Some(claim)) => {
                let runs = EndlessRuns::new(&zones.searched);
                let reads = Claim::new(zones.searched.discrete(), claim.template);
                // What rests has steps for it already.
                let product = product(&runs, &reads, claim).without_runs_at_rest();
                self.look_for_run(job, &zones, &product, hooks, report)
            }
            (_, None) => Ok(()),
        }
    }

    fn zones_of_runs(&self, non_zeno: bool) -> Result<ZonesOfRuns, TimedError> {
        let network = &self.plan.network;
        let plain = || TimedSystem::new(network.clone(), &[], Abstraction::RUNS);
        let searched = if non_zeno { TimedSystem::ticking(network, Abstraction::RUNS) } else { plain() };
        Ok(ZonesOfRuns { plain: plain()?, searched: searched?, non_zeno })
    }

    /// Searches a system each of whose accepting cycles is a run that decides the question.
    fn look_for_run(
        &self,
        job: &Job,
        zones: &ZonesOfRuns,
        system: &dyn TransitionSystem,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let number = job.questions[0];
        // A run may go wrong anywhere: a heuristic that knew only where it begins to would call the rest dead ends.
        let anywhere = ErrorCondition { condition: Expr::truth(true), wanted: true };
        let goals = Goals { cycle: Some(number), ..Goals::none() };
        let hunt = Hunt {
            system,
            known: zones.searched.discrete(),
            goals: &goals,
            stop: job.stop,
            targets: Targets { conditions: vec![anywhere], ..Targets::default() },
            strategy: &job.search,
            recorded_as: None,
        };
        let (result, stats) = self.search(hunt, hooks, None)?;
        let entry = &mut report.properties[number];
        entry.stats = Some(stats.clone());
        match result.witnesses.first() {
            Some(witness) => {
                entry.verdict = job.conclusion.with_witness();
                let asked = &self.plan.questions[number];
                timed_trace::add_run(&zones.plain, asked, witness, zones.non_zeno, entry)?;
            }
            None => (entry.verdict, entry.reason) = job.conclusion.without_witness(&result, NO_RUN),
        }
        self.mind_model_errors(number, &result, hooks, entry)?;
        report.count(&stats);
        Ok(())
    }
}
