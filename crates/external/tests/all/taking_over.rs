//! Searches that begin in memory and go on on disk, at any moment: as if they had been in memory all the time.

use std::cell::RefCell;
use std::env::temp_dir;

use bughound_external::{Space, engine};
use bughound_kernel::{Estimate, HeuristicClaims, Limits, Random, StopReason};
use bughound_search::*;
use bughound_store::Stores;

use crate::support::*;
use crate::trials::{Shelf, budget};

thread_local! {
    static RANDOM: RefCell<Random> = RefCell::new(Random::new(1));
    static TAKEN: RefCell<u64> = const { RefCell::new(0) };
    /// How much the last search had expanded that was taken over.
    static EXPANDED: RefCell<u64> = const { RefCell::new(0) };
}

/// Goes on with little memory at hand, and without a limit.
fn go_on(task: Task<'_>, half: HalfDone<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
    let budget = RANDOM.with_borrow_mut(budget);
    TAKEN.with_borrow_mut(|taken| *taken += u64::from(half.stats.expanded > 0));
    EXPANDED.set(half.stats.expanded);
    let space = Space::new(Box::new(Shelf::default()), None);
    let limits = Limits { memory: None, ..driver.limits().clone() };
    let mut driver = Driver::new(Controls { limits, ..Controls::default() });
    engine::go_on(task, half, Some(budget), &space, &mut driver)
}

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
fn nothing_changes_when_memory_is_used_up_on_the_way() {
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let (nodes, degree, heaviest) = (20 + random.below(300), 1 + random.below(4), random.below(5));
        let graph = random_graph(seed, nodes, degree, heaviest);
        let bad: Vec<usize> = (0..random.below(3)).map(|_| random.below(nodes)).collect();
        let mut goals = avoid(bad.iter().copied());
        goals.invariants.dedup();
        let name = ["bfs", "astar", "dijkstra"][random.below(3)];
        if name != "astar" && random.one_in(2) {
            (goals.assertion, goals.deadlock) = (Some(1000), Some(1002));
        }
        let claims = if random.one_in(2) { HeuristicClaims::CONSISTENT } else { HeuristicClaims::ADMISSIBLE };
        let distances = distances_to(&graph, &bad);
        let estimate = |distance: &Option<u64>| match distance {
            Some(distance) if claims.consistent => Estimate::Finite(distance / 2),
            Some(distance) => Estimate::Finite(random.below(*distance as usize + 1) as u64),
            None if random.one_in(2) => Estimate::DeadEnd,
            None => Estimate::Finite(0),
        };
        let table = Table { values: distances.iter().map(estimate).collect(), claims };
        let depth = random.one_in(4).then(|| random.below(20) as u64);
        let stop = [StopPolicy::Exhaustive, StopPolicy::FirstError][random.below(2)];
        let without_limit = Limits { depth, ..Limits::default() };
        let controls = Controls { limits: without_limit.clone(), ..Controls::default() };
        let expected = run_with(name, &graph, &goals, stop, &table, controls);
        // The search looks at its memory now and then; the store may have no room at any time.
        let memory = random.below(60_000) as u64;
        let room = random.one_in(2).then(|| random.below(40_000) as u64);
        let stores = Stores::new(&graph).with_budget(room);
        let task = Task { system: &graph, goals: &goals, stop, stores: &stores, heuristics: &table };
        let controls = Controls {
            limits: Limits { memory: Some(memory), ..without_limit },
            disk: Some(Disk { directory: temp_dir(), most: None }),
            beyond_memory: Some(go_on),
            ..Controls::default()
        };
        let result = search(name).start(task, controls).unwrap();
        let context = format!("seed {seed}, {name}, {stop:?}: {result:?}, expected {expected:?}");
        assert!(result.stop_reason.is_none(), "{context}");
        for witness in &result.witnesses {
            check_path(&graph, witness);
            assert!(witness.proven_shortest, "{context}");
        }
        if stop == StopPolicy::FirstError {
            let least = |result: &SearchResult| lengths(result).values().min().copied();
            assert_eq!(least(&result), least(&expected), "{context}");
        } else {
            assert_eq!(lengths(&result), lengths(&expected), "{context}");
        }
        if stop == StopPolicy::Exhaustive || result.witnesses.is_empty() {
            assert!(result.complete || !expected.complete, "{context}");
        }
        if result.complete && expected.complete {
            let counts = |stats: &Statistics| {
                (stats.stored, stats.transitions, stats.deadlocks, stats.failed_assertions, stats.evaluation_errors)
            };
            assert_eq!(counts(&result.stats), counts(&expected.stats), "{context}");
            assert_eq!(result.saw_everything, expected.saw_everything, "{context}");
        }
    }
    let taken = TAKEN.with_borrow(|taken| *taken);
    assert!(taken > 1_500, "{taken}");
}

/// Nothing of it fits on the disk.
fn go_on_without_room(
    task: Task<'_>,
    half: HalfDone<'_>,
    driver: &mut Driver<'_>,
) -> Result<SearchResult, SearchError> {
    let budget = RANDOM.with_borrow_mut(budget);
    EXPANDED.set(half.stats.expanded);
    let space = Space::new(Box::new(Shelf::default()), Some(1));
    let limits = Limits { memory: None, ..driver.limits().clone() };
    let mut driver = Driver::new(Controls { limits, ..Controls::default() });
    engine::go_on(task, half, Some(budget), &space, &mut driver)
}

#[test]
fn what_was_expanded_counts_if_the_disk_has_no_room_for_it() {
    let mut full = 0;
    for seed in 0..200 {
        let graph = random_graph(seed, 300, 3, 1);
        let goals = avoid([]);
        let stores = Stores::new(&graph).with_budget(Some(Random::new(seed).below(40_000) as u64));
        let stop = StopPolicy::Exhaustive;
        let task = Task { system: &graph, goals: &goals, stop, stores: &stores, heuristics: &NoHeuristics };
        let controls = Controls {
            limits: Limits { memory: Some(u64::MAX), ..Limits::default() },
            disk: Some(Disk { directory: temp_dir(), most: None }),
            beyond_memory: Some(go_on_without_room),
            ..Controls::default()
        };
        let result = search("bfs").start(task, controls).unwrap();
        if result.stop_reason == Some(StopReason::DiskSpace) && EXPANDED.take() > 0 {
            full += 1;
            let Statistics { stored, expanded, reopened, .. } = result.stats;
            assert!(stored >= expanded - reopened, "seed {seed}: {stored} states stored, {expanded} expanded");
        }
    }
    assert!(full > 50, "{full}");
}

/// Two ways lead to node 3, the cheaper one behind a node with a high estimate: it is expanded by the time it is reached at less cost,
/// and from the same node so many others are reached that there is no room for them. Another error is between both ways.
#[test]
fn what_is_open_again_is_expanded_again() {
    const OTHERS: usize = 20_000;
    let (far, near, both, goal, costlier) = (1, 2, 3, 4, 5);
    let mut edges = vec![to(0, 1, far), to(far, 5, both), to(0, 1, near), to(near, 1, both), to(both, 10, goal)];
    edges.push(to(0, 14, costlier));
    edges.extend((6..6 + OTHERS).map(|other| to(near, 1, other)));
    let graph = Graph::new(edges);
    let estimate = |node: usize| Estimate::Finite(if node == near { 11 } else { 0 });
    let table = Table { values: (0..graph.nodes).map(estimate).collect(), claims: HeuristicClaims::ADMISSIBLE };
    let goals = avoid([goal, costlier]);
    let mut between = 0;
    for room in (0..3_000_000).step_by(15_000) {
        EXPANDED.set(0);
        let stores = Stores::new(&graph).with_budget(Some(room));
        let task =
            Task { system: &graph, goals: &goals, stop: StopPolicy::FirstError, stores: &stores, heuristics: &table };
        let controls = Controls {
            limits: Limits { memory: Some(u64::MAX), ..Limits::default() },
            disk: Some(Disk { directory: temp_dir(), most: None }),
            beyond_memory: Some(go_on),
            ..Controls::default()
        };
        let result = search("astar").start(task, controls).unwrap();
        // The first node, the far one, the one behind both, and the near one.
        between += u32::from(EXPANDED.take() == 4);
        let found: Vec<_> = result.witnesses.iter().map(|witness| (witness.length, witness.proven_shortest)).collect();
        assert_eq!(found, [(12, true)], "room for {room} bytes: {result:?}");
    }
    assert!(between > 10, "{between}");
}
