//! Merging of states by simulation, forward and backward.
//!
//! Papers: Somenzi, Bloem 2000, "Efficient Büchi automata from LTL formulae" (direct and reverse simulation); Babiak,
//! Badie, Duret-Lutz, Křetínský, Strejček 2013, "Compositional approach to suspension and other improvements to LTL
//! translation" (simulation for generalised automata with marks on edges).
//!
//! A state simulates another if it can answer each of its moves, now and for ever, on every letter, with at least the
//! same marks. An answer may be put together from several arcs, one for some letters and one for others.

use std::collections::HashMap;

use crate::label::Label;

use super::graph::{Graph, Node, merged};

/// Larger automata are left alone: the relation is quadratic, and each of its pairs is asked about often. The same holds
/// for the prime implicants of all labels together.
const MOST_STATES: usize = 1000;
const MOST_WEIGHT: usize = 10_000;
/// Pairs of moves that may be compared: a second or two.
const MOST_WORK: usize = 60_000_000;

/// An arc as seen from one of its ends.
struct Move<'a> {
    label: &'a Label,
    marks: u128,
    other: usize,
}

/// `relation[s][t]`: t simulates s. The moves of every state are given; what else a state must have to simulate another
/// is asked of `may`. States are looked at in the given order, best so that their moves lead to earlier ones. `None` if
/// it takes too long.
fn simulation(moves: &[Vec<Move<'_>>], order: &[usize], may: impl Fn(usize, usize) -> bool) -> Option<Vec<Vec<bool>>> {
    let n = moves.len();
    let mut relation: Vec<Vec<bool>> = (0..n).map(|s| (0..n).map(|t| may(s, t)).collect()).collect();
    let mut work = MOST_WORK;
    loop {
        let mut changed = false;
        for s in order.iter().copied() {
            for t in (0..n).filter(|t| *t != s) {
                if relation[s][t] {
                    work = work.checked_sub(moves[s].len() * moves[t].len() + 1)?;
                    let answered = moves[s].iter().all(|m| {
                        let answers = moves[t].iter().filter(|a| m.marks & !a.marks == 0 && relation[m.other][a.other]);
                        covered(m.label, answers.map(|a| a.label))
                    });
                    if !answered {
                        relation[s][t] = false;
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            return Some(relation);
        }
    }
}

/// Whether the label is implied by one of the others, or by all of them together.
fn covered<'a>(label: &Label, others: impl Iterator<Item = &'a Label>) -> bool {
    let mut union = Label::never();
    for other in others {
        if label.implies(other) {
            return true;
        }
        match union.or(other) {
            Some(both) => union = both,
            None => return false,
        }
    }
    label.implies(&union)
}

impl Graph {
    fn is_too_large_for_simulation(&self) -> bool {
        let weight: usize = self.states.iter().flat_map(|node| &node.arcs).map(|arc| arc.label.weight()).sum();
        self.states.len() > MOST_STATES || weight > MOST_WEIGHT
    }

    /// Merges states with the same arcs, which is cheap enough for automata of all sizes.
    pub fn merge_identical(&mut self) {
        loop {
            let mut first_of: HashMap<&Node, usize> = HashMap::new();
            let member_of: Vec<usize> =
                self.states.iter().enumerate().map(|(s, node)| *first_of.entry(node).or_insert(s)).collect();
            let merged = first_of.len() < self.states.len();
            if !merged {
                return;
            }
            self.redirect(&member_of);
        }
    }

    /// Merges states that simulate each other and drops arcs that another arc of the same state makes superfluous.
    pub fn merge_forward(&mut self) {
        if self.is_too_large_for_simulation() {
            return;
        }
        let moves: Vec<Vec<Move<'_>>> = self
            .states
            .iter()
            .map(|node| node.arcs.iter().map(|a| Move { label: &a.label, marks: a.marks, other: a.to }).collect())
            .collect();
        // Pruning has numbered the states along their arcs.
        let order: Vec<usize> = (0..self.states.len()).rev().collect();
        let relation = simulation(&moves, &order, |s, t| self.states[s].marks & !self.states[t].marks == 0);
        drop(moves);
        let Some(relation) = relation else { return };
        for node in &mut self.states {
            let mut kept = std::mem::take(&mut node.arcs);
            let mut i = 0;
            while i < kept.len() {
                let arc = &kept[i];
                let better = kept
                    .iter()
                    .enumerate()
                    .filter(|(j, other)| *j != i && arc.marks & !other.marks == 0 && relation[arc.to][other.to]);
                if covered(&arc.label, better.map(|(_, other)| &other.label)) {
                    kept.remove(i);
                } else {
                    i += 1;
                }
            }
            node.arcs = kept;
        }
        // Arcs of one member can do all that the others can.
        self.merge(&relation, false);
    }

    /// Merges states that are reached in the same ways.
    pub fn merge_backward(&mut self) {
        if self.is_too_large_for_simulation() {
            return;
        }
        let mut moves: Vec<Vec<Move<'_>>> = self.states.iter().map(|_| Vec::new()).collect();
        for (from, node) in self.states.iter().enumerate() {
            for arc in &node.arcs {
                moves[arc.to].push(Move { label: &arc.label, marks: arc.marks, other: from });
            }
        }
        let order: Vec<usize> = (0..self.states.len()).collect();
        let relation = simulation(&moves, &order, |s, t| {
            self.states[s].marks & !self.states[t].marks == 0 && (s != self.initial || t == self.initial)
        });
        drop(moves);
        let Some(relation) = relation else { return };
        self.merge(&relation, true);
    }

    /// Makes one state of those that are related in both directions. Its arcs are those of all members, or those of one.
    pub fn merge(&mut self, relation: &[Vec<bool>], all_arcs: bool) {
        let n = self.states.len();
        let member_of: Vec<usize> =
            (0..n).map(|s| (0..s).find(|t| relation[s][*t] && relation[*t][s]).unwrap_or(s)).collect();
        if all_arcs {
            for s in (0..n).filter(|s| member_of[*s] != *s) {
                let arcs = std::mem::take(&mut self.states[s].arcs);
                let marks = self.states[s].marks;
                let representative = &mut self.states[member_of[s]];
                representative.arcs.extend(arcs);
                representative.marks |= marks;
            }
        }
        self.redirect(&member_of);
    }

    /// Lets every arc lead to the representative of its target, and drops what cannot be reached then.
    fn redirect(&mut self, member_of: &[usize]) {
        for node in &mut self.states {
            for arc in &mut node.arcs {
                arc.to = member_of[arc.to];
            }
            node.arcs = merged(std::mem::take(&mut node.arcs));
        }
        self.initial = member_of[self.initial];
        self.prune();
    }
}
