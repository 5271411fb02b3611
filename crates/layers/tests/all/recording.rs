//! Recording states, against brute force on random graphs with marks.

#[allow(dead_code)]
use std::ops::ControlFlow;

use crate::marked::*;
use bughound_kernel::registry::expression;
use bughound_kernel::*;
use bughound_layers::Recording;
use bughound_search::{
    BuildCx, Controls, Goals, InvariantGoal, NoHeuristics, SearchResult, StopPolicy, Task, algorithms,
};
use bughound_store::Stores;

fn run(text: &str, system: &dyn TransitionSystem, atoms: &[AtomId]) -> SearchResult {
    let goal = |atom: &AtomId| InvariantGoal { property: 0, atom: *atom, expected: false };
    let goals = Goals { invariants: atoms.iter().map(goal).collect(), ..Goals::none() };
    let search = algorithms::build(&expression::parse(text).unwrap(), &BuildCx::default()).unwrap();
    let (stores, stop) = (Stores::new(system), StopPolicy::FirstError);
    let task = Task { system, goals: &goals, stop, stores: &stores, heuristics: &NoHeuristics };
    search.start(task, Controls::default()).unwrap()
}

/// Graphs of all kinds: marks on edges, marks of states, products with and without more conditions.
fn graph(seed: u64) -> MarkedGraph {
    match seed % 4 {
        0 => random_marked(seed),
        1 => random_by_state(seed),
        2 => random_product(seed, 0),
        _ => random_product(seed, 1 + seed as usize / 4 % 3),
    }
}

#[test]
fn shortest_paths_are_shortest_lassos() {
    let (mut lassos, mut none) = (0, 0);
    for seed in 0..600 {
        let graph = graph(seed);
        let recording = Recording::new(&graph).unwrap();
        let result = run("bfs", &recording, &[recording.closed()]);
        let least = graph.least_lasso();
        let context = format!("seed {seed}: {result:?}");
        assert_eq!(result.witnesses.first().map(|witness| witness.length), least, "{context}");
        assert_eq!(result.complete, least.is_none(), "{context}");
        let Some(witness) = result.witnesses.first() else {
            none += 1;
            continue;
        };
        lassos += 1;
        let start = recording.loop_start(&witness.path);
        assert!(start.is_some(), "{context}");
        let first = recording.project(witness.start.as_state());
        graph.check_witness(first, &witness.path, start, witness.length);
    }
    assert!(lassos > 150 && none > 150, "{lassos} {none}");
}

#[test]
fn every_search_for_states_finds_lassos() {
    for seed in 0..120 {
        let graph = graph(seed);
        let recording = Recording::new(&graph).unwrap();
        for text in ["dfs", "random-dfs", "iterative-deepening", "dijkstra"] {
            let result = run(text, &recording, &[recording.closed(), IS_ERROR]);
            let context = format!("{text}, seed {seed}: {result:?}");
            assert_eq!(result.witnesses.is_empty(), graph.least_violation().is_none(), "{context}");
            for witness in &result.witnesses {
                let start = recording.loop_start(&witness.path);
                graph.check_witness(recording.project(witness.start.as_state()), &witness.path, start, witness.length);
            }
        }
    }
}

#[test]
fn keys_can_be_read_back() {
    let step = |from, to, marks| MarkedEdge { from, to: Some(to), weight: 1, marks };
    let accept = Marks::ACCEPT;
    // Keys of nodes 0, 1 and 2 have 1, 2 and 3 slots and are filled up to the same values.
    let graph = MarkedGraph::new(3, vec![step(0, 1, accept), step(1, 2, Marks::NONE), step(2, 0, accept)], accept);
    let recording = Recording::new(&graph).unwrap();
    let mut explorer = recording.explorer();
    let (mut layer, mut seen) = (Vec::new(), Vec::new());
    explorer.initial(&mut |state| layer.push(StateBuf::from(state)));
    while let Some(state) = layer.pop() {
        let view = state.as_state();
        assert!(view.key.len() <= recording.layout().slots.len());
        for (value, slot) in view.key.iter().zip(&recording.layout().slots) {
            assert!((slot.lo..=slot.hi).contains(value), "{view:?}");
        }
        let recorded = recording.recorded(view).map(node);
        seen.push((node(recording.project(view)), recorded, recording.marks(view).include(accept)));
        explorer.successors(view, &mut |step| {
            let Outcome::State(next) = step.outcome else { panic!() };
            assert_eq!((step.moves.len(), step.weight, step.marks), (1, 1, Marks::NONE));
            if seen.len() < 40 && !layer.iter().any(|known| known.as_state() == next) {
                layer.push(next.into());
            }
            ControlFlow::Continue(())
        });
        if seen.len() >= 40 {
            break;
        }
    }
    for current in 0..3 {
        assert!(seen.contains(&(current, None, false)));
    }
    // From node 1 the first step has no mark, the second one has.
    assert!(seen.contains(&(2, Some(1), false)) && seen.contains(&(0, Some(1), true)));
    assert!(seen.contains(&(0, Some(0), true)));
}

#[test]
fn steps_and_states_that_no_accepting_cycle_needs_are_left_out() {
    let step = |from, to| MarkedEdge { from, to: Some(to), weight: 1, marks: Marks::ACCEPT };
    let mut graph = MarkedGraph::new(2, vec![step(0, 0), step(0, 1), step(1, 1)], Marks::ACCEPT);
    graph.regions = vec![Region { number: 0, cycles: Cycles::None }, Region { number: 1, cycles: Cycles::All }];
    let recording = Recording::new(&graph).unwrap();
    let result = run("bfs", &recording, &[recording.closed()]);
    // Node 0 is never recorded: so the loop of node 1 is the first.
    assert_eq!((result.witnesses[0].length, recording.loop_start(&result.witnesses[0].path)), (2, Some(1)));
    assert_eq!(result.stats.stored, 3);
}

/// Two different steps with the same moves lead from node 0 to nodes 1 and 2, as where a claim can move in two ways.
/// Only the second one goes back, and node 3 is the end of the first.
struct Ambiguous(Layout);

impl TransitionSystem for Ambiguous {
    fn layout(&self) -> &Layout {
        &self.0
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(AmbiguousWalker)
    }

    fn atoms(&self) -> u32 {
        0
    }

    fn required(&self) -> Marks {
        Marks::ACCEPT
    }
}

struct AmbiguousWalker;

impl Explorer for AmbiguousWalker {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        emit(State::discrete(&[0]));
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        let to: &[i32] = [&[1, 2][..], &[3], &[0], &[3]][from.key[0] as usize];
        let marks = if from.key[0] == 2 { Marks::ACCEPT } else { Marks::NONE };
        for to in to {
            let outcome = Outcome::State(State::discrete(std::slice::from_ref(to)));
            if emit(&Step {
                moves: &[],
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
                break;
            }
        }
        Expansion::default()
    }

    fn holds(&mut self, _: AtomId, _: State<'_>) -> bool {
        false
    }
}

#[test]
fn equal_moves_are_followed_in_every_way() {
    let system = Ambiguous(Layout::new(vec![Slot::new(0, 3)]));
    let recording = Recording::new(&system).unwrap();
    let result = run("bfs", &recording, &[recording.closed()]);
    let path = &result.witnesses[0].path;
    assert_eq!((result.witnesses[0].length, recording.loop_start(path)), (2, Some(0)));
    assert_eq!(recording.loop_start(&path[..1]), None);
    // One turn more: the loop can begin before it or behind it, and does begin somewhere.
    let longer = vec![Vec::new(); 4];
    assert!(matches!(recording.loop_start(&longer), Some(0 | 2)));
    // Three steps end in node 1, 2 or 3: node 1 and 2 have been there only after one step.
    assert_eq!(recording.loop_start(&vec![Vec::new(); 3]), Some(1));
}

#[test]
fn more_conditions_than_a_word_has_bits() {
    // 70 processes take a step each, around a ring.
    let count = 70;
    let step = |n: usize| {
        let marks = Marks::process(n as u16);
        MarkedEdge { from: n, to: Some((n + 1) % count), weight: 1, marks }
    };
    let mut graph = MarkedGraph::new(count, (0..count).map(step).collect(), Marks::processes(count));
    graph.initial = vec![7];
    let recording = Recording::new(&graph).unwrap();
    let result = run("bfs", &recording, &[recording.closed()]);
    assert_eq!((result.witnesses[0].length, recording.loop_start(&result.witnesses[0].path)), (70, Some(0)));
    // One that nobody fulfils is missed.
    graph.required |= Marks::ACCEPT;
    let recording = Recording::new(&graph).unwrap();
    assert!(run("bfs", &recording, &[recording.closed()]).complete);
}

#[test]
fn systems_with_clocks_are_refused() {
    let system = Ambiguous(Layout { cover_len: 4, ..Layout::new(vec![Slot::new(0, 3)]) });
    assert!(Recording::new(&system).is_none());
}
