//! Checking properties of runs: each has a claim that watches the system in a search of its own.

use std::time::Instant;

use bughound_heuristics::Targets;
use bughound_kernel::TransitionSystem;
use bughound_layers::{AllRuns, LASSO_CLOSED, OneCondition, Recording, WeakFairness};
use bughound_search::engines::Tighten;
use bughound_search::registry::CycleSupport;
use bughound_search::{Goals, Incompleteness, InvariantGoal, NoHeuristics, SearchResult, StopPolicy, Witness};
use bughound_semantics::{CLAIM_VIOLATED, ClaimProduct};
use bughound_trace::micro_steps;

use crate::check::{CheckReport, Checking, Hunt, add_trace};
use crate::guide::View;
use crate::liveness::LiveClaim;
use crate::run::{Hooks, RunError, RunStats, build_search, cycle_support, run, verdict_without_witness};
use crate::verdict::Verdict;

impl Checking<'_> {
    fn fairness(&self) -> Result<Option<WeakFairness<'_>>, RunError> {
        if !self.request.run.fair {
            return Ok(None);
        }
        let processes = self.system.network().frames.processes.len();
        let fairness = WeakFairness::new(self.system, processes).ok_or_else(|| {
            let most = bughound_kernel::Marks::PROCESSES;
            RunError::Usage(format!("--fair: the model can have {processes} processes; at most {most} are possible"))
        });
        fairness.map(Some)
    }

    fn product<'p>(&'p self, claim: &LiveClaim, fairness: Option<&'p WeakFairness<'p>>) -> ClaimProduct<'p> {
        let mut product = ClaimProduct::new(self.system, claim.template).with_regions(claim.regions.clone());
        if let Some(fairness) = fairness {
            product = product.with_steps_of(fairness);
        }
        if claim.includes_runs_at_rest { product } else { product.without_runs_at_rest() }
    }

    /// A run of the claim may need several turns around a loop of the model: the model's lasso may be shorter than that of
    /// the product. Looks for it if the search is one for shortest ones; true if the result is a shortest one of the model.
    fn tighten(
        &self,
        property: usize,
        claim: &LiveClaim,
        hooks: &mut Hooks<'_>,
        result: &mut SearchResult,
        stats: &mut RunStats,
    ) -> Result<bool, RunError> {
        let Some(witness) = result.witnesses.first_mut() else { return Ok(false) };
        if witness.length == 0 || !claim.has_cycles() {
            return Ok(witness.proven_shortest);
        }
        let Some(effort) = build_search(&self.request.run.for_cycles())?.tightens() else { return Ok(false) };
        let fairness = self.fairness()?;
        let product = self.product(claim, fairness.as_ref());
        let steps: &dyn TransitionSystem = match &fairness {
            Some(fairness) => fairness,
            None => self.system,
        };
        let Some(runs) = AllRuns::new(steps, &product, claim.includes_runs_at_rest) else { return Ok(false) };
        let end = InvariantGoal { property, atom: AllRuns::ENDED, expected: false };
        let goals = Goals { cycle: Some(property), invariants: vec![end], ..Goals::none() };
        let longest = effort.longest();
        let effort = effort.after(stats.counts.generated);
        let search = Tighten { name: "shortening", known: witness.length, effort };
        let mut options = self.request.run.clone();
        let until = longest.and_then(|time| Instant::now().checked_add(time));
        options.limits.until = options.limits.until.into_iter().chain(until).min();
        let (tighter, more) =
            run(&search, &runs, &goals, StopPolicy::FirstError, &NoHeuristics, &options, hooks, None)?;
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

    pub(crate) fn decide_claim(
        &self,
        property: usize,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let claim = match &self.claims[property] {
            Some(Ok(claim)) => claim,
            Some(Err(why)) => {
                report.properties[property].reason = Some(format!("not checked: {why}"));
                return Ok(());
            }
            None => return Ok(()),
        };
        let (mut result, mut stats) = self.search_claim(property, claim, hooks)?;
        let shortest_of_model = self.tighten(property, claim, hooks, &mut result, &mut stats)?;
        let entry = &mut report.properties[property];
        match result.witnesses.first() {
            Some(witness) => {
                entry.verdict = Verdict::Violated;
                entry.fair = self.request.run.fair;
                entry.cycle = witness.loop_start.map(|steps| micro_steps_before(witness, steps));
                add_trace(self.system.network(), &self.asked[property], witness, entry)?;
                entry.proven_for_claim = witness.proven_shortest;
                entry.proven_shortest = shortest_of_model;
            }
            None => (entry.verdict, entry.reason) = verdict_without_witness(&result),
        }
        entry.stats = Some(stats.clone());
        report.count(&stats);
        Ok(())
    }

    fn search_claim(
        &self,
        property: usize,
        claim: &LiveClaim,
        hooks: &mut Hooks<'_>,
    ) -> Result<(SearchResult, RunStats), RunError> {
        let network = self.system.network();
        let fairness = self.fairness()?;
        let product = self.product(claim, fairness.as_ref());
        let targets =
            || Targets { claim: Some(claim.template), accepting: claim.accepting(network), ..Targets::default() };
        let end = InvariantGoal { property, atom: CLAIM_VIOLATED, expected: false };
        let ends = Goals { invariants: vec![end], ..Goals::none() };
        let cycles = Goals { cycle: Some(property), ..ends.clone() };
        let for_cycles = self.request.run.for_cycles();
        let options = if claim.has_cycles() { &for_cycles } else { &self.request.run };
        let mut search = |system: &dyn TransitionSystem, goals: &Goals, view: View<'_>| {
            let stop = StopPolicy::FirstError;
            self.search(
                Hunt { system, known: self.system, goals, stop, targets: targets(), view, options },
                hooks,
                None,
            )
        };
        if !claim.has_cycles() {
            return search(&product, &ends, View::Whole);
        }
        match cycle_support(&for_cycles) {
            CycleSupport::AnyConditions => search(&product, &cycles, View::Whole),
            CycleSupport::OneCondition if product.required().len() == 1 => search(&product, &cycles, View::Whole),
            CycleSupport::OneCondition => search(&OneCondition::new(&product), &cycles, View::BehindFirst),
            CycleSupport::ByRecording => {
                let bug = || RunError::Internal("states of this model cannot be recorded".into());
                let recording = Recording::new(&product).ok_or_else(bug)?;
                let closed = InvariantGoal { property, atom: LASSO_CLOSED, expected: false };
                let goals = Goals { invariants: vec![end, closed], ..Goals::none() };
                let (mut result, stats) = search(&recording, &goals, View::Recorded(&recording))?;
                for witness in &mut result.witnesses {
                    witness.loop_start = recording.loop_start(&witness.path);
                }
                Ok((result, stats))
            }
        }
    }
}

/// Replay counts micro steps; a run at rest has none in its loop.
fn micro_steps_before(witness: &Witness, macro_steps: usize) -> usize {
    witness.path[..macro_steps].iter().map(|moves| micro_steps(moves).len()).sum()
}
