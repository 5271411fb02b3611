//! Searches on disk that are ended anywhere, and go on in another process: as if nothing had ended them.

use std::cell::RefCell;
use std::env::temp_dir;
use std::path::Path;

use bughound_external::budget::Budget;
use bughound_external::run::Sizes;
use bughound_external::{External, OnDisk, Space, engine};
use bughound_kernel::registry::Expression;
use bughound_kernel::*;
use bughound_search::*;
use bughound_store::Stores;

use crate::support::saved::*;
use crate::support::*;
use crate::trials::budget;

/// Runs a search with its files in a directory of this place.
pub fn run_in(
    place: &Path,
    budget: Budget,
    heuristic: bool,
    task: Task<'_>,
    controls: Controls<'_>,
) -> Result<SearchResult, SearchError> {
    let heuristic = heuristic.then(|| Expression::named("table"));
    let name = if heuristic.is_some() { "external-astar" } else { "external-bfs" };
    let search = External { name, heuristic, budget: Some(budget) };
    let space = Space::new(Box::new(OnDisk::new(place.to_path_buf())), None);
    struct In<'a>(External, &'a std::sync::Arc<Space>);
    impl Search for In<'_> {
        fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
            self.0.run_in(self.1, task, driver)
        }
    }
    let result = In(search, &space).start(task, controls);
    assert_eq!(space.traffic().used, 0, "files are left");
    result
}

/// What must not depend on interruptions: all but what went to the disk and back.
pub fn same(result: &SearchResult) -> SearchResult {
    let mut same = essence(result);
    same.stats.disk = same.stats.disk.map(|disk| DiskUse { duplicates: disk.duplicates, ..DiskUse::default() });
    same
}

fn random_goals(random: &mut Random, nodes: usize) -> Goals {
    let mut goals = avoid((0..random.below(3)).map(|_| random.below(nodes)));
    goals.invariants.dedup();
    if random.one_in(2) {
        (goals.assertion, goals.evaluation) = (Some(1000), Some(1001));
    }
    goals.deadlock = random.one_in(2).then_some(1002);
    goals
}

/// One with which no state waits to be compared: an error that was found counts at once, and ends the search in the middle of a layer.
pub fn plain_budget(random: &mut Random) -> Budget {
    Budget { worth: u64::MAX, ..budget(random) }
}

#[test]
fn a_search_that_goes_on_finds_and_counts_what_it_would_have() {
    let (mut parts, mut violated) = (0, 0);
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let nodes = 4 + random.below(120);
        let graph = random_graph(seed, nodes, 1 + random.below(4), random.below(5));
        let goals = random_goals(&mut random, nodes);
        let stop = *random.pick(&[StopPolicy::FirstError, StopPolicy::EveryProperty, StopPolicy::Exhaustive]);
        let claims = *random.pick(&[HeuristicClaims::NONE, HeuristicClaims::SAFE, HeuristicClaims::CONSISTENT]);
        let largest = if claims.admissible { 1 } else { 9 };
        let values = (0..nodes).map(|_| Estimate::Finite(random.below(largest) as u64)).collect();
        let table = Table { values, claims };
        let depth = random.one_in(4).then(|| random.below(20) as u64);
        let heuristic = random.one_in(2);
        let files = place();
        let divide = if seed % 2 == 0 { plain_budget } else { budget };
        let (mut budgets, fixed) = (Random::new(seed), divide(&mut random));
        let run = |budget: Budget, controls: Controls<'_>| {
            let stores = Stores::new(&graph);
            let task = Task { system: &graph, goals: &goals, stop, stores: &stores, heuristics: &table };
            let controls = Controls { limits: Limits { depth, ..Limits::default() }, ..controls };
            run_in(files.path(), budget, heuristic, task, controls).unwrap()
        };
        let whole = run(fixed, Controls::default());
        let mut often = Random::new(random.draw());
        let budgets = RefCell::new(&mut budgets);
        // Memory may be divided otherwise in each part.
        let run_part = |controls: Controls<'_>| run(divide(&mut budgets.borrow_mut()), controls);
        let in_parts = in_parts(&run_part, &mut || 1 + often.below(80), &mut parts);
        let (mut in_parts, mut whole) = (same(&in_parts), same(&whole));
        for result in [&mut in_parts, &mut whole] {
            for witness in &mut result.witnesses {
                check_path(&graph, witness);
                // Of several ways of the same length, another one may be told.
                (witness.path, witness.start) = Default::default();
            }
            // What is in memory decides what is found to be there twice at once.
            result.stats.disk = None;
            // A search that has begun again has estimated once more.
            if seed % 2 == 1 {
                result.stats.evaluated = 0;
            }
            // Where states wait, how memory is divided decides how far a layer gets before an error counts.
            if seed % 2 == 1 && !result.witnesses.is_empty() {
                result.stats = Statistics::default();
                result.at_least = 0;
            }
        }
        assert_eq!(in_parts, whole, "seed {seed}");
        violated += u32::from(!whole.witnesses.is_empty());
    }
    assert!(parts > 1_000 && violated > 100, "{parts} {violated}");
}

/// A bucket that is given back several times, without any limit.
#[test]
fn large_buckets_are_saved_on_the_way() {
    let graph = random_graph(5, 20_000, 4, 2);
    let goals = Goals { deadlock: Some(1), assertion: Some(2), ..Goals::none() };
    let sizes = Sizes { in_memory: 1 << 10, chunk: 1 << 12 };
    let budget = Budget { batches: 1 << 20, runs: 1 << 14, hashes: 500, bits: 24, worth: 1, sizes };
    let files = place();
    let run = |controls: Controls<'_>| {
        let stores = Stores::new(&graph);
        let heuristics = &Table::blind();
        let task = Task { system: &graph, goals: &goals, stop: StopPolicy::Exhaustive, stores: &stores, heuristics };
        run_in(files.path(), budget, false, task, controls).unwrap()
    };
    let whole = run(Controls::default());
    let saved = place();
    let mut journal = journal(saved.path());
    let result = run(Controls { journal: Some((&mut journal, "one".into())), ..Controls::default() });
    assert_eq!(same(&result), same(&whole));
    assert!(journal.problem().is_none() && journal.saves() > 2 * whole.stats.depth, "{}", journal.saves());
}

thread_local! {
    static RANDOM: RefCell<Random> = RefCell::new(Random::new(1));
    static RESUMED: RefCell<u64> = const { RefCell::new(0) };
}

fn go_on(task: Task<'_>, half: HalfDone<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
    let budget = RANDOM.with_borrow_mut(plain_budget);
    RESUMED.with_borrow_mut(|count| *count += u64::from(half.resumed.is_some()));
    let space = Space::new(Box::new(OnDisk::new(place().path().to_path_buf())), None);
    // What it takes over has used all the memory that there was.
    driver.hold_memory_back(Some(u64::MAX));
    engine::go_on(task, half, Some(budget), &space, driver)
}

#[test]
fn what_was_handed_over_is_saved_in_memory_and_on_disk() {
    let mut parts = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let nodes = 20 + random.below(300);
        let graph = random_graph(seed, nodes, 1 + random.below(4), random.below(5));
        let goals = random_goals(&mut random, nodes);
        let name = ["bfs", "astar"][random.below(2)];
        let stop = [StopPolicy::Exhaustive, StopPolicy::FirstError][random.below(2)];
        let table = Table::blind();
        let memory = random.below(40_000) as u64;
        let room = random.one_in(2).then(|| random.below(30_000) as u64);
        let run = |memory: Option<u64>, controls: Controls<'_>| {
            let stores = Stores::new(&graph).with_budget(room.filter(|_| memory.is_some()));
            let task = Task { system: &graph, goals: &goals, stop, stores: &stores, heuristics: &table };
            let controls = Controls {
                limits: Limits { memory, ..Limits::default() },
                disk: memory.map(|_| Disk { directory: temp_dir(), most: None }),
                beyond_memory: Some(go_on),
                ..controls
            };
            search(name).start(task, controls).unwrap()
        };
        let expected = run(None, Controls::default());
        let mut often = Random::new(random.draw());
        let result = in_parts(&|controls| run(Some(memory), controls), &mut || 1 + often.below(150), &mut parts);
        let context = format!("seed {seed}, {name}, {stop:?}: {result:?}, expected {expected:?}");
        assert_eq!(result.complete, expected.complete, "{context}");
        let least = |result: &SearchResult| lengths(result).values().min().copied();
        assert_eq!(least(&result), least(&expected), "{context}");
        for witness in &result.witnesses {
            check_path(&graph, witness);
        }
        if result.complete {
            let counts = |stats: &Statistics| {
                let failures = (stats.failed_assertions, stats.evaluation_errors, stats.deadlocks);
                (stats.stored, stats.transitions, stats.generated, stats.expanded, stats.depth, failures)
            };
            assert_eq!(counts(&result.stats), counts(&expected.stats), "{context}");
        }
    }
    let resumed = RESUMED.with_borrow(|count| *count);
    assert!(parts > 500 && resumed > 200, "{parts} {resumed}");
}

/// A thousand checkpoints with something wrong, most of them: refused, or the right answer.
#[test]
fn damaged_checkpoints_give_no_wrong_answer() {
    let graph = random_graph(3, 400, 3, 3);
    let goals = Goals { assertion: Some(0), ..avoid([11]) };
    let sizes = Sizes { in_memory: 300, chunk: 500 };
    let budget = Budget { batches: 3_000, runs: 1_000, hashes: 500, bits: 24, worth: 1, sizes };
    let values = (0..400).map(|node| Estimate::Finite(node as u64 % 2)).collect();
    let table = Table { values, claims: HeuristicClaims::NONE };
    let files = place();
    let try_run = |controls: Controls<'_>| {
        let stores = Stores::new(&graph);
        let (stop, heuristics) = (StopPolicy::Exhaustive, &table);
        let task = Task { system: &graph, goals: &goals, stop, stores: &stores, heuristics };
        run_in(files.path(), budget, true, task, controls)
    };
    let run = |controls: Controls<'_>| try_run(controls).unwrap();
    let whole = same(&run(Controls::default()));
    let place = place();
    let moments = [150, 700].map(|steps| {
        let directory = place.path().join(steps.to_string());
        assert_eq!(until(steps, &directory, &run).stop_reason, Some(StopReason::Interrupted));
        assert!(std::fs::read_dir(&directory).unwrap().count() > 4, "there are no files of runs");
        directory
    });
    let damaged = place.path().join("damaged");
    let mut random = Random::new(1);
    let (mut refused, mut right) = (0, 0);
    for number in 0..1000 {
        damage(&moments, &damaged, &mut random);
        let Ok(mut journal) = reopened(&damaged) else {
            refused += 1;
            continue;
        };
        match try_run(Controls { journal: Some((&mut journal, "one".into())), ..Controls::default() }) {
            Ok(result) => {
                assert_eq!(same(&result), whole, "number {number}");
                right += 1;
            }
            Err(SearchError::Resume(_)) => refused += 1,
            Err(other) => panic!("number {number}: {other}"),
        }
    }
    assert!(refused > 500 && right > 20, "{refused} {right}");
}

/// Two searches of one check, with files of the same numbers.
#[test]
fn files_of_an_earlier_search_are_not_taken_for_those_of_a_later_one() {
    let graphs = [random_graph(1, 300, 3, 2), random_graph(2, 300, 3, 2)];
    let goals = Goals { deadlock: Some(1), ..Goals::none() };
    let sizes = Sizes { in_memory: 0, chunk: 500 };
    let budget = Budget { batches: 3_000, runs: 0, hashes: 500, bits: 24, worth: 1, sizes };
    let files = place();
    let run = |number: usize, controls: Controls<'_>| {
        let stores = Stores::new(&graphs[number]);
        let (stop, heuristics) = (StopPolicy::Exhaustive, &Table::blind());
        let task = Task { system: &graphs[number], goals: &goals, stop, stores: &stores, heuristics };
        run_in(files.path(), budget, false, task, controls).unwrap()
    };
    let saved = place();
    let part = |number: usize, steps: usize, journal: &mut Journal| {
        let stop = StopSignal::default();
        let mut observer = RaiseAfter { steps, stop: stop.clone() };
        let journal = Some((journal, number.to_string()));
        run(number, Controls { stop, observer: Some(&mut observer), journal, ..Controls::default() })
    };
    part(0, 300, &mut journal(saved.path()));
    // The checkpoint of the first one is the last one when that of the second one is written.
    let mut journal = reopened(saved.path()).unwrap();
    part(0, usize::MAX, &mut journal);
    part(1, 300, &mut journal);
    drop(journal);
    let mut journal = reopened(saved.path()).unwrap();
    part(0, usize::MAX, &mut journal);
    let result = part(1, usize::MAX, &mut journal);
    assert_eq!(same(&result), same(&run(1, Controls::default())));
}
