//! Depth-first searches: order, completeness, and honesty about bounds.

use crate::support::*;
use bughound_kernel::Limits;
use bughound_search::{Controls, Goals, Incompleteness, StopPolicy};

#[test]
fn states_are_visited_in_true_depth_first_order() {
    // The chord 0 → 3 is generated first of all; still 3 belongs to the deepest path that reaches it.
    let graph = Graph::new(vec![to(0, 1, 1), to(0, 1, 3), to(1, 1, 2), to(2, 1, 3), to(3, 1, 0)]);
    let result = run("dfs", &graph, &Goals::none(), StopPolicy::Exhaustive);
    assert_eq!((result.stats.depth, result.stats.stored, result.stats.expanded), (3, 4, 4));
    assert!(result.complete);
}

#[test]
fn everything_reachable_is_found_on_random_graphs() {
    for seed in 0..300 {
        let graph = random_graph(seed, 5 + seed as usize % 50, 1 + seed as usize % 4, 4);
        let mut goals = avoid(0..graph.nodes);
        goals.assertion = Some(1000);
        let distances = graph.distances();
        let mut expected: Vec<usize> = (0..graph.nodes).filter(|&node| distances[node].is_some()).collect();
        expected.extend(graph.distance_to(Target::Assertion).map(|_| 1000));
        for search in ["dfs", "random-dfs(seed=5)", "depth-bounded-dfs"] {
            let result = run(search, &graph, &goals, StopPolicy::Exhaustive);
            assert!(result.complete);
            assert_eq!(lengths(&result).into_keys().collect::<Vec<_>>(), expected, "{search}, seed {seed}");
            for witness in result.witnesses {
                let shortest = distances.get(witness.property).copied().flatten().unwrap_or(0);
                assert!(witness.length >= shortest && !witness.proven_shortest);
            }
        }
    }
}

#[test]
fn everything_within_the_bound_is_found_and_the_rest_admitted() {
    for seed in 0..300 {
        let graph = random_graph(seed, 5 + seed as usize % 30, 1 + seed as usize % 4, 3);
        let bound = seed % 9;
        let goals = avoid(0..graph.nodes);
        let distances = graph.distances();
        let within: Vec<usize> =
            (0..graph.nodes).filter(|&node| distances[node].is_some_and(|distance| distance <= bound)).collect();
        let limited = || Controls { limits: Limits { depth: Some(bound), ..Limits::default() }, ..Controls::default() };
        for (search, controls) in [
            (format!("depth-bounded-dfs({bound})"), Controls::default()),
            ("dfs".into(), limited()),
            ("random-dfs".into(), limited()),
            ("bfs".into(), limited()),
        ] {
            let result = run_under(&search, &graph, &goals, StopPolicy::Exhaustive, controls);
            assert_eq!(lengths(&result).into_keys().collect::<Vec<_>>(), within, "{search}, seed {seed}");
            assert_eq!(result.stats.stored, within.len() as u64);
            let all_within = distances.iter().flatten().all(|&distance| distance <= bound);
            assert_eq!(result.complete, all_within, "{search}, seed {seed}");
            assert!(result.complete || result.incomplete_because == [Incompleteness::DepthBound(bound)]);
        }
    }
}

#[test]
fn a_state_met_too_deep_does_not_hide_the_error_behind_it() {
    let way = |nodes: &[usize]| nodes.windows(2).map(|pair| to(pair[0], 1, pair[1])).collect::<Vec<_>>();
    let graph = Graph::new([way(&[0, 1, 2, 3, 4, 5]), way(&[0, 6, 3])].concat());
    let result = run("depth-bounded-dfs(depth=4)", &graph, &avoid([5]), StopPolicy::FirstError);
    assert_eq!((result.witnesses[0].length, result.stats.reopened), (4, 2));
    let result = run("depth-bounded-dfs(depth=3)", &graph, &avoid([5]), StopPolicy::FirstError);
    assert!(result.witnesses.is_empty() && !result.complete && result.stop_reason.is_none());
}

#[test]
fn a_failing_step_behind_the_bound_is_admitted() {
    let graph = Graph::new(vec![to(0, 1, 0), Edge { from: 0, weight: 5, to: Target::Assertion }]);
    let goals = Goals { assertion: Some(0), ..Goals::none() };
    let result = run("depth-bounded-dfs(depth=4)", &graph, &goals, StopPolicy::FirstError);
    assert_eq!(result.incomplete_because, [Incompleteness::DepthBound(4)]);
    assert_eq!(run("depth-bounded-dfs(5)", &graph, &goals, StopPolicy::FirstError).witnesses.len(), 1);
}

#[test]
fn seeds_repeat_and_differ() {
    let graph = random_graph(11, 200, 3, 1);
    let expanded = |seed: u64| {
        run(&format!("random-dfs(seed={seed})"), &graph, &avoid([150]), StopPolicy::FirstError).stats.expanded
    };
    assert!((0..20).all(|seed| expanded(seed) == expanded(seed)));
    assert!((1..20).any(|seed| expanded(seed) != expanded(0)));
}
