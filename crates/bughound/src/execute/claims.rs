//! Checking properties of runs: each has a claim that watches the system in a search of its own.

use std::time::Instant;

use bughound_ir::targets::Targets;
use bughound_kernel::{Limits, TransitionSystem};
use bughound_layers::{AllRuns, ClaimProduct, OneCondition, Recording, WeakFairness};
use bughound_search::engines::Tighten;
use bughound_search::{Goals, Incompleteness, InvariantGoal, NoHeuristics, SearchResult, Witness};
use bughound_semantics::{Claim, DiscreteSystem};
use bughound_trace::micro_steps;

use super::confirm::add_trace;
use super::{Execution, Hunt};
use crate::check::CheckReport;
use crate::liveness::LiveClaim;
use crate::plan::{Job, Layer};
use crate::run::{Hooks, RunError, RunStats, search, verdict_without_witness};

impl Execution<'_> {
    fn fairness(&self, job: &Job) -> Result<Option<WeakFairness<'_>>, RunError> {
        if !job.layers.contains(&Layer::WeakFairness) {
            return Ok(None);
        }
        let system = self.system_of(job);
        let processes = system.network().frames.processes.len();
        let fairness = WeakFairness::new(system, processes).ok_or_else(|| {
            let most = bughound_kernel::Marks::PROCESSES;
            RunError::Usage(format!("--fair: the model can have {processes} processes; at most {most} are possible"))
        });
        fairness.map(Some)
    }

    /// A run of the claim may need several turns around a loop of the model: the model's lasso may be shorter than that of
    /// the product. Looks for it if the search is one for shortest ones; true if the result is a shortest one of the model.
    fn tighten(
        &self,
        job: &Job,
        claim: &LiveClaim,
        hooks: &mut Hooks<'_>,
        result: &mut SearchResult,
        stats: &mut RunStats,
    ) -> Result<bool, RunError> {
        let Some(witness) = result.witnesses.first_mut() else { return Ok(false) };
        if witness.length == 0 || !claim.has_cycles() {
            return Ok(witness.proven_shortest);
        }
        let Some(effort) = job.search.search().tightens() else { return Ok(false) };
        let fairness = self.fairness(job)?;
        let system = self.system_of(job);
        let steps: &dyn TransitionSystem = match &fairness {
            Some(fairness) => fairness,
            None => system,
        };
        let reads = Claim::new(system, claim.template);
        let Some(runs) = AllRuns::new(steps, &reads, claim.includes_runs_at_rest) else { return Ok(false) };
        let property = job.questions[0];
        let end = InvariantGoal { property, atom: runs.ended(), expected: false };
        let goals = Goals { cycle: Some(property), invariants: vec![end], ..Goals::none() };
        let longest = effort.longest();
        let effort = effort.after(stats.counts.generated);
        let strategy = job.search.served_by(Tighten { name: "shortening", known: witness.length, effort });
        let until = longest.and_then(|time| Instant::now().checked_add(time));
        let limits = Limits { until: self.limits.until.into_iter().chain(until).min(), ..self.limits.clone() };
        let (tighter, more) = search(&runs, &goals, job.stop, &NoHeuristics, &strategy, &limits, hooks, None, None)?;
        stats.add(&more);
        if until.is_some_and(|until| Instant::now() >= until) {
            stats.counts.shortening_cut = longest;
        }
        let below = Incompleteness::DepthBound(witness.length - 1);
        Ok(match tighter.witnesses.into_iter().next() {
            Some(shorter) => {
                let proven = shorter.proven_shortest;
                *witness = shorter;
                proven
            }
            None => tighter.incomplete_because == [below],
        })
    }

    pub(super) fn decide_claim(
        &self,
        job: &Job,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let number = job.questions[0];
        let Some(claim) = &self.plan.claims[number] else { return Ok(()) };
        let (mut result, mut stats) = self.find_violation(job, claim, hooks)?;
        let shortest_of_model = self.tighten(job, claim, hooks, &mut result, &mut stats)?;
        let entry = &mut report.properties[number];
        match result.witnesses.first() {
            Some(witness) => {
                entry.verdict = job.conclusion.with_witness();
                entry.fair = job.layers.contains(&Layer::WeakFairness);
                entry.cycle = witness.loop_start.map(|steps| micro_steps_before(witness, steps));
                add_trace(&self.plan.network, &self.plan.questions[number], witness, entry)?;
                entry.proven_for_claim = witness.proven_shortest;
                entry.proven_shortest = shortest_of_model;
            }
            None => (entry.verdict, entry.reason) = verdict_without_witness(&result),
        }
        entry.stats = Some(stats.clone());
        report.count(&stats);
        Ok(())
    }

    /// With some of the steps first, if these will do. An error is then looked for with all of them, for a while: it may be
    /// shorter.
    fn find_violation(
        &self,
        job: &Job,
        claim: &LiveClaim,
        hooks: &mut Hooks<'_>,
    ) -> Result<(SearchResult, RunStats), RunError> {
        let Some((mut found, mut stats)) = self.search_reduced(job, claim, hooks)? else {
            return self.search_whole(job, claim, self.limits, hooks);
        };
        let Some(effort) = job.search.search().tightens().filter(|_| !found.witnesses.is_empty()) else {
            return Ok((found, stats));
        };
        let states = effort.after(stats.counts.generated).into_iter().chain(self.limits.states).min();
        let until = effort.longest().and_then(|time| Instant::now().checked_add(time));
        let limits = Limits { states, until: self.limits.until.into_iter().chain(until).min(), ..self.limits.clone() };
        let (whole, more) = self.search_whole(job, claim, &limits, hooks)?;
        stats.add(&more);
        if whole.witnesses.is_empty() {
            // The one that is known will do.
            if whole.complete {
                let why = "an error that was found with some of the steps was not found with all of them";
                return Err(RunError::Internal(why.into()));
            }
        } else {
            found = whole;
        }
        Ok((found, stats))
    }

    fn search_whole(
        &self,
        job: &Job,
        claim: &LiveClaim,
        limits: &Limits,
        hooks: &mut Hooks<'_>,
    ) -> Result<(SearchResult, RunStats), RunError> {
        let system = self.system_of(job);
        let fairness = self.fairness(job)?;
        let steps: &dyn TransitionSystem = match &fairness {
            Some(fairness) => fairness,
            None => system,
        };
        let reads = Claim::new(system, claim.template);
        self.search_product(job, claim, system, &product(steps, &reads, claim), limits, hooks)
    }

    pub(super) fn search_product(
        &self,
        job: &Job,
        claim: &LiveClaim,
        known: &DiscreteSystem,
        product: &ClaimProduct<'_>,
        limits: &Limits,
        hooks: &mut Hooks<'_>,
    ) -> Result<(SearchResult, RunStats), RunError> {
        let property = job.questions[0];
        let accepting = claim.accepting(&self.plan.network);
        let end = InvariantGoal { property, atom: product.violated(), expected: false };
        let cycle = claim.has_cycles().then_some(property);
        let goals = Goals { cycle, invariants: vec![end], ..Goals::none() };
        let mut search = |system: &dyn TransitionSystem, goals: &Goals| {
            let targets = Targets { claim: Some(claim.template), accepting: accepting.clone(), ..Targets::default() };
            let (stop, strategy) = (job.stop, &job.search);
            self.search_within(
                limits,
                Hunt { system, known, goals, stop, targets, strategy, recorded_as: None },
                hooks,
                None,
            )
        };
        match job.layers.last() {
            Some(Layer::OneCondition) => search(&OneCondition::new(product), &goals),
            Some(Layer::Recording) => {
                let bug = || RunError::Internal("states of this model cannot be recorded".into());
                let recording = Recording::new(product).ok_or_else(bug)?;
                let closed = InvariantGoal { property, atom: recording.closed(), expected: false };
                let goals = Goals { invariants: vec![end, closed], ..Goals::none() };
                let (mut result, stats) = search(&recording, &goals)?;
                for witness in &mut result.witnesses {
                    witness.loop_start = recording.loop_start(&witness.path);
                }
                Ok((result, stats))
            }
            _ => search(product, &goals),
        }
    }
}

/// The product of a system, or of a layer on it, with a claim that reads its states.
pub(super) fn product<'p>(
    system: &'p dyn TransitionSystem,
    reads: &'p Claim<'_>,
    claim: &LiveClaim,
) -> ClaimProduct<'p> {
    let product = ClaimProduct::new(system, reads).with_regions(claim.regions.clone());
    if claim.includes_runs_at_rest { product } else { product.without_runs_at_rest() }
}

/// Replay counts micro steps; a run at rest has none in its loop.
fn micro_steps_before(witness: &Witness, macro_steps: usize) -> usize {
    witness.path[..macro_steps].iter().map(|moves| micro_steps(moves).len()).sum()
}
