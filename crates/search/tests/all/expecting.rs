//! Searches that insert states a little later than they find them, beside the same searches that insert them at once.

use crate::support::*;
use bughound_kernel::{ApproximateSet, Lookup, OutOfMemory, Random, State, StateBuf, StateId, StateStore, StoreSource};
use bughound_search::{Controls, Goals, SearchResult, StopPolicy, Task};
use bughound_store::Stores;

/// Stores that expect nothing.
struct AtOnce<'s>(Stores<'s>);

impl StoreSource for AtOnce<'_> {
    fn new_store(&self) -> Box<dyn StateStore + '_> {
        Box::new(Unexpecting(self.0.new_store()))
    }

    fn new_bit_set(&self, bits: u64, functions: u32, seed: u64) -> Result<Box<dyn ApproximateSet + '_>, OutOfMemory> {
        self.0.new_bit_set(bits, functions, seed)
    }
}

struct Unexpecting<'s>(Box<dyn StateStore + 's>);

impl StateStore for Unexpecting<'_> {
    fn insert(&mut self, state: State<'_>, cost: u64, displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        self.0.insert(state, cost, displaced)
    }

    fn read(&self, id: StateId, into: &mut StateBuf) {
        self.0.read(id, into);
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn memory(&self) -> u64 {
        self.0.memory()
    }
}

fn run_with(text: &str, graph: &Graph, goals: &Goals, stop: StopPolicy, stores: &dyn StoreSource) -> SearchResult {
    let table = Table::blind();
    let task = Task { system: graph, goals, stop, stores, heuristics: &table };
    search(text).start(task, Controls::default()).unwrap()
}

/// All that does not depend on the clock.
fn seen(result: &SearchResult) -> String {
    let stats = &result.stats;
    let counts = [stats.stored, stats.expanded, stats.generated, stats.transitions, stats.reopened, stats.depth];
    let errors = [stats.deadlocks, stats.failed_assertions];
    format!("{counts:?} {errors:?} {} {:?}", result.complete, result.witnesses)
}

#[test]
fn states_are_numbered_and_expanded_in_the_same_order() {
    let mut found = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        // Steps that weigh nothing, steps of different weights, levels of many states and of one.
        let nodes = 4 + random.below(150);
        let graph = random_graph(seed, nodes, 1 + random.below(4), random.below(6));
        let mut goals = avoid((0..random.below(3)).map(|_| random.below(nodes)));
        goals.invariants.dedup();
        goals.assertion = random.one_in(2).then_some(1000);
        goals.deadlock = random.one_in(2).then_some(1001);
        let texts =
            ["bfs", "dijkstra", "bfs(ties=lifo)", "dfs", "random-dfs(4)", "depth-bounded-dfs", "astar", "greedy"];
        for stop in [StopPolicy::Exhaustive, StopPolicy::EveryProperty, StopPolicy::FirstError] {
            for text in texts {
                let later = run_with(text, &graph, &goals, stop, &Stores::new(&graph));
                let at_once = run_with(text, &graph, &goals, stop, &AtOnce(Stores::new(&graph)));
                assert_eq!(seen(&later), seen(&at_once), "{text}, {stop:?}, seed {seed}");
                found += later.witnesses.len();
            }
        }
    }
    assert!(found > 1_000, "{found}");
}
