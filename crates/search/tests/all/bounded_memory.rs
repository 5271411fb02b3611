//! Searches that live on little memory, at limits chosen at random, against brute force on random graphs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::support::*;
use bughound_kernel::{Estimate, HeuristicClaims, Limits, Random, StopReason};
use bughound_search::{Controls, Goals, Incompleteness, StopPolicy};

const SEARCHES: &[&str] = &[
    "frontier",
    "frontier(locality=1)",
    "frontier(locality=5)",
    "breadth-first-heuristic",
    "breadth-first-heuristic(locality=1)",
    "breadth-first-heuristic(upper=greedy, effort=5)",
    "beam-stack",
    "beam-stack(k=1)",
    "beam-stack(k=4)",
    "memory-limited-astar",
    "memory-limited-astar(states=6)",
    "memory-limited-astar(states=15)",
    "memory-limited-astar(states=40)",
];

/// What is forgotten may be made again for ever so long.
const PATIENCE: Duration = Duration::from_millis(15);

/// A random graph that is deep: most edges lead a little farther, some lead back.
fn deep_graph(random: &mut Random, nodes: usize, heaviest: usize) -> Graph {
    let mut edges = Vec::new();
    for from in 0..nodes {
        for _ in 0..1 + random.below(3) {
            let near = (from + random.below(4)).min(nodes - 1);
            let target = match random.below(10) {
                0 => Target::Node(random.below(nodes)),
                1 => Target::Node(from.saturating_sub(random.below(12))),
                _ => Target::Node(near),
            };
            edges.push(Edge { from, weight: random.below(heaviest + 1) as u64, to: target });
        }
    }
    for _ in 0..random.below(3) {
        let (from, weight) = (random.below(nodes), random.below(4) as u64);
        edges.push(Edge { from, weight, to: if random.below(2) == 0 { Target::Assertion } else { Target::Division } });
    }
    let mut graph = Graph::new(edges);
    graph.initial = (0..1 + random.below(2)).map(|_| random.below(nodes / 4 + 1)).collect();
    graph
}

/// Distances of all nodes to the nearest error.
fn to_errors(graph: &Graph, goals: &Goals) -> Vec<Option<u64>> {
    let mut distance: Vec<Option<u64>> = vec![None; graph.nodes];
    for goal in &goals.invariants {
        distance[goal.atom.0 as usize] = Some(0);
    }
    if goals.deadlock.is_some() {
        let stuck = (0..graph.nodes).filter(|node| graph.edges.iter().all(|edge| edge.from != *node));
        stuck.for_each(|node| distance[node] = Some(0));
    }
    loop {
        let mut changed = false;
        for edge in &graph.edges {
            let rest = match edge.to {
                Target::Node(to) => distance[to],
                Target::Assertion => goals.assertion.map(|_| 0),
                Target::Division => goals.evaluation.map(|_| 0),
            };
            let through = rest.map(|rest| rest + edge.weight);
            let known = &mut distance[edge.from];
            if through.is_some_and(|through| known.is_none_or(|known| through < known)) {
                (*known, changed) = (through, true);
            }
        }
        if !changed {
            return distance;
        }
    }
}

fn estimates(random: &mut Random, distances: &[Option<u64>], claims: HeuristicClaims) -> Table {
    let estimate = |distance: &Option<u64>| match distance {
        None if claims.safe && random.below(2) == 0 => Estimate::DeadEnd,
        Some(distance) if claims.consistent => Estimate::Finite(distance / 2),
        Some(distance) if claims.admissible => Estimate::Finite(random.below(*distance as usize + 1) as u64),
        _ if !claims.safe && random.below(4) == 0 => Estimate::DeadEnd,
        _ => Estimate::Finite(random.below(30) as u64),
    };
    Table { values: distances.iter().map(estimate).collect(), claims }
}

fn random_goals(random: &mut Random, nodes: usize) -> Goals {
    let mut goals = avoid((0..random.below(3)).map(|_| random.below(nodes)));
    goals.invariants.dedup();
    goals.deadlock = (random.below(3) == 0).then_some(2_000);
    goals.assertion = (random.below(2) == 0).then_some(1_000);
    goals.evaluation = (random.below(2) == 0).then_some(1_001);
    goals
}

#[test]
fn at_every_limit_the_answer_is_right_or_there_is_none() {
    let kinds =
        [HeuristicClaims::NONE, HeuristicClaims::SAFE, HeuristicClaims::ADMISSIBLE, HeuristicClaims::CONSISTENT];
    let mut counts: BTreeMap<&str, [u32; 4]> = BTreeMap::new();
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let nodes = 10 + random.below(80);
        let heaviest = [0, 1, 1, 3, 20][random.below(5)];
        let graph = deep_graph(&mut random, nodes, heaviest);
        let goals = random_goals(&mut random, nodes);
        let distances = to_errors(&graph, &goals);
        let truth = graph.initial.iter().filter_map(|&node| distances[node]).min();
        let all = lengths(&run("dijkstra", &graph, &goals, StopPolicy::Exhaustive));
        assert_eq!(all.values().min().copied(), truth, "seed {seed}");
        let table = estimates(&mut random, &distances, kinds[seed as usize % 4]);
        for text in SEARCHES {
            let mut limits = Limits::default();
            match random.below(4) {
                0 => limits.memory = Some(500 + random.below(20_000) as u64),
                1 => limits.states = Some(1 + random.below(nodes) as u64),
                2 => limits.depth = Some(random.below(40) as u64),
                _ => {}
            }
            let repeats = text.contains("beam-stack") || text.contains("memory-limited");
            limits.until = repeats.then(|| Instant::now() + PATIENCE);
            let stop = [StopPolicy::FirstError, StopPolicy::EveryProperty, StopPolicy::Exhaustive][random.below(3)];
            let controls = Controls { limits: limits.clone(), ..Controls::default() };
            let result = run_with(text, &graph, &goals, stop, &table, controls);
            let context = format!("{text}, seed {seed}, {stop:?}, {limits:?}: {truth:?}, {result:?}");
            assert!(truth.is_none_or(|truth| result.at_least <= truth), "{context}");
            if let Some(states) = limits.states {
                assert!(result.stats.stored <= states, "{context}");
            }
            for witness in &result.witnesses {
                let least = all[&witness.property];
                assert!(witness.length >= least, "{context}");
                assert!(!witness.proven_shortest || witness.length == least, "{context}");
                assert!(limits.depth.is_none_or(|depth| witness.length <= depth), "{context}");
            }
            let cheapest = result.witnesses.iter().map(|witness| witness.length).min();
            let count = counts.entry(text).or_default();
            match result.stop_reason {
                Some(reason) => {
                    count[0] += 1;
                    let has_cause = match reason {
                        StopReason::Memory => limits.memory.is_some() || text.contains("states="),
                        StopReason::States => limits.states.is_some(),
                        StopReason::Time => repeats,
                        StopReason::Interrupted | StopReason::DiskSpace | StopReason::DiskFailure => false,
                    };
                    assert!(has_cause, "{context}");
                    assert!(!result.complete, "{context}");
                    continue;
                }
                None if limits.depth.is_some() => {
                    count[1] += 1;
                    let within = all.iter().filter(|(_, least)| limits.depth.is_none_or(|depth| **least <= depth));
                    let within: BTreeMap<_, _> = within.map(|(property, least)| (*property, *least)).collect();
                    match stop {
                        StopPolicy::FirstError => assert_eq!(cheapest, within.values().min().copied(), "{context}"),
                        _ => assert_eq!(lengths(&result), within, "{context}"),
                    }
                    assert!(!result.complete || within == all, "{context}");
                }
                None => {
                    count[2] += 1;
                    match stop {
                        StopPolicy::FirstError => assert_eq!(cheapest, truth, "{context}"),
                        _ => assert_eq!(lengths(&result), all, "{context}"),
                    }
                    let ended = result.incomplete_because == [Incompleteness::StoppedAtError];
                    assert!(result.complete || ended && truth.is_some(), "{context}");
                }
            }
            assert!(result.witnesses.iter().all(|witness| witness.proven_shortest), "{context}");
            count[3] += u32::from(cheapest.is_some());
        }
    }
    let enough =
        |[limited, bounded, whole, found]: [u32; 4]| limited > 100 && bounded > 200 && whole > 800 && found > 300;
    assert!(counts.values().all(|count| enough(*count)), "{counts:?}");
}

/// Long ways with many ways back, over thresholds and into layers that were forgotten long ago.
#[test]
fn layers_run_out_however_many_ways_lead_back() {
    let (mut held, mut expanded, mut all) = (0, 0, 0);
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let (nodes, width) = (300 + random.below(1200), 1 + random.below(6));
        let heaviest = [0, 1, 2, 40][random.below(4)];
        let back = [1, 5, 40][random.below(3)];
        let mut edges = Vec::new();
        for from in 0..nodes {
            let mut add = |target: usize| {
                edges.push(Edge { from, weight: random.below(heaviest + 1) as u64, to: Target::Node(target) });
            };
            (1..=width).for_each(|step| add((from + step).min(nodes - 1)));
            if from % back == 0 {
                add(from.saturating_sub(1 + from * 7 % 100));
            }
        }
        let graph = Graph::new(edges);
        // The last node, and one that does not exist.
        for bad in [nodes - 1, nodes + 5] {
            let bad = if bad < nodes { avoid([bad]) } else { Goals::none() };
            let expected = run("dijkstra", &graph, &bad, StopPolicy::FirstError);
            for text in ["frontier", "frontier(locality=1)", "breadth-first-heuristic(h=any)"] {
                let result = run(text, &graph, &bad, StopPolicy::FirstError);
                let context = format!("{text}, seed {seed}: {result:?}");
                assert_eq!(lengths(&result), lengths(&expected), "{context}");
                assert_eq!(result.complete, expected.complete, "{context}");
                assert!(result.stats.stored <= nodes as u64, "{context}");
                if text == "frontier" {
                    held += result.stats.stored;
                    expanded += result.stats.expanded;
                    all += expected.stats.stored;
                }
            }
        }
    }
    println!("frontier held {held} states of {all}, and expanded {expanded}");
    assert!(held < all && expanded < 30 * all, "{held} {expanded} {all}");
}

/// Where nothing comes back, a small part is held, and the way is found again.
#[test]
fn what_does_not_come_back_is_forgotten() {
    let (rows, columns) = (400, 30);
    let at = |row: usize, column: usize| row * columns + column;
    let mut edges = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            if column + 1 < columns {
                edges.push(to(at(row, column), 1, at(row, column + 1)));
            }
            if row + 1 < rows {
                edges.push(to(at(row, column), 1 + (column % 2) as u64, at(row + 1, column)));
            }
        }
    }
    let graph = Graph::new(edges);
    let goals = avoid([at(rows - 1, columns - 1)]);
    let bfs = run("bfs", &graph, &goals, StopPolicy::FirstError);
    let frontier = run("frontier", &graph, &goals, StopPolicy::FirstError);
    assert_eq!(lengths(&frontier), lengths(&bfs));
    println!("held {} of {}, expanded {}", frontier.stats.stored, bfs.stats.stored, frontier.stats.expanded);
    assert!(frontier.stats.stored * 5 < bfs.stats.stored, "{} {}", frontier.stats.stored, bfs.stats.stored);
    assert!(frontier.stats.expanded < 20 * bfs.stats.expanded, "{:?}", frontier.stats);
    let whole = run("frontier", &graph, &Goals::none(), StopPolicy::Exhaustive);
    assert!(whole.complete && whole.stats.expanded == graph.nodes as u64, "{:?}", whole.stats);
}
