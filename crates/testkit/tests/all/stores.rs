//! Every store on random programs: the same states, steps and errors.

use std::sync::Arc;

use bughound_kernel::registry::expression;
use bughound_kernel::{Limits, TransitionSystem, delays};
use bughound_promela::lower::LowerOptions;
use bughound_search::{BuildCx, Controls, Goals, NoHeuristics, StopPolicy, Task, algorithms};
use bughound_semantics::DiscreteSystem;
use bughound_store::{StoreKind, Stores};
use bughound_testkit::comparison::wide_features;
use bughound_testkit::differential::network;
use bughound_testkit::random_promela::generate;

type Numbers = (u64, u64, u64, u64, u64, Vec<(usize, u64)>);

fn numbers(system: &dyn TransitionSystem, search: &str, kind: StoreKind, budget: Option<u64>) -> Option<Numbers> {
    numbers_of(system, search, kind, budget, 1)
}

fn numbers_of(
    system: &dyn TransitionSystem,
    search: &str,
    kind: StoreKind,
    budget: Option<u64>,
    threads: usize,
) -> Option<Numbers> {
    let search = expression::parse(search).and_then(|e| algorithms::build(&e, &BuildCx::default())).unwrap();
    let goals = Goals { deadlock: Some(0), assertion: Some(1), evaluation: Some(2), ..Goals::none() };
    let stores = Stores::new(system).of_kind(kind).with_budget(budget);
    let task = Task { system, goals: &goals, stop: StopPolicy::Exhaustive, stores: &stores, heuristics: &NoHeuristics };
    let limits = Limits { states: Some(20_000), ..Limits::default() };
    let result = search.start(task, Controls { limits, threads, ..Controls::default() }).unwrap();
    let mut lengths: Vec<_> = result.witnesses.iter().map(|w| (w.property, w.length)).collect();
    lengths.sort_unstable();
    let stats = result.stats;
    result.complete.then_some((
        stats.stored,
        stats.transitions,
        stats.deadlocks,
        stats.failed_assertions,
        stats.evaluation_errors,
        lengths,
    ))
}

#[test]
fn every_store_keeps_the_same_states() {
    let mut compared = 0;
    for seed in 0..150 {
        let source = generate(seed, &wide_features(seed));
        let Ok(network) = network(&source, LowerOptions::default()) else { continue };
        let system = DiscreteSystem::new(Arc::new(network), &[]);
        for search in ["bfs", "dfs"] {
            let Some(exact) = numbers(&system, search, StoreKind::Exact, None) else { continue };
            let tree = numbers(&system, search, StoreKind::Tree, None);
            assert_eq!(tree.as_ref(), Some(&exact), "seed {seed}, {search}\n{source}");
            // So little room that the exact store gives way in most programs.
            for budget in [16 << 10, 64 << 10, 1 << 20] {
                let handing_over = numbers(&system, search, StoreKind::Auto, Some(budget));
                assert!(handing_over.is_none_or(|found| found == exact), "seed {seed}, {search}, {budget}\n{source}");
            }
            compared += 1;
        }
    }
    assert!(compared > 150, "{compared}");
}

/// Every state is stored once and every step is counted once, however many threads there are and wherever they wait.
#[test]
fn several_threads_keep_the_same_states() {
    let mut compared = 0;
    for seed in 0..100 {
        let source = generate(seed, &wide_features(seed));
        let Ok(network) = network(&source, LowerOptions::default()) else { continue };
        let system = DiscreteSystem::new(Arc::new(network), &[]);
        let Some(alone) = numbers(&system, "bfs", StoreKind::Exact, None).filter(|found| found.0 < 3_000) else {
            continue;
        };
        delays::set(100);
        for kind in [StoreKind::Exact, StoreKind::Tree] {
            for threads in [2, 4] {
                let found = numbers_of(&system, "bfs", kind, None, threads);
                assert_eq!(found.as_ref(), Some(&alone), "seed {seed}, {kind:?}, {threads} threads\n{source}");
            }
        }
        // So little room that the threads hand over to trees in most programs.
        for budget in [64 << 10, 256 << 10] {
            let found = numbers_of(&system, "bfs", StoreKind::Auto, Some(budget), 3);
            assert!(found.is_none_or(|found| found == alone), "seed {seed}, {budget}\n{source}");
        }
        delays::set(0);
        compared += 1;
    }
    assert!(compared > 70, "{compared}");
}
