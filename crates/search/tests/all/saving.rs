//! Searches that are ended anywhere, and go on in another process: the same result and the same counts as if nothing had ended
//! them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::*;
use bughound_checkpoint::{Folder, Identity};
use bughound_kernel::*;
use bughound_search::*;
use bughound_store::{StoreKind, Stores};

/// Raises the signal when so many steps were seen.
struct RaiseAfter {
    steps: usize,
    stop: StopSignal,
}

impl Observer for RaiseAfter {
    fn step(&mut self, _moves: &[Move]) {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            self.stop.raise(StopReason::Interrupted);
        }
    }
}

/// A place for files that takes no disk, if there is one.
pub fn place() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

fn journal(directory: &Path) -> Journal {
    let folder = match Folder::open(directory) {
        Ok(folder) => folder,
        Err(_) => Folder::create(directory).unwrap(),
    };
    Journal::new(folder, Identity::new(), Duration::ZERO, None).unwrap()
}

/// What must not depend on interruptions.
pub fn essence(result: &SearchResult) -> SearchResult {
    let mut same = result.clone();
    same.stats.elapsed = Duration::ZERO;
    same.stats.evaluation_time = Duration::ZERO;
    same.stats.preparation = Preparation::default();
    same.stats.peak_memory = 0;
    same
}

/// Runs a search that is ended after so many steps, again and again, until it is not.
pub fn in_parts(
    run: &dyn Fn(Controls<'_>) -> SearchResult,
    steps: &mut dyn FnMut() -> usize,
    parts: &mut usize,
) -> SearchResult {
    let place = place();
    loop {
        let stop = StopSignal::default();
        let mut observer = RaiseAfter { steps: steps(), stop: stop.clone() };
        let mut journal = journal(place.path());
        let controls = Controls {
            stop,
            observer: Some(&mut observer),
            journal: Some((&mut journal, "one".into())),
            ..Controls::default()
        };
        let result = run(controls);
        assert_eq!(journal.problem(), None);
        // A search that has an answer need not say that it was ended while it looked for a better one.
        if !journal.is_closed() {
            assert_eq!(result.stop_reason, None);
            return result;
        }
        *parts += 1;
    }
}

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

fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir(to).unwrap();
    for file in files(from) {
        std::fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
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
        let stop = StopSignal::default();
        let mut observer = RaiseAfter { steps, stop: stop.clone() };
        let mut journal = journal(&directory);
        let journal = Some((&mut journal, "one".into()));
        let controls = Controls { stop, observer: Some(&mut observer), journal, ..Controls::default() };
        assert_eq!(run(controls).stop_reason, Some(StopReason::Interrupted));
        directory
    });
    let damaged = place.path().join("damaged");
    let mut random = Random::new(1);
    let (mut refused, mut right) = (0, 0);
    for number in 0..1000 {
        copy(random.pick::<PathBuf>(&moments), &damaged);
        for _ in 0..1 + random.below(3) {
            let there = files(&damaged);
            let (file, other) = (random.pick(&there).clone(), random.pick(&there).clone());
            let mut bytes = std::fs::read(&file).unwrap();
            let at = random.below(bytes.len());
            match random.below(6) {
                0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
                1 => bytes.truncate(at),
                2 => bytes.extend(vec![random.below(256) as u8; 1 + random.below(100)]),
                3 => bytes = std::fs::read(other).unwrap(),
                4 => drop(bytes.drain(at..at + random.below(bytes.len() - at))),
                _ => {
                    // The file of the other moment that has the same part in it.
                    let name = |path: &Path| {
                        path.file_name().unwrap().to_str().unwrap().split('.').next().unwrap().to_string()
                    };
                    let others = files(random.pick::<PathBuf>(&moments));
                    bytes = others
                        .iter()
                        .find(|other| name(other) == name(&file))
                        .map(|other| std::fs::read(other).unwrap())
                        .unwrap_or(bytes);
                }
            }
            std::fs::write(file, bytes).unwrap();
        }
        let opened = Folder::open(&damaged);
        let opened = opened.and_then(|folder| Journal::new(folder, Identity::new(), Duration::from_secs(3600), None));
        match opened {
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
