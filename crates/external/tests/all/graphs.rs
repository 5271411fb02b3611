//! The same answers and counts as searches in memory, on random graphs, whatever the buffers.

use bughound_external::budget::Budget;
use bughound_kernel::{Estimate, HeuristicClaims, Limits, Random};
use bughound_search::{Controls, Goals, Incompleteness, StopPolicy};

use crate::support::*;
use crate::trials::{Trial, budget, external};

fn random_goals(random: &mut Random, nodes: usize) -> Goals {
    let mut goals = avoid((0..random.below(3)).map(|_| random.below(nodes)));
    goals.invariants.dedup();
    if random.one_in(2) {
        (goals.assertion, goals.evaluation) = (Some(1000), Some(1001));
    }
    goals.deadlock = random.one_in(2).then_some(1002);
    goals
}

#[test]
fn whole_graphs_are_counted_as_in_memory() {
    let mut written = 0;
    for seed in 0..1_500 {
        let mut random = Random::new(seed);
        let (nodes, degree, heaviest) = (2 + random.below(200), 1 + random.below(4), random.below(5));
        let graph = random_graph(seed, nodes, degree, heaviest);
        let goals = random_goals(&mut random, nodes);
        let depth = random.one_in(3).then(|| random.below(20) as u64);
        let limits = Limits { depth, ..Limits::default() };
        let controls = || Controls { limits: limits.clone(), ..Controls::default() };
        for stop in [StopPolicy::Exhaustive, StopPolicy::EveryProperty, StopPolicy::FirstError] {
            let expected = run_under("bfs", &graph, &goals, stop, controls());
            let trial = Trial { system: &graph, goals: &goals, stop, heuristics: &Table::blind() };
            let (result, traffic) = trial.run(&external("external-bfs", budget(&mut random)), controls());
            let context = format!("seed {seed}, {stop:?}: {result:?}, expected {expected:?}");
            written += traffic.written;
            for witness in &result.witnesses {
                check_path(&graph, witness);
                assert!(witness.proven_shortest, "{context}");
            }
            if stop == StopPolicy::FirstError {
                let first = |result: &bughound_search::SearchResult| result.witnesses.first().map(|one| one.length);
                assert_eq!(first(&result), first(&expected), "{context}");
            } else {
                assert_eq!(lengths(&result), lengths(&expected), "{context}");
            }
            // Where an error ends the search, the order among equals decides what was seen by then.
            let stopped = Incompleteness::StoppedAtError;
            if ![&result, &expected].iter().any(|one| one.incomplete_because.contains(&stopped)) {
                assert_eq!(result.incomplete_because, expected.incomplete_because, "{context}");
                assert_eq!(result.at_least, expected.at_least, "{context}");
            }
            let bounded = |reason: &Incompleteness| matches!(reason, Incompleteness::DepthBound(_));
            if [&result, &expected].iter().all(|one| one.incomplete_because.iter().all(bounded)) {
                let counts = |result: &bughound_search::SearchResult| {
                    let stats = &result.stats;
                    let failures = (stats.failed_assertions, stats.evaluation_errors, stats.deadlocks);
                    (stats.stored, stats.transitions, stats.expanded, stats.reopened, failures)
                };
                assert_eq!(counts(&result), counts(&expected), "{context}");
                assert_eq!(result.stats.depth, expected.stats.depth, "{context}");
            }
        }
    }
    assert!(written > 1_000_000, "{written}");
}

/// Least costs to an error from each node.
fn distances_to(graph: &Graph, bad: &[usize]) -> Vec<Option<u64>> {
    let mut distance: Vec<Option<u64>> = vec![None; graph.nodes];
    bad.iter().for_each(|node| distance[*node] = Some(0));
    for _ in 0..=graph.nodes {
        for edge in &graph.edges {
            let Target::Node(to) = edge.to else { continue };
            if let Some(through) = distance[to].map(|rest| rest + edge.weight) {
                let known = &mut distance[edge.from];
                *known = Some(known.map_or(through, |old| old.min(through)));
            }
        }
    }
    distance
}

#[test]
fn estimates_lead_to_shortest_errors_and_prove_the_same() {
    let kinds =
        [HeuristicClaims::NONE, HeuristicClaims::SAFE, HeuristicClaims::ADMISSIBLE, HeuristicClaims::CONSISTENT];
    let (mut proven, mut reopened, mut pruned, mut written, mut tighter) = (0, 0, 0, 0, 0);
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let (nodes, degree, heaviest) = (4 + random.below(100), 1 + random.below(4), random.below(6));
        let graph = random_graph(seed, nodes, degree, heaviest);
        let bad: Vec<usize> = (0..random.below(3)).map(|_| random.below(nodes)).collect();
        let mut goals = avoid(bad.iter().copied());
        goals.invariants.dedup();
        let claims = kinds[seed as usize % 4];
        let distances = distances_to(&graph, &bad);
        let estimate = |distance: &Option<u64>| match (distance, claims.admissible, claims.safe) {
            (Some(distance), true, _) if claims.consistent => Estimate::Finite(distance / 2),
            (Some(distance), true, _) => Estimate::Finite(random.below(*distance as usize + 1) as u64),
            (None, _, true) if random.one_in(2) => Estimate::DeadEnd,
            (Some(_), false, false) if random.one_in(3) => Estimate::DeadEnd,
            _ => Estimate::Finite(random.below(20) as u64),
        };
        let table = Table { values: distances.iter().map(estimate).collect(), claims };
        let truth = graph.initial.iter().filter_map(|node| distances[*node]).min();
        let depth = random.one_in(4).then(|| random.below(20) as u64);
        let controls = || Controls { limits: Limits { depth, ..Limits::default() }, ..Controls::default() };
        for stop in [StopPolicy::FirstError, StopPolicy::Exhaustive] {
            let expected = run_with("astar", &graph, &goals, stop, &table, controls());
            let trial = Trial { system: &graph, goals: &goals, stop, heuristics: &table };
            let (result, traffic) = trial.run(&external("external-astar", budget(&mut random)), controls());
            let context = format!("seed {seed}, {stop:?}: {result:?}, expected {expected:?}, truth {truth:?}");
            written += traffic.written;
            assert!(truth.is_none_or(|truth| result.at_least <= truth), "{context}");
            for witness in &result.witnesses {
                check_path(&graph, witness);
                assert_eq!(witness.proven_shortest, claims.admissible, "{context}");
            }
            if claims.admissible {
                assert_eq!(lengths(&result).values().min(), lengths(&expected).values().min(), "{context}");
                proven += result.witnesses.len();
            } else {
                assert_eq!(result.witnesses.is_empty(), expected.witnesses.is_empty(), "{context}");
            }
            if stop == StopPolicy::Exhaustive || result.witnesses.is_empty() {
                // A state that estimates put beyond the bound, and that is reached at less cost later on, is not cut off here.
                assert!(result.complete || !expected.complete, "{context}");
                tighter += u32::from(result.complete && !expected.complete);
            }
            if result.complete && expected.complete {
                assert_eq!(result.saw_everything, expected.saw_everything, "{context}");
                assert_eq!(result.at_least, expected.at_least, "{context}");
                let counts = |stats: &bughound_search::Statistics| (stats.stored, stats.transitions, stats.deadlocks);
                assert_eq!(counts(&result.stats), counts(&expected.stats), "{context}");
                pruned += result.stats.dead_ends;
            }
            reopened += result.stats.reopened;
        }
    }
    assert!(tighter < 20, "{tighter}");
    assert!(proven > 500 && reopened > 500 && pruned > 500 && written > 1_000_000, "{proven} {reopened} {pruned}");
}

/// Where many states look known that are not, a search that is ended by a limit says nothing that it has not made sure of.
#[test]
fn what_is_said_at_a_limit_is_certain() {
    let (mut limited, mut told) = (0, 0);
    for seed in 0..4_000 {
        let mut random = Random::new(seed);
        let nodes = 10 + random.below(100);
        let graph = random_graph(seed, nodes, 1 + random.below(3), random.below(3));
        let bad = random.below(nodes);
        let (goals, truth) = (avoid([bad]), graph.distance_to(Target::Node(bad)));
        let limits = Limits { states: Some(1 + random.below(nodes) as u64), ..Limits::default() };
        let budget = Budget { bits: 3, worth: 0, ..budget(&mut random) };
        let trial = Trial { system: &graph, goals: &goals, stop: StopPolicy::FirstError, heuristics: &Table::blind() };
        let controls = Controls { limits, ..Controls::default() };
        let (result, _) = trial.run(&external("external-bfs", budget), controls);
        let context = format!("seed {seed}: {result:?}, {truth:?}");
        assert!(truth.is_none_or(|truth| result.at_least <= truth), "{context}");
        assert!(!result.complete || result.witnesses.is_empty() == truth.is_none(), "{context}");
        for witness in result.witnesses.iter().filter(|witness| witness.proven_shortest) {
            assert_eq!(Some(witness.length), truth, "{context}");
        }
        limited += u32::from(result.stop_reason.is_some());
        told += u32::from(result.stop_reason.is_some() && result.at_least > 1);
    }
    assert!(limited > 500 && told > 100, "{limited} {told}");
}
