//! Reduced state spaces beside whole ones, on random programs: nothing may be missing that was to be kept.
//!
//! The oracle takes every step. The reduced walk is one of its own, in several orders, with the proviso for postponed steps
//! written a second time; the engines of the search have their provisos tested through their verdicts and counts.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_kernel::registry::expression;
use bughound_kernel::{AtomId, FailureKind, Keep, LeftOut, Outcome, Part, State, Step, TransitionSystem};
use bughound_promela::lower::LowerOptions;
use bughound_search::{BuildCx, Controls, Goals, NoHeuristics, StopPolicy, Task, algorithms};
use bughound_semantics::DiscreteSystem;
use bughound_semantics::reduction::{Preserve, Reduction};
use bughound_store::Stores;

use crate::comparison::wide_features;
use crate::conditions;
use crate::differential::network;
use crate::random_promela::{Features, Rng, generate};
use crate::reduced_runs::without_a_write;

/// Larger programs are left alone.
const MOST_STATES: usize = 4000;

/// What was seen of one program, or of several.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub programs: u64,
    /// Programs that are not reduced, by the reason.
    pub refused: BTreeMap<String, u64>,
    pub too_large: u64,
    /// States of all programs, and those of the smallest reduced walk.
    pub states: u64,
    pub reduced: u64,
    pub walks: u64,
    pub wrong: Vec<String>,
}

impl Report {
    pub fn merge(&mut self, other: Report) {
        self.programs += other.programs;
        for (why, count) in other.refused {
            *self.refused.entry(why).or_default() += count;
        }
        self.too_large += other.too_large;
        self.states += other.states;
        self.reduced += other.reduced;
        self.walks += other.walks;
        self.wrong.extend(other.wrong);
    }
}

/// In which order states are expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Oldest,
    Newest,
    Random,
}

/// What can be found in a state space, with its least cost where that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found {
    deadlocks: BTreeMap<Vec<i32>, u64>,
    failures: BTreeMap<(u32, u32, bool), u64>,
    /// The condition was seen to hold.
    condition: Option<u64>,
    /// Edges that were taken somewhere, by which process.
    taken: BTreeSet<(u16, u32)>,
    states: usize,
}

impl Found {
    fn deadlocks(&self) -> BTreeSet<&Vec<i32>> {
        self.deadlocks.keys().collect()
    }

    fn failures(&self) -> BTreeSet<&(u32, u32, bool)> {
        self.failures.keys().collect()
    }
}

/// Features without those that models are not reduced with.
fn features(seed: u64) -> Features {
    let refused = [Features::LAST, Features::PRIORITY, Features::ENABLED];
    let wanted = if seed.is_multiple_of(3) { Features::CORE } else { wide_features(seed) };
    refused.into_iter().fold(wanted, |all, one| all.without(one))
}

/// What the comparison is to find, to see that it would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    None,
    /// The reduction is not told what is looked at.
    Visibility,
    /// Steps may be postponed for ever.
    Proviso,
    /// The analysis does not see one of the writes.
    Dependency,
}

/// Compares the walks through the program of a seed.
pub fn check_seed(seed: u64) -> Report {
    check_seed_with(seed, Mistake::None)
}

/// The same with a mistake.
pub fn check_seed_with(seed: u64, mistake: Mistake) -> Report {
    let mut report = Report::default();
    let features = features(seed);
    let source = generate(seed, &features);
    let lossy_sends = features.has(Features::LOSSY);
    let options = LowerOptions { merge: seed.is_multiple_of(2), lossy_sends, ..LowerOptions::default() };
    let Ok(mut network) = network(&source, options) else { return report };
    network.monitor = None;
    let network = Arc::new(network);
    let mut rng = Rng::new(seed ^ 0x5ed0);
    // Two at a time: that one holds while the other does is what an order that is left out may lose.
    let mut part = || {
        let error = conditions::random(&network, &mut rng);
        if error.wanted { error.condition } else { error.condition.not() }
    };
    let condition = part().and(part());
    if let Err(why) = compare(&network, condition, mistake, &mut rng, &mut report) {
        report.wrong.push(format!("seed {seed}: {why}\n{source}"));
    }
    report
}

fn compare(
    network: &Arc<Network>,
    condition: Expr,
    mistake: Mistake,
    rng: &mut Rng,
    report: &mut Report,
) -> Result<(), String> {
    let preserves = [
        Preserve::default(),
        Preserve { failures: true, ..Preserve::default() },
        Preserve { failures: true, conditions: vec![condition.clone()] },
    ];
    if let Err(why) = Reduction::new(network, Preserve::default()) {
        *report.refused.entry(why.to_string()).or_default() += 1;
        return Ok(());
    }
    let atoms = [condition];
    let whole = DiscreteSystem::new(network.clone(), &atoms);
    let Some(expected) = walk(&whole, None, Order::Oldest, mistake, rng) else {
        report.too_large += 1;
        return Ok(());
    };
    report.programs += 1;
    report.states += expected.states as u64;
    let mut least = expected.states;
    for preserve in preserves {
        let (failures, conditions) = (preserve.failures, !preserve.conditions.is_empty());
        let preserve = match mistake {
            Mistake::Visibility => Preserve { conditions: Vec::new(), ..preserve },
            Mistake::None | Mistake::Proviso | Mistake::Dependency => preserve,
        };
        let analysed = match mistake {
            Mistake::Dependency => without_a_write(network, rng).map(Arc::new),
            Mistake::None | Mistake::Proviso | Mistake::Visibility => None,
        };
        let Ok(reduction) = Reduction::new(analysed.as_ref().unwrap_or(network), preserve) else { continue };
        let system = DiscreteSystem::new(network.clone(), &atoms).reduced_by(reduction);
        for order in [Order::Oldest, Order::Newest, Order::Random] {
            for keep in [Keep::Errors, Keep::Shortest, Keep::Runs] {
                let Some(found) = walk(&system, Some(keep), order, mistake, rng) else {
                    return Err(format!("{order:?}, {keep:?}: more states than without reduction"));
                };
                report.walks += 1;
                least = least.min(found.states);
                let what = format!("{order:?}, {keep:?}, failures {failures}, condition {conditions}");
                let (dead, all_dead) = (found.deadlocks(), expected.deadlocks());
                if dead != all_dead {
                    return Err(format!("{what}: {} deadlocks, {} expected", dead.len(), all_dead.len()));
                }
                let (failing, all_failing) = (found.failures(), expected.failures());
                if failures && failing != all_failing {
                    return Err(format!("{what}: failures {failing:?}, expected {all_failing:?}"));
                }
                // Where only landmarks count, what leads to no error may be taken nowhere.
                if failures && keep != Keep::Shortest && found.taken != expected.taken {
                    let lost: Vec<_> = expected.taken.difference(&found.taken).collect();
                    return Err(format!("{what}: never taken: {lost:?}"));
                }
                let (holds, ever_holds) = (found.condition.is_some(), expected.condition.is_some());
                if conditions && holds != ever_holds {
                    return Err(format!("{what}: the condition holds: {holds}, expected {ever_holds}"));
                }
                let shortest = keep == Keep::Shortest && order == Order::Oldest;
                if shortest && found.deadlocks != expected.deadlocks {
                    return Err(format!("{what}: deadlocks at other costs"));
                }
                if shortest && failures && found.failures != expected.failures {
                    return Err(format!("{what}: failures at other costs"));
                }
                if shortest && conditions && found.condition != expected.condition {
                    return Err(format!(
                        "{what}: condition at {:?}, expected {:?}",
                        found.condition, expected.condition
                    ));
                }
            }
        }
        if mistake == Mistake::None {
            engines(&system, &expected, failures)?;
        }
    }
    report.reduced += least as u64;
    Ok(())
}

/// Walks through a system; `None` if it is too large.
fn walk(system: &DiscreteSystem, keep: Option<Keep>, order: Order, mistake: Mistake, rng: &mut Rng) -> Option<Found> {
    let mut explorer = system.explorer();
    let mut probe = system.explorer();
    let mut found = Found::default();
    let mut known: HashMap<Vec<i32>, (u64, bool)> = HashMap::new();
    let mut open: BTreeMap<u64, VecDeque<Vec<i32>>> = BTreeMap::new();
    let put = |open: &mut BTreeMap<u64, VecDeque<Vec<i32>>>, cost: u64, key: &[i32]| {
        let row = if order == Order::Oldest { cost } else { 0 };
        open.entry(row).or_default().push_back(key.to_vec());
    };
    explorer.initial(&mut |state| {
        known.insert(state.key.to_vec(), (0, false));
        put(&mut open, 0, state.key);
    });
    while let Some(mut row) = open.first_entry() {
        let queue = row.get_mut();
        let at = match order {
            Order::Oldest => 0,
            Order::Newest => queue.len().saturating_sub(1),
            Order::Random => rng.below(queue.len().max(1)),
        };
        let Some(key) = queue.remove(at) else {
            row.remove();
            continue;
        };
        let (cost, expanded) = known[&key];
        if expanded {
            continue;
        }
        known.insert(key.clone(), (cost, true));
        if known.len() > MOST_STATES {
            return None;
        }
        if probe.holds(AtomId(0), State::discrete(&key)) {
            found.condition = Some(found.condition.unwrap_or(cost).min(cost));
        }
        let (some, all) = (Cell::new(false), Cell::new(true));
        let mut follow = |step: &Step<'_>| {
            found.taken.extend(step.moves.iter().map(|m| (m.process, m.edge)));
            match step.outcome {
                Outcome::Failure(failure) => {
                    let kind = (failure.edge, failure.code, failure.kind == FailureKind::Assertion);
                    let least = found.failures.entry(kind).or_insert(u64::MAX);
                    *least = (*least).min(cost + step.weight);
                }
                Outcome::State(next) => {
                    let next_cost = cost + step.weight;
                    let is_closed = known.get(next.key).is_some_and(|(_, expanded)| *expanded);
                    some.set(some.get() | !is_closed);
                    all.set(all.get() & !is_closed);
                    let entry = known.entry(next.key.to_vec()).or_insert((u64::MAX, false));
                    if !entry.1 && next_cost < entry.0 {
                        entry.0 = next_cost;
                        put(&mut open, next_cost, next.key);
                    }
                }
            }
            ControlFlow::Continue(())
        };
        let part = keep.map_or(Part::All, Part::Reduced);
        let expansion = explorer.part(State::discrete(&key), part, &mut follow);
        if expansion.left_out == LeftOut::Postponed {
            let proviso = if keep == Some(Keep::Runs) { some.get() && all.get() } else { some.get() };
            assert_ne!(keep, Some(Keep::Shortest), "nothing is postponed where shortest errors are to be kept");
            if !proviso && mistake != Mistake::Proviso {
                explorer.part(State::discrete(&key), Part::Rest, &mut follow);
            }
        }
        if expansion.deadlock {
            found.deadlocks.insert(key, cost);
        }
    }
    found.states = known.len();
    Some(found)
}

/// The engines of the search, with their own provisos: the same deadlocks, and failures if they are to be kept.
fn engines(system: &DiscreteSystem, expected: &Found, failures: bool) -> Result<(), String> {
    let goals = Goals { deadlock: Some(0), assertion: Some(1), evaluation: Some(2), ..Goals::none() };
    for name in ["bfs", "dfs", "random-dfs(seed=3)", "bfs(ties=lifo)"] {
        let search = expression::parse(name).and_then(|e| algorithms::build(&e, &BuildCx::default()));
        let Ok(search) = search else { continue };
        let stores = Stores::new(system);
        let task =
            Task { system, goals: &goals, stop: StopPolicy::Exhaustive, stores: &stores, heuristics: &NoHeuristics };
        let Ok(result) = search.start(task, Controls::default()) else { continue };
        let deadlocks = result.stats.deadlocks;
        if deadlocks != expected.deadlocks.len() as u64 {
            return Err(format!("{name}: {deadlocks} deadlocks, {} expected", expected.deadlocks.len()));
        }
        let found = |property: usize| result.witnesses.iter().any(|witness| witness.property == property);
        for (property, assertion) in [(1, true), (2, false)] {
            let exists = expected.failures.keys().any(|(_, _, kind)| *kind == assertion);
            if failures && found(property) != exists {
                return Err(format!("{name}: failure {property} found: {}, expected {exists}", found(property)));
            }
        }
    }
    Ok(())
}
