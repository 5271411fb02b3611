//! Büchi automata with conditions on states as labels.
//!
//! They read as a never claim does: in every state of a run of the model, the first one included, the automaton takes an
//! edge whose label holds in that state. A run of the automaton is accepting if it visits accepting states infinitely
//! often.

use crate::classes::{Class, ClassSet, Components, classify};
use crate::label::Label;

/// A Büchi automaton with one initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buchi {
    /// Atoms in labels have numbers below this.
    pub atoms: usize,
    pub initial: usize,
    pub states: Vec<BuchiState>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuchiState {
    pub accepting: bool,
    /// No two with the same target, none with a label that never holds.
    pub edges: Vec<Edge>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub label: Label,
    pub to: usize,
}

impl Buchi {
    pub fn edge_count(&self) -> usize {
        self.states.iter().map(|state| state.edges.len()).sum()
    }

    /// An accepting state with an edge to itself that can always be taken: whatever comes, it is accepted. To get there
    /// is to have seen a bad prefix. SPIN calls such a state `accept_all`.
    pub fn is_end(&self, state: usize) -> bool {
        let Some(found) = self.states.get(state) else { return false };
        found.accepting && found.edges.iter().any(|edge| edge.to == state && edge.label.is_true())
    }

    pub fn end_states(&self) -> Vec<usize> {
        (0..self.states.len()).filter(|state| self.is_end(*state)).collect()
    }

    /// Whether no word is accepted. Only exact where labels are not false, as in all automata made here.
    pub fn is_empty(&self) -> bool {
        let components = self.components();
        let mut seen = vec![false; self.states.len()];
        let mut open = vec![self.initial];
        while let Some(state) = open.pop() {
            if std::mem::replace(&mut seen[state], true) {
                continue;
            }
            if components.class_of(state) != Class::NonAccepting {
                return false;
            }
            open.extend(self.states[state].edges.iter().map(|edge| edge.to));
        }
        true
    }

    pub fn successors(&self) -> Vec<Vec<usize>> {
        self.states.iter().map(|state| state.edges.iter().map(|edge| edge.to).collect()).collect()
    }

    /// The strongly connected components and their classes.
    pub fn components(&self) -> Components {
        let accepting: Vec<bool> = self.states.iter().map(|state| state.accepting).collect();
        classify(&self.successors(), &accepting)
    }

    /// Which classes of components occur. An end state counts as S only: its component says no more.
    pub fn class_set(&self) -> ClassSet {
        let components = self.components();
        let mut set = ClassSet::default();
        for state in 0..self.states.len() {
            match components.class_of(state) {
                _ if self.is_end(state) => set.end = true,
                Class::NonAccepting => set.non_accepting = true,
                Class::PartiallyAccepting => set.partially = true,
                Class::FullyAccepting => set.fully = true,
            }
        }
        set
    }
}
