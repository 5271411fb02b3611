//! States with covers: intervals of a bounded counter stand for the zones of timed models.

use std::ops::ControlFlow;

use bughound_kernel::registry::{BuildError, Expression};
use bughound_kernel::*;
use bughound_search::*;

use bughound_store::Stores;

use crate::saving::{plain_budget, run_in, same};
use crate::support::saved::{in_parts, place};
use crate::trials::{Trial, budget, external};

/// A place and an interval of values. An edge needs a value between `from` and `to`, and adds up to `spread` to it.
struct Edge {
    place: i32,
    next: i32,
    weight: u64,
    from: i32,
    to: i32,
    spread: i32,
}

const LARGEST: i32 = 12;
const PLACES: usize = 9;

struct Intervals {
    layout: Layout,
    edges: Vec<Edge>,
}

impl Intervals {
    fn random(random: &mut Random) -> Self {
        let edges = (0..10 + random.below(30)).map(|_| {
            let from = random.below(LARGEST as usize) as i32;
            Edge {
                place: random.below(PLACES) as i32,
                next: random.below(PLACES) as i32,
                weight: random.below(4) as u64,
                from,
                to: from + random.below(6) as i32,
                spread: random.below(4) as i32,
            }
        });
        Intervals { layout: Layout { slots: vec![Slot::new(0, 20)], cover_len: 2 }, edges: edges.collect() }
    }

    /// Shortest length at which each single (place, value) is reachable.
    fn distances(&self) -> Vec<Vec<Option<u64>>> {
        let mut distance: Vec<Vec<Option<u64>>> = vec![vec![None; LARGEST as usize + 1]; PLACES];
        distance[0][0] = Some(0);
        loop {
            let mut changed = false;
            for edge in &self.edges {
                for value in edge.from..=edge.to.min(LARGEST) {
                    let Some(cost) = distance[edge.place as usize][value as usize] else { continue };
                    for after in value..=(value + edge.spread).min(LARGEST) {
                        let entry = &mut distance[edge.next as usize][after as usize];
                        if entry.is_none_or(|old| old > cost + edge.weight) {
                            *entry = Some(cost + edge.weight);
                            changed = true;
                        }
                    }
                }
            }
            if !changed {
                return distance;
            }
        }
    }
}

impl TransitionSystem for Intervals {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Walker(self))
    }

    fn atoms(&self) -> u32 {
        PLACES as u32
    }

    fn covers(&self, _key: &[i32], large: &[i32], small: &[i32]) -> bool {
        large[0] <= small[0] && small[1] <= large[1]
    }
}

struct Walker<'a>(&'a Intervals);

impl Explorer for Walker<'_> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        emit(State { key: &[0], cover: &[0, 0] });
    }

    fn successors(&mut self, state: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        for (number, edge) in self.0.edges.iter().enumerate().filter(|(_, edge)| edge.place == state.key[0]) {
            let (low, high) = (state.cover[0].max(edge.from), state.cover[1].min(edge.to));
            if low > high {
                continue;
            }
            let cover = [low, (high + edge.spread).min(LARGEST)];
            let step = Step {
                moves: &[Move { process: 0, edge: number as u32, destination: 0, joins: false }],
                choice: 0,
                probability: 1.0,
                weight: edge.weight,
                price: Price::NONE,
                marks: Marks::NONE,
                outcome: Outcome::State(State { key: &[edge.next], cover: &cover }),
                changes: None,
            };
            if emit(&step).is_break() {
                break;
            }
        }
        Expansion::default()
    }

    /// Atom `a`: the value LARGEST is possible in place `a`.
    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        state.key[0] == atom.0 as i32 && state.cover[1] == LARGEST
    }
}

/// 0 for every state.
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

    fn estimate(&mut self, _at: Situation<'_>) -> Estimate {
        Estimate::ZERO
    }
}

/// Follows the moves of a witness.
fn follow(system: &Intervals, witness: &Witness) -> (i32, [i32; 2], u64) {
    let (mut place, mut cover, mut length) = (0, [0, 0], 0);
    for moves in &witness.path {
        let edge = &system.edges[moves[0].edge as usize];
        assert_eq!(edge.place, place);
        let (low, high) = (cover[0].max(edge.from), cover[1].min(edge.to));
        assert!(low <= high);
        (place, cover, length) = (edge.next, [low, (high + edge.spread).min(LARGEST)], length + edge.weight);
    }
    (place, cover, length)
}

#[test]
fn covered_states_are_dropped_and_shortest_paths_kept() {
    let (mut found, mut dropped) = (0, 0_i64);
    for seed in 0..1_500 {
        let mut random = Random::new(seed);
        let system = Intervals::random(&mut random);
        let invariants = (0..PLACES).map(|n| InvariantGoal { property: n, atom: AtomId(n as u32), expected: false });
        let goals = Goals { invariants: invariants.collect(), ..Goals::none() };
        let distances = system.distances();
        let heuristics = Blind;
        let name = ["external-bfs", "external-astar"][seed as usize % 2];
        let trial = Trial { system: &system, goals: &goals, stop: StopPolicy::Exhaustive, heuristics: &heuristics };
        let (result, _) = trial.run(&external(name, budget(&mut random)), Controls::default());
        assert!(result.complete, "seed {seed}: {result:?}");
        for (place, distances) in distances.iter().enumerate() {
            let witness = result.witnesses.iter().find(|witness| witness.property == place);
            let shortest = distances[LARGEST as usize];
            assert_eq!(witness.map(|one| one.length), shortest, "seed {seed}, place {place}");
            if let Some(witness) = witness {
                let (end, cover, length) = follow(&system, witness);
                assert_eq!((end, cover[1], length), (place as i32, LARGEST, witness.length), "seed {seed}");
                assert!(witness.proven_shortest);
                found += 1;
            }
        }
        dropped += result.stats.generated as i64 + 1 - result.stats.stored as i64;
    }
    assert!(found > 200 && dropped > 1_500, "{found} {dropped}");
}

/// Of states with the same key, some are expanded before the search is ended, some afterwards.
#[test]
fn covers_are_compared_with_those_of_earlier_processes() {
    let mut parts = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let system = Intervals::random(&mut random);
        let goals = Goals { deadlock: Some(1), ..Goals::none() };
        let files = place();
        let budget = plain_budget(&mut random);
        let run = |controls: Controls<'_>| {
            let (stop, stores) = (StopPolicy::Exhaustive, Stores::new(&system));
            let task = Task { system: &system, goals: &goals, stop, stores: &stores, heuristics: &Blind };
            let mut result = same(&run_in(files.path(), budget, false, task, controls).unwrap());
            result.stats.disk = None;
            result
        };
        let whole = run(Controls::default());
        eprintln!("DBG {seed} {} {} {budget:?}", whole.stats.expanded, whole.stats.generated);
        let in_parts = in_parts(&run, &mut || 1 + random.below(12), &mut parts);
        assert_eq!(in_parts.stats, whole.stats, "seed {seed}");
        assert_eq!(
            (in_parts.complete, in_parts.witnesses.len()),
            (whole.complete, whole.witnesses.len()),
            "seed {seed}"
        );
    }
    assert!(parts > 50, "{parts}");
}
