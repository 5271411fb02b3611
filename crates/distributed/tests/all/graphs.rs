//! Searches of several workers on random graphs, against brute force and against the searches of one worker.

use bughound_kernel::registry::expression;
use bughound_kernel::{Estimate, HeuristicClaims, Limits, Random, StopReason};
use bughound_search::*;
use bughound_store::Stores;

use crate::support::*;

const LISTS: &[&[Entry]] = &[algorithms::ALL, bughound_distributed::ALL];

/// A search of this crate, with so many workers.
pub fn cluster(
    text: &str,
    graph: &Graph,
    goals: &Goals,
    stop: StopPolicy,
    table: &Table,
    controls: Controls<'_>,
) -> SearchResult {
    let cx = BuildCx { searches: Searches(LISTS), ..BuildCx::default() };
    let search = algorithms::build(&expression::parse(text).unwrap(), &cx).unwrap();
    let stores = Stores::new(graph);
    let result =
        search.start(Task { system: graph, goals, stop, stores: &stores, heuristics: table }, controls).unwrap();
    for witness in &result.witnesses {
        check_path(graph, witness);
    }
    assert_eq!(result.complete, result.incomplete_because.is_empty());
    result
}

fn workers(threads: usize) -> Controls<'static> {
    Controls { threads, ..Controls::default() }
}

/// A random graph, and what is an error in it.
pub fn random_case(random: &mut Random, seed: u64) -> (Graph, Goals) {
    let nodes = 4 + random.below(40);
    let (degree, heaviest) = (1 + random.below(3), random.below(5));
    let mut graph = random_graph(seed, nodes, degree, heaviest);
    if random.one_in(3) {
        graph.initial.push(random.below(nodes));
    }
    let bad: Vec<usize> = (0..random.below(4)).map(|_| random.below(nodes)).collect();
    let mut goals = avoid(bad);
    goals.invariants.dedup();
    if random.one_in(2) {
        (goals.assertion, goals.evaluation) = (Some(1000), Some(1001));
    }
    if random.one_in(2) {
        goals.deadlock = Some(1002);
    }
    (graph, goals)
}

/// Estimates between nothing and the true distance to the nearest error: admissible, mostly not consistent.
pub fn admissible(random: &mut Random, graph: &Graph, goals: &Goals) -> Table {
    let mut distance: Vec<Option<u64>> = vec![None; graph.nodes];
    let stuck = |node: usize| graph.edges.iter().all(|edge| edge.from != node) && graph.end != Some(node);
    for (node, distance) in distance.iter_mut().enumerate() {
        let is_bad = goals.invariants.iter().any(|goal| goal.atom.0 as usize == node);
        *distance = (is_bad || goals.deadlock.is_some() && stuck(node)).then_some(0);
    }
    for _ in 0..=graph.nodes {
        for edge in &graph.edges {
            let beyond = match edge.to {
                Target::Node(to) => distance[to],
                Target::Assertion | Target::Division => goals.assertion.map(|_| 0),
            };
            if let Some(through) = beyond.map(|rest| rest + edge.weight) {
                distance[edge.from] = Some(distance[edge.from].map_or(through, |known| known.min(through)));
            }
        }
    }
    let values = distance.iter().map(|distance| match distance {
        Some(distance) => Estimate::Finite(random.below(*distance as usize + 1) as u64),
        None if random.one_in(2) => Estimate::DeadEnd,
        None => Estimate::Finite(random.below(20) as u64),
    });
    Table { values: values.collect(), claims: HeuristicClaims::ADMISSIBLE }
}

#[test]
fn breadth_first_search_counts_what_one_worker_counts() {
    let mut seen = (0, 0);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let (graph, goals) = random_case(&mut random, seed);
        for stop in [StopPolicy::Exhaustive, StopPolicy::EveryProperty, StopPolicy::FirstError] {
            let alone = run("bfs", &graph, &goals, stop);
            for threads in [1, 2, 3] {
                let result = cluster("cluster-bfs", &graph, &goals, stop, &Table::blind(), workers(threads));
                let context = format!("seed {seed}, {threads} workers, {stop:?}: {result:?} and not {alone:?}");
                if stop == StopPolicy::FirstError {
                    let least = |result: &SearchResult| result.witnesses.iter().map(|witness| witness.length).min();
                    assert_eq!(least(&result), least(&alone), "{context}");
                    assert_eq!(result.at_least, least(&alone).unwrap_or(u64::MAX), "{context}");
                } else {
                    assert_eq!(lengths(&result), lengths(&alone), "{context}");
                }
                assert!(result.witnesses.iter().all(|witness| witness.proven_shortest), "{context}");
                // Whether the last error is met before the end depends on who meets it.
                let found_all = stop == StopPolicy::EveryProperty && lengths(&result).len() == goals.properties().len();
                assert!(result.complete == alone.complete || found_all, "{context}");
                if (alone.complete && result.complete) || stop == StopPolicy::Exhaustive {
                    let counts = |result: &SearchResult| {
                        let stats = &result.stats;
                        let errors = (stats.deadlocks, stats.failed_assertions, stats.evaluation_errors);
                        (stats.stored, stats.transitions, stats.expanded, stats.generated, errors, stats.reopened)
                    };
                    assert_eq!(counts(&result), counts(&alone), "{context}");
                    let owned: u64 = result.stats.workers.iter().map(|worker| worker.stored).sum();
                    assert_eq!((owned, result.stats.workers.len()), (result.stats.stored, threads), "{context}");
                    let sent: u64 = result.stats.workers.iter().map(|worker| worker.sent).sum();
                    let received: u64 = result.stats.workers.iter().map(|worker| worker.received).sum();
                    assert_eq!(sent, received, "{context}");
                    seen.0 += 1;
                }
                seen.1 += result.witnesses.len();
            }
        }
    }
    assert!(seen.0 > 1000 && seen.1 > 2000, "{seen:?}");
}

#[test]
fn astar_finds_cheapest_errors_with_any_number_of_workers() {
    let (mut found, mut none) = (0, 0);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let (graph, goals) = random_case(&mut random, seed);
        let table = admissible(&mut random, &graph, &goals);
        for stop in [StopPolicy::FirstError, StopPolicy::Exhaustive] {
            let alone = run("bfs", &graph, &goals, stop);
            let least = |result: &SearchResult| result.witnesses.iter().map(|witness| witness.length).min();
            for text in ["cluster-astar", "cluster-astar(order=layers)"] {
                for threads in [1, 2, 3] {
                    let result = cluster(text, &graph, &goals, stop, &table, workers(threads));
                    let context =
                        format!("{text}, seed {seed}, {threads} workers, {stop:?}: {result:?} and not {alone:?}");
                    assert_eq!(least(&result), least(&alone), "{context}");
                    assert!(result.witnesses.iter().all(|witness| witness.proven_shortest), "{context}");
                    if stop == StopPolicy::FirstError {
                        assert_eq!(result.complete, alone.complete, "{context}");
                        assert_eq!(result.at_least, least(&alone).unwrap_or(u64::MAX), "{context}");
                    }
                    found += result.witnesses.len();
                    none += usize::from(result.complete);
                }
            }
        }
    }
    assert!(found > 2000 && none > 200, "{found} {none}");
}

/// The claims of the registry, with estimates that claim less.
#[test]
fn promises_are_kept_with_every_kind_of_heuristic() {
    let kinds = [HeuristicClaims::NONE, HeuristicClaims::SAFE, HeuristicClaims::ADMISSIBLE];
    let texts = ["cluster-astar", "cluster-beam(k=1)", "cluster-beam(k=3, flexible=true)", "cluster-beam"];
    let (mut violated, mut safe) = (0, 0);
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let (graph, goals) = random_case(&mut random, seed);
        let mut table = admissible(&mut random, &graph, &goals);
        table.claims = kinds[seed as usize % 3];
        if !table.claims.admissible {
            for value in &mut table.values {
                match value {
                    Estimate::Finite(value) => *value += random.below(9) as u64,
                    dead if !table.claims.safe && random.one_in(2) => *dead = Estimate::Finite(3),
                    _ => {}
                }
            }
        }
        let truth = run("bfs", &graph, &goals, StopPolicy::FirstError);
        let shortest = truth.witnesses.first().map(|witness| witness.length);
        for text in texts {
            for threads in [1, 3] {
                let result = cluster(text, &graph, &goals, StopPolicy::FirstError, &table, workers(threads));
                let context = format!("{text}, seed {seed}, {threads} workers: {result:?}");
                let found = result.witnesses.first().map(|witness| witness.length);
                assert!(found.is_none_or(|found| shortest.is_some_and(|shortest| shortest <= found)), "{context}");
                assert!(shortest.is_none_or(|shortest| result.at_least <= shortest), "{context}");
                for witness in result.witnesses.iter().filter(|witness| witness.proven_shortest) {
                    assert_eq!(Some(witness.length), shortest, "{context}");
                }
                if text == "cluster-astar" {
                    assert_eq!(found.is_some(), shortest.is_some(), "{context}");
                }
                assert!(!result.complete || shortest.is_none(), "{context}");
                violated += u32::from(found.is_some());
                safe += u32::from(result.complete);
            }
        }
    }
    assert!(violated > 800 && safe > 100, "{violated} {safe}");
}

#[test]
fn progress_tells_what_workers_send_each_other() {
    let graph = random_graph(7, 30_000, 4, 1);
    let mut most = NetworkUse::default();
    let mut see = |progress: &Progress| {
        let network = progress.now.network.expect("workers send each other states");
        most.sent_bytes = most.sent_bytes.max(network.sent_bytes);
        most.received_bytes = most.received_bytes.max(network.received_bytes);
        most.duplicates = most.duplicates.max(network.duplicates);
    };
    let controls = Controls { threads: 2, progress: Some(&mut see), ..Controls::default() };
    let result = cluster("cluster-bfs", &graph, &Goals::none(), StopPolicy::Exhaustive, &Table::blind(), controls);
    let sent: u64 = result.stats.workers.iter().map(|worker| worker.bytes_out).sum();
    assert!(most.sent_bytes > sent / 4 && most.sent_bytes <= sent, "{most:?}, in the end {sent}");
    assert!(most.received_bytes > 0 && most.duplicates > 0, "{most:?}");
}

#[test]
fn limits_end_all_workers_and_nothing_is_promised() {
    // A long chain: states come one by one, and workers wait for each other.
    let edges = (0..3000).map(|node| to(node, 1, node + 1)).collect();
    let mut graph = Graph::new(edges);
    graph.end = Some(3000);
    for threads in [1, 3] {
        let limits = Limits { states: Some(100), ..Limits::default() };
        let controls = Controls { limits, ..workers(threads) };
        let result = cluster("cluster-bfs", &graph, &Goals::none(), StopPolicy::Exhaustive, &Table::blind(), controls);
        assert_eq!((result.stop_reason, result.complete, result.stats.stored), (Some(StopReason::States), false, 100));
        let limits = Limits { depth: Some(50), ..Limits::default() };
        let controls = Controls { limits, ..workers(threads) };
        let result = cluster("cluster-bfs", &graph, &avoid([2000]), StopPolicy::FirstError, &Table::blind(), controls);
        assert_eq!(result.incomplete_because, [Incompleteness::DepthBound(50)], "{result:?}");
        assert_eq!((result.stats.stored, result.at_least), (51, 51));
        let stop = bughound_kernel::StopSignal::default();
        stop.raise(StopReason::Interrupted);
        let controls = Controls { stop, ..workers(threads) };
        let result = cluster("cluster-bfs", &graph, &Goals::none(), StopPolicy::Exhaustive, &Table::blind(), controls);
        assert_eq!(result.stop_reason, Some(StopReason::Interrupted));
    }
}
