//! The same model through Bughound and through SPIN.
//!
//! [`bughound()`] explores a Promela text with the engine; [`compare`] puts its answers beside SPIN's. A difference is a bug,
//! of the one or the other.

use bughound_ir::network::Network;
use bughound_ir::question::Question;
use bughound_ir::source::SourceMap;
use bughound_kernel::registry::expression;
use bughound_kernel::{AtomId, Limits, TransitionSystem};
use bughound_layers::ClaimProduct;
use bughound_promela::lower::{LowerOptions, lower};
use bughound_promela::{Options, parse};
use bughound_search::{BuildCx, Controls, Goals, InvariantGoal, NoHeuristics, StopPolicy, Task, algorithms};
use bughound_semantics::{Claim, DiscreteSystem};
use bughound_store::Stores;

use crate::spin_oracle::{SpinReport, Verdict};

/// What Bughound says of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub states: u64,
    pub complete: bool,
    /// Shortest way to a deadlock.
    pub deadlock: Option<u64>,
    /// Shortest way to a failing assertion.
    pub assertion: Option<u64>,
    /// Some expression was undefined.
    pub evaluation: Option<u64>,
    /// Shortest way to the violation of a claim or an `ltl` invariant.
    pub claim: Option<u64>,
}

/// The network of a Promela text. `Err`: the messages of the front end.
pub fn network(source: &str, options: LowerOptions) -> Result<Network, Vec<String>> {
    let mut sources = SourceMap::default();
    let no_files = |_: &std::path::Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let parsed = parse(&mut sources, "model.pml", source.as_bytes(), &Options::default(), &no_files);
    let messages = |list: &[bughound_ir::source::Diagnostic]| list.iter().map(|d| d.message.clone()).collect();
    let Some(ast) = parsed.ast else { return Err(messages(&parsed.diagnostics)) };
    let lowered = lower(&ast, &sources, options);
    lowered.network.ok_or_else(|| messages(&lowered.diagnostics))
}

/// Explores a model completely, up to `limits`; a model with a never claim together with its claim, as SPIN does.
/// `Err`: the messages of the front end.
pub fn bughound(source: &str, options: LowerOptions, limits: Limits) -> Result<Answer, Vec<String>> {
    let network = network(source, options)?;
    let mut invariants = Vec::new();
    let mut claim = None;
    for property in &network.properties {
        match &property.question {
            Question::Invariant(condition) => invariants.push(condition.clone()),
            Question::Never(template) => claim = Some(*template),
            _ => {}
        }
    }
    let system = DiscreteSystem::new(network, &invariants);
    match claim {
        Some(template) => {
            let claim = Claim::new(&system, template);
            let product = ClaimProduct::new(&system, &claim);
            let ended = InvariantGoal { property: CLAIM, atom: product.violated(), expected: false };
            explore(&product, vec![ended], limits)
        }
        None => {
            let atoms = (0..invariants.len() as u32).map(AtomId);
            let goals = atoms.map(|atom| InvariantGoal { property: CLAIM, atom, expected: true }).collect();
            explore(&system, goals, limits)
        }
    }
}

const CLAIM: usize = 3;

fn explore(
    system: &dyn TransitionSystem,
    invariants: Vec<InvariantGoal>,
    limits: Limits,
) -> Result<Answer, Vec<String>> {
    let search = expression::parse("bfs").and_then(|e| algorithms::build(&e, &BuildCx::default()));
    let search = search.map_err(|e| vec![e.to_string()])?;
    let goals = Goals { deadlock: Some(0), assertion: Some(1), evaluation: Some(2), invariants, ..Goals::none() };
    let stores = Stores::new(system);
    let stop = StopPolicy::Exhaustive;
    let task = Task { system, goals: &goals, stop, stores: &stores, heuristics: &NoHeuristics };
    let controls = Controls { limits, ..Controls::default() };
    let result = search.start(task, controls).map_err(|e| vec![e.to_string()])?;
    let length = |property| result.witnesses.iter().find(|w| w.property == property).map(|w| w.length);
    Ok(Answer {
        states: result.stats.stored,
        complete: result.complete,
        deadlock: length(0),
        assertion: length(1),
        evaluation: length(2),
        claim: length(CLAIM),
    })
}

/// The verdicts on a model with a claim. SPIN does not look for deadlocks then, and counts states in its own way.
pub fn compare_with_claim(ours: &Answer, spin: &SpinReport) -> Option<String> {
    let ours_violated = ours.assertion.is_some() || ours.evaluation.is_some() || ours.claim.is_some();
    let theirs_violated = match &spin.verdict {
        Verdict::NoError => false,
        Verdict::InvalidEndState | Verdict::Assertion(_) | Verdict::Other(_) => true,
        Verdict::Crash(_) | Verdict::Incomplete => return None,
    };
    let differs = ours.complete && ours_violated != theirs_violated;
    differs.then(|| format!("with its claim, SPIN says {:?}, Bughound {ours:?}", spin.verdict))
}

/// Says how the two differ; `None` if they agree (or SPIN has no complete answer).
pub fn compare(ours: &Answer, spin: &SpinReport) -> Option<String> {
    let crashed = matches!(spin.verdict, Verdict::Crash(_) | Verdict::Incomplete);
    if let Some(space) = &spin.space
        && ours.complete
        && ours.evaluation.is_none()
        && space.states != ours.states
    {
        return Some(format!("SPIN has {} states, Bughound {}", space.states, ours.states));
    }
    let ours_first = ours.deadlock.is_some() || ours.assertion.is_some() || ours.evaluation.is_some();
    let theirs = match &spin.verdict {
        Verdict::NoError => Some(false),
        Verdict::InvalidEndState | Verdict::Assertion(_) | Verdict::Other(_) => Some(true),
        Verdict::Crash(_) | Verdict::Incomplete => None,
    };
    if !crashed && ours.complete && theirs != Some(ours_first) {
        return Some(format!("SPIN says {:?}, Bughound {ours:?}", spin.verdict));
    }
    if ours.evaluation.is_some() || !ours.complete {
        return None;
    }
    for (name, theirs, ours) in
        [("deadlock", spin.deadlock, ours.deadlock), ("assertion", spin.assertion, ours.assertion)]
    {
        if let Some(theirs) = theirs
            && theirs != ours.is_some()
        {
            return Some(format!("{name}: SPIN says {theirs}, Bughound {}", ours.is_some()));
        }
    }
    None
}
