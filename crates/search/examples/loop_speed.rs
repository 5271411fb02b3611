//! States per second of the whole loop on a synthetic system:
//! `cargo run --release -p bughound-search --example loop_speed`.
//!
//! A few counters go up in steps of one, each on its own. 24 slots that never change make the states as large as those
//! of a small protocol. Successors cost next to nothing here, so this measures the loop, the store and the open list.

use std::ops::ControlFlow;

use bughound_kernel::registry::expression;
use bughound_kernel::{
    AtomId, Expansion, Explorer, Layout, Marks, Move, Outcome, Price, Slot, State, Step, TransitionSystem,
};
use bughound_search::{BuildCx, Controls, Goals, NoHeuristics, StopPolicy, Task, algorithms};
use bughound_store::Stores;

const COUNTERS: usize = 6;
const TOP: i32 = 12;

struct Counters(Layout);

impl TransitionSystem for Counters {
    fn layout(&self) -> &Layout {
        &self.0
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Walker { key: vec![0; self.0.slots.len()] })
    }

    fn atoms(&self) -> u32 {
        0
    }
}

struct Walker {
    key: Vec<i32>,
}

impl Explorer for Walker {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        emit(State::discrete(&self.key));
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        self.key.copy_from_slice(from.key);
        for counter in (0..COUNTERS).filter(|&counter| from.key[counter] < TOP) {
            self.key[counter] += 1;
            let moves = [Move { process: counter as u16, edge: counter as u32, destination: 0, joins: false }];
            let outcome = Outcome::State(State::discrete(&self.key));
            let flow = emit(&Step {
                moves: &moves,
                choice: 0,
                probability: 1.0,
                weight: 1,
                price: Price::NONE,
                marks: Marks::NONE,
                outcome,
                changes: None,
            });
            self.key[counter] -= 1;
            if flow.is_break() {
                break;
            }
        }
        Expansion::default()
    }

    fn holds(&mut self, _: AtomId, _: State<'_>) -> bool {
        true
    }
}

fn main() {
    let slots = [Slot::new(0, TOP); COUNTERS].into_iter().chain([Slot::new(0, 255); 24]);
    let system = Counters(Layout::new(slots.collect()));
    let goals = Goals::none();
    for name in ["bfs", "dfs", "random-dfs", "depth-bounded-dfs", "bitstate-dfs"] {
        let parsed = expression::parse(name).expect("a registered name");
        let search = algorithms::build(&parsed, &BuildCx::default()).expect("a registered name");
        let stores = Stores::new(&system);
        let stop = StopPolicy::Exhaustive;
        let task = Task { system: &system, goals: &goals, stop, stores: &stores, heuristics: &NoHeuristics };
        let result = search.start(task, Controls::default()).expect("no witness, no path to lose");
        let (stats, seconds) = (&result.stats, result.stats.elapsed.as_secs_f64());
        println!(
            "{name:<18} {} states, {} transitions, {seconds:.2} s, {:.0} states/s, {:.0} ns per transition, {} MB",
            stats.stored,
            stats.transitions,
            stats.stored as f64 / seconds,
            1e9 * seconds / stats.generated as f64,
            stats.peak_memory >> 20,
        );
    }
}
