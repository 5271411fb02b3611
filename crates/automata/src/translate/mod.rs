//! From formulas to small Büchi automata.
//!
//! 1. The formula is simplified (`simplify.rs`).
//! 2. Its steps make a generalised automaton with marks on edges (`expand.rs`, `construct.rs`).
//! 3. That is reduced: states that accept nothing, states that simulate each other (`graph.rs`, `simulation.rs`).
//! 4. It becomes a Büchi automaton with accepting states (`degeneralise.rs`), in several ways.
//! 5. Each is reduced again (also `delayed.rs`), and the smallest is the result.

mod construct;
mod degeneralise;
mod delayed;
mod expand;
pub(crate) mod graph;
mod simulation;

use std::fmt;

use crate::buchi::Buchi;
use crate::formula::Formula;
use crate::label::MOST_ATOMS;
use crate::shared::Shared;

use construct::construct;
pub(crate) use degeneralise::Choice;
use graph::Graph;

/// A limit on states that no property of practical use comes near to.
pub const DEFAULT_LIMIT: usize = 10_000;

/// Above this many states only one way to a Büchi automaton is tried: the others cost more than they may save.
const FEW_STATES: usize = 100;

/// Why there is no automaton for a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranslateError {
    /// There would be more than `limit` of something.
    TooLarge {
        limit: usize,
        what: &'static str,
    },
    /// A condition on a single state is too large for a list of cubes.
    LabelTooLarge,
    /// This atom has a number that is too large.
    TooManyAtoms {
        atom: u32,
    },
    TooManyUntils,
}

impl fmt::Display for TranslateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TranslateError::TooLarge { limit, what } => {
                write!(f, "the automaton of this formula is too large: it has more than {limit} {what}")
            }
            TranslateError::LabelTooLarge => {
                write!(
                    f,
                    "the automaton of this formula is too large: a condition on a single state has too many cases"
                )
            }
            TranslateError::TooManyAtoms { atom } => {
                write!(f, "the formula has too many atoms: number {atom} is not below {MOST_ATOMS}")
            }
            TranslateError::TooManyUntils => {
                write!(f, "the formula is too large: more than 128 different things have to happen eventually")
            }
        }
    }
}

impl std::error::Error for TranslateError {}

/// A Büchi automaton that accepts exactly the words of which the formula is true. To check a property, translate its
/// negation.
pub fn translate(formula: &Formula, limit: usize) -> Result<Buchi, TranslateError> {
    let atoms = formula.atoms();
    if atoms > MOST_ATOMS {
        return Err(TranslateError::TooManyAtoms { atom: atoms as u32 - 1 });
    }
    let simplified = attempt(formula, atoms, limit, true);
    let plain = match &simplified {
        // The rules are good for nearly all formulas; where the result is small, see whether this is one of the others.
        Ok(graph) if graph.states.len() > 1 && graph.states.len() <= FEW_STATES => {
            attempt(formula, atoms, graph.states.len() * 20 + 100, false).ok()
        }
        _ => None,
    };
    let graph = simplified?;
    Ok(plain.into_iter().fold(graph, smaller).into_buchi())
}

fn smaller(a: Graph, b: Graph) -> Graph {
    if b.size() < a.size() { b } else { a }
}

fn attempt(formula: &Formula, atoms: usize, limit: usize, simplifying: bool) -> Result<Graph, TranslateError> {
    let mut shared = Shared::new(simplifying);
    let id = shared.add(formula);
    let mut generalised = construct(&shared, id, atoms, limit)?;
    reduce(&mut generalised, false);
    let choices = if generalised.states.len() <= FEW_STATES { &Choice::ALL[..] } else { &Choice::ALL[..1] };
    let results = choices.iter().map(|choice| {
        let mut graph = generalised.degeneralised(*choice);
        reduce(&mut graph, true);
        graph
    });
    let best = results.reduce(smaller).unwrap_or_else(|| Graph::empty(atoms));
    if best.states.len() > limit {
        return Err(TranslateError::TooLarge { limit, what: "states" });
    }
    Ok(best)
}

/// Merges and prunes until nothing changes. A Büchi automaton has its mark on states.
pub(crate) fn reduce(graph: &mut Graph, buchi: bool) {
    graph.prune();
    loop {
        let before = graph.size();
        if buchi {
            graph.normalise_acceptance();
        }
        graph.merge_forward();
        graph.merge_backward();
        if buchi {
            graph.normalise_acceptance();
            graph.merge_delayed();
        }
        if graph.size() == before {
            return;
        }
    }
}
