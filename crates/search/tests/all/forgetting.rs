//! Every listed search with a store that forgets states and may confuse them.

use crate::support::*;
use bughound_kernel::{Random, delays};
use bughound_search::{Controls, Goals, Incompleteness, SearchError, SearchResult, StopPolicy, Task, algorithms};
use bughound_store::{StoreKind, Stores};

/// These read states that they have expanded.
const REFUSE: [&str; 5] = ["branch-and-bound", "cost-bounded", "idastar", "iterative-deepening", "refined-threshold"];

/// These keep their states by themselves, exactly.
const NEED_NO_STORE: [&str; 4] = ["frontier", "breadth-first-heuristic", "beam-stack", "memory-limited-astar"];

fn run_compact(
    text: &str,
    graph: &Graph,
    goals: &Goals,
    stop: StopPolicy,
    (bits, threads): (u32, usize),
) -> Result<SearchResult, SearchError> {
    let (stores, table) = (Stores::new(graph).of_kind(StoreKind::Compact).with_hash_bits(bits), Table::blind());
    let task = Task { system: graph, goals, stop, stores: &stores, heuristics: &table };
    let result = search(text).start(task, Controls { threads, ..Controls::default() })?;
    for witness in &result.witnesses {
        let end = check_path(graph, witness);
        // Node n must not be reached by property n.
        assert!(witness.failure.is_some() || witness.property == end, "{text}: {witness:?}");
        assert!(!witness.proven_shortest || witness.length == 0, "{text}: {witness:?}");
    }
    assert!(!result.complete, "{text}: {result:?}");
    Ok(result)
}

fn random_task(seed: u64) -> (Graph, Goals) {
    let mut random = Random::new(seed);
    let nodes = 4 + random.below(40);
    let graph = random_graph(seed, nodes, 1 + random.below(3), random.below(6));
    let bad: Vec<usize> = (0..random.below(3)).map(|_| random.below(nodes)).collect();
    let mut goals = avoid(bad);
    goals.invariants.dedup();
    goals.assertion = (random.below(3) > 0).then_some(1000);
    (graph, goals)
}

#[test]
fn without_confusion_the_same_is_found_but_never_proven() {
    let mut found = 0;
    for seed in 0..300 {
        let (graph, goals) = random_task(seed);
        for text in ["bfs", "dfs", "dijkstra", "astar", "greedy", "wastar", "guided", "k-best-first", "ce", "icb", "ut"]
        {
            let exact = run(text, &graph, &goals, StopPolicy::EveryProperty);
            let compact = run_compact(text, &graph, &goals, StopPolicy::EveryProperty, (64, 1)).unwrap();
            assert_eq!(lengths(&compact), lengths(&exact), "{text}, seed {seed}");
            assert_eq!(compact.stats.stored, exact.stats.stored, "{text}, seed {seed}");
            assert!(compact.incomplete_because.contains(&Incompleteness::LossyStore), "{text}, seed {seed}");
            found += compact.witnesses.len();
        }
    }
    assert!(found > 1_000, "{found}");
}

#[test]
fn threads_find_the_same() {
    delays::set(20);
    for seed in 0..100 {
        let (graph, goals) = random_task(seed);
        for text in ["bfs", "astar", "dijkstra"] {
            let exact = run(text, &graph, &goals, StopPolicy::Exhaustive);
            for threads in [2, 4] {
                let compact = run_compact(text, &graph, &goals, StopPolicy::Exhaustive, (64, threads)).unwrap();
                assert_eq!(lengths(&compact), lengths(&exact), "{text}, seed {seed}");
                let counts = |result: &SearchResult| (result.stats.stored, result.stats.transitions);
                assert_eq!(counts(&compact), counts(&exact), "{text}, seed {seed}");
            }
        }
    }
    delays::set(0);
}

/// With few bits, states are confused all the time: what is found is an error all the same, or nothing is said.
#[test]
fn confused_states_lead_to_no_false_answers() {
    let (mut found, mut missed) = (0, 0);
    for seed in 0..200 {
        let (graph, goals) = random_task(seed);
        let truth = run("bfs", &graph, &goals, StopPolicy::FirstError).witnesses.len();
        for entry in algorithms::ALL.iter().filter(|entry| !["random-walk", "bitstate-dfs"].contains(&entry.name)) {
            for how in [(2, 1), (4, 1), (5, 3)] {
                if REFUSE.contains(&entry.name) || NEED_NO_STORE.contains(&entry.name) {
                    continue;
                }
                let result = run_compact(entry.name, &graph, &goals, StopPolicy::FirstError, how).unwrap();
                assert!(result.witnesses.len() <= truth, "{}, seed {seed}", entry.name);
                found += result.witnesses.len();
                missed += truth - result.witnesses.len();
            }
        }
    }
    assert!(found > 1_000 && missed > 1_000, "{found} {missed}");
}

#[test]
fn searches_that_read_forgotten_states_refuse() {
    let (graph, goals) = (random_graph(1, 10, 2, 1), Goals::none());
    for name in REFUSE {
        let refused = run_compact(name, &graph, &goals, StopPolicy::FirstError, (64, 1));
        assert!(
            matches!(&refused, Err(SearchError::Build(error)) if error.message.contains("forgotten")),
            "{refused:?}"
        );
    }
}
