//! Traces of random programs with their steps reordered: every order that is offered must be a run to the same end.

use bughound_ir::expr::Expr;
use bughound_kernel::registry::expression;
use bughound_kernel::{AtomId, Limits};
use bughound_promela::lower::LowerOptions;
use bughound_search::{BuildCx, Controls, Goals, InvariantGoal, NoHeuristics, StopPolicy, Task, Witness, algorithms};
use bughound_semantics::DiscreteSystem;
use bughound_store::Stores;
use bughound_trace::{Claim, reordered, replay, switches, with_few_switches};

use crate::comparison::wide_features;
use crate::conditions;
use crate::differential::network;
use crate::random_promela::{Rng, generate};

/// Larger programs are looked at in part.
const STATES: u64 = 3000;

/// What was seen of one program, or of several.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub traces: u64,
    /// Those that were found in another order.
    pub reordered: u64,
    /// Changes of the process in all traces, before and after.
    pub before: u64,
    pub after: u64,
    pub wrong: Vec<String>,
}

impl Report {
    pub fn merge(&mut self, other: Report) {
        self.traces += other.traces;
        self.reordered += other.reordered;
        self.before += other.before;
        self.after += other.after;
        self.wrong.extend(other.wrong);
    }
}

/// Looks for errors of every kind in the program of a seed, with a search for short traces and one for long ones.
pub fn check_seed(seed: u64) -> Report {
    let features = wide_features(seed);
    let source = generate(seed, &features);
    let options = LowerOptions { merge: seed.is_multiple_of(2), ..LowerOptions::default() };
    let mut report = Report::default();
    let Ok(network) = network(&source, options) else { return report };
    let error = conditions::random(&network, &mut Rng::new(seed ^ 0x0dde));
    let atoms = [error.condition];
    let system = DiscreteSystem::new(network, &atoms);
    for search in ["bfs", "random-dfs"] {
        for witness in witnesses(&system, search, error.wanted) {
            if let Err(why) = check(&system, &atoms[0], error.wanted, &witness, &mut report) {
                report.wrong.push(format!("seed {seed}, {search}: {why}\n{source}"));
            }
        }
    }
    report
}

/// Deadlocks, failures, and states with the condition.
fn witnesses(system: &DiscreteSystem, search: &str, wanted: bool) -> Vec<Witness> {
    let invariants = vec![InvariantGoal { property: 2, atom: AtomId(0), expected: !wanted }];
    let goals = Goals { deadlock: Some(0), assertion: Some(1), evaluation: Some(1), invariants, ..Goals::none() };
    let search = expression::parse(search).and_then(|e| algorithms::build(&e, &BuildCx::default()));
    let stores = Stores::new(system);
    let stop = StopPolicy::Exhaustive;
    let task = Task { system, goals: &goals, stop, stores: &stores, heuristics: &NoHeuristics };
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    let result = search.map_err(Into::into).and_then(|s| s.start(task, Controls { limits, ..Controls::default() }));
    result.map(|result| result.witnesses).unwrap_or_default()
}

fn check(
    system: &DiscreteSystem,
    condition: &Expr,
    wanted: bool,
    witness: &Witness,
    report: &mut Report,
) -> Result<(), String> {
    let network = system.network();
    let claim = match (witness.failure, witness.property) {
        (Some(failure), _) => Claim::Failure(failure),
        (None, 0) => Claim::Deadlock,
        _ => Claim::Condition { condition, expected: !wanted },
    };
    let trace = replay(network, &witness.path.concat(), &claim).map_err(|e| format!("the trace itself: {e}"))?;
    let before = switches(&trace);
    report.traces += 1;
    report.before += before as u64;
    if let Some(moves) = reordered(network, &trace, &claim) {
        report.reordered += 1;
        let other = replay(network, &moves, &claim).map_err(|e| format!("in another order: {e}"))?;
        if (other.length, other.cost) != (trace.length, trace.cost) || other.reason != trace.reason {
            return Err(format!("another end: {:?} instead of {:?}", other.reason, trace.reason));
        }
        let chains = |t: &bughound_trace::Trace| t.steps.iter().filter(|step| step.keeps_control).count();
        if chains(&other) != chains(&trace) {
            return Err("a chain that nothing interrupts was taken apart".into());
        }
    }
    let shown = with_few_switches(network, trace, &claim);
    let after = switches(&shown);
    report.after += after as u64;
    if after > before {
        return Err(format!("{after} changes of the process instead of {before}"));
    }
    Ok(())
}
