//! Searches on states with covers: intervals of a bounded counter stand for the zones of timed models.

use std::ops::ControlFlow;

use bughound_kernel::registry::{BuildError, Expression, expression};
use bughound_kernel::*;
use bughound_search::*;
use bughound_store::Stores;

use crate::support::saved::{essence, in_parts};

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

struct Intervals {
    layout: Layout,
    edges: Vec<Edge>,
    merged: bool,
}

impl Intervals {
    fn new(edges: Vec<Edge>) -> Self {
        Intervals { layout: Layout { slots: vec![Slot::new(0, 20)], cover_len: 2 }, edges, merged: false }
    }

    /// Shortest length at which each single (place, value) is reachable: the explicit semantics.
    fn distances(&self) -> Vec<Vec<Option<u64>>> {
        let mut distance: Vec<Vec<Option<u64>>> = vec![vec![None; LARGEST as usize + 1]; 21];
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
        8
    }

    fn covers(&self, _key: &[i32], large: &[i32], small: &[i32]) -> bool {
        large[0] <= small[0] && small[1] <= large[1]
    }

    fn merges_covers(&self) -> bool {
        self.merged
    }

    fn merge_covers(&self, cover: &mut [i32], other: &[i32]) {
        (cover[0], cover[1]) = (cover[0].min(other[0]), cover[1].max(other[1]));
    }

    fn cover_size(&self, cover: &[i32]) -> u64 {
        (cover[1] - cover[0]) as u64
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
            let outcome = Outcome::State(State { key: &[edge.next], cover: &cover });
            let moves = [Move { process: 0, edge: number as u32, destination: 0, joins: false }];
            let step = Step {
                moves: &moves,
                choice: 0,
                probability: 1.0,
                weight: edge.weight,
                price: Price::NONE,
                marks: Marks::NONE,
                outcome,
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

fn run(name: &str, system: &Intervals, depth: Option<u64>) -> SearchResult {
    run_together(name, system, depth, 1)
}

fn run_together(name: &str, system: &Intervals, depth: Option<u64>, threads: usize) -> SearchResult {
    run_under(name, system, Controls { limits: Limits { depth, ..Limits::default() }, threads, ..Controls::default() })
}

fn run_under(name: &str, system: &Intervals, controls: Controls<'_>) -> SearchResult {
    let goal = |n: usize| InvariantGoal { property: n, atom: AtomId(n as u32), expected: false };
    let goals = Goals { invariants: (0..8).map(goal).collect(), ..Goals::none() };
    let stores = Stores::new(system);
    let search = algorithms::build(&expression::parse(name).unwrap(), &BuildCx::default()).unwrap();
    let stop = StopPolicy::Exhaustive;
    let task = Task { system, goals: &goals, stop, stores: &stores, heuristics: &Blind };
    search.start(task, controls).unwrap()
}

#[test]
fn errors_and_lengths_are_those_of_the_explicit_values() {
    let mut displaced = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let mut below = |bound| random.below(bound) as i32;
        let edges = (0..20).map(|_| {
            let (from, width) = (below(8), below(9));
            let (place, next, weight, spread) = (below(8), below(8), below(4) as u64, below(5));
            Edge { place, next, weight, from, to: from + width, spread }
        });
        let system = Intervals::new(edges.collect());
        let distances = system.distances();
        let bound = (seed % 2 == 1).then_some(seed % 16);
        let expected: Vec<(usize, u64)> = (0..8)
            .filter_map(|place| Some((place, distances[place][LARGEST as usize]?)))
            .filter(|(_, distance)| bound.is_none_or(|bound| *distance <= bound))
            .collect();
        for name in [
            "bfs",
            "iterative-deepening",
            "idastar",
            "branch-and-bound",
            "refined-threshold",
            "frontier",
            "breadth-first-heuristic",
            "beam-stack",
            "memory-limited-astar",
        ] {
            let result = run(name, &system, bound);
            let mut found: Vec<_> = result.witnesses.iter().map(|witness| (witness.property, witness.length)).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{name}, seed {seed}");
            assert!(result.witnesses.iter().all(|witness| witness.proven_shortest), "{name}, seed {seed}");
            assert!(bound.is_some() || result.complete);
            displaced += result.stats.displaced;
        }
        for name in ["dfs", "largest-first", "ce", "ce(order=dfs)", "ce(order=bfs)", "icb", "ut", "guided"] {
            let result = run(name, &system, bound);
            let mut found: Vec<_> = result.witnesses.iter().map(|witness| witness.property).collect();
            found.sort_unstable();
            assert_eq!(found, expected.iter().map(|(place, _)| *place).collect::<Vec<_>>(), "{name}, seed {seed}");
            displaced += result.stats.displaced;
        }
    }
    assert!(displaced > 100, "the test must exercise displacement");
}

/// Whoever is first to store a state, and whoever displaces it: the same errors, at the same lengths where they are proven.
#[test]
fn several_threads_find_the_same_errors() {
    delays::set(20);
    let mut displaced = 0;
    for seed in 0..150 {
        let mut system = random_system(seed, 9);
        for edge in &mut system.edges {
            edge.weight = u64::from(edge.place.unsigned_abs() + edge.next.unsigned_abs()) % 4;
        }
        let bound = (seed % 2 == 1).then_some(seed % 16);
        let alone = run("bfs", &system, bound);
        let lengths = |result: &SearchResult| {
            let mut found: Vec<_> = result.witnesses.iter().map(|found| (found.property, found.length)).collect();
            found.sort_unstable();
            found
        };
        for threads in [2, 4] {
            for name in ["bfs", "astar(h=blind)"] {
                let result = run_together(name, &system, bound, threads);
                assert_eq!(lengths(&result), lengths(&alone), "{name}, seed {seed}");
                assert_eq!(result.complete, alone.complete, "{name}, seed {seed}");
                assert!(result.witnesses.iter().all(|witness| witness.proven_shortest), "{name}, seed {seed}");
                displaced += result.stats.displaced;
            }
            for name in ["largest-first", "greedy(h=blind)"] {
                let result = run_together(name, &system, bound, threads);
                assert_eq!(errors(&result), errors(&alone), "{name}, seed {seed}");
                assert_eq!(result.complete, alone.complete, "{name}, seed {seed}");
            }
            system.merged = true;
            let merged = run_together("largest-first", &system, None, threads);
            assert!(merged.complete && errors(&alone).iter().all(|error| errors(&merged).contains(error)));
            assert!(merged.stats.stored <= 8, "seed {seed}");
            system.merged = false;
        }
    }
    delays::set(0);
    assert!(displaced > 100, "the test must exercise displacement");
}

/// Lists of covers, what was displaced from them, and the costs that count, are as they were.
#[test]
fn a_search_that_goes_on_displaces_what_it_would_have() {
    let (mut parts, mut displaced) = (0, 0);
    for seed in 0..60 {
        let mut system = random_system(seed, 9);
        for edge in &mut system.edges {
            edge.weight = u64::from(edge.place.unsigned_abs() + edge.next.unsigned_abs()) % 4;
        }
        for merged in [false, true] {
            system.merged = merged;
            for name in ["bfs", "dfs", "dijkstra", "largest-first", "greedy(h=blind)", "astar(h=blind)", "auto"] {
                let run = |controls: Controls<'_>| run_under(name, &system, controls);
                let whole = essence(&run(Controls::default()));
                let mut often = Random::new(seed);
                let result = in_parts(&run, &mut || 1 + often.below(20), &mut parts);
                let mut result = essence(&result);
                let mut whole = whole;
                if name == "dfs" {
                    (result.stats.queues, whole.stats.queues) = Default::default();
                }
                assert_eq!(result, whole, "{name}, merged {merged}, seed {seed}");
                displaced += whole.stats.displaced;
            }
        }
    }
    assert!(parts > 200 && displaced > 200, "{parts} {displaced}");
}

#[test]
fn a_displaced_state_may_lie_on_the_path() {
    // Place 1 is reached with [0, 1] and left for place 2; then [0, 12], coming through place 4, displaces [0, 1].
    let edge = |place, next, weight, to, spread| Edge { place, next, weight, from: 0, to, spread };
    let system = Intervals::new(vec![
        edge(0, 1, 1, 0, 1),
        edge(1, 2, 0, 1, 0),
        edge(0, 4, 1, 0, 0),
        edge(4, 1, 0, 0, LARGEST),
        edge(2, 3, 5, LARGEST, LARGEST),
    ]);
    for name in ["bfs", "dfs", "branch-and-bound"] {
        let result = run(name, &system, None);
        let witness = result.witnesses.iter().find(|witness| witness.property == 3).unwrap();
        let edges: Vec<u32> = witness.path.iter().flatten().map(|mv| mv.edge).collect();
        assert_eq!((witness.length, &edges[..]), (6, &[0, 1, 4][..]), "{name}");
        assert_eq!((result.stats.displaced, result.complete), (1, true), "{name}");
    }
}

/// The largest intervals of all places: those that no path makes larger.
fn largest_intervals(system: &Intervals) -> usize {
    let mut met: Vec<(i32, [i32; 2])> = vec![(0, [0, 0])];
    let mut at = 0;
    while at < met.len() {
        let (place, cover) = met[at];
        let _ = Walker(system).successors(State { key: &[place], cover: &cover }, &mut |step| {
            let Outcome::State(next) = step.outcome else { unreachable!() };
            let next = (next.key[0], [next.cover[0], next.cover[1]]);
            if !met.contains(&next) {
                met.push(next);
            }
            ControlFlow::Continue(())
        });
        at += 1;
    }
    let has_larger = |(place, cover): &(i32, [i32; 2])| {
        met.iter().any(|(p, large)| p == place && large != cover && system.covers(&[*p], large, cover))
    };
    met.iter().filter(|state| !has_larger(state)).count()
}

#[test]
fn what_is_stored_at_the_end_is_what_was_not_displaced() {
    for seed in 0..200 {
        let system = random_system(seed, 9);
        let largest = largest_intervals(&system) as u64;
        for name in ["bfs", "dfs", "dijkstra", "greedy(h=blind)", "largest-first", "auto"] {
            assert_eq!(run(name, &system, None).stats.stored, largest, "{name}, seed {seed}");
        }
    }
}

#[test]
fn a_displaced_state_is_not_expanded() {
    // From place 0 to place 1 with [0, 0], then with [0, 3]; place 1 leads to four others.
    let edge = |place, next, spread| Edge { place, next, weight: 1, from: 0, to: LARGEST, spread };
    let system =
        Intervals::new([edge(0, 1, 0), edge(0, 1, 3)].into_iter().chain((2..6).map(|n| edge(1, n, 0))).collect());
    for name in ["bfs", "dfs", "astar(h=blind)", "greedy(h=blind)", "branch-and-bound"] {
        let stats = run(name, &system, None).stats;
        assert_eq!((stats.expanded, stats.generated, stats.stored, stats.displaced), (6, 6, 6, 1), "{name}");
    }
}

#[test]
fn the_largest_cover_is_expanded_first() {
    // Place 1 with [0, 0] after one step, with [0, 12] after two. Behind it are four others.
    let edge = |place, next, spread| Edge { place, next, weight: 1, from: 0, to: LARGEST, spread };
    let detour = [edge(0, 1, 0), edge(0, 7, LARGEST), edge(7, 1, 0)];
    let system = Intervals::new(detour.into_iter().chain((2..6).map(|n| edge(1, n, 0))).collect());
    let expanded = |name| run(name, &system, None).stats.expanded;
    assert_eq!((expanded("bfs"), expanded("dfs"), expanded("largest-first")), (12, 12, 7));
}

#[test]
fn a_displaced_state_that_is_cheaper_is_expanded_where_that_matters() {
    // While place 1 with [0, 0] waits at cost 1, place 2 leads to place 1 with [0, 12] at cost 2. The way to place 3 is
    // shorter from the small one.
    let edge = |place, next, weight, spread| Edge { place, next, weight, from: 0, to: LARGEST, spread };
    let system =
        Intervals::new(vec![edge(0, 2, 1, LARGEST), edge(2, 1, 1, 0), edge(0, 1, 1, 0), edge(1, 3, 1, LARGEST)]);
    for name in ["bfs", "dijkstra", "astar(h=blind)", "branch-and-bound", "iterative-deepening"] {
        let result = run(name, &system, None);
        let witness = result.witnesses.iter().find(|witness| witness.property == 3).unwrap();
        assert_eq!((witness.length, witness.proven_shortest), (2, true), "{name}");
    }
    // In the end only the larger one is left.
    let stats = run("bfs", &system, None).stats;
    assert_eq!((stats.expanded, stats.stored, stats.displaced), (5, 4, 1));
}

#[test]
fn a_path_is_not_followed_into_what_it_has_covered() {
    // The interval grows with each round, up to the largest value.
    let edge = |place, next, weight, spread| Edge { place, next, weight, from: 0, to: LARGEST, spread };
    let rounds = [edge(0, 1, 0, 1), edge(1, 0, 0, 0)];
    let system =
        Intervals::new(rounds.into_iter().chain([edge(0, 3, 0, 0), edge(3, 0, 0, 0), edge(1, 2, 3, 0)]).collect());
    let result = run("iterative-deepening(visited=none)", &system, None);
    let found: Vec<_> = result.witnesses.iter().map(|witness| (witness.property, witness.length)).collect();
    assert_eq!((found, result.complete), (vec![(1, 0), (0, 0), (3, 0), (2, 3)], true));
    // The longest path meets each interval in places 0 and 1, and nothing twice.
    assert_eq!((result.stats.stored, result.stats.expanded), (26, 88));
}

/// `width`: edges need a value in an interval of at most this size.
fn random_system(seed: u64, width: usize) -> Intervals {
    let mut random = Random::new(seed);
    let mut below = |bound| random.below(bound) as i32;
    let edges = (0..20).map(|_| {
        let (from, width) = (below(8), below(width));
        let (place, next, spread) = (below(8), below(8), below(5));
        Edge { place, next, weight: 1, from, to: from + width, spread }
    });
    Intervals::new(edges.collect())
}

fn errors(result: &SearchResult) -> Vec<usize> {
    let mut found: Vec<_> = result.witnesses.iter().map(|witness| witness.property).collect();
    found.sort_unstable();
    found
}

/// Merged covers have more values than can be reached: no error is missed.
#[test]
fn merged_covers_hide_no_error() {
    let mut displaced = 0;
    for seed in 0..200 {
        let mut system = random_system(seed, 2);
        let exact = errors(&run("bfs", &system, None));
        let distances = system.distances();
        let places = distances.iter().filter(|values| values.iter().any(Option::is_some)).count() as u64;
        system.merged = true;
        for name in ["bfs", "dfs", "greedy(h=blind)", "largest-first", "astar(h=blind)", "auto"] {
            let result = run(name, &system, None);
            let found = errors(&result);
            assert!(result.complete && exact.iter().all(|error| found.contains(error)), "{name}, seed {seed}");
            assert!(result.stats.stored >= places && result.stats.stored <= 8, "{name}, seed {seed}");
            assert!(result.witnesses.iter().all(|witness| !witness.proven_shortest), "{name}, seed {seed}");
            displaced += result.stats.displaced;
        }
    }
    assert!(displaced > 100, "the test must merge covers");
}

#[test]
fn a_search_that_tests_what_it_meets_does_not_merge() {
    let mut system = Intervals::new(Vec::new());
    system.merged = true;
    let goals = Goals::none();
    let (stores, stop) = (Stores::new(&system), StopPolicy::Exhaustive);
    let task = Task { system: &system, goals: &goals, stop, stores: &stores, heuristics: &Blind };
    let search = algorithms::build(&expression::parse("branch-and-bound").unwrap(), &BuildCx::default()).unwrap();
    assert!(matches!(search.start(task, Controls::default()), Err(SearchError::Build(_))));
}

/// Bits tell covers apart by equality: more states than needed, but the same errors, and never a proof.
#[test]
fn bits_of_covers_find_errors_and_prove_nothing() {
    for seed in 0..100 {
        let system = random_system(seed, 9);
        let exact = errors(&run("bfs", &system, None));
        for name in ["bitstate-dfs(bits=65536)", "iterative-deepening(visited=bitstate, bits=65536)"] {
            let result = run(name, &system, None);
            assert_eq!((errors(&result), result.complete), (exact.clone(), false), "{name}, seed {seed}");
        }
        let narrow = run("bitstate-dfs(bits=64)", &system, None);
        assert!(!narrow.complete && errors(&narrow).iter().all(|error| exact.contains(error)), "seed {seed}");
    }
}
