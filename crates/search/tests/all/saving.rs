//! Searches that are ended anywhere, and go on in another process: the same result and the same counts as if nothing had ended
//! them.

use std::path::Path;
use std::time::Duration;

use crate::support::*;
use bughound_checkpoint::{Folder, Identity};
use bughound_kernel::*;
use bughound_search::*;

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
fn essence(result: &SearchResult) -> SearchResult {
    let mut same = result.clone();
    same.stats.elapsed = Duration::ZERO;
    same.stats.evaluation_time = Duration::ZERO;
    same.stats.preparation = Preparation::default();
    same.stats.peak_memory = 0;
    same
}

/// Runs a search that is ended after so many steps, again and again, until it is not.
fn in_parts(
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
        if result.stop_reason != Some(StopReason::Interrupted) {
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
                // A state that is open takes every new path: those of a step that is taken again count twice in the queues.
                in_parts.stats.queues.clear();
                whole.stats.queues.clear();
            }
            assert_eq!(in_parts, whole, "{text}, seed {seed}");
            violated += u32::from(!whole.witnesses.is_empty());
        }
    }
    assert!(parts > 5_000 && violated > 1_000, "{parts} {violated}");
}
