//! Counting a whole state space.

use crate::support::*;
use bughound_search::{Controls, EdgeCoverage, Goals, StopPolicy};

/// A grid of 6 × 6 with a wall (column 3, rows 0 to 4); moves to the right and down.
fn grid() -> Graph {
    let free = |x: usize, y: usize| x < 6 && y < 6 && (x != 3 || y == 5);
    let mut edges = Vec::new();
    for y in 0..6 {
        for x in (0..6).filter(|&x| free(x, y)) {
            let targets = [(x + 1, y), (x, y + 1)].into_iter().filter(|&(x, y)| free(x, y));
            edges.extend(targets.map(|(to_x, to_y)| to(y * 6 + x, 1, to_y * 6 + to_x)));
        }
    }
    Graph::new(edges)
}

#[test]
fn every_search_counts_the_same() {
    let graph = grid();
    for search in ["bfs", "dfs", "random-dfs(4)", "depth-bounded-dfs"] {
        let result = run(search, &graph, &Goals::none(), StopPolicy::Exhaustive);
        // Left of the wall 18 cells, the gap, and from the gap only the last row.
        let stats = &result.stats;
        assert_eq!((stats.stored, stats.deadlocks, stats.transitions), (21, 1, 30), "{search}");
        assert!(result.complete && result.witnesses.is_empty());
    }
}

#[test]
fn without_goals_failures_are_counted_and_passed() {
    // The assertion fails, and the system goes on in spite of it.
    let graph = Graph::new(vec![Edge { from: 0, weight: 1, to: Target::Assertion }, to(0, 1, 1), to(1, 1, 0)]);
    for stop in [StopPolicy::Exhaustive, StopPolicy::EveryProperty] {
        let result = run("bfs", &graph, &Goals::none(), stop);
        assert_eq!((result.stats.failed_assertions, result.stats.transitions, result.stats.stored), (1, 2, 2));
        assert!(result.complete && result.witnesses.is_empty());
    }
}

#[test]
fn transitions_are_counted_once_however_often_states_are_reopened() {
    for seed in 0..100 {
        let graph = random_graph(seed, 30, 3, 5);
        let bfs = run("bfs", &graph, &Goals::none(), StopPolicy::Exhaustive).stats;
        let dfs = run("depth-bounded-dfs", &graph, &Goals::none(), StopPolicy::Exhaustive).stats;
        assert_eq!((bfs.transitions, bfs.failed_assertions), (dfs.transitions, dfs.failed_assertions));
        assert_eq!((bfs.stored, bfs.deadlocks, bfs.expanded), (dfs.stored, dfs.deadlocks, dfs.expanded - dfs.reopened));
        assert_eq!((bfs.generated, bfs.reopened), (bfs.transitions, 0));
    }
}

#[test]
fn executed_edges_are_observed() {
    let graph = Graph::new(vec![to(0, 1, 1), to(2, 1, 0), to(1, 1, 1)]);
    let mut coverage = EdgeCoverage::new(graph.edges.len());
    let controls = Controls { observer: Some(&mut coverage), ..Controls::default() };
    run_under("dfs", &graph, &Goals::none(), StopPolicy::Exhaustive, controls);
    assert_eq!([0, 1, 2, 99].map(|edge| coverage.was_executed(edge)), [true, false, true, false]);
}
