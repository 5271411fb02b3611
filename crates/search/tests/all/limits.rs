//! Limits, cancellation and progress.

use std::time::Instant;

use crate::support::*;
use bughound_kernel::{Limits, Move, StopReason, StopSignal};
use bughound_search::{
    Controls, Goals, Incompleteness, NoHeuristics, Observer, Progress, SearchResult, StopPolicy, Task,
};
use bughound_store::{StoreKind, Stores};

/// A chain of `nodes` nodes with an assertion at its beginning that weighs more than the whole chain.
fn chain(nodes: usize) -> Graph {
    let mut edges: Vec<Edge> = (1..nodes).map(|node| to(node - 1, 1, node)).collect();
    edges.push(Edge { from: 0, weight: 10 * nodes as u64, to: Target::Assertion });
    Graph::new(edges)
}

fn explore(graph: &Graph, limits: Limits) -> SearchResult {
    let controls = Controls { limits, ..Controls::default() };
    run_under("bfs", graph, &Goals::none(), StopPolicy::Exhaustive, controls)
}

#[test]
fn the_limit_of_states_is_exact() {
    let graph = chain(100);
    let limits = |states| Limits { states: Some(states), ..Limits::default() };
    assert!(explore(&graph, limits(100)).complete);
    let result = explore(&graph, limits(99));
    assert_eq!(result.stop_reason, Some(StopReason::States));
    assert_eq!(result.incomplete_because, [Incompleteness::Limit(StopReason::States)]);
    assert_eq!(result.stats.stored, 99);
    // However many successors a state has, whoever finds them and however it is searched.
    let wide = random_graph(5, 3_000, 6, 3);
    for search in
        ["bfs", "dfs", "astar", "greedy", "auto", "iterative-deepening", "idastar", "branch-and-bound", "guided"]
    {
        for (threads, states) in [(1, 1), (1, 100), (3, 1), (3, 100)] {
            let controls = Controls { limits: limits(states), threads, ..Controls::default() };
            let result = run_under(search, &wide, &avoid([2_999]), StopPolicy::Exhaustive, controls);
            assert_eq!((result.stop_reason, result.stats.stored), (Some(StopReason::States), states), "{search}");
        }
    }
}

#[test]
fn time_and_memory_end_a_search() {
    let graph = chain(300_000);
    let result = explore(&graph, Limits { until: Some(Instant::now()), ..Limits::default() });
    assert_eq!(result.stop_reason, Some(StopReason::Time));
    assert!(result.stats.expanded < 10);
    let result = explore(&graph, Limits { memory: Some(1 << 20), ..Limits::default() });
    assert_eq!(result.stop_reason, Some(StopReason::Memory));
    assert!(result.stats.peak_memory < 8 << 20);
}

#[test]
fn running_out_of_numbers_for_states_is_a_verdict() {
    let graph = chain(20_000);
    let most = 5_000;
    for kind in [StoreKind::Exact, StoreKind::Tree, StoreKind::Compact, StoreKind::Auto] {
        let stores = Stores::new(&graph).of_kind(kind).with_most_states(most);
        for (name, threads) in [("bfs", 1), ("dfs", 1), ("bfs", 2), ("dijkstra", 3)] {
            let goals = Goals::none();
            let stop = StopPolicy::Exhaustive;
            let task = Task { system: &graph, goals: &goals, stop, stores: &stores, heuristics: &NoHeuristics };
            let result = search(name).start(task, Controls { threads, ..Controls::default() }).unwrap();
            let ended = (result.stop_reason, result.complete);
            assert_eq!(ended, (Some(StopReason::Memory), false), "{name} {kind:?} {threads}");
            assert!(result.stats.stored >= 1_000, "{name} {kind:?} {threads}: {}", result.stats.stored);
        }
    }
}

#[test]
fn a_full_store_is_a_verdict_and_what_was_found_is_not_lost() {
    let graph = chain(100_000);
    let stores = Stores::new(&graph).with_budget(Some(64 << 10));
    let goals = Goals { assertion: Some(3), ..Goals::none() };
    let stop = StopPolicy::FirstError;
    let task = Task { system: &graph, goals: &goals, stop, stores: &stores, heuristics: &NoHeuristics };
    let result = search("bfs").start(task, Controls::default()).unwrap();
    assert_eq!(result.stop_reason, Some(StopReason::Memory));
    // The failing step was waiting for its turn: an error, but not proven shortest.
    assert_eq!((result.witnesses[0].length, result.witnesses[0].proven_shortest), (1_000_000, false));
}

#[test]
fn cancellation_ends_a_search() {
    let stop = StopSignal::default();
    let mut reports = 0;
    let mut report = |progress: &Progress| {
        reports += 1;
        assert_eq!(progress.now.phase, "dfs");
        if progress.now.expanded > 1000 {
            stop.raise(StopReason::Interrupted);
        }
    };
    let controls = Controls { stop: stop.clone(), progress: Some(&mut report), ..Controls::default() };
    let result = run_under("dfs", &chain(1_000_000), &Goals::none(), StopPolicy::Exhaustive, controls);
    assert_eq!(result.stop_reason, Some(StopReason::Interrupted));
    assert!(reports > 1 && result.stats.expanded < 1_000_000);
}

/// Raises the signal when so many steps were seen.
struct RaiseAfter {
    steps: usize,
    stop: StopSignal,
}

impl Observer for RaiseAfter {
    fn step(&mut self, _moves: &[Move]) {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            self.stop.raise(StopReason::Time);
        }
    }
}

/// Searches of every engine but that for cycles.
const ENGINES: [&str; 10] = [
    "bfs",
    "dfs",
    "greedy(h=any)",
    "iterative-deepening",
    "idastar(h=any)",
    "random-walk",
    "frontier",
    "breadth-first-heuristic(h=any)",
    "beam-stack(h=any)",
    "memory-limited-astar(h=any)",
];

#[test]
fn a_signal_ends_a_search_inside_an_expansion_and_what_was_cut_is_no_proof() {
    // One state has all the steps: whoever looked at the signal only behind an expansion would have seen everything.
    let fan = Graph::new((1..=50).map(|node| to(0, 1, node)).collect());
    for name in ENGINES {
        for steps in [1, 2, 50] {
            let stop = StopSignal::default();
            let mut observer = RaiseAfter { steps, stop: stop.clone() };
            let controls = Controls { stop, observer: Some(&mut observer), ..Controls::default() };
            let goals = Goals { deadlock: None, assertion: Some(0), ..Goals::none() };
            let result = run_under(name, &fan, &goals, StopPolicy::FirstError, controls);
            assert_eq!((result.complete, result.stop_reason), (false, Some(StopReason::Time)), "{name}, {steps}");
            assert!(result.incomplete_because.contains(&Incompleteness::Limit(StopReason::Time)), "{name}");
            assert!(result.stats.generated <= steps as u64 && result.stats.expanded <= 1, "{name}, {steps}");
            assert!(result.witnesses.is_empty(), "{name}");
        }
    }
}

#[test]
fn deadlocks_of_expansions_that_were_cut_are_none() {
    // The explorer of a system that listens may see no steps because it was told to stop.
    let dead_end = Graph::new(vec![to(0, 1, 1)]);
    let goals = Goals { deadlock: Some(0), ..Goals::none() };
    for name in ENGINES {
        let stop = StopSignal::default();
        let mut observer = RaiseAfter { steps: 1, stop: stop.clone() };
        let controls = Controls { stop, observer: Some(&mut observer), ..Controls::default() };
        let result = run_under(name, &dead_end, &goals, StopPolicy::FirstError, controls);
        assert_eq!((result.witnesses.len(), result.stop_reason), (0, Some(StopReason::Time)), "{name}");
    }
}

#[test]
fn a_random_walk_that_time_ended_can_be_taken_again() {
    let graph = random_graph(3, 200, 4, 2);
    let goals = Goals { assertion: Some(0), ..Goals::none() };
    for steps in [10, 100, 1000] {
        let stop = StopSignal::default();
        let mut observer = RaiseAfter { steps, stop: stop.clone() };
        let controls = Controls { stop, observer: Some(&mut observer), ..Controls::default() };
        let ended = run_under("random-walk", &graph, &goals, StopPolicy::Exhaustive, controls);
        let again = format!("random-walk(budget={})", ended.stats.expanded);
        for _ in 0..2 {
            let again = run_under(&again, &graph, &goals, StopPolicy::Exhaustive, Controls::default());
            assert_eq!(again.stats.expanded, ended.stats.expanded);
            assert_eq!(again.stats.depth, ended.stats.depth);
            assert_eq!(again.stop_reason, None);
            assert!(!again.complete);
        }
    }
}

/// Limits hold for all threads together, and end all of them.
#[test]
fn limits_end_every_thread() {
    let graph = chain(300_000);
    let wide = random_graph(5, 30_000, 4, 3);
    let explore = |graph: &Graph, limits: Limits| {
        let controls = Controls { limits, threads: 3, ..Controls::default() };
        run_under("bfs", graph, &Goals::none(), StopPolicy::Exhaustive, controls)
    };
    let all = explore(&wide, Limits::default());
    assert!(all.complete && all.stats.stored > 10_000);
    let states = |states| Limits { states: Some(states), ..Limits::default() };
    assert!(explore(&wide, states(all.stats.stored)).complete);
    let most = all.stats.stored - 1;
    let limited = explore(&wide, states(most));
    assert_eq!((limited.stop_reason, limited.stats.stored), (Some(StopReason::States), most));
    let now = explore(&graph, Limits { until: Some(Instant::now()), ..Limits::default() });
    assert_eq!(now.stop_reason, Some(StopReason::Time));
    let little = explore(&graph, Limits { memory: Some(1 << 20), ..Limits::default() });
    assert_eq!(little.stop_reason, Some(StopReason::Memory));
    let deep = explore(&wide, Limits { depth: Some(4), ..Limits::default() });
    assert_eq!(deep.incomplete_because, [Incompleteness::DepthBound(4)]);
    let alone = Controls { limits: Limits { depth: Some(4), ..Limits::default() }, ..Controls::default() };
    let alone = run_under("bfs", &wide, &Goals::none(), StopPolicy::Exhaustive, alone);
    assert_eq!((deep.stats.stored, deep.stats.transitions), (alone.stats.stored, alone.stats.transitions));
    // From outside, in the middle of the work.
    let stop = StopSignal::default();
    let mut observer = RaiseAfter { steps: 10, stop: stop.clone() };
    let controls = Controls { stop, observer: Some(&mut observer), threads: 3, ..Controls::default() };
    let result = run_under("bfs", &chain(1_000_000), &Goals::none(), StopPolicy::Exhaustive, controls);
    assert_eq!(result.stop_reason, Some(StopReason::Time));
    assert!(result.stats.stored < 1_000_000);
}

/// A mistake in a model's own code, if it panics, ends the search instead of leaving the other threads waiting.
#[test]
fn a_panic_in_one_thread_is_not_waited_for() {
    struct Panics;
    impl Observer for Panics {
        fn step(&mut self, moves: &[Move]) {
            assert!(moves[0].edge < 500, "a mistake");
        }
    }
    let controls = Controls { observer: Some(&mut Panics), threads: 2, ..Controls::default() };
    let run = || run_under("bfs", &chain(5_000), &Goals::none(), StopPolicy::Exhaustive, controls);
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
}
