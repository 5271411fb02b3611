//! Searches that several processes share: the answers and counts of one search in memory, whoever takes part and whoever is killed.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bughound_external::SharedExternal;
use bughound_external::budget::Budget;
use bughound_external::run::Sizes;
use bughound_kernel::{Limits, Random, StopReason, TransitionSystem};
use bughound_search::*;
use bughound_store::Stores;

use crate::support::*;
use crate::trials::budget;

fn join(
    system: &dyn TransitionSystem,
    goals: &Goals,
    stop: StopPolicy,
    search: &SharedExternal,
    folder: &Path,
    limits: Limits,
) -> Result<SearchResult, SearchError> {
    let stores = Stores::new(system);
    let task = Task { system, goals, stop, stores: &stores, heuristics: &NoHeuristics };
    search.run_in(folder, None, task, &mut Driver::new(Controls { limits, ..Controls::default() }))
}

fn shared(parts: u32, lease: Duration, budget: Budget) -> SharedExternal {
    SharedExternal { name: "external-queue", parts, lease, budget: Some(budget) }
}

const LONG: Duration = Duration::from_secs(60);

/// What does not depend on who has done what.
fn counts(result: &SearchResult) -> [u64; 7] {
    let stats = &result.stats;
    let failures = [stats.failed_assertions, stats.evaluation_errors, stats.deadlocks];
    [stats.stored, stats.transitions, stats.generated, stats.depth, failures[0], failures[1], failures[2]]
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

#[test]
fn any_number_of_workers_finds_what_one_finds_in_memory() {
    let place = tempfile::tempdir().unwrap();
    let (mut errors, mut bounded) = (0, 0);
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let (nodes, degree, heaviest) = (2 + random.below(60), 1 + random.below(4), random.below(4));
        let graph = random_graph(seed, nodes, degree, heaviest);
        let goals = random_goals(&mut random, nodes);
        let depth = random.one_in(3).then(|| random.below(15) as u64);
        let limits = Limits { depth, ..Limits::default() };
        let (workers, parts) = (1 + random.below(3), 1 + random.below(3) as u32);
        let search = shared(parts, LONG, budget(&mut random));
        for stop in [StopPolicy::Exhaustive, StopPolicy::EveryProperty, StopPolicy::FirstError] {
            let controls = Controls { limits: limits.clone(), ..Controls::default() };
            let expected = run_under("bfs", &graph, &goals, stop, controls);
            let results: Vec<SearchResult> = std::thread::scope(|scope| {
                let run = || join(&graph, &goals, stop, &search, place.path(), limits.clone()).unwrap();
                let threads: Vec<_> = (0..workers).map(|_| scope.spawn(run)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "seed {seed}: files are left");
            for result in &results {
                let context = format!("seed {seed}, {stop:?}, {workers} workers: {result:?}, expected {expected:?}");
                assert_eq!(counts(result), counts(&results[0]), "{context}");
                for witness in &result.witnesses {
                    check_path(&graph, witness);
                    assert!(witness.proven_shortest, "{context}");
                }
                if stop == StopPolicy::FirstError {
                    let first = |result: &SearchResult| result.witnesses.first().map(|one| one.length);
                    assert_eq!(first(result), first(&expected), "{context}");
                } else {
                    assert_eq!(lengths(result), lengths(&expected), "{context}");
                }
                errors += result.witnesses.len();
                let stopped = Incompleteness::StoppedAtError;
                if ![result, &expected].iter().any(|one| one.incomplete_because.contains(&stopped)) {
                    assert_eq!(result.incomplete_because, expected.incomplete_because, "{context}");
                    assert_eq!(result.complete, expected.complete, "{context}");
                    assert_eq!(result.at_least, expected.at_least, "{context}");
                    bounded += u32::from(!result.complete);
                }
                let is_bound = |reason: &Incompleteness| matches!(reason, Incompleteness::DepthBound(_));
                if [result, &expected].iter().all(|one| one.incomplete_because.iter().all(is_bound)) {
                    assert_eq!(counts(result), counts(&expected), "{context}");
                }
            }
        }
    }
    assert!(errors > 100 && bounded > 5, "{errors} {bounded}");
}

/// The search that processes of the next tests take part in.
fn example() -> (Graph, Goals, SharedExternal) {
    let graph = random_graph(77, 600, 3, 3);
    let sizes = Sizes { in_memory: 0, chunk: 4_000 };
    let budget = Budget { batches: 100_000, runs: 0, hashes: 500, bits: 8, worth: 1, sizes };
    (graph, Goals { deadlock: Some(3), ..Goals::none() }, shared(2, Duration::from_millis(400), budget))
}

const FOLDER: &str = "BUGHOUND_TEST_QUEUE";

/// Not a test by itself: what a process does that the next test starts.
#[test]
fn a_process_that_takes_part() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let (graph, goals, search) = example();
    let result = join(&graph, &goals, StopPolicy::Exhaustive, &search, Path::new(&folder), Limits::default());
    println!("\nresult {:?}", result.map(|result| (result.complete, counts(&result), lengths(&result))));
}

fn process(folder: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["queue::a_process_that_takes_part", "--exact", "--nocapture"]).env(FOLDER, folder);
    child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn whoever_is_killed_the_counts_stay_exact() {
    let (graph, goals, _) = example();
    let stop = StopPolicy::Exhaustive;
    let expected = run_under("bfs", &graph, &goals, stop, Controls::default());
    let wanted = format!("result Ok({:?})", (true, counts(&expected), lengths(&expected)));
    let (mut killed, mut searches) = (0, 0);
    while killed < 50 {
        searches += 1;
        let place = tempfile::tempdir().unwrap();
        let mut random = Random::new(searches);
        let mut living: Vec<Child> = Vec::new();
        // They come and are killed; those that end by themselves have the answer.
        for _ in 0..4 {
            while living.len() < 2 {
                living.push(process(place.path()));
            }
            std::thread::sleep(Duration::from_millis(5 + random.below(60) as u64));
            let mut victim = living.swap_remove(random.below(living.len()));
            if victim.try_wait().unwrap().is_none() {
                victim.kill().unwrap();
                victim.wait().unwrap();
                killed += 1;
            } else {
                let output = victim.wait_with_output().unwrap();
                assert!(String::from_utf8_lossy(&output.stdout).contains(&wanted), "{output:?}, {wanted}");
            }
        }
        living.push(process(place.path()));
        for child in living {
            let output = child.wait_with_output().unwrap();
            assert!(String::from_utf8_lossy(&output.stdout).contains(&wanted), "{output:?}, {wanted}");
        }
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "files are left");
    }
}

/// The folder is the checkpoint: whoever comes after all others were killed goes on with what is done.
#[test]
fn when_all_are_killed_the_next_ones_go_on() {
    let (graph, goals, _) = example();
    let expected = run_under("bfs", &graph, &goals, StopPolicy::Exhaustive, Controls::default());
    let wanted = format!("result Ok({:?})", (true, counts(&expected), lengths(&expected)));
    let done = |place: &Path| {
        let mut all = Vec::new();
        files(place, &mut all);
        all.iter().filter(|path| path.ends_with("result") && path.components().any(|c| c.as_os_str() == "done")).count()
    };
    let (mut killed, mut went_on) = (0, 0);
    for seed in 0..6 {
        let place = tempfile::tempdir().unwrap();
        let mut random = Random::new(seed);
        let mut before = 0;
        for _ in 0..5 {
            let all = [(); 2].map(|()| process(place.path()));
            std::thread::sleep(Duration::from_millis(20 + random.below(80) as u64));
            for mut child in all {
                if child.try_wait().unwrap().is_none() {
                    child.kill().unwrap();
                    killed += 1;
                }
                child.wait().unwrap();
            }
            // What is done stays, unless all of it was over and the next search has begun.
            let now = done(place.path());
            went_on += u32::from(now > before && before > 0);
            before = now;
        }
        let output = process(place.path()).wait_with_output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains(&wanted), "{output:?}, {wanted}");
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "files are left");
    }
    assert!(killed > 20 && went_on > 3, "{killed} {went_on}");
}

/// All files below a folder.
fn files(folder: &Path, out: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, out) } else { out.push(path) }
    }
}

#[test]
fn what_was_left_is_continued_and_damage_is_noticed() {
    let (graph, goals, search) = example();
    let stop = StopPolicy::Exhaustive;
    let expected = run_under("bfs", &graph, &goals, stop, Controls::default());
    let half = Limits { states: Some(expected.stats.stored / 2), ..Limits::default() };
    let (mut noticed, mut unharmed) = (0, 0);
    for seed in 0..40 {
        let place = tempfile::tempdir().unwrap();
        let result = join(&graph, &goals, stop, &search, place.path(), half.clone()).unwrap();
        assert_eq!(result.stop_reason, Some(StopReason::States));
        assert!(!result.complete && result.stats.stored == expected.stats.stored / 2, "{result:?}");
        let mut random = Random::new(seed);
        let mut left = Vec::new();
        files(place.path(), &mut left);
        left.sort();
        if seed > 0 {
            let victim = &left[random.below(left.len())];
            let mut bytes = std::fs::read(victim).unwrap();
            match random.below(3) {
                _ if bytes.is_empty() => {}
                0 => bytes.truncate(random.below(bytes.len())),
                _ => {
                    let at = random.below(bytes.len());
                    bytes[at] ^= 1 << random.below(8);
                }
            }
            std::fs::write(victim, bytes).unwrap();
        }
        let result = join(&graph, &goals, stop, &search, place.path(), Limits::default()).unwrap();
        if result.complete {
            assert_eq!((counts(&result), lengths(&result)), (counts(&expected), lengths(&expected)), "seed {seed}");
            assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "files are left");
            unharmed += 1;
        } else {
            assert_eq!(result.stop_reason, Some(StopReason::DiskFailure), "seed {seed}: {result:?}");
            assert!(seed > 0);
            noticed += 1;
        }
    }
    assert!(noticed > 10 && unharmed > 1, "{noticed} {unharmed}");
}

#[test]
fn other_searches_have_other_folders() {
    let place = tempfile::tempdir().unwrap();
    let (graph, goals, search) = example();
    let few = Limits { states: Some(100), ..Limits::default() };
    join(&graph, &goals, StopPolicy::Exhaustive, &search, place.path(), few.clone()).unwrap();
    let other = random_graph(78, 600, 3, 3);
    let expected = run_under("bfs", &other, &goals, StopPolicy::Exhaustive, Controls::default());
    let result = join(&other, &goals, StopPolicy::Exhaustive, &search, place.path(), Limits::default()).unwrap();
    assert_eq!(counts(&result), counts(&expected));
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1, "what the first one has done is still there");
    // A process that was killed is no reason to wait for ever.
    let result = join(&graph, &goals, StopPolicy::Exhaustive, &search, place.path(), Limits::default()).unwrap();
    assert!(result.complete);
}
