//! Several conditions counted as one: the accepting cycles stay the same.

#[allow(dead_code)]
use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::marked::*;
use bughound_kernel::*;
use bughound_layers::OneCondition;

/// The layer written out as a graph, its states numbered as they are found. Marks must lie on states.
fn written_out(layer: &OneCondition<'_>) -> (MarkedGraph, Vec<StateBuf>) {
    let mut explorer = layer.explorer();
    let mut numbers: HashMap<StateBuf, usize> = HashMap::new();
    let mut states: Vec<StateBuf> = Vec::new();
    let mut number = |state: State<'_>, states: &mut Vec<StateBuf>| {
        *numbers.entry(state.into()).or_insert_with(|| {
            states.push(state.into());
            states.len() - 1
        })
    };
    let mut initial = Vec::new();
    explorer.initial(&mut |state| initial.push(number(state, &mut states)));
    let (mut edges, mut from) = (Vec::new(), 0);
    while from < states.len() {
        let state = states[from].clone();
        explorer.successors(state.as_state(), &mut |step| {
            if let Outcome::State(next) = step.outcome {
                let to = Some(number(next, &mut states));
                edges.push(MarkedEdge { from, to, weight: step.weight, marks: step.marks });
            }
            ControlFlow::Continue(())
        });
        from += 1;
    }
    let mut graph = MarkedGraph::new(states.len(), edges, layer.required());
    graph.initial = initial;
    (graph, states)
}

#[test]
fn there_are_accepting_cycles_where_there_were_some() {
    let (mut some, mut none) = (0, 0);
    for seed in 0..1000 {
        let graph = if seed % 2 == 0 { random_marked(seed) } else { random_product(seed, seed as usize / 2 % 4) };
        let layer = OneCondition::new(&graph);
        assert_eq!(layer.required(), Marks::ACCEPT);
        let (counted, states) = written_out(&layer);
        assert!(counted.has_marks_of_states(), "seed {seed}");
        assert_eq!(counted.has_accepting_cycle(), graph.has_accepting_cycle(), "seed {seed}");
        *(if graph.has_accepting_cycle() { &mut some } else { &mut none }) += 1;
        // Up to one copy of a state for each value of the counter.
        assert!(counted.nodes <= graph.nodes * (graph.required.len() as usize + 1), "seed {seed}");
        let slots = &layer.layout().slots;
        for state in &states {
            let inside = |(value, slot): (&i32, &Slot)| (slot.lo..=slot.hi).contains(value);
            assert!(state.key.iter().zip(slots).all(inside), "seed {seed}: {state:?}");
        }
        check_regions(seed, &layer, &counted, &states);
    }
    assert!(some > 250 && none > 250, "{some} {none}");
}

/// What the layer says about regions is true of the graph that it makes.
fn check_regions(seed: u64, layer: &OneCondition<'_>, counted: &MarkedGraph, states: &[StateBuf]) {
    let accepting = counted.on_accepting_cycles();
    // Without the edges that accept, the cycles that are left are those that do not.
    let rest = counted.edges.iter().filter(|edge| edge.marks.is_empty()).copied().collect();
    let rejecting = MarkedGraph::new(counted.nodes, rest, Marks::NONE).on_accepting_cycles();
    for (at, state) in states.iter().enumerate() {
        match layer.region(state.as_state()).cycles {
            Cycles::None => assert!(!accepting[at], "seed {seed}"),
            Cycles::All => assert!(!rejecting[at], "seed {seed}"),
            Cycles::Some => {}
        }
    }
}

#[test]
fn steps_that_fulfil_several_conditions_count_for_all_of_them() {
    let (both, third) = (Marks::ACCEPT | Marks::process(0), Marks::process(1));
    let step = |from, to, marks| MarkedEdge { from, to: Some(to), weight: 1, marks };
    let graph = MarkedGraph::new(2, vec![step(0, 1, both), step(1, 0, third)], both | third);
    let layer = OneCondition::new(&graph);
    let mut explorer = layer.explorer();
    let mut state = StateBuf::default();
    explorer.initial(&mut |initial| state = initial.into());
    let mut seen = Vec::new();
    for _ in 0..5 {
        let mut next = StateBuf::default();
        let from = state.as_state();
        explorer.successors(from, &mut |step| {
            let Outcome::State(state) = step.outcome else { panic!() };
            seen.push((from.key[0], node(layer.project(from)), !step.marks.is_empty()));
            next.set(state);
            ControlFlow::Continue(())
        });
        state = next;
    }
    // Two turns are counted at once. When all three have been seen the state accepts, and the counter starts again.
    assert_eq!(seen, [(0, 0, false), (2, 1, false), (3, 0, true), (2, 1, false), (3, 0, true)]);
}
