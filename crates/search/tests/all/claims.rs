//! The claims of every registered search, against brute force on random graphs with random estimates.

use std::collections::BTreeMap;

use crate::support::*;
use bughound_kernel::{Estimate, HeuristicClaims, Limits, Random, delays};
use bughound_search::{Controls, Goals, Incompleteness, Promise, StopPolicy, algorithms};

/// Every search as it is listed, and some with other parameters.
fn searches() -> Vec<(String, bughound_search::Entry)> {
    let others = [
        "bfs(ties=lifo)",
        "bfs(ties=random)",
        "greedy(ties=low-h)",
        "greedy(ties=random, reopen=true)",
        "astar(ties=fifo)",
        "astar(ties=lifo)",
        "astar(ties=low-h-lifo)",
        "astar(ties=random)",
        "wastar(w=1)",
        "wastar(w=0.5)",
        "wastar(w=2.5)",
        "wastar(alpha=0)",
        "wastar(alpha=0.5)",
        "wastar(alpha=0.9)",
        "wastar(alpha=1)",
        "ce(order=astar)",
        "ce(order=bfs)",
        "ce(order=dfs)",
        "ce(ties=random)",
        "icb(by=interference, n=1, order=bfs)",
        "icb(blocked=free, order=dfs)",
        "icb(by=interference, order=astar)",
        "ut(order=astar)",
        "guided(deferred=true)",
        "guided(h=table, second=table, seed=5)",
        "k-best-first(k=1)",
        "k-best-first(k=3)",
        "beam(k=1)",
        "beam(k=2, rank=h, flexible=true)",
        "beam(k=3, levels=cost)",
        "beam(k=2, improve=true)",
        "beam(k=1000, improve=true)",
        "beam(k=1000, rank=h, levels=cost, improve=true)",
        "priority-beam(alpha=2, first=1)",
        "priority-beam(alpha=1000, first=1000, improve=true)",
        "anytime(k=1, factor=2)",
        "nearest-neighbour(restarts=3)",
        "iterative-broadening(k=1, factor=3)",
        "random-walk(walks=20, steps=50)",
        "random-walk(walks=20, steps=50, h=table)",
        "randomised-guided(budget=2)",
        "trail-directed(first=dfs)",
        "trail-directed(first=random-walk(walks=5, steps=20), budget=5)",
        "bitstate-dfs(bits=4096)",
        "bitstate-dfs(bits=64, runs=2)",
        "idastar(visited=none)",
        "auto(effort=0)",
        "auto(effort=10)",
        "depth-bounded-dfs(depth=4)",
        "frontier(locality=1)",
        "frontier(locality=6)",
        "breadth-first-heuristic(locality=1)",
        "breadth-first-heuristic(upper=greedy)",
        "breadth-first-heuristic(upper=greedy, effort=3, locality=1)",
    ];
    // By default these take long, or much memory, where there is nothing to find.
    let heavy = ["random-walk", "bitstate-dfs"];
    let listed = algorithms::ALL.iter().map(|entry| entry.name).filter(|name| !heavy.contains(name));
    let with_entry = |text: &str| {
        let name = text.split('(').next().unwrap();
        (text.to_string(), *algorithms::find(name).unwrap())
    };
    listed.chain(others).map(with_entry).collect()
}

/// Distances to the nearest error, by relaxing all edges until nothing changes.
fn distances_to_errors(graph: &Graph, bad: &[usize]) -> Vec<Option<u64>> {
    let mut distance: Vec<Option<u64>> = vec![None; graph.nodes];
    for &node in bad {
        distance[node] = Some(0);
    }
    for _ in 0..=graph.nodes {
        for edge in &graph.edges {
            let beyond = match edge.to {
                Target::Node(to) => distance[to],
                Target::Assertion | Target::Division => Some(0),
            };
            if let Some(through) = beyond.map(|rest| rest + edge.weight) {
                let known = &mut distance[edge.from];
                *known = Some(known.map_or(through, |old| old.min(through)));
            }
        }
    }
    distance
}

/// Estimates that keep the given claims, and no more than that.
fn random_table(random: &mut Random, distances: &[Option<u64>], claims: HeuristicClaims) -> Table {
    let estimate = |distance: &Option<u64>| match (distance, claims.admissible, claims.safe) {
        (Some(distance), true, _) if claims.consistent => Estimate::Finite(distance / 2),
        (Some(distance), true, _) => Estimate::Finite(random.below(*distance as usize + 1) as u64),
        (Some(_), false, true) => Estimate::Finite(random.below(20) as u64),
        (None, _, true) if random.below(2) == 0 => Estimate::DeadEnd,
        (None, ..) => Estimate::Finite(random.below(20) as u64),
        (Some(_), false, false) if random.below(3) == 0 => Estimate::DeadEnd,
        (Some(_), false, false) => Estimate::Finite(random.below(20) as u64),
    };
    Table { values: distances.iter().map(estimate).collect(), claims }
}

#[test]
fn every_search_keeps_its_promises() {
    let (violated, safe, proven) = keep_their_promises(&searches(), 0..600, 1, 0);
    assert!(violated > 10_000 && safe > 2000 && proven > 3000, "{violated} {safe} {proven}");
}

/// The same with several threads, which are delayed now and then where they race.
#[test]
fn searches_with_several_threads_keep_their_promises() {
    let can_use_threads = ["bfs", "dijkstra", "largest-first", "greedy", "astar", "wastar", "auto"];
    let mut searches = searches();
    searches.retain(|(_, entry)| can_use_threads.contains(&entry.name));
    delays::set(20);
    for (threads, alone) in [(2, 0), (4, 0), (3, 10)] {
        let (violated, safe, proven) = keep_their_promises(&searches, 0..100, threads, alone);
        assert!(violated > 500 && safe > 100 && proven > 200, "{violated} {safe} {proven}");
    }
    delays::set(0);
}

/// How many errors were found, graphs found to have none, and witnesses proven to be shortest.
fn keep_their_promises(
    searches: &[(String, bughound_search::Entry)],
    seeds: std::ops::Range<u64>,
    threads: usize,
    alone: u64,
) -> (u32, u32, u32) {
    let kinds =
        [HeuristicClaims::NONE, HeuristicClaims::SAFE, HeuristicClaims::ADMISSIBLE, HeuristicClaims::CONSISTENT];
    let (mut violated, mut safe, mut proven) = (0, 0, 0);
    for seed in seeds {
        let mut random = Random::new(seed);
        let nodes = 4 + random.below(25);
        let (degree, heaviest) = (1 + random.below(3), random.below(6));
        let graph = random_graph(seed, nodes, degree, heaviest);
        let bad: Vec<usize> = (0..random.below(3)).map(|_| random.below(nodes)).collect();
        let mut goals = avoid(bad.iter().copied());
        goals.invariants.dedup();
        // Graphs without any error are of interest, too.
        let failures = random.below(3) > 0;
        (goals.assertion, goals.evaluation) = (failures.then_some(1000), failures.then_some(1001));
        let from_here =
            if failures { distances_to_errors(&graph, &bad) } else { distances_without_failures(&graph, &bad) };
        let truth = graph.initial.iter().filter_map(|&node| from_here[node]).min();
        let by_property = lengths(&run("bfs", &graph, &goals, StopPolicy::Exhaustive));
        assert_eq!(by_property.values().min().copied(), truth, "seed {seed}");
        let table = random_table(&mut random, &from_here, kinds[seed as usize % 4]);
        for (text, entry) in searches {
            let controls = Controls { threads, alone, ..Controls::default() };
            let result = run_with(text, &graph, &goals, StopPolicy::FirstError, &table, controls);
            let found = result.witnesses.iter().map(|witness| witness.length).min();
            let context = format!("{text}, seed {seed}: {result:?}");
            assert!(truth.is_none_or(|truth| result.at_least <= truth), "{context}");
            if text.contains("improve=true") && !result.incomplete_because.contains(&Incompleteness::LossyOpenList) {
                assert_eq!(found, truth, "{context}");
                assert!(result.witnesses.iter().all(|witness| witness.proven_shortest), "{context}");
                assert_eq!(result.at_least, truth.unwrap_or(u64::MAX), "{context}");
            }
            match (found, truth) {
                (Some(length), Some(shortest)) => {
                    assert!(length >= shortest, "{context}");
                    for witness in result.witnesses.iter().filter(|witness| witness.proven_shortest) {
                        assert_eq!(by_property.get(&witness.property), Some(&witness.length), "{context}");
                        proven += 1;
                    }
                    violated += 1;
                }
                (Some(_), None) => panic!("an error that does not exist: {context}"),
                (None, Some(_)) => assert!(!result.complete, "{context}"),
                (None, None) => safe += u32::from(result.complete),
            }
            if entry.claims.complete.holds_with(table.claims) == Some(true) {
                assert_eq!(found.is_some(), truth.is_some(), "{context}");
                assert_eq!(result.complete, truth.is_none(), "{context}");
            }
            if entry.claims.optimal.holds_with(table.claims) == Some(true) {
                assert_eq!(found, truth, "{context}");
                assert!(result.witnesses.iter().all(|witness| witness.proven_shortest), "{context}");
            }
            if entry.claims.complete == Promise::Never && truth.is_none() {
                assert!(!result.complete, "{context}");
            }
        }
    }
    (violated, safe, proven)
}

/// A limit ends a search anywhere: what it says about errors that it has not found must be true, and better than nothing.
#[test]
fn bounds_on_the_cost_of_errors_are_right_at_every_limit() {
    let (mut told, mut exact) = (BTreeMap::<&str, u32>::new(), 0);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let nodes = 10 + random.below(40);
        let graph = random_graph(seed, nodes, 1 + random.below(3), 1 + random.below(6));
        let bad = [random.below(nodes)];
        let from_here = distances_without_failures(&graph, &bad);
        let truth = graph.initial.iter().filter_map(|&node| from_here[node]).min().unwrap_or(u64::MAX);
        for claims in [HeuristicClaims::SAFE, HeuristicClaims::ADMISSIBLE, HeuristicClaims::CONSISTENT] {
            let table = random_table(&mut random, &from_here, claims);
            for text in
                ["dijkstra", "astar", "wastar(w=0.5)", "wastar(w=3)", "branch-and-bound", "anytime(k=1)", "auto"]
            {
                let states = Some(random.below(nodes) as u64);
                let controls = Controls { limits: Limits { states, ..Limits::default() }, ..Controls::default() };
                let result = run_with(text, &graph, &avoid(bad), StopPolicy::FirstError, &table, controls);
                assert!(result.at_least <= truth, "{text}, seed {seed}: {truth}, {result:?}");
                *told.entry(text).or_default() += u32::from(result.at_least > 0 && result.stop_reason.is_some());
                exact += u32::from(result.at_least == truth);
            }
        }
    }
    let tells = |text: &str| told[text] > 20;
    assert!(tells("dijkstra") && tells("astar") && tells("wastar(w=0.5)") && tells("anytime(k=1)"), "{told:?}");
    assert!(exact > 1000, "{exact}");
}

fn distances_without_failures(graph: &Graph, bad: &[usize]) -> Vec<Option<u64>> {
    let to_nodes = |edge: &&Edge| matches!(edge.to, Target::Node(_));
    let mut plain = Graph::new(graph.edges.iter().filter(to_nodes).copied().collect());
    plain.nodes = graph.nodes;
    distances_to_errors(&plain, bad)
}

/// Everything is counted once, whoever expands it.
#[test]
fn several_threads_count_what_one_thread_counts() {
    delays::set(20);
    for seed in 0..150 {
        let graph = random_graph(seed, 5 + 3 * seed as usize % 200, 1 + seed as usize % 4, seed as usize % 6);
        let goals = Goals { assertion: Some(1000), ..avoid(0..graph.nodes) };
        for text in ["bfs", "dijkstra", "astar", "greedy(reopen=true)", "wastar", "largest-first"] {
            let counts = |threads, alone| {
                let controls = Controls { threads, alone, ..Controls::default() };
                let result = run_under(text, &graph, &goals, StopPolicy::Exhaustive, controls);
                assert!(result.complete && result.saw_everything);
                let stats = &result.stats;
                let failures = (stats.deadlocks, stats.failed_assertions, stats.evaluation_errors);
                let is_optimal = text == "bfs" || text == "astar";
                let found = result.witnesses.iter();
                let lengths: BTreeMap<_, _> =
                    found.map(|found| (found.property, is_optimal.then_some(found.length))).collect();
                (stats.stored, stats.transitions, failures, lengths)
            };
            let alone = counts(1, 0);
            assert_eq!(counts(2, 0), alone, "{text}, seed {seed}");
            assert_eq!(counts(3, 0), alone, "{text}, seed {seed}");
            assert_eq!(counts(3, 25), alone, "{text}, joined later, seed {seed}");
        }
    }
    delays::set(0);
}

#[test]
fn every_error_is_found_when_every_property_counts() {
    for seed in 0..120 {
        let graph = random_graph(seed, 5 + seed as usize % 20, 2, 3);
        let goals = Goals { assertion: Some(1000), ..avoid(0..graph.nodes) };
        let expected = lengths(&run("bfs", &graph, &goals, StopPolicy::Exhaustive));
        for (text, entry) in searches().iter().filter(|(_, entry)| entry.claims.complete == Promise::Always) {
            let result = run(text, &graph, &goals, StopPolicy::EveryProperty);
            let found = lengths(&result);
            assert!(found.keys().eq(expected.keys()), "{text}, seed {seed}");
            if entry.claims.optimal == Promise::Always {
                assert_eq!(found, expected, "{text}, seed {seed}");
            }
        }
    }
}

/// What is over before others join goes as with one thread.
#[test]
fn a_short_search_goes_the_same_way_as_with_one_thread() {
    let searches =
        ["bfs", "bfs(ties=random)", "dijkstra", "largest-first", "greedy", "astar(ties=random)", "wastar", "auto"];
    for seed in 0..60 {
        let graph = random_graph(seed, 5 + seed as usize, 2, 4);
        let goals = avoid([graph.nodes - 1]);
        for text in searches {
            let run = |threads| {
                let controls = Controls { threads, alone: 10_000, ..Controls::default() };
                let result = run_under(text, &graph, &goals, StopPolicy::FirstError, controls);
                let counts =
                    [result.stats.stored, result.stats.expanded, result.stats.generated, result.stats.evaluated];
                (result.witnesses, counts, result.incomplete_because)
            };
            assert_eq!(run(3), run(1), "{text}, seed {seed}");
        }
    }
}
