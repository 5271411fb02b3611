//! Every store, one thread and several, steps with code for each process and without: the same states, steps and errors.

use std::sync::Arc;

use bughound_kernel::registry::expression;
use bughound_kernel::{Limits, TransitionSystem, delays};
use bughound_promela::lower::LowerOptions;
use bughound_search::{BuildCx, Controls, Goals, NoHeuristics, StopPolicy, Task, algorithms};
use bughound_semantics::DiscreteSystem;
use bughound_store::{StoreKind, Stores};

use crate::comparison::wide_features;
use crate::differential::network;
use crate::random_promela::generate;

/// Programs with more states are not compared.
const MOST_STATES: u64 = 20_000;
/// Threads wait here and there, so that they lose races; with more states that takes too long.
const MOST_WITH_DELAYS: u64 = 3_000;

/// States, steps, deadlocks, failed assertions, errors of evaluation; the lengths of the errors found.
type Numbers = (u64, u64, u64, u64, u64, Vec<(usize, u64)>);

/// How a program is explored.
#[derive(Clone, Copy, Debug)]
struct Way {
    search: &'static str,
    kind: StoreKind,
    budget: Option<u64>,
    threads: usize,
    /// No more states than that.
    most: Option<u64>,
}

impl Way {
    /// What it finds; `None` if a limit ends it.
    fn numbers(self, system: &dyn TransitionSystem) -> Option<Numbers> {
        let search = expression::parse(self.search).and_then(|e| algorithms::build(&e, &BuildCx::default())).ok()?;
        let goals = Goals { deadlock: Some(0), assertion: Some(1), evaluation: Some(2), ..Goals::none() };
        let stores = Stores::new(system).of_kind(self.kind).with_budget(self.budget);
        let task =
            Task { system, goals: &goals, stop: StopPolicy::Exhaustive, stores: &stores, heuristics: &NoHeuristics };
        let controls = Controls {
            limits: Limits { states: self.most, ..Limits::default() },
            threads: self.threads,
            ..Controls::default()
        };
        let result = search.start(task, controls).ok()?;
        let mut lengths: Vec<_> = result.witnesses.iter().map(|w| (w.property, w.length)).collect();
        lengths.sort_unstable();
        let stats = result.stats;
        let counts = (stats.stored, stats.transitions, stats.deadlocks, stats.failed_assertions);
        let (stored, transitions, deadlocks, assertions) = counts;
        // A lossy store proves nothing, but it counts.
        let is_whole = result.complete || (self.kind == StoreKind::Compact && result.stop_reason.is_none());
        is_whole.then_some((stored, transitions, deadlocks, assertions, stats.evaluation_errors, lengths))
    }
}

/// The ways to explore a program of so many states. With a budget, a limit may end it.
fn ways(states: u64) -> Vec<Way> {
    // Where the number of states is limited, every state is inserted at once: with and without that.
    let mut ways = Vec::new();
    for most in [None, Some(MOST_STATES)] {
        for search in ["bfs", "dfs"] {
            for kind in [StoreKind::Exact, StoreKind::Tree, StoreKind::Compact] {
                ways.push(Way { search, kind, budget: None, threads: 1, most });
            }
            // So little room that the exact store gives way in most programs.
            for budget in [16 << 10, 64 << 10, 1 << 20] {
                ways.push(Way { search, kind: StoreKind::Auto, budget: Some(budget), threads: 1, most });
            }
        }
        if states < MOST_WITH_DELAYS {
            for threads in 2..=4 {
                for kind in [StoreKind::Exact, StoreKind::Tree, StoreKind::Compact] {
                    ways.push(Way { search: "bfs", kind, budget: None, threads, most });
                }
            }
            for budget in [16 << 10, 64 << 10, 256 << 10] {
                ways.push(Way { search: "bfs", kind: StoreKind::Auto, budget: Some(budget), threads: 3, most });
            }
        }
    }
    ways
}

/// The random program of a seed, by every way beside a walk along its templates with the exact store and one thread. How many
/// answers were compared: none if it has no network or too many states.
pub fn compare_program(seed: u64) -> Result<u64, String> {
    let source = generate(seed, &wide_features(seed));
    let Ok(network) = network(&source, LowerOptions::default()) else { return Ok(0) };
    let network = Arc::new(network);
    let walked = DiscreteSystem::new(Arc::clone(&network), &[]).walked();
    let system = DiscreteSystem::new(network, &[]);
    let most = Some(MOST_STATES);
    let expected = |search| Way { search, kind: StoreKind::Exact, budget: None, threads: 1, most }.numbers(&walked);
    let (Some(by_length), Some(by_depth)) = (expected("bfs"), expected("dfs")) else { return Ok(0) };
    let mut compared = 0;
    for way in ways(by_length.0) {
        delays::set(if way.threads > 1 { 100 } else { 0 });
        let found = way.numbers(&system);
        delays::set(0);
        let expected = if way.search == "bfs" { &by_length } else { &by_depth };
        match &found {
            None if way.budget.is_some() => {}
            Some(numbers) if numbers == expected => compared += 1,
            _ => return Err(format!("seed {seed}, {way:?}: {found:?} instead of {expected:?}\n{source}")),
        }
    }
    Ok(compared)
}
