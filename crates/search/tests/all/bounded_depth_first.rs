//! Depth-first searches below a bound: IDA*, branch and bound and their relatives, against brute force.

use std::collections::BTreeMap;

use crate::support::*;
use bughound_kernel::{Estimate, HeuristicClaims, Limits, Random, StopReason};
use bughound_search::{Controls, Goals, Incompleteness, NoHeuristics, SearchResult, StopPolicy, Task};
use bughound_store::Stores;

const ASSERTION: usize = 1000;
const DIVISION: usize = 1001;
const DEADLOCK: usize = 1002;

/// Shortest lengths of the errors that the goals ask for, by property.
fn true_lengths(graph: &Graph, goals: &Goals) -> BTreeMap<usize, u64> {
    let distances = graph.distances();
    let mut lengths = BTreeMap::new();
    for goal in &goals.invariants {
        lengths.extend(distances[goal.property].map(|distance| (goal.property, distance)));
    }
    let failing = [(goals.assertion, Target::Assertion), (goals.evaluation, Target::Division)];
    for (property, target) in failing {
        lengths.extend(property.zip(graph.distance_to(target)));
    }
    let stuck = (0..graph.nodes).filter(|&node| graph.edges.iter().all(|edge| edge.from != node));
    lengths.extend(goals.deadlock.zip(stuck.filter_map(|node| distances[node]).min()));
    lengths
}

/// Distances from each node to the nearest error, by relaxing all edges until nothing changes.
fn remaining(graph: &Graph, goals: &Goals) -> Vec<Option<u64>> {
    let mut rest = vec![None; graph.nodes];
    for goal in &goals.invariants {
        rest[goal.property] = Some(0);
    }
    for (node, rest) in rest.iter_mut().enumerate() {
        if goals.deadlock.is_some() && graph.edges.iter().all(|edge| edge.from != node) {
            *rest = Some(0);
        }
    }
    for _ in 0..=graph.nodes {
        for edge in &graph.edges {
            let behind = match edge.to {
                Target::Node(node) => rest[node],
                Target::Assertion => goals.assertion.map(|_| 0),
                Target::Division => goals.evaluation.map(|_| 0),
            };
            if let Some(behind) = behind {
                let through = behind + edge.weight;
                rest[edge.from] = Some(rest[edge.from].map_or(through, |old: u64| old.min(through)));
            }
        }
    }
    rest
}

struct Case {
    graph: Graph,
    goals: Goals,
    admissible: Table,
    misleading: Table,
}

impl Case {
    fn new(seed: u64) -> Case {
        let size = 5 + seed as usize % 30;
        let mut graph = random_graph(seed, size, 1 + seed as usize % 3, seed as usize % 7);
        let mut random = Random::new(seed + 1);
        if seed.is_multiple_of(5) {
            graph.initial = vec![0, 1, 1];
        }
        let mut goals = avoid((0..random.below(3)).map(|_| 1 + random.below(size - 1)));
        goals.invariants.dedup_by_key(|goal| goal.property);
        goals.assertion = (random.below(3) == 0).then_some(ASSERTION);
        goals.evaluation = (random.below(3) == 0).then_some(DIVISION);
        goals.deadlock = (random.below(3) == 0).then_some(DEADLOCK);
        let mut estimate = |rest: Option<u64>| match rest {
            Some(rest) => Estimate::Finite(random.below(rest as usize + 1) as u64),
            None if random.below(2) == 0 => Estimate::DeadEnd,
            None => Estimate::Finite(random.below(50) as u64),
        };
        let values = remaining(&graph, &goals).into_iter().map(&mut estimate).collect();
        let admissible = Table { values, claims: HeuristicClaims::ADMISSIBLE };
        let mut nonsense = || match random.below(20) {
            0..3 => Estimate::DeadEnd,
            value => Estimate::Finite(value as u64),
        };
        let values = (0..graph.nodes).map(|_| nonsense()).collect();
        Case { graph, goals, admissible, misleading: Table { values, claims: HeuristicClaims::NONE } }
    }

    fn run(&self, search: &str, stop: StopPolicy, table: &Table) -> SearchResult {
        let result = run_guided(search, &self.graph, &self.goals, stop, table);
        let shortest = true_lengths(&self.graph, &self.goals);
        let least = shortest.values().min();
        for witness in &result.witnesses {
            // If one error is enough, the claim is about all properties together.
            let true_length = shortest[&witness.property];
            let claimed = if stop == StopPolicy::FirstError { *least.unwrap() } else { true_length };
            assert!(witness.length >= true_length);
            assert!(!witness.proven_shortest || witness.length == claimed, "{search}: {witness:?}");
            self.check_end(witness);
        }
        result
    }

    /// Does the witness end in an error of its property?
    fn check_end(&self, witness: &bughound_search::Witness) {
        let end = check_path(&self.graph, witness);
        match witness.property {
            ASSERTION | DIVISION => assert!(witness.failure.is_some()),
            DEADLOCK => assert!(self.graph.edges.iter().all(|edge| edge.from != end)),
            node => assert_eq!(end, node),
        }
    }
}

/// These promise shortest errors and proofs, whatever the heuristic.
const OPTIMAL: &[&str] = &[
    "idastar",
    "idastar(order=model)",
    "iterative-deepening",
    "refined-threshold",
    "branch-and-bound",
    "branch-and-bound(bound=100000)",
];

#[test]
fn verdicts_lengths_and_proofs_are_those_of_brute_force() {
    let mut proofs = 0;
    for seed in 0..400 {
        let case = Case::new(seed);
        let shortest = true_lengths(&case.graph, &case.goals);
        for search in OPTIMAL {
            for table in [&case.admissible, &case.misleading] {
                let about = format!("{search}, seed {seed}");
                let result = case.run(search, StopPolicy::FirstError, table);
                let found = result.witnesses.first().map(|witness| witness.length);
                assert_eq!(found, shortest.values().min().copied(), "{about}");
                assert!(result.witnesses.iter().all(|witness| witness.proven_shortest), "{about}");
                let expected = found.map(|_| Incompleteness::StoppedAtError);
                assert_eq!(result.incomplete_because, Vec::from_iter(expected), "{about}");
                proofs += u64::from(result.complete);

                let result = case.run(search, StopPolicy::EveryProperty, table);
                assert_eq!(lengths(&result), shortest, "{about}");
                assert!(result.witnesses.iter().all(|witness| witness.proven_shortest), "{about}");
                let all_found = shortest.len() == case.goals.properties().len() && !shortest.is_empty();
                assert_eq!(result.complete, !all_found, "{about}");

                let result = case.run(search, StopPolicy::Exhaustive, table);
                assert_eq!((lengths(&result), result.complete), (shortest.clone(), true), "{about}");
            }
        }
    }
    assert!(proofs > 500, "the test must exercise proofs: {proofs}");
}

#[test]
fn everything_is_counted_once() {
    for seed in 0..100 {
        let graph = random_graph(seed, 30, 3, 5);
        let bfs = run("bfs", &graph, &Goals::none(), StopPolicy::Exhaustive).stats;
        for search in ["iterative-deepening", "idastar", "branch-and-bound", "cost-bounded", "bitstate-dfs(bits=65536)"]
        {
            let stats = run(search, &graph, &Goals::none(), StopPolicy::Exhaustive).stats;
            assert_eq!((stats.stored, stats.transitions), (bfs.stored, bfs.transitions), "{search}, seed {seed}");
            assert_eq!((stats.deadlocks, stats.failed_assertions), (bfs.deadlocks, bfs.failed_assertions), "{search}");
            assert_eq!(stats.evaluation_errors, bfs.evaluation_errors, "{search}, seed {seed}");
            if ["branch-and-bound", "cost-bounded"].contains(&search) {
                assert_eq!(stats.expanded - stats.reopened, bfs.expanded, "{search}, seed {seed}");
            }
        }
    }
}

#[test]
fn estimates_are_computed_once_for_each_state_of_all_passes() {
    let graph = random_graph(3, 60, 3, 4);
    let reachable = graph.distances().into_iter().flatten().count() as u64;
    for search in ["idastar", "branch-and-bound", "refined-threshold"] {
        let stats = run(search, &graph, &Goals::none(), StopPolicy::Exhaustive).stats;
        assert_eq!(stats.evaluated, reachable, "{search}");
    }
}

#[test]
fn without_memory_cycles_do_not_trap_the_search() {
    for seed in 0..300 {
        let graph = random_graph(seed, 4 + seed as usize % 5, 1 + seed as usize % 2, seed as usize % 3);
        let goals = avoid([graph.nodes - 1]);
        let shortest = true_lengths(&graph, &goals).into_values().min();
        for search in ["idastar(visited=none)", "iterative-deepening(visited=none)", "branch-and-bound(visited=none)"] {
            let result = run(search, &graph, &goals, StopPolicy::FirstError);
            assert_eq!(result.witnesses.first().map(|witness| witness.length), shortest, "{search}, seed {seed}");
            assert!(result.witnesses.iter().all(|witness| witness.proven_shortest));
            assert_eq!(result.complete, shortest.is_none(), "{search}, seed {seed}");
        }
    }
    // A cycle of steps that weigh nothing, and an error behind it.
    let graph = Graph::new(vec![to(0, 0, 1), to(1, 0, 2), to(2, 0, 0), to(1, 0, 0), to(2, 3, 3), to(3, 0, 3)]);
    for search in ["idastar(visited=none)", "branch-and-bound(visited=none)", "cost-bounded(visited=none, bound=3)"] {
        let result = run(search, &graph, &avoid([3]), StopPolicy::FirstError);
        assert_eq!((result.witnesses[0].length, result.stats.stored), (3, 3), "{search}");
        assert!(run(search, &graph, &avoid([]), StopPolicy::Exhaustive).complete, "{search}");
    }
}

#[test]
fn the_memory_is_that_of_the_path_and_what_lies_beside_it() {
    // A complete tree of 14 levels; no state is reached twice.
    let edges = (1..1 << 13).flat_map(|node| [to(node - 1, 1, 2 * node - 1), to(node - 1, 1, 2 * node)]);
    let graph = Graph::new(edges.collect());
    let all = run("dfs", &graph, &Goals::none(), StopPolicy::Exhaustive).stats;
    let path = run("iterative-deepening(visited=none)", &graph, &Goals::none(), StopPolicy::Exhaustive).stats;
    assert_eq!((all.stored, path.stored), ((1 << 14) - 1, 14));
    assert!(path.peak_memory < 8192 && all.peak_memory > 100_000, "{} and {}", path.peak_memory, all.peak_memory);
    assert_eq!((path.deadlocks, path.transitions), (all.deadlocks, all.transitions));
}

#[test]
fn a_state_met_too_deep_does_not_hide_the_error_behind_it() {
    let way = |nodes: &[usize]| nodes.windows(2).map(|pair| to(pair[0], 1, pair[1])).collect::<Vec<_>>();
    let graph = Graph::new([way(&[0, 1, 2, 3, 4, 5]), way(&[0, 6, 3])].concat());
    let result = run("cost-bounded(bound=4)", &graph, &avoid([5]), StopPolicy::FirstError);
    assert_eq!((result.witnesses[0].length, result.stats.reopened), (4, 2));
    let result = run("cost-bounded(bound=3)", &graph, &avoid([5]), StopPolicy::FirstError);
    assert!(result.witnesses.is_empty() && !result.complete && result.stop_reason.is_none());
    assert_eq!(result.incomplete_because, [Incompleteness::DepthBound(3)]);
    for search in OPTIMAL {
        let result = run(search, &graph, &avoid([5]), StopPolicy::FirstError);
        assert_eq!(result.witnesses[0].length, 4, "{search}");
    }
}

#[test]
fn everything_within_the_bound_is_found_and_the_rest_admitted() {
    for seed in 0..300 {
        let case = Case::new(seed);
        let bound = seed % 11;
        let shortest = true_lengths(&case.graph, &case.goals);
        let within: BTreeMap<usize, u64> = shortest.clone().into_iter().filter(|(_, cost)| *cost <= bound).collect();
        for table in [&case.admissible, &case.misleading] {
            let search = format!("cost-bounded(bound={bound})");
            let result = case.run(&search, StopPolicy::Exhaustive, table);
            assert!(lengths(&result).into_keys().eq(within.keys().copied()), "seed {seed}");
            assert!(!result.complete || within == shortest, "seed {seed}");
            assert!(result.complete || result.incomplete_because == [Incompleteness::DepthBound(bound)]);
            let search = format!("branch-and-bound(bound={bound})");
            let result = case.run(&search, StopPolicy::Exhaustive, table);
            assert_eq!(lengths(&result), within, "seed {seed}");
            assert!(!result.complete || within == shortest, "seed {seed}");
        }
    }
}

#[test]
fn the_limit_of_the_depth_holds_for_all() {
    for seed in 0..200 {
        let Case { graph, goals, .. } = Case::new(seed);
        let limit = seed % 7;
        let shortest = true_lengths(&graph, &goals);
        let within: BTreeMap<usize, u64> = shortest.clone().into_iter().filter(|(_, cost)| *cost <= limit).collect();
        for search in OPTIMAL.iter().copied().chain(["bitstate-dfs(bits=65536)", "cost-bounded"]) {
            let limits = Limits { depth: Some(limit), ..Limits::default() };
            let controls = Controls { limits, ..Controls::default() };
            let result = run_under(search, &graph, &goals, StopPolicy::Exhaustive, controls);
            if search.starts_with("bitstate") {
                assert!(result.witnesses.iter().all(|witness| witness.length <= limit));
                continue;
            }
            assert!(lengths(&result).into_keys().eq(within.keys().copied()), "{search}, seed {seed}");
            if OPTIMAL.contains(&search) {
                assert_eq!(lengths(&result), within, "{search}, seed {seed}");
            }
            // Exactly what is behind the limit makes it incomplete.
            let is_all = graph.distances().into_iter().flatten().all(|distance| distance <= limit);
            assert_eq!(result.complete, is_all && within == shortest, "{search}, seed {seed}");
            assert!(result.complete || result.incomplete_because == [Incompleteness::DepthBound(limit)]);
        }
    }
}

#[test]
fn ample_bits_find_everything_and_few_bits_admit_that_they_do_not() {
    let mut omitted = 0;
    for seed in 0..300 {
        let case = Case::new(seed);
        let shortest = true_lengths(&case.graph, &case.goals);
        for search in [
            "bitstate-dfs(bits=65536, functions=4)",
            "bitstate-dfs(mb=1, h=any)",
            "idastar(visited=bitstate, bits=65536)",
        ] {
            let result = case.run(search, StopPolicy::EveryProperty, &case.admissible);
            assert!(lengths(&result).into_keys().eq(shortest.keys().copied()), "{search}, seed {seed}");
            assert!(result.incomplete_because.contains(&Incompleteness::LossyStore) && result.stats.bit_fill.is_some());
        }
        for search in ["bitstate-dfs(bits=64, functions=8)", "iterative-deepening(visited=bitstate, bits=64)"] {
            let result = case.run(search, StopPolicy::EveryProperty, &case.admissible);
            assert!(result.incomplete_because.contains(&Incompleteness::LossyStore), "{search}, seed {seed}");
            assert!(result.witnesses.iter().all(|witness| witness.length == 0 || !witness.proven_shortest));
            omitted += shortest.len() - result.witnesses.len();
        }
    }
    assert!(omitted > 20, "the test must exercise omissions: {omitted}");
}

#[test]
fn more_runs_of_bitstate_search_find_more() {
    let found = |runs: u64| {
        let searches = (0..60).map(|seed| {
            let graph = random_graph(seed, 60, 3, 1);
            let search = format!("bitstate-dfs(bits=64, functions=3, runs={runs}, seed={seed})");
            let result = run(&search, &graph, &avoid(0..60), StopPolicy::EveryProperty);
            let expected = (3 * result.stats.stored).min(64) * 1000 / 64;
            assert!(result.stats.bit_fill.is_some_and(|fill| fill > 0 && u64::from(fill) <= expected + 1));
            result.witnesses.len()
        });
        searches.sum::<usize>()
    };
    let (once, often) = (found(1), found(10));
    assert!(often > once + 200, "{once} and {often}");
}

/// A long way to the error, entered first, and a short one behind a large tree.
fn detour() -> Graph {
    let mut edges: Vec<Edge> = (0..50).map(|node| to(node, 1, node + 1)).collect();
    edges.push(to(0, 1, 51));
    edges.extend((51..5000).flat_map(|node| [to(node, 1, 2 * node - 50), to(node, 1, 2 * node - 49)]));
    edges.push(to(9000, 1, 50));
    Graph::new(edges)
}

#[test]
fn limits_give_a_verdict_and_keep_what_was_found() {
    let graph = detour();
    let goals = avoid([50]);
    let limits = [
        (Limits { states: Some(200), ..Limits::default() }, StopReason::States),
        (Limits { memory: Some(100), ..Limits::default() }, StopReason::Memory),
    ];
    let complete = run("branch-and-bound", &graph, &goals, StopPolicy::FirstError);
    let best = complete.witnesses[0].length;
    assert!(best < 50 && complete.witnesses[0].proven_shortest && complete.stop_reason.is_none());
    let result = run_under(
        "branch-and-bound",
        &graph,
        &goals,
        StopPolicy::FirstError,
        Controls { limits: limits[0].0.clone(), ..Controls::default() },
    );
    assert_eq!((result.stop_reason, result.witnesses[0].length), (Some(StopReason::States), 50));
    assert!(!result.witnesses[0].proven_shortest);
    assert_eq!(result.incomplete_because, [Incompleteness::Limit(StopReason::States)]);
    for (limits, reason) in limits {
        for search in OPTIMAL.iter().chain(&["cost-bounded", "bitstate-dfs(mb=1)"]) {
            let controls = Controls { limits: limits.clone(), ..Controls::default() };
            let result = run_under(search, &graph, &Goals::none(), StopPolicy::Exhaustive, controls);
            assert_eq!((result.stop_reason, result.complete), (Some(reason), false), "{search}");
        }
    }
}

#[test]
fn a_limit_in_a_later_pass_keeps_the_errors_of_earlier_ones() {
    // An error at length 1; the other one is out of reach.
    let mut edges: Vec<Edge> = (1..20_000).map(|node| to(node, 1, node + 1)).collect();
    edges.extend([to(0, 1, 1), to(0, 1, 20_001)]);
    let graph = Graph::new(edges);
    for search in ["idastar", "iterative-deepening", "iterative-deepening(visited=none)", "refined-threshold"] {
        let limits = Limits { states: Some(500), ..Limits::default() };
        let controls = Controls { limits, ..Controls::default() };
        let result = run_under(search, &graph, &avoid([20_000, 20_001]), StopPolicy::EveryProperty, controls);
        assert_eq!(lengths(&result), [(20_001, 1)].into(), "{search}");
        assert!(result.witnesses[0].proven_shortest, "{search}");
        assert_eq!(result.stop_reason, Some(StopReason::States), "{search}");
    }
}

#[test]
fn memory_that_is_not_there_is_a_verdict() {
    let graph = random_graph(2, 20, 2, 1);
    let stores = Stores::new(&graph).with_budget(Some(1 << 10));
    let (goals, stop) = (Goals::none(), StopPolicy::Exhaustive);
    let task = Task { system: &graph, goals: &goals, stop, stores: &stores, heuristics: &NoHeuristics };
    let result = search("bitstate-dfs(mb=1)").start(task, Controls::default()).unwrap();
    assert_eq!((result.stop_reason, result.complete), (Some(StopReason::Memory), false));
    // A full store.
    let graph = detour();
    let stores = Stores::new(&graph).with_budget(Some(24 << 10));
    let goals = avoid([50]);
    let task = Task {
        system: &graph,
        goals: &goals,
        stop: StopPolicy::FirstError,
        stores: &stores,
        heuristics: &Table::blind(),
    };
    let result = search("branch-and-bound").start(task, Controls::default()).unwrap();
    assert_eq!((result.stop_reason, result.witnesses[0].length), (Some(StopReason::Memory), 50));
}

#[test]
fn huge_weights_do_not_overflow() {
    let graph = Graph::new(vec![to(0, u64::MAX, 1), to(1, u64::MAX, 2), to(2, 1, 0), to(0, 1 << 40, 2)]);
    for search in OPTIMAL.iter().filter(|search| !search.contains("bound=")) {
        let result = run(search, &graph, &avoid([2]), StopPolicy::FirstError);
        assert_eq!(result.witnesses[0].length, 1 << 40, "{search}");
        assert!(run(search, &graph, &Goals::none(), StopPolicy::Exhaustive).complete, "{search}");
    }
}

#[test]
fn doubling_takes_few_passes_where_deepening_takes_many() {
    // 400 steps in a row, each of weight 1000 or 1001: every sum is a value of f.
    let edges = (0..400).flat_map(|node| [to(node, 1000, node + 1), to(node, 1001, node + 1)]);
    let graph = Graph::new(edges.chain([to(400, 1, 400)]).collect());
    let expanded = |search| {
        let result = run(search, &graph, &avoid([400]), StopPolicy::FirstError);
        assert_eq!(result.witnesses[0].length, 400_000, "{search}");
        result.stats.expanded
    };
    let (doubling, deepening) = (expanded("refined-threshold"), expanded("idastar"));
    assert!(doubling * 4 < deepening, "{doubling} and {deepening}");
}

#[test]
fn good_estimates_save_work() {
    let graph = detour();
    let goals = avoid([50]);
    let values = remaining(&graph, &goals).into_iter();
    let values = values.map(|rest| rest.map_or(Estimate::DeadEnd, Estimate::Finite)).collect();
    let perfect = Table { values, claims: HeuristicClaims::CONSISTENT };
    for search in ["idastar", "branch-and-bound", "refined-threshold"] {
        let guided = run_guided(search, &graph, &goals, StopPolicy::FirstError, &perfect);
        let blind = run(search, &graph, &goals, StopPolicy::FirstError);
        assert_eq!(guided.witnesses[0].length, blind.witnesses[0].length);
        assert!(guided.stats.expanded < 200 && blind.stats.expanded > 1000, "{search}: {:?}", guided.stats);
    }
    // The order alone leads bit-state search to the short way.
    let guided = run_guided("bitstate-dfs(mb=1, h=any)", &graph, &goals, StopPolicy::FirstError, &perfect);
    assert!(guided.witnesses[0].length < 50);
}
