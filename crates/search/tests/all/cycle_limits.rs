//! Searches for cycles under limits, budgets, and with heuristics that see dead ends.

use std::time::Instant;

use crate::support::cycle_runs::*;
use crate::support::marked::*;
use crate::support::search;
use bughound_kernel::*;
use bughound_search::*;
use bughound_store::Stores;

const SEARCHES: [&str; 7] =
    ["auto", "nested-dfs", "improved-nested-dfs", "scc", "astar-dfs", "astar-dfs(inner=blind)", "shortest-lasso"];

fn step(from: usize, to: usize, marks: Marks) -> MarkedEdge {
    MarkedEdge { from, to: Some(to), weight: 1, marks }
}

fn blind(graph: &MarkedGraph) -> Estimates {
    Estimates { values: vec![Estimate::ZERO; graph.nodes], claims: HeuristicClaims::CONSISTENT }
}

/// A chain of so many nodes without any cycle.
fn chain(nodes: usize) -> MarkedGraph {
    MarkedGraph::new(nodes, (1..nodes).map(|n| step(n - 1, n, Marks::ACCEPT)).collect(), Marks::ACCEPT)
}

/// A ring of so many nodes. Only the first one accepts.
fn ring(nodes: usize) -> MarkedGraph {
    let marks = |n| if n == 0 { Marks::ACCEPT } else { Marks::NONE };
    MarkedGraph::new(nodes, (0..nodes).map(|n| step(n, (n + 1) % nodes, marks(n))).collect(), Marks::ACCEPT)
}

#[test]
fn the_limit_of_states_is_exact() {
    let graph = chain(100);
    for name in SEARCHES {
        let limited =
            |states| run_cycles(name, &graph, &blind(&graph), Limits { states: Some(states), ..Limits::default() });
        assert!(limited(100).complete, "{name}");
        let result = limited(99);
        assert_eq!(result.stop_reason, Some(StopReason::States), "{name}");
        assert_eq!(result.incomplete_because, [Incompleteness::Limit(StopReason::States)], "{name}");
        assert_eq!(result.stats.stored, 99, "{name}");
    }
    // Many successors at once do not push the store beyond it.
    let fan = MarkedGraph::new(1000, (1..1000).map(|n| step(0, n, Marks::NONE)).collect(), Marks::ACCEPT);
    for name in SEARCHES {
        let result = run_cycles(name, &fan, &blind(&fan), Limits { states: Some(10), ..Limits::default() });
        assert_eq!((result.stop_reason, result.stats.stored), (Some(StopReason::States), 10), "{name}");
    }
}

#[test]
fn time_and_memory_end_a_search() {
    let graph = chain(200_000);
    for name in SEARCHES {
        let limits = Limits { until: Some(Instant::now()), ..Limits::default() };
        let result = run_cycles(name, &graph, &blind(&graph), limits);
        assert_eq!(result.stop_reason, Some(StopReason::Time), "{name}");
        assert!(!result.complete && result.stats.expanded < 10, "{name}");
        let limits = Limits { memory: Some(1 << 20), ..Limits::default() };
        let result = run_cycles(name, &graph, &blind(&graph), limits);
        assert_eq!(result.stop_reason, Some(StopReason::Memory), "{name}");
        assert!(!result.complete && result.stats.peak_memory < 8 << 20, "{name}: {:?}", result.stats);
    }
}

#[test]
fn cancellation_and_a_full_store_end_a_search() {
    let graph = chain(100_000);
    let (goals, stop, estimates) = (goals(), StopPolicy::FirstError, blind(&graph));
    let signal = StopSignal::default();
    signal.raise(StopReason::Interrupted);
    for name in SEARCHES {
        let stores = Stores::new(&graph);
        let task = Task { system: &graph, goals: &goals, stop, stores: &stores, heuristics: &estimates };
        let controls = Controls { stop: signal.clone(), ..Controls::default() };
        let result = search(name).start(task, controls).unwrap();
        assert_eq!((result.stop_reason, result.complete), (Some(StopReason::Interrupted), false), "{name}");
        let stores = Stores::new(&graph).with_budget(Some(64 << 10));
        let task = Task { stores: &stores, ..task };
        let result = search(name).start(task, Controls::default()).unwrap();
        assert_eq!((result.stop_reason, result.complete), (Some(StopReason::Memory), false), "{name}");
    }
}

/// Raises the signal when so many steps were seen.
struct RaiseAfter(usize, StopSignal);

impl Observer for RaiseAfter {
    fn step(&mut self, _moves: &[Move]) {
        self.0 -= 1;
        if self.0 == 0 {
            self.1.raise(StopReason::Time);
        }
    }
}

#[test]
fn an_expansion_that_was_cut_is_no_proof() {
    let fan = MarkedGraph::new(50, (1..50).map(|n| step(0, n, Marks::NONE)).collect(), Marks::ACCEPT);
    let (goals, stop, estimates) = (goals(), StopPolicy::FirstError, blind(&fan));
    for name in SEARCHES {
        for steps in [1, 49] {
            let signal = StopSignal::default();
            let mut observer = RaiseAfter(steps, signal.clone());
            let stores = Stores::new(&fan);
            let task = Task { system: &fan, goals: &goals, stop, stores: &stores, heuristics: &estimates };
            let controls = Controls { stop: signal, observer: Some(&mut observer), ..Controls::default() };
            let result = search(name).start(task, controls).unwrap();
            assert_eq!((result.stop_reason, result.complete), (Some(StopReason::Time), false), "{name}, {steps}");
            assert!(result.stats.generated <= steps as u64, "{name}");
        }
    }
}

#[test]
fn what_was_found_is_reported_under_every_limit() {
    // The walk that finds the ring has no states left; shortening is given up, the lasso is not.
    let graph = ring(100);
    for name in SEARCHES {
        let limits = Limits { states: Some(100), ..Limits::default() };
        let result = run_cycles(name, &graph, &blind(&graph), limits);
        assert_eq!(result.witnesses[0].length, 100, "{name}");
    }
}

#[test]
fn effort_is_spent_on_shorter_lassos_only() {
    // The first step of each node leads on along the ring, the second one back to the start at once.
    let nodes = 60;
    let mut edges: Vec<MarkedEdge> = (0..nodes).map(|n| step(n, (n + 1) % nodes, Marks::ACCEPT)).collect();
    edges.extend((0..nodes).map(|n| step(n, 0, Marks::ACCEPT)));
    let graph = MarkedGraph::new(nodes, edges, Marks::ACCEPT);
    assert_eq!(graph.least_lasso(), Some(1));
    let run = |text| run_cycles(text, &graph, &blind(&graph), Limits::default());
    let shortest = run("auto");
    let hurried = run("auto(effort=0)");
    let (witness, first) = (&shortest.witnesses[0], &hurried.witnesses[0]);
    assert_eq!((witness.length, witness.proven_shortest), (1, true));
    assert!(!first.proven_shortest && first.length >= 1);
    graph.check_witness(first.start.as_state(), &first.path, first.loop_start, first.length);
    assert!(hurried.stats.generated <= shortest.stats.generated);
    let walked = run("scc(improve=false)").witnesses.remove(0);
    assert!(walked.length >= run("scc").witnesses[0].length);
}

/// Nodes 0 to 9 are a chain in a region without accepting cycles; 5 also leads to the accepting loop of node 10; a
/// second chain begins at node 0, too, and leads nowhere.
fn entrance() -> MarkedGraph {
    let mut edges: Vec<MarkedEdge> = (1..10).map(|n| step(n - 1, n, Marks::NONE)).collect();
    edges.extend([step(5, 10, Marks::NONE), step(10, 10, Marks::ACCEPT), step(0, 11, Marks::NONE)]);
    edges.extend((12..40).map(|n| step(n - 1, n, Marks::NONE)));
    let mut graph = MarkedGraph::new(40, edges, Marks::ACCEPT);
    graph.regions = vec![Region { number: 0, cycles: Cycles::None }; 40];
    graph.regions[10] = Region { number: 1, cycles: Cycles::All };
    graph
}

#[test]
fn dead_ends_wait_unless_they_are_proof() {
    let graph = entrance();
    let mut values = vec![Estimate::ZERO; graph.nodes];
    values[1..=10].fill(Estimate::DeadEnd);
    // A guess: everything else comes first, then the lasso is found nevertheless.
    let guess = Estimates { values: values.clone(), claims: HeuristicClaims::NONE };
    let result = run_cycles("astar-dfs", &graph, &guess, Limits::default());
    assert_eq!(result.witnesses[0].length, 7);
    assert!(result.stats.stored > 35, "{}", result.stats.stored);
    // Said to be proof, it is believed.
    let proof = Estimates { values, claims: HeuristicClaims::SAFE };
    let result = run_cycles("astar-dfs", &graph, &proof, Limits::default());
    assert!(result.witnesses.is_empty() && result.complete);
    assert_eq!(result.stats.stored, 31);
    // Proof about the chain that leads nowhere saves its states.
    let mut values = vec![Estimate::ZERO; graph.nodes];
    values[11..].fill(Estimate::DeadEnd);
    let proof = Estimates { values, claims: HeuristicClaims::SAFE };
    let result = run_cycles("astar-dfs(improve=false)", &graph, &proof, Limits::default());
    assert_eq!(result.witnesses[0].length, 7);
    assert!(result.stats.stored < 13, "{}", result.stats.stored);
}

#[test]
fn each_region_is_walked_through_once() {
    // Thousands of entrances to one long chain in a region where nothing is accepting.
    let (entrances, length) = (2000, 2000);
    let chain = |n: usize| entrances + n;
    let mut edges: Vec<MarkedEdge> = (1..entrances).map(|n| step(n - 1, n, Marks::NONE)).collect();
    edges.extend((0..entrances).map(|n| step(n, chain(length - 1 - n), Marks::NONE)));
    edges.extend((1..length).map(|n| step(chain(n - 1), chain(n), Marks::ACCEPT)));
    let mut graph = MarkedGraph::new(entrances + length, edges, Marks::ACCEPT);
    graph.regions = vec![Region { number: 0, cycles: Cycles::None }; entrances + length];
    graph.regions[entrances..].fill(Region { number: 1, cycles: Cycles::Some });
    let result = run_cycles("astar-dfs", &graph, &blind(&graph), Limits::default());
    assert!(result.complete);
    assert!(result.stats.expanded <= 3 * graph.nodes as u64, "{}", result.stats.expanded);
    assert!(result.stats.evaluated >= entrances as u64);
}

#[test]
fn costs_beyond_all_numbers_lose_no_state() {
    let huge = |from, to, marks| MarkedEdge { weight: u64::MAX - 3, ..step(from, to, marks) };
    // Node 3 and the loop between it and node 4 cost more than can be said.
    let mut edges: Vec<MarkedEdge> = (1..4).map(|n| huge(n - 1, n, Marks::NONE)).collect();
    edges.extend([huge(3, 4, Marks::ACCEPT), huge(4, 3, Marks::ACCEPT)]);
    let mut graph = MarkedGraph::new(5, edges, Marks::ACCEPT);
    for known in [false, true] {
        if known {
            graph.regions = vec![Region { number: 0, cycles: Cycles::None }; 5];
            graph.regions[3..].fill(Region { number: 1, cycles: Cycles::All });
        }
        for name in SEARCHES {
            let result = run_cycles(name, &graph, &blind(&graph), Limits::default());
            assert_eq!((result.witnesses[0].length, result.witnesses[0].path.len()), (u64::MAX, 5), "{name}");
        }
    }
}

/// Limits end the work of several threads, and none of them takes that for the end of the search.
#[test]
fn limits_end_all_threads() {
    let graph = chain(200_000);
    let run = |limits| {
        run_cycles_under("scc", &graph, &blind(&graph), Controls { limits, threads: 3, ..Controls::default() })
    };
    let whole = run(Limits::default());
    assert!(whole.complete && whole.stats.stored == 200_000);
    for (limits, reason) in [
        (Limits { until: Some(Instant::now()), ..Limits::default() }, StopReason::Time),
        (Limits { memory: Some(1 << 20), ..Limits::default() }, StopReason::Memory),
        (Limits { states: Some(1000), ..Limits::default() }, StopReason::States),
    ] {
        let result = run(limits);
        assert_eq!((result.stop_reason, result.complete), (Some(reason), false));
        assert!(result.stats.stored < 200_000, "{reason:?}");
    }
    let signal = StopSignal::default();
    signal.raise(StopReason::Interrupted);
    let controls = Controls { stop: signal, threads: 3, ..Controls::default() };
    let result = run_cycles_under("scc", &graph, &blind(&graph), controls);
    assert_eq!((result.stop_reason, result.complete), (Some(StopReason::Interrupted), false));
    // What lies too far away does not count for any of them.
    let bounded = run(Limits { depth: Some(50), ..Limits::default() });
    assert_eq!(bounded.incomplete_because, [Incompleteness::DepthBound(50)]);
}
