//! What a search for accepting cycles costs where there are none, compared with a plain depth-first search:
//! `cargo run --release -p bughound-search --example cycle_speed`.
//!
//! Counters watched by a claim with two states. In the first one they turn around, so that all of these states lie on
//! cycles, none of them accepting. In the second one, which accepts, they only go up. Successors cost next to nothing
//! here: this measures the engines. With several conditions, each counter marks its own steps.

use std::ops::ControlFlow;

use bughound_kernel::registry::{BuildError, Expression, expression};
use bughound_kernel::*;
use bughound_search::{BuildCx, Controls, Goals, HeuristicSource, StopPolicy, Task, algorithms};
use bughound_store::Stores;

const COUNTERS: usize = 5;
const TOP: i32 = 14;

struct Watched {
    layout: Layout,
    fair: bool,
}

impl TransitionSystem for Watched {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Walker { key: vec![0; self.layout.slots.len()], fair: self.fair })
    }

    fn atoms(&self) -> u32 {
        0
    }

    fn required(&self) -> Marks {
        Marks::ACCEPT | if self.fair { Marks::processes(COUNTERS) } else { Marks::NONE }
    }

    fn region(&self, state: State<'_>) -> Region {
        match state.key[0] {
            0 => Region { number: 0, cycles: Cycles::None },
            _ => Region { number: 1, cycles: Cycles::Some },
        }
    }
}

struct Walker {
    key: Vec<i32>,
    fair: bool,
}

impl Explorer for Walker {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        self.key.fill(0);
        emit(State::discrete(&self.key));
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        self.key.copy_from_slice(from.key);
        let accepting = from.key[0] == 1;
        for counter in 0..COUNTERS {
            let before = from.key[1 + counter];
            if accepting && before == TOP {
                continue;
            }
            self.key[1 + counter] = if before == TOP { 0 } else { before + 1 };
            let number = counter as u16;
            let moves = [Move { process: number, edge: counter as u32, destination: 0, joins: false }];
            let mut marks = if accepting { Marks::ACCEPT } else { Marks::NONE };
            if self.fair {
                marks |= Marks::process(number);
            }
            for claim in from.key[0]..=1 {
                self.key[0] = claim;
                let outcome = Outcome::State(State::discrete(&self.key));
                if emit(&Step {
                    moves: &moves,
                    choice: 0,
                    probability: 1.0,
                    weight: 1,
                    price: Price::NONE,
                    marks,
                    outcome,
                    changes: None,
                })
                .is_break()
                {
                    return Expansion::default();
                }
            }
            self.key[0] = from.key[0];
            self.key[1 + counter] = before;
        }
        Expansion::default()
    }

    fn holds(&mut self, _: AtomId, _: State<'_>) -> bool {
        true
    }
}

/// Every heuristic says nothing.
struct Blind;

impl HeuristicSource for Blind {
    fn build<'a>(
        &'a self,
        _: &Expression,
        _: Option<&'a StateBuf>,
        _: &dyn bughound_kernel::Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        Ok(Box::new(Blind))
    }
}

impl Heuristic for Blind {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::CONSISTENT
    }

    fn estimate(&mut self, _: Situation<'_>) -> Estimate {
        Estimate::ZERO
    }
}

fn main() {
    let slots = [Slot::new(0, 1)].into_iter().chain([Slot::new(0, TOP); COUNTERS]).chain([Slot::new(0, 255); 24]);
    let layout = Layout::new(slots.collect());
    for fair in [false, true] {
        let system = Watched { layout: layout.clone(), fair };
        let mut plain = None;
        for name in ["dfs", "nested-dfs", "improved-nested-dfs", "scc", "astar-dfs", "auto"] {
            if fair && name.ends_with("nested-dfs") {
                continue;
            }
            let parsed = expression::parse(name).expect("a registered name");
            let search = algorithms::build(&parsed, &BuildCx::default()).expect("a registered name");
            let stores = Stores::new(&system);
            let cycle = (name != "dfs").then_some(0);
            let (goals, stop) = (Goals { cycle, ..Goals::none() }, StopPolicy::FirstError);
            let task = Task { system: &system, goals: &goals, stop, stores: &stores, heuristics: &Blind };
            let result = search.start(task, Controls::default()).expect("no witness, no path to lose");
            assert!(result.complete);
            let (stats, seconds) = (&result.stats, result.stats.elapsed.as_secs_f64());
            println!(
                "{} {name:<20} {} states, {} steps, {} expanded, {seconds:.2} s, {:.2} of dfs, {} MB",
                if fair { "fair" } else { "    " },
                stats.stored,
                stats.transitions,
                stats.expanded,
                seconds / *plain.get_or_insert(seconds),
                stats.peak_memory >> 20,
            );
        }
    }
}
