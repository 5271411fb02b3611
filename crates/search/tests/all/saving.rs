//! Searches that are ended anywhere, and go on in another process: the same result and the same counts as if nothing had ended
//! them.

use crate::support::saved::*;
use crate::support::*;
use bughound_kernel::*;
use bughound_search::*;
use bughound_store::{StoreKind, Stores};

const OTHERS: [&str; 26] = [
    "bfs(ties=lifo)",
    "bfs(ties=random)",
    "greedy(ties=low-h)",
    "greedy(ties=random, reopen=true)",
    "astar(ties=fifo)",
    "astar(ties=random)",
    "wastar(w=2.5)",
    "wastar(alpha=0.5)",
    "ce(order=astar)",
    "ce(order=bfs)",
    "ce(order=dfs)",
    "ce(ties=random)",
    "icb(by=interference, n=1, order=bfs)",
    "icb(blocked=free, order=dfs)",
    "ut(order=astar)",
    "guided(deferred=true)",
    "guided(h=table, second=table, seed=5)",
    "k-best-first(k=3)",
    "beam(k=2, rank=h, flexible=true)",
    "beam(k=3, levels=cost)",
    "beam(k=1000, improve=true)",
    "priority-beam(alpha=2, first=1)",
    "nearest-neighbour(restarts=3)",
    "iterative-broadening(k=1, factor=3)",
    "randomised-guided(budget=2)",
    "trail-directed(first=dfs)",
];

fn searches() -> Vec<String> {
    let listed = algorithms::ALL.iter().map(|entry| entry.name);
    let all = listed.chain(OTHERS).filter(|text| search(text).can_be_saved());
    all.map(String::from).collect()
}

#[test]
fn a_search_that_goes_on_finds_and_counts_what_it_would_have() {
    let (mut parts, mut violated) = (0, 0);
    let searches = searches();
    assert!(searches.len() > 35, "{searches:?}");
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let nodes = 4 + random.below(50);
        let graph = random_graph(seed, nodes, 1 + random.below(3), random.below(6));
        let mut goals = avoid((0..random.below(3)).map(|_| random.below(nodes)));
        goals.invariants.dedup();
        (goals.assertion, goals.evaluation) = (random.one_in(2).then_some(1000), random.one_in(2).then_some(1001));
        let stop = *random.pick(&[StopPolicy::FirstError, StopPolicy::EveryProperty, StopPolicy::Exhaustive]);
        let claims = *random.pick(&[HeuristicClaims::NONE, HeuristicClaims::SAFE, HeuristicClaims::NONE]);
        let values = (0..nodes).map(|_| Estimate::Finite(random.below(9) as u64)).collect();
        let table = Table { values, claims };
        for text in &searches {
            let run = |controls: Controls<'_>| run_with(text, &graph, &goals, stop, &table, controls);
            let whole = run(Controls::default());
            let mut often = Random::new(random.draw());
            let in_parts = in_parts(&run, &mut || 1 + often.below(40), &mut parts);
            let (mut in_parts, mut whole) = (essence(&in_parts), essence(&whole));
            if text.contains("dfs") {
                // Successors of a step that is taken again count twice in the queues.
                in_parts.stats.queues.clear();
                whole.stats.queues.clear();
            }
            if text == "random-dfs" {
                // The same with what is drawn: another order, which sees the same if it sees everything.
                assert_eq!(in_parts.complete, whole.complete, "{text}, seed {seed}");
                assert_eq!(in_parts.witnesses.is_empty(), whole.witnesses.is_empty(), "{text}, seed {seed}");
                continue;
            }
            assert_eq!(in_parts, whole, "{text}, seed {seed}");
            violated += u32::from(!whole.witnesses.is_empty());
        }
    }
    assert!(parts > 3_000 && violated > 1_000, "{parts} {violated}");
}

/// Covers that are displaced, and merged ones, and every store: the states are there as they were.
#[test]
fn every_store_is_filled_again_as_it_was() {
    let mut parts = 0;
    for seed in 0..30 {
        let graph = random_graph(seed, 100 + 10 * seed as usize, 2, seed as usize % 4);
        let goals = Goals { assertion: Some(0), ..avoid([7]) };
        for kind in [StoreKind::Auto, StoreKind::Exact, StoreKind::Tree] {
            for (text, budget) in [("bfs", None), ("dfs", None), ("astar", Some(1 << 26))] {
                let run = |controls: Controls<'_>| {
                    let stores = Stores::new(&graph).of_kind(kind).with_budget(budget);
                    let stop = StopPolicy::Exhaustive;
                    let heuristics = &Table::blind();
                    search(text)
                        .start(Task { system: &graph, goals: &goals, stop, stores: &stores, heuristics }, controls)
                        .unwrap()
                };
                let mut often = Random::new(seed);
                let in_parts = in_parts(&run, &mut || 50 + often.below(200), &mut parts);
                assert_eq!(essence(&in_parts), essence(&run(Controls::default())), "{text}, {kind:?}, seed {seed}");
            }
        }
    }
    assert!(parts > 100, "{parts}");
}

/// A thousand checkpoints with something wrong, most of them: refused, or the right answer.
#[test]
fn damaged_checkpoints_give_no_wrong_answer() {
    let graph = random_graph(3, 400, 3, 3);
    let goals = Goals { assertion: Some(0), ..avoid([11]) };
    let run = |controls: Controls<'_>| run_under("astar", &graph, &goals, StopPolicy::Exhaustive, controls);
    let whole = essence(&run(Controls::default()));
    let place = place();
    // The same run at two moments.
    let moments = [100, 500].map(|steps| {
        let directory = place.path().join(steps.to_string());
        assert_eq!(until(steps, &directory, &run).stop_reason, Some(StopReason::Interrupted));
        directory
    });
    let damaged = place.path().join("damaged");
    let mut random = Random::new(1);
    let (mut refused, mut right) = (0, 0);
    for number in 0..1000 {
        damage(&moments, &damaged, &mut random);
        match reopened(&damaged) {
            Err(_) => refused += 1,
            Ok(mut journal) => {
                let controls = Controls { journal: Some((&mut journal, "one".into())), ..Controls::default() };
                assert_eq!(essence(&run(controls)), whole, "number {number}");
                right += 1;
            }
        }
    }
    assert!(refused > 500 && right > 20, "{refused} {right}");
}
