//! Searches with sets of states beside breadth-first search: the same counts, the same errors, of the same lengths, and paths that the
//! reference evaluator can follow.

pub mod contract;
pub mod mistakes;

use std::sync::Arc;

use bughound_heuristics::BuildCx as HeuristicCx;
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::targets::{ErrorCondition, Targets};
use bughound_kernel::registry::{BuildError, Expression, expression};
use bughound_kernel::{AtomId, FailureKind, Heuristic, Limits, StateBuf, StopReason, TransitionSystem, Watch};
use bughound_promela::lower::LowerOptions;
use bughound_search::{
    BuildCx, Controls, Goals, HeuristicSource, InvariantGoal, SearchResult, Searches, StopPolicy, Task, Witness,
    algorithms,
};
use bughound_semantics::DiscreteSystem;
use bughound_store::{StoreKind, Stores};
use bughound_trace::{Claim, replay};

use crate::comparison::wide_features;
use crate::conditions;
use crate::differential::network;
use crate::distances::Graph;
use crate::random_promela::{Features, Rng, generate};

/// Programs with more states are not compared.
const MOST_STATES: u64 = 2_000;
/// Room for diagrams, and where that does not suffice.
const BYTES: [u64; 2] = [12 << 20, 96 << 20];
/// Conditions that must never be reached.
const CONDITIONS: u32 = 3;

/// The searches that are compared.
pub const SEARCHES: &[&str] = &["symbolic", "symbolic(order=chaining)", "symbolic(order=saturation)"];

/// Those that take hints: here, conditions drawn at random.
pub const HINTED: &[&str] = &["symbolic(order=chaining)", "symbolic(order=saturation)"];

/// Those with heuristics, which are asked about one kind of error at a time.
pub const GUIDED: &[&str] = &[
    "symbolic-astar(h=blind)",
    "symbolic-astar(h=pdb)",
    "symbolic-astar(h=pdb, buckets=sum)",
    "symbolic-astar(h=max(pdb(cone), pdbs(each=50)))",
    "symbolic-astar(h=pdbs, buckets=sum)",
];

/// States, steps, deadlocks, failed assertions, errors of evaluation.
type Counts = (u64, u64, u64, u64, u64);

/// A search, and what it is asked for.
#[derive(Clone, Copy)]
struct Call<'c> {
    search: &'c str,
    /// One kind of error.
    only: Option<usize>,
    stop: StopPolicy,
    hints: &'c [AtomId],
}

struct Asked<'a> {
    network: &'a Network,
    /// What heuristics are built for.
    known: &'a DiscreteSystem,
    system: &'a dyn TransitionSystem,
    conditions: &'a [(Expr, bool)],
}

/// Builds heuristics by name.
pub struct Named<'a> {
    pub system: &'a DiscreteSystem,
    pub targets: Targets,
}

impl HeuristicSource for Named<'_> {
    fn build<'a>(
        &'a self,
        expression: &Expression,
        goal: Option<&'a StateBuf>,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        let goal_state = goal.map(|goal| goal.as_state().into());
        let read_expression = &|_: &str| Err("there are no expressions here".to_string());
        let Named { system, targets } = self;
        bughound_heuristics::build(expression, &HeuristicCx { system, targets, goal_state, read_expression, watch })
    }
}

impl Asked<'_> {
    /// All kinds of errors, or one of them.
    fn goals(&self, only: Option<usize>, hints: &[AtomId]) -> Goals {
        let wanted = |property: usize| only.is_none_or(|only| only == property).then_some(property);
        let invariants = self.conditions.iter().enumerate().map(|(at, (_, wanted))| InvariantGoal {
            property: 3 + at,
            atom: AtomId(at as u32),
            expected: !wanted,
        });
        let invariants = invariants.filter(|goal| wanted(goal.property).is_some()).collect();
        let hints = hints.to_vec();
        Goals { deadlock: wanted(0), assertion: wanted(1), evaluation: wanted(2), invariants, hints, ..Goals::none() }
    }

    fn run(&self, call: Call<'_>, limits: Limits) -> Result<SearchResult, String> {
        let Call { search, only, stop, hints } = call;
        let goals = self.goals(only, hints);
        let conditions = self.conditions.iter().enumerate().filter(|(at, _)| only.is_none_or(|only| only == at + 3));
        let conditions =
            conditions.map(|(_, (condition, wanted))| ErrorCondition { condition: condition.clone(), wanted: *wanted });
        let targets = Targets {
            deadlock: goals.deadlock.is_some(),
            failures: goals.assertion.is_some() || goals.evaluation.is_some(),
            conditions: conditions.collect(),
            ..Targets::default()
        };
        let heuristics = Named { system: self.known, targets };
        let cx = BuildCx { searches: Searches(&[algorithms::ALL, bughound_symbolic::ALL]), ..BuildCx::default() };
        let wrong = |error: &dyn std::fmt::Display| format!("{search}: {error}");
        let built = expression::parse(search).and_then(|e| algorithms::build(&e, &cx)).map_err(|e| wrong(&e))?;
        let stores = Stores::new(self.system).of_kind(StoreKind::Exact);
        let task = Task { system: self.system, goals: &goals, stop, stores: &stores, heuristics: &heuristics };
        built.start(task, Controls { limits, ..Controls::default() }).map_err(|e| wrong(&e))
    }

    /// In little memory if possible: large tables take longer to be made than to be used.
    fn run_symbolic(&self, call: Call<'_>) -> Result<SearchResult, String> {
        let limits = |bytes| Limits { memory: Some(bytes), ..Limits::default() };
        let found = self.run(call, limits(BYTES[0]))?;
        match found.stop_reason {
            Some(StopReason::Memory) => self.run(call, limits(BYTES[1])),
            _ => Ok(found),
        }
    }

    /// What a witness claims of its last state or step.
    fn confirm(&self, witness: &Witness) -> Result<(), String> {
        let claim = match (witness.property, witness.failure) {
            (0, _) => Claim::Deadlock,
            (1 | 2, Some(failure)) => {
                let kind = if witness.property == 1 { FailureKind::Assertion } else { FailureKind::Evaluation };
                if failure.kind != kind {
                    return Err(format!("{failure:?} is no failure of property {}", witness.property));
                }
                Claim::Failure(failure)
            }
            (1 | 2, None) => return Err("a failure that is none".into()),
            (property, _) => {
                let (condition, wanted) = &self.conditions[property - 3];
                Claim::Condition { condition, expected: !wanted }
            }
        };
        replay(self.network, &witness.path.concat(), &claim).map(|_| ()).map_err(|error| format!("{error:?}"))
    }
}

fn counts(result: &SearchResult) -> Counts {
    let stats = &result.stats;
    (stats.stored, stats.transitions, stats.deadlocks, stats.failed_assertions, stats.evaluation_errors)
}

fn lengths(result: &SearchResult) -> Vec<(usize, u64)> {
    let mut lengths: Vec<_> = result.witnesses.iter().map(|w| (w.property, w.length)).collect();
    lengths.sort_unstable();
    lengths
}

/// A random program, and conditions on its states that must not be reached.
struct Subject {
    source: String,
    network: Arc<Network>,
    conditions: Vec<(Expr, bool)>,
    system: DiscreteSystem,
}

impl Subject {
    fn of(seed: u64) -> Option<Subject> {
        let source = generate(seed, &features(seed));
        let network = Arc::new(network(&source, LowerOptions::default()).ok()?);
        let mut rng = Rng::new(seed ^ 0xbdd);
        let made = (0..CONDITIONS).map(|_| conditions::random(&network, &mut rng));
        let conditions: Vec<(Expr, bool)> = made.map(|made| (made.condition, made.wanted)).collect();
        let atoms: Vec<Expr> = conditions.iter().map(|(condition, _)| condition.clone()).collect();
        let system = DiscreteSystem::new(Arc::clone(&network), &atoms);
        Some(Subject { source, network, conditions, system })
    }

    /// All reachable states, if they are few.
    fn states(&self) -> Option<Vec<Vec<i32>>> {
        let graph = Graph::explore(&self.system, MOST_STATES as usize)?;
        Some(graph.states.into_iter().map(|state| state.key).collect())
    }
}

/// Every other program has nothing in it for which whole states are looked at, so that there is something to say of its steps.
fn features(seed: u64) -> Features {
    let wide = wide_features(seed);
    match seed.is_multiple_of(2) {
        true => wide,
        false => wide.without(Features::PRIORITY | Features::ENABLED | Features::WIDE),
    }
}

/// The random program of a seed by every search: how many answers were compared, none if it has no network or too many states.
pub fn compare_program(seed: u64) -> Result<u64, String> {
    let Some(subject) = Subject::of(seed) else { return Ok(0) };
    let Subject { source, network, conditions, system } = &subject;
    compare(&Asked { network, known: system, system, conditions })
        .map_err(|what| format!("seed {seed}: {what}\n{source}"))
}

/// What the program of a seed says of its steps, held against all of its states: how many predictions came true.
pub fn check_contract(seed: u64) -> Result<u64, String> {
    let Some(subject) = Subject::of(seed) else { return Ok(0) };
    let Some(states) = subject.states() else { return Ok(0) };
    let found = contract::check(&subject.system, &states).map_err(|why| format!("seed {seed}: {why}"))?;
    match found.broken {
        Some(what) => Err(format!("seed {seed}: {what}\n{}", subject.source)),
        None => Ok(found.predictions),
    }
}

/// Nothing is compared where searches say that they cannot search the program.
fn compare(asked: &Asked<'_>) -> Result<u64, String> {
    let compared = compare_all(asked);
    if compared.as_ref().is_err_and(|what| what.contains("cannot search this")) { Ok(0) } else { compared }
}

fn compare_all(asked: &Asked<'_>) -> Result<u64, String> {
    let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
    let known = Call { search: "bfs", only: None, stop: StopPolicy::Exhaustive, hints: &[] };
    let all = asked.run(known, limits)?;
    if !all.complete {
        return Ok(0);
    }
    let mut compared = 0;
    let hints: Vec<AtomId> = (0..CONDITIONS).map(AtomId).collect();
    let plain = SEARCHES.iter().map(|search| (search, &[][..]));
    for (search, hints) in plain.chain(HINTED.iter().map(|search| (search, &hints[..]))) {
        for stop in [StopPolicy::Exhaustive, StopPolicy::EveryProperty, StopPolicy::FirstError] {
            let found = asked.run_symbolic(Call { search, only: None, stop, hints })?;
            let search = format!("{search} with {} hints", hints.len());
            let differs = |what: &str, is: &dyn std::fmt::Debug, should: &dyn std::fmt::Debug| {
                Err(format!("{search}, {stop:?}: {what} {is:?} instead of {should:?}"))
            };
            if found.stop_reason.is_some() {
                return differs("ended by", &found.stop_reason, &"nothing");
            }
            if stop == StopPolicy::Exhaustive && counts(&found) != counts(&all) {
                return differs("counts", &counts(&found), &counts(&all));
            }
            if found.complete != (stop == StopPolicy::Exhaustive || all.witnesses.is_empty()) && found.complete {
                let every = found.witnesses.len() == all.witnesses.len() && stop == StopPolicy::EveryProperty;
                if !every {
                    return differs("complete with", &lengths(&found), &lengths(&all));
                }
            }
            let shortest = lengths(&all).into_iter().map(|(_, length)| length).min();
            if stop == StopPolicy::FirstError {
                let found = found.witnesses.first().map(|witness| witness.length);
                if found != shortest {
                    return differs("first error after", &found, &shortest);
                }
            } else if lengths(&found) != lengths(&all) {
                return differs("errors", &lengths(&found), &lengths(&all));
            }
            for witness in &found.witnesses {
                asked.confirm(witness).map_err(|why| format!("{search}, {stop:?}: {witness:?}: {why}"))?;
                if !witness.proven_shortest {
                    return differs("not proven", &witness.length, &shortest);
                }
            }
            compared += 1;
        }
    }
    Ok(compared + compare_guided(asked, &all)?)
}

/// Searches with heuristics for each kind of error by itself: the lengths of shortest paths, and no error where there is none.
fn compare_guided(asked: &Asked<'_>, all: &SearchResult) -> Result<u64, String> {
    let mut compared = 0;
    let known = lengths(all);
    for property in 0..3 + asked.conditions.len() {
        for search in GUIDED {
            let call = Call { search, only: Some(property), stop: StopPolicy::FirstError, hints: &[] };
            let found = asked.run_symbolic(call)?;
            let shortest = known.iter().find(|(of, _)| *of == property).map(|(_, length)| *length);
            let length = found.witnesses.first().map(|witness| witness.length);
            if length != shortest || found.stop_reason.is_some() {
                return Err(format!("{search}, property {property}: error after {length:?} instead of {shortest:?}"));
            }
            if length.is_none() && !found.complete {
                return Err(format!("{search}, property {property}: nothing found, and no proof"));
            }
            for witness in &found.witnesses {
                asked.confirm(witness).map_err(|why| format!("{search}, property {property}: {witness:?}: {why}"))?;
                if !witness.proven_shortest {
                    return Err(format!("{search}, property {property}: {} not proven", witness.length));
                }
            }
            compared += 1;
        }
    }
    Ok(compared)
}
