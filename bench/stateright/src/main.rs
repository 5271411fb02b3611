//! The same models, written in Rust, on Bughound and on Stateright: states per second and time to an error, side by side in
//! one run, one thread each. See `bench/README.md`.
//!
//! Both call the same functions for actions, steps and conditions. Runs alternate, so that whatever else the machine does
//! disturbs both; what counts is the CPU time of the process, of which the median is taken.

#[allow(dead_code)]
#[path = "../../../crates/native/examples/paxos/model.rs"]
mod paxos;
#[allow(dead_code)]
#[path = "../../../crates/native/examples/sliding_tiles.rs"]
mod sliding_tiles;

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::hash::Hash;
use std::time::{Duration, Instant};

use bughound_native as native;
use paxos::Paxos;
use sliding_tiles::SlidingTiles;
use stateright::Checker as _;

/// A model of an example with one property, for both tools.
trait Example: Send + Sync + Clone + 'static {
    type State: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    type Action: Clone + PartialEq + Debug + Send + Sync + 'static;
    fn start(&self) -> Self::State;
    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>);
    fn step(&self, state: &Self::State, action: &Self::Action) -> Option<Self::State>;
    fn is_fine(&self, state: &Self::State) -> bool;
    fn estimate(&self, state: &Self::State) -> Option<u64>;
}

#[derive(Clone)]
struct Both<E>(E);

impl<E: Example> native::RustModel for Both<E> {
    type State = E::State;
    type Action = E::Action;

    fn initial_states(&self) -> Vec<E::State> {
        vec![self.0.start()]
    }

    fn actions(&self, state: &E::State, actions: &mut Vec<E::Action>) {
        self.0.actions(state, actions);
    }

    fn next_state(&self, state: &E::State, action: &E::Action) -> Option<E::State> {
        self.0.step(state, action)
    }

    fn properties(&self) -> Vec<native::Property<Self>> {
        let fine = native::Property::always("fine", |model: &Self, state| model.0.is_fine(state));
        vec![fine.consistent_estimate(|model: &Self, state| model.0.estimate(state))]
    }
}

impl<E: Example> stateright::Model for Both<E> {
    type State = E::State;
    type Action = E::Action;

    fn init_states(&self) -> Vec<E::State> {
        vec![self.0.start()]
    }

    fn actions(&self, state: &E::State, actions: &mut Vec<E::Action>) {
        self.0.actions(state, actions);
    }

    fn next_state(&self, state: &E::State, action: E::Action) -> Option<E::State> {
        self.0.step(state, &action)
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        vec![stateright::Property::always("fine", |model: &Self, state| model.0.is_fine(state))]
    }
}

#[derive(Clone)]
struct Voting {
    ballots: u8,
    crashes: u8,
    forgets: bool,
}

impl Voting {
    fn model(&self) -> Paxos {
        Paxos { ballots: self.ballots, crashes: self.crashes, forgets: self.forgets }
    }
}

impl Example for Voting {
    type State = paxos::State;
    type Action = paxos::Action;

    fn start(&self) -> paxos::State {
        paxos::State::default()
    }

    fn actions(&self, state: &paxos::State, actions: &mut Vec<paxos::Action>) {
        self.model().all_actions(state, actions);
    }

    fn step(&self, state: &paxos::State, action: &paxos::Action) -> Option<paxos::State> {
        self.model().step(state, action)
    }

    fn is_fine(&self, state: &paxos::State) -> bool {
        self.model().agrees(state)
    }

    fn estimate(&self, state: &paxos::State) -> Option<u64> {
        self.model().messages_to_disagreement(state)
    }
}

/// All positions that can be reached; the solution is the "error".
#[derive(Clone)]
struct Tiles {
    start: sliding_tiles::Board,
}

impl Example for Tiles {
    type State = sliding_tiles::Board;
    type Action = sliding_tiles::Slide;

    fn start(&self) -> sliding_tiles::Board {
        self.start
    }

    fn actions(&self, state: &sliding_tiles::Board, actions: &mut Vec<sliding_tiles::Slide>) {
        native::RustModel::actions(&SlidingTiles { start: self.start }, state, actions);
    }

    fn step(&self, state: &sliding_tiles::Board, slide: &sliding_tiles::Slide) -> Option<sliding_tiles::Board> {
        native::RustModel::next_state(&SlidingTiles { start: self.start }, state, slide)
    }

    fn is_fine(&self, state: &sliding_tiles::Board) -> bool {
        !sliding_tiles::is_solved(&SlidingTiles { start: self.start }, state)
    }

    fn estimate(&self, state: &sliding_tiles::Board) -> Option<u64> {
        Some(sliding_tiles::manhattan(&SlidingTiles { start: self.start }, state))
    }
}

/// What one run found and took.
struct Run {
    states: u64,
    /// Steps to the error; `None` if there is none.
    error: Option<usize>,
    cpu: Duration,
    elapsed: Duration,
}

fn cpu_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

fn timed(work: impl FnOnce() -> (u64, Option<usize>)) -> Run {
    let (cpu, start) = (cpu_time(), Instant::now());
    let (states, error) = work();
    Run { states, error, cpu: cpu_time() - cpu, elapsed: start.elapsed() }
}

fn bughound<E: Example>(model: &E, search: &str) -> Run {
    let model = Both(model.clone());
    timed(|| {
        let report = native::Checker::new(&model).search(search).check().unwrap_or_else(|error| panic!("{error}"));
        let answer = &report.answers[0];
        (answer.statistics.stored, answer.trace.as_ref().map(|trace| trace.steps.len()))
    })
}

fn stateright<E: Example>(model: &E, depth_first: bool) -> Run {
    use stateright::Model;
    let model = Both(model.clone());
    timed(|| {
        let builder = model.checker().threads(1);
        let (states, path) = if depth_first {
            let checker = builder.spawn_dfs().join();
            (checker.unique_state_count(), checker.discovery("fine"))
        } else {
            let checker = builder.spawn_bfs().join();
            (checker.unique_state_count(), checker.discovery("fine"))
        };
        (states as u64, path.map(|path| path.into_actions().len()))
    })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// What to run: comparisons whose title contains this text, so often.
struct Asked {
    rounds: usize,
    part: String,
}

type Runner<'a> = (&'a str, &'a dyn Fn() -> Run);

/// Runs all in turn, as often as asked, and prints a line for each. The last column compares with the first line: more than
/// 1 is faster than that.
fn compare(title: &str, asked: &Asked, runners: &[Runner<'_>]) {
    if !title.contains(&asked.part) {
        return;
    }
    let mut all: Vec<Vec<Run>> = runners.iter().map(|_| Vec::new()).collect();
    for _ in 0..asked.rounds {
        for (runs, (_, run)) in all.iter_mut().zip(runners) {
            runs.push(run());
        }
    }
    // Who goes through all states must have met the same ones: otherwise the comparison means nothing.
    let counts: BTreeSet<u64> = all.iter().flatten().filter(|run| run.error.is_none()).map(|run| run.states).collect();
    assert!(counts.len() <= 1, "{title}: numbers of states differ: {counts:?}");
    println!("\n## {title}\n");
    println!("| tool | states | error | CPU s | elapsed s | states per CPU s | ratio of rates | ratio of times |");
    println!("|---|---|---|---|---|---|---|---|");
    let cpu = |runs: &[Run]| median(runs.iter().map(|run| run.cpu).collect()).as_secs_f64();
    let rate = |runs: &[Run]| runs[0].states as f64 / cpu(runs);
    let first = &all[0];
    for (runs, (name, _)) in all.iter().zip(runners) {
        let elapsed = median(runs.iter().map(|run| run.elapsed).collect()).as_secs_f64();
        let error = runs[0].error.map_or("none".to_string(), |steps| format!("{steps} steps"));
        println!(
            "| {name} | {} | {error} | {:.3} | {elapsed:.3} | {:.0} | {:.2} | {:.2} |",
            runs[0].states,
            cpu(runs),
            rate(runs),
            rate(runs) / rate(first),
            cpu(first) / cpu(runs)
        );
    }
}

/// A line of a file that begins like this, if there is such a file.
fn line_of(file: &str, start: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().find(|line| line.starts_with(start)).unwrap_or("unknown").to_string()
}

fn main() {
    let rounds = std::env::args().nth(1).map_or(Some(5), |text| text.parse().ok()).filter(|rounds| *rounds > 0);
    let Some(rounds) = rounds else {
        eprintln!("usage: bughound-beside-stateright [ROUNDS [PART OF A TITLE]]");
        std::process::exit(2);
    };
    let asked = Asked { rounds, part: std::env::args().nth(2).unwrap_or_default() };
    println!("# Models written in Rust: Bughound and Stateright 0.30.2\n");
    println!("- Medians of {rounds} interleaved runs, one thread each. Ratios are to the first line; more is better.");
    println!("- Machine: {}; load before: {}", line_of("/proc/cpuinfo", "model name"), line_of("/proc/loadavg", ""));

    let correct = Voting { ballots: 3, crashes: 1, forgets: false };
    compare(
        "All states of Paxos, three ballots, one crash",
        &asked,
        &[
            ("Stateright, breadth-first", &|| stateright(&correct, false)),
            ("Bughound, `bfs`", &|| bughound(&correct, "bfs")),
            ("Stateright, depth-first", &|| stateright(&correct, true)),
            ("Bughound, `dfs`", &|| bughound(&correct, "dfs")),
        ],
    );
    let unsolvable = Tiles { start: [0, 1, 2, 3, 4, 5, 6, 8, 7] };
    compare(
        "All positions of the sliding tiles",
        &asked,
        &[
            ("Stateright, breadth-first", &|| stateright(&unsolvable, false)),
            ("Bughound, `bfs`", &|| bughound(&unsolvable, "bfs")),
        ],
    );
    let wrong = Voting { ballots: 3, crashes: 2, forgets: true };
    compare(
        "Time to the planted error of Paxos",
        &asked,
        &[
            ("Stateright, breadth-first", &|| stateright(&wrong, false)),
            ("Stateright, depth-first", &|| stateright(&wrong, true)),
            ("Bughound, `bfs`", &|| bughound(&wrong, "bfs")),
            ("Bughound, `dfs`", &|| bughound(&wrong, "dfs")),
            ("Bughound, `astar`", &|| bughound(&wrong, "astar")),
            ("Bughound, `greedy`", &|| bughound(&wrong, "greedy")),
            ("Bughound, `auto`", &|| bughound(&wrong, "auto")),
        ],
    );
    let hardest = Tiles { start: SlidingTiles::HARDEST.start };
    compare(
        "Time to the solution of the hardest position",
        &asked,
        &[
            ("Stateright, breadth-first", &|| stateright(&hardest, false)),
            ("Bughound, `bfs`", &|| bughound(&hardest, "bfs")),
            ("Bughound, `astar`", &|| bughound(&hardest, "astar")),
        ],
    );
}
