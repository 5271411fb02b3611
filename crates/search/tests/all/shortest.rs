//! Breadth-first search by length reports shortest errors, whatever the steps weigh.

use crate::support::*;
use bughound_search::{Goals, Incompleteness, StopPolicy};

#[test]
fn many_light_steps_beat_a_heavy_one_that_is_generated_first() {
    let graph = Graph::new(vec![to(0, 10, 4), to(0, 1, 1), to(1, 1, 2), to(2, 1, 3), to(3, 1, 4)]);
    let result = run("bfs", &graph, &avoid([4]), StopPolicy::FirstError);
    assert_eq!((result.witnesses[0].length, result.witnesses[0].path.len()), (4, 4));
    assert!(result.witnesses[0].proven_shortest && !result.complete);
    assert_eq!(result.incomplete_because, [Incompleteness::StoppedAtError]);
    assert_eq!(result.stats.stored, 5);
}

#[test]
fn a_heavy_failing_step_waits_for_its_turn() {
    let assertion = |from, weight| Edge { from, weight, to: Target::Assertion };
    let graph = Graph::new(vec![assertion(0, 9), to(0, 2, 1), to(1, 2, 2), assertion(2, 3), to(2, 1, 3), to(3, 9, 0)]);
    let goals = Goals { assertion: Some(0), ..Goals::none() };
    let result = run("bfs", &graph, &goals, StopPolicy::FirstError);
    assert_eq!((result.witnesses[0].length, result.witnesses[0].path.len()), (7, 3));
    assert!(result.witnesses[0].proven_shortest);
    assert_eq!(result.witnesses[0].failure.map(|failure| failure.edge), Some(3));
    // Depth first, the first failing step met is reported at once.
    let result = run("dfs", &graph, &goals, StopPolicy::FirstError);
    assert_eq!((result.witnesses[0].length, result.witnesses[0].proven_shortest), (9, false));
}

#[test]
fn an_error_in_the_initial_state_has_length_zero() {
    let graph = Graph::new(vec![to(0, 1, 0)]);
    for search in ["bfs", "dfs", "random-dfs", "depth-bounded-dfs(depth=0)"] {
        let result = run(search, &graph, &avoid([0]), StopPolicy::FirstError);
        assert_eq!((result.witnesses[0].length, result.witnesses[0].path.len()), (0, 0), "{search}");
    }
}

#[test]
fn deadlocks_are_found_at_their_state_and_valid_ends_are_none() {
    let mut graph = Graph::new(vec![to(0, 1, 1), to(0, 2, 2), to(0, 5, 3), to(3, 1, 4)]);
    graph.end = Some(1);
    let goals = Goals { deadlock: Some(8), ..Goals::none() };
    let result = run("bfs", &graph, &goals, StopPolicy::Exhaustive);
    assert_eq!((lengths(&result), result.stats.deadlocks), ([(8, 2)].into(), 2));
    assert!(result.complete && result.witnesses[0].proven_shortest);
}

#[test]
fn lengths_equal_those_of_brute_force_on_random_graphs() {
    for seed in 0..400 {
        let mut graph = random_graph(seed, 5 + seed as usize % 40, 1 + seed as usize % 4, seed as usize % 9);
        if seed % 3 == 0 {
            graph.initial = vec![0, 1, 1];
        }
        let mut goals = avoid(0..graph.nodes);
        (goals.assertion, goals.evaluation) = (Some(1000), Some(1001));
        let search = ["bfs", "bfs(ties=lifo)", "bfs(ties=random, seed=7)"][seed as usize % 3];
        let result = run(search, &graph, &goals, StopPolicy::EveryProperty);
        let mut expected = std::collections::BTreeMap::new();
        for (node, distance) in graph.distances().into_iter().enumerate() {
            expected.extend(distance.map(|distance| (node, distance)));
        }
        let reachable = expected.len() as u64;
        expected.extend(graph.distance_to(Target::Assertion).map(|distance| (1000, distance)));
        expected.extend(graph.distance_to(Target::Division).map(|distance| (1001, distance)));
        assert_eq!(lengths(&result), expected, "seed {seed}");
        assert!(result.witnesses.iter().all(|witness| witness.proven_shortest));
        assert!(result.witnesses.is_sorted_by_key(|witness| witness.length));
        assert_eq!(result.stats.stored, reachable);
        // The same errors, one at a time.
        if let Some(&first) = expected.values().min() {
            let result = run(search, &graph, &goals, StopPolicy::FirstError);
            assert_eq!((result.witnesses.len(), result.witnesses[0].length), (1, first));
        }
    }
}

#[test]
fn huge_weights_do_not_overflow() {
    let graph = Graph::new(vec![to(0, u64::MAX, 1), to(1, u64::MAX, 2), to(2, 1, 0), to(0, 1 << 40, 2)]);
    let result = run("bfs", &graph, &avoid([2]), StopPolicy::FirstError);
    assert_eq!(result.witnesses[0].length, 1 << 40);
    assert!(run("bfs", &graph, &Goals::none(), StopPolicy::Exhaustive).complete);
}
