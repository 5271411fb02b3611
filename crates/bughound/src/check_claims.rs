//! Checking properties of runs: each has a claim that watches the system in a search of its own.

use bughound_heuristics::Targets;
use bughound_ir::network::Network;
use bughound_kernel::TransitionSystem;
use bughound_layers::{LASSO_CLOSED, OneCondition, Recording, WeakFairness};
use bughound_search::registry::CycleSupport;
use bughound_search::{Goals, InvariantGoal, SearchResult, StopPolicy, Witness};
use bughound_semantics::{CLAIM_VIOLATED, ClaimProduct};
use bughound_trace::micro_steps;

use crate::check::{CheckReport, Checking, add_trace};
use crate::guide::View;
use crate::liveness::LiveClaim;
use crate::run::{Hooks, RunError, RunStats, STOPPED_AT_ERROR, cycle_support, verdict_without_witness};
use crate::verdict::Verdict;

impl Checking<'_> {
    pub(crate) fn decide_claims(&self, hooks: &mut Hooks<'_>, report: &mut CheckReport) -> Result<(), RunError> {
        for property in 0..self.asked.len() {
            let Some(claim) = &self.claims[property] else { continue };
            let violated = report.properties.iter().any(|p| p.verdict == Verdict::Violated);
            if violated && self.request.stop == StopPolicy::FirstError {
                report.properties[property].reason = Some(STOPPED_AT_ERROR.into());
                continue;
            }
            let claim = match claim {
                Ok(claim) => claim,
                Err(why) => {
                    report.properties[property].reason = Some(format!("not checked: {why}"));
                    continue;
                }
            };
            let (result, stats) = self.search_claim(property, claim, hooks)?;
            let entry = &mut report.properties[property];
            match result.witnesses.first() {
                Some(witness) => {
                    entry.verdict = Verdict::Violated;
                    entry.fair = self.request.run.fair;
                    entry.cycle = witness.loop_start.map(|steps| micro_steps_before(witness, steps));
                    add_trace(self.system.network(), &self.asked[property], witness, entry)?;
                }
                None => (entry.verdict, entry.reason) = verdict_without_witness(&result),
            }
            entry.stats = Some(stats.clone());
            report.stats.get_or_insert(stats);
        }
        Ok(())
    }

    fn search_claim(
        &self,
        property: usize,
        claim: &LiveClaim,
        hooks: &mut Hooks<'_>,
    ) -> Result<(SearchResult, RunStats), RunError> {
        let network = self.system.network();
        let fairness = self.request.run.fair.then(|| fairness(network, self.system)).transpose()?;
        let mut product = ClaimProduct::new(self.system, claim.template).with_regions(claim.regions.clone());
        if let Some(fairness) = &fairness {
            product = product.with_steps_of(fairness);
        }
        if !claim.includes_runs_at_rest {
            product = product.without_runs_at_rest();
        }
        let targets =
            || Targets { claim: Some(claim.template), accepting: claim.accepting(network), ..Targets::default() };
        let end = InvariantGoal { property, atom: CLAIM_VIOLATED, expected: false };
        let ends = Goals { invariants: vec![end], ..Goals::none() };
        let cycles = Goals { cycle: Some(property), ..ends.clone() };
        let mut run = |system: &dyn TransitionSystem, goals: &Goals, view: View<'_>| {
            self.search(system, goals, StopPolicy::FirstError, targets(), view, hooks, None)
        };
        if !claim.has_cycles() {
            return run(&product, &ends, View::Whole);
        }
        match cycle_support(&self.request.run) {
            CycleSupport::AnyConditions => run(&product, &cycles, View::Whole),
            CycleSupport::OneCondition if product.required().len() == 1 => run(&product, &cycles, View::Whole),
            CycleSupport::OneCondition => run(&OneCondition::new(&product), &cycles, View::BehindCounter),
            CycleSupport::ByRecording => {
                let bug = || RunError::Internal("states of this model cannot be recorded".into());
                let recording = Recording::new(&product).ok_or_else(bug)?;
                let closed = InvariantGoal { property, atom: LASSO_CLOSED, expected: false };
                let goals = Goals { invariants: vec![end, closed], ..Goals::none() };
                let (mut result, stats) = run(&recording, &goals, View::Recorded(&recording))?;
                for witness in &mut result.witnesses {
                    witness.loop_start = recording.loop_start(&witness.path);
                }
                Ok((result, stats))
            }
        }
    }
}

fn fairness<'s>(network: &Network, system: &'s dyn TransitionSystem) -> Result<WeakFairness<'s>, RunError> {
    let processes = network.frames.processes.len();
    WeakFairness::new(system, processes).ok_or_else(|| {
        let most = bughound_kernel::Marks::PROCESSES;
        RunError::Usage(format!("--fair: the model can have {processes} processes; at most {most} are possible"))
    })
}

/// Replay counts micro steps; a run at rest has none in its loop.
fn micro_steps_before(witness: &Witness, macro_steps: usize) -> usize {
    witness.path[..macro_steps].iter().map(|moves| micro_steps(moves).len()).sum()
}
