//! The size of a state space: everything is visited, nothing ends the search but its limits.

use std::sync::Arc;

use bughound_ir::analysis::dead_variables::{Observers, without_dead_variables};
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::targets::Targets;
use bughound_kernel::{AtomId, TransitionSystem};
use bughound_markov::formats::Explicit;
use bughound_search::{Goals, Statistics, StopPolicy};
use bughound_semantics::DiscreteSystem;
use bughound_semantics::reduction::{Preserve, Reduction, Verified};
use bughound_semantics::timed::{Abstraction, TimedSystem};
use bughound_trace::{Claim, Reference};

use crate::chances::{NotBuilt, Wrong, walk};
use crate::condition::parse_condition;
use crate::execute::kept;
use crate::guide::Guide;
use crate::machine::{cpu_time, peak_memory};
use crate::model::Model;
use crate::plan::{Strategy, hints, threads};
use crate::run::{Hooks, ReductionMode, RunError, RunOptions, RunStats, search, verdict_without_witness};
use crate::verdict::Verdict;

/// What an exploration found.
#[derive(Debug)]
pub struct ExploreReport {
    /// `Holds`: the whole state space was seen.
    pub verdict: Verdict,
    /// Why it was not seen as a whole.
    pub reason: Option<String>,
    pub search: String,
    pub stats: RunStats,
    /// Deadlocks were looked for: not in timed models, where coarser zones are enough for everything else.
    pub counts_deadlocks: bool,
    /// A model with probabilities, whose transitions are those of the Markov model: there are none before it is complete.
    pub is_of_chances: bool,
    /// Evaluation errors and the like.
    pub warnings: Vec<String>,
    /// Of models with probabilities: the states as an explicit Markov model, with its labels.
    pub explicit: Option<Explicit>,
}

/// The network whose states are counted: claims and monitors are ignored, so nobody but the processes looks at the values of
/// variables.
pub fn explored(model: &Model, options: &RunOptions) -> Arc<Network> {
    let network = without_monitor(model);
    // What cannot be read is said where it is explored.
    let conditions = options.hints.iter().filter_map(|hint| parse_condition(model, hint).ok()).collect();
    let observers = Observers { conditions, reduction: options.reduction.is_wanted(), ..Observers::default() };
    let without = options.dead_variables.then(|| without_dead_variables(&network, &observers));
    without.flatten().map_or(network, Arc::new)
}

fn without_monitor(model: &Model) -> Arc<Network> {
    let mut network = Arc::clone(&model.network);
    if network.monitor.is_some() {
        Arc::make_mut(&mut network).monitor = None;
    }
    network
}

/// Explores the whole state space. Claims are ignored; failed assertions are counted and passed.
pub fn explore(
    model: &Model,
    options: &RunOptions,
    preserve: Preserve,
    mut hooks: Hooks<'_>,
) -> Result<ExploreReport, RunError> {
    if model.network.stochastic.is_some() {
        if !options.hints.is_empty() {
            return Err(RunError::Usage("--hint: models with probabilities are not explored by sets of states".into()));
        }
        return explore_chances(model, options, hooks);
    }
    let network = explored(model, options);
    let strategy = Strategy::for_states(options)?;
    let hints = hints(model, options, &strategy)?;
    let mut warnings = Vec::new();
    if let Err(error) = Reference::discrete(&network).initial() {
        warnings.push(format!("there is no initial state: {error}"));
    }
    let timed = match network.needs_zones() {
        false => None,
        true => {
            let system = TimedSystem::new(network.clone(), &[], Abstraction::REACHABILITY);
            Some(system.map_err(|why| RunError::Usage(why.to_string()))?)
        }
    };
    let mut discrete = DiscreteSystem::new(network.clone(), &hints);
    let mut verified = None;
    if options.reduction.is_wanted() {
        match Reduction::new(&network, preserve.clone()) {
            Ok(reduction) if options.reduction == ReductionMode::Check => {
                let reduced = DiscreteSystem::new(network.clone(), &[]).reduced_by(reduction);
                verified = Some(Verified::new(reduced, &preserve));
            }
            Ok(reduction) => discrete = discrete.reduced_by(reduction),
            Err(why) => warnings.push(format!("nothing is left out: {why}")),
        }
    }
    let system: &dyn TransitionSystem = match (&timed, &verified) {
        (Some(timed), _) => timed,
        (None, Some(verified)) => verified,
        (None, None) => &discrete,
    };
    let hints = (0..hints.len() as u32).map(AtomId).collect();
    let goals = Goals { evaluation: Some(0), hints, ..Goals::none() };
    let read_expression = |_: &str| Err("an exploration has no expressions".to_string());
    let targets = Targets::default();
    let guide = Guide { searched: system, system: &discrete, targets, read_expression: &read_expression };
    let (result, mut stats) = search(
        system,
        &goals,
        StopPolicy::Exhaustive,
        &guide,
        &strategy,
        &options.limits,
        &mut hooks,
        None,
        Some("states".into()),
    )?;
    if let Some(verified) = &verified {
        kept(verified, &mut stats)?;
    }
    let (mut verdict, mut reason) = verdict_without_witness(&result);
    if !warnings.is_empty() {
        verdict = Verdict::Violated;
        reason = warnings.first().cloned();
    }
    let errors = stats.counts.evaluation_errors;
    if errors > 0 {
        let first = result.witnesses.first().and_then(|witness| {
            let claim = Claim::Failure(witness.failure?);
            let moves: Vec<_> = witness.path.concat();
            bughound_trace::replay(&without_monitor(model), &moves, &claim).ok()
        });
        let example = first.map_or(String::new(), |trace| format!(", for example: {}", trace.reason.headline));
        let steps = if errors == 1 { "1 step ends".into() } else { format!("{errors} steps end") };
        warnings.push(format!("{steps} in an evaluation error{example}"));
    }
    warnings.extend(threads::note(&strategy));
    let counts_deadlocks = timed.is_none();
    Ok(ExploreReport {
        verdict,
        reason,
        search: options.search.clone(),
        stats,
        counts_deadlocks,
        is_of_chances: false,
        warnings,
        explicit: None,
    })
}

/// The states of a model with probabilities, with the chances between them.
fn explore_chances(model: &Model, options: &RunOptions, mut hooks: Hooks<'_>) -> Result<ExploreReport, RunError> {
    let cpu_before = cpu_time();
    let labels = model.network.stochastic.iter().flat_map(|stochastic| &stochastic.labels);
    let (names, conditions): (Vec<String>, Vec<Expr>) = labels.cloned().unzip();
    let system = DiscreteSystem::new(model.network.clone(), &conditions);
    let mut counts = Statistics::default();
    let built = walk(&system, &options.limits, &mut hooks, &mut counts);
    let (mut warnings, mut stop_reason) = (Vec::new(), None);
    let (verdict, reason, explicit) = match built {
        Ok(built) => {
            let labels = names.into_iter().zip(built.atoms).collect();
            (Verdict::Holds, None, Some(Explicit { model: built.model, labels }))
        }
        Err(NotBuilt::Stopped(reason)) => {
            stop_reason = Some(reason);
            (Verdict::Limit, Some(reason.describe().to_string()), None)
        }
        // All states are explored without one.
        Err(NotBuilt::Heuristic(error)) => (Verdict::Inconclusive, Some(error.to_string()), None),
        Err(NotBuilt::Refused(why)) => (Verdict::Inconclusive, Some(why), None),
        Err(NotBuilt::Wrong(Wrong { what: why, .. }) | NotBuilt::Unconfirmed(why)) => {
            warnings.push(format!("the model is wrong: {why}"));
            counts.evaluation_errors = 1;
            (Verdict::Inconclusive, Some(format!("the model is wrong: {why}")), None)
        }
    };
    if counts.deadlocks > 0 {
        let states = if counts.deadlocks == 1 { "1 state".into() } else { format!("{} states", counts.deadlocks) };
        warnings.push(format!("{states} without a step: each is taken to stay as it is for ever"));
    }
    let stats = RunStats {
        counts,
        complete: explicit.is_some(),
        peak_memory_bytes: peak_memory(),
        cpu_time: cpu_before.zip(cpu_time()).map(|(before, after)| after.saturating_sub(before)),
        search: options.search.clone(),
        heuristic: None,
        stop_reason,
        compared: None,
    };
    let search = options.search.clone();
    Ok(ExploreReport {
        verdict,
        reason,
        search,
        stats,
        counts_deadlocks: true,
        is_of_chances: true,
        warnings,
        explicit,
    })
}
