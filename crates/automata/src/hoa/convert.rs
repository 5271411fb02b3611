//! Any acceptance condition to Büchi.
//!
//! The condition is written as a disjunction of clauses: sets to visit infinitely often, sets to visit finitely often. A
//! clause of the first kind only is generalised Büchi. For the second kind the automaton guesses from where on the sets
//! are not visited any more, and goes to a copy of itself that does not have those edges.

use std::collections::HashMap;

use crate::buchi::{Buchi, BuchiState, Edge};
use crate::translate::graph::{Arc, Graph, Node, merged};
use crate::translate::{Choice, reduce};

use super::lexer::Place;
use super::parser::{Acceptance, MOST_SETS, Raw};
use super::{HoaAutomaton, HoaError};

/// A condition may have so many clauses.
const MOST_CLAUSES: usize = 64;

/// Sets and complements of sets. The complement of set n is bit n + [`MOST_SETS`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Clause {
    infinitely: u128,
    finitely: u128,
}

pub(super) fn to_buchi(raw: Raw) -> Result<HoaAutomaton, HoaError> {
    let clauses = clauses(&raw.acceptance, raw.acceptance_at)?;
    let numbers = Numbers::of(&raw);
    let automaton = match clauses.as_slice() {
        [Clause { infinitely, finitely: 0 }] if infinitely.count_ones() <= 1 => as_it_is(&raw, &numbers, *infinitely),
        _ => None,
    };
    let automaton = automaton.or_else(|| unfolded(&raw, &numbers, &clauses));
    let automaton =
        automaton.ok_or_else(|| raw.acceptance_at.error("the conditions of this automaton are too large"))?;
    Ok(HoaAutomaton { name: raw.name, atoms: raw.atoms, automaton })
}

fn bit(set: usize, complement: bool) -> u128 {
    1 << (if complement { set + MOST_SETS } else { set })
}

/// The sets that edges with these marks belong to, complements included.
fn with_complements(sets: u64) -> u128 {
    u128::from(sets) | u128::from(!sets) << MOST_SETS
}

/// The disjunction of clauses. Clauses that imply others are left out.
fn clauses(acceptance: &Acceptance, place: Place) -> Result<Vec<Clause>, HoaError> {
    let mut found: Vec<Clause> = match acceptance {
        Acceptance::Constant(false) => Vec::new(),
        Acceptance::Constant(true) => vec![Clause::default()],
        Acceptance::Inf { set, complement } => vec![Clause { infinitely: bit(*set, *complement), finitely: 0 }],
        Acceptance::Fin { set, complement } => vec![Clause { infinitely: 0, finitely: bit(*set, *complement) }],
        Acceptance::Or(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(clauses(part, place)?);
            }
            all
        }
        Acceptance::And(parts) => {
            let mut all = vec![Clause::default()];
            for part in parts {
                let more = clauses(part, place)?;
                let both = |a: &Clause, b: &Clause| Clause {
                    infinitely: a.infinitely | b.infinitely,
                    finitely: a.finitely | b.finitely,
                };
                all = all.iter().flat_map(|a| more.iter().map(|b| both(a, b)).collect::<Vec<_>>()).collect();
                if all.len() > MOST_CLAUSES {
                    return Err(place.error("this acceptance condition has too many cases"));
                }
            }
            all
        }
    };
    // A set that is visited infinitely often and finitely often is not visited at all.
    found.retain(|clause| clause.infinitely & clause.finitely == 0);
    if found.len() > MOST_CLAUSES {
        return Err(place.error("this acceptance condition has too many cases"));
    }
    let weaker = |a: &Clause, b: &Clause| a.infinitely & !b.infinitely == 0 && a.finitely & !b.finitely == 0;
    let mut kept: Vec<Clause> = Vec::new();
    for clause in found {
        if !kept.iter().any(|other| weaker(other, &clause)) {
            kept.retain(|other| !weaker(&clause, other));
            kept.push(clause);
        }
    }
    Ok(kept)
}

/// States are numbered as they are defined; states that are only mentioned have no edges.
struct Numbers {
    dense: HashMap<usize, usize>,
}

impl Numbers {
    fn of(raw: &Raw) -> Numbers {
        let mut all: Vec<usize> = raw.states.iter().map(|state| state.number).collect();
        all.extend(raw.states.iter().flat_map(|state| state.edges.iter().map(|edge| edge.to)));
        all.extend(&raw.starts);
        all.sort_unstable();
        all.dedup();
        Numbers { dense: all.into_iter().enumerate().map(|(dense, number)| (number, dense)).collect() }
    }

    fn len(&self) -> usize {
        self.dense.len()
    }

    fn dense(&self, number: usize) -> usize {
        self.dense.get(&number).copied().unwrap_or(0)
    }
}

/// The automaton with its own states, if all edges out of a state are in the set or none is.
fn as_it_is(raw: &Raw, numbers: &Numbers, set: u128) -> Option<Buchi> {
    let mut states: Vec<BuchiState> =
        (0..numbers.len()).map(|_| BuchiState { accepting: false, edges: Vec::new() }).collect();
    for state in &raw.states {
        let marks = |sets: u64| with_complements(state.sets | sets) & set;
        let accepting = state.edges.iter().all(|edge| marks(edge.sets) == set);
        if !accepting && state.edges.iter().any(|edge| marks(edge.sets) == set) {
            return None;
        }
        let arcs =
            state.edges.iter().map(|edge| Arc { to: numbers.dense(edge.to), marks: 0, label: edge.label.clone() });
        let found = &mut states[numbers.dense(state.number)];
        // A state without edges is what its own marks say.
        found.accepting = if state.edges.is_empty() { marks(0) == set } else { accepting };
        found.edges = merged(arcs.collect()).into_iter().map(|arc| Edge { label: arc.label, to: arc.to }).collect();
    }
    let initial = match raw.starts.as_slice() {
        [only] => numbers.dense(*only),
        several => {
            let edges = several.iter().flat_map(|s| states[numbers.dense(*s)].edges.clone());
            let arcs = edges.map(|e| Arc { to: e.to, marks: 0, label: e.label });
            let edges = merged(arcs.collect()).into_iter().map(|a| Edge { label: a.label, to: a.to }).collect();
            states.push(BuchiState { accepting: false, edges });
            states.len() - 1
        }
    };
    Some(Buchi { atoms: raw.atoms.len(), initial, states })
}

/// Copies of the automaton, one per clause, and one more for the time before the guess.
fn unfolded(raw: &Raw, numbers: &Numbers, clauses: &[Clause]) -> Option<Buchi> {
    let n = numbers.len();
    let most = clauses.iter().map(|clause| clause.infinitely.count_ones()).max().unwrap_or(0).max(1);
    let all_marks = if most == u128::BITS { u128::MAX } else { (1 << most) - 1 };
    // Copy 0 accepts nothing; copy c + 1 is for clause c.
    let mut states = vec![Node::default(); n * (clauses.len() + 1) + 1];
    let initial = states.len() - 1;
    let copy = |clause: usize, state: usize| (clause + 1) * n + numbers.dense(state);
    for state in &raw.states {
        for edge in &state.edges {
            let sets = with_complements(state.sets | edge.sets);
            let (from, to) = (numbers.dense(state.number), numbers.dense(edge.to));
            let arc = |to: usize, marks: u128| Arc { to, marks, label: edge.label.clone() };
            states[from].arcs.push(arc(to, 0));
            for (c, clause) in clauses.iter().enumerate().filter(|(_, clause)| sets & clause.finitely == 0) {
                let marks = marks_of(clause, sets, all_marks);
                states[copy(c, state.number)].arcs.push(arc(copy(c, edge.to), marks));
                if clause.finitely != 0 {
                    states[from].arcs.push(arc(copy(c, edge.to), 0));
                }
            }
        }
    }
    for start in &raw.starts {
        let mut arcs = states[numbers.dense(*start)].arcs.clone();
        for c in 0..clauses.len() {
            arcs.extend(states[copy(c, *start)].arcs.iter().cloned());
        }
        states[initial].arcs.extend(arcs);
    }
    for node in &mut states {
        node.arcs = merged(std::mem::take(&mut node.arcs));
    }
    let mut graph = Graph { atoms: raw.atoms.len(), all_marks, recurring: Vec::new(), initial, states };
    reduce(&mut graph, false);
    let mut buchi = graph.degeneralised(Choice::ALL[0])?;
    reduce(&mut buchi, true);
    Some(buchi.into_buchi())
}

/// One mark per set that the clause wants to see infinitely often; marks that are left over are always there.
fn marks_of(clause: &Clause, sets: u128, all_marks: u128) -> u128 {
    let wanted = (0..u128::BITS).filter(|b| clause.infinitely >> b & 1 == 1);
    wanted.enumerate().fold(all_marks, |marks, (i, b)| if sets >> b & 1 == 1 { marks } else { marks & !(1 << i) })
}
