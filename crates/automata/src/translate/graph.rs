//! The automaton in the making: generalised acceptance, with marks on edges or on states.
//!
//! A run is accepting if it meets each mark infinitely often, on edges or on states. The generalised automaton has its
//! marks on edges; the Büchi automaton made of it has one mark, on states.

use std::collections::HashMap;

use crate::buchi::{Buchi, BuchiState, Edge};
use crate::classes::{Class, classify, strong_components};
use crate::label::Label;

#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub atoms: usize,
    /// The set of all marks, as bits.
    pub all_marks: u128,
    /// Conditions that must hold infinitely often, besides the marks. They depend on the word only, so no reduction has
    /// to know them; only a Büchi automaton has none.
    pub recurring: Vec<Label>,
    pub initial: usize,
    pub states: Vec<Node>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    pub marks: u128,
    pub arcs: Vec<Arc>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Arc {
    pub to: usize,
    pub marks: u128,
    pub label: Label,
}

impl Graph {
    /// An automaton that accepts nothing.
    pub fn empty(atoms: usize) -> Graph {
        Graph { atoms, all_marks: 1, recurring: Vec::new(), initial: 0, states: vec![Node::default()] }
    }

    pub fn successors(&self) -> Vec<Vec<usize>> {
        self.states.iter().map(|node| node.arcs.iter().map(|arc| arc.to).collect()).collect()
    }

    /// States first, then edges: what is to be small.
    pub fn size(&self) -> (usize, usize) {
        (self.states.len(), self.states.iter().map(|node| node.arcs.len()).sum())
    }

    /// The component of every state, and for every component whether a run can stay there and be accepted.
    pub fn accepting_components(&self) -> (Vec<usize>, Vec<bool>) {
        let (component, count) = strong_components(&self.successors());
        let mut cyclic = vec![false; count];
        let mut marks = vec![0; count];
        let mut recurs = vec![vec![false; self.recurring.len()]; count];
        for (state, node) in self.states.iter().enumerate() {
            for arc in node.arcs.iter().filter(|arc| component[arc.to] == component[state]) {
                cyclic[component[state]] = true;
                marks[component[state]] |= arc.marks | node.marks;
                for (condition, seen) in self.recurring.iter().zip(&mut recurs[component[state]]) {
                    *seen |= arc.label.and(condition).is_none_or(|both| !both.is_false());
                }
            }
        }
        let accepting =
            (0..count).map(|c| cyclic[c] && marks[c] == self.all_marks && !recurs[c].contains(&false)).collect();
        (component, accepting)
    }

    /// Without states that cannot be reached or reach no accepting component, and without marks that say nothing.
    pub fn prune(&mut self) {
        let (component, accepting) = self.accepting_components();
        // Components are numbered against the direction of edges: one pass sees all successors first.
        let mut useful = accepting.clone();
        let mut by_component: Vec<usize> = (0..self.states.len()).collect();
        by_component.sort_by_key(|state| component[*state]);
        for state in by_component {
            useful[component[state]] |= self.states[state].arcs.iter().any(|arc| useful[component[arc.to]]);
        }
        for (state, node) in self.states.iter_mut().enumerate() {
            node.arcs.retain(|arc| useful[component[arc.to]]);
            if !accepting[component[state]] {
                node.marks = 0;
            }
            for arc in &mut node.arcs {
                if !accepting[component[state]] || component[arc.to] != component[state] {
                    arc.marks = 0;
                }
            }
        }
        self.keep_reachable();
    }

    /// Drops what cannot be reached, and numbers the states in the order in which a walk from the initial state meets
    /// them.
    fn keep_reachable(&mut self) {
        let mut number: HashMap<usize, usize> = HashMap::from([(self.initial, 0)]);
        let mut order = vec![self.initial];
        let mut done = 0;
        while let Some(state) = order.get(done).copied() {
            for arc in &self.states[state].arcs {
                number.entry(arc.to).or_insert_with(|| {
                    order.push(arc.to);
                    order.len() - 1
                });
            }
            done += 1;
        }
        let mut states = Vec::with_capacity(order.len());
        for state in order {
            let mut node = std::mem::take(&mut self.states[state]);
            for arc in &mut node.arcs {
                arc.to = number[&arc.to];
            }
            node.arcs = merged(node.arcs);
            states.push(node);
        }
        self.initial = 0;
        self.states = states;
    }

    /// For a Büchi automaton: marks exactly the states where that helps to see what is going on. None where no cycle
    /// is accepting, all where every cycle is.
    pub fn normalise_acceptance(&mut self) {
        let accepting: Vec<bool> = self.states.iter().map(|node| node.marks != 0).collect();
        let components = classify(&self.successors(), &accepting);
        for (state, node) in self.states.iter_mut().enumerate() {
            match components.class_of(state) {
                Class::NonAccepting => node.marks = 0,
                Class::FullyAccepting => node.marks = 1,
                Class::PartiallyAccepting => {}
            }
        }
    }

    pub fn into_buchi(self) -> Buchi {
        let state = |node: Node| BuchiState {
            accepting: node.marks != 0,
            edges: node.arcs.into_iter().map(|arc| Edge { label: arc.label, to: arc.to }).collect(),
        };
        Buchi { atoms: self.atoms, initial: self.initial, states: self.states.into_iter().map(state).collect() }
    }
}

/// One arc for those with the same target and the same marks, where their labels together are not too large.
pub(crate) fn merged(mut arcs: Vec<Arc>) -> Vec<Arc> {
    arcs.retain(|arc| !arc.label.is_false());
    arcs.sort();
    let mut merged: Vec<Arc> = Vec::with_capacity(arcs.len());
    for arc in arcs {
        if let Some(last) = merged.last_mut()
            && (last.to, last.marks) == (arc.to, arc.marks)
            && let Some(label) = last.label.or(&arc.label)
        {
            last.label = label;
        } else {
            merged.push(arc);
        }
    }
    merged
}
