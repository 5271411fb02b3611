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
use crate::shared::{Id, Node, Shared};

use construct::construct;
pub(crate) use degeneralise::Choice;
use graph::Graph;

/// A limit on states that no property of practical use comes near to.
pub const DEFAULT_LIMIT: usize = 10_000;

/// Above this many states only one way to a Büchi automaton is tried: the others cost more than they may save.
const FEW_STATES: usize = 100;

/// The first way to an automaton may cost so many comparisons of cubes: a few seconds. Others may cost less.
const MOST_WORK: usize = 200_000_000;
const LITTLE_WORK: usize = 1_000_000;

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
    /// The translation would take too long.
    TooMuchWork,
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
            TranslateError::TooMuchWork => write!(f, "the formula is too complicated: its translation takes too long"),
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
    let limits = Limits { states: limit, work: MOST_WORK };
    let (mut best, suspended) = attempt(formula, Way { simplifying: true, suspending: true }, limits)?;
    // This is the best way for nearly all formulas; where the result is small, see whether this is one of the others.
    for simplifying in [true, false] {
        if (2..=FEW_STATES).contains(&best.states.len()) && (suspended || !simplifying) {
            let limits = Limits { states: limit.min(best.states.len() * 20 + 100), work: LITTLE_WORK };
            if let Ok((other, _)) = attempt(formula, Way { simplifying, suspending: false }, limits) {
                best = smaller(best, other);
            }
        }
    }
    Ok(best.into_buchi())
}

#[derive(Clone, Copy, Debug)]
struct Limits {
    states: usize,
    /// Comparisons of cubes while the generalised automaton is made.
    work: usize,
}

/// Choices that do not change what is accepted but may change the size of the result.
#[derive(Clone, Copy, Debug)]
struct Way {
    simplifying: bool,
    /// Conditions that must hold infinitely often are left out of the generalised automaton.
    suspending: bool,
}

fn smaller(a: Graph, b: Graph) -> Graph {
    if b.size() < a.size() { b } else { a }
}

/// The automaton, and whether a condition was left out of the generalised one.
fn attempt(formula: &Formula, way: Way, limits: Limits) -> Result<(Graph, bool), TranslateError> {
    let mut shared = Shared::new(way.simplifying);
    let whole = shared.add(formula);
    let (id, recurring) = if way.suspending { suspended(&mut shared, whole) } else { (whole, Vec::new()) };
    let (mut generalised, recurring) = construct(&shared, id, &recurring, formula.atoms(), limits)?;
    let suspended = !recurring.is_empty();
    generalised.recurring = recurring;
    reduce(&mut generalised, false);
    let choices = if generalised.states.len() <= FEW_STATES { &Choice::ALL[..] } else { &Choice::ALL[..1] };
    let mut best: Option<Graph> = None;
    for choice in choices {
        let mut graph = generalised.degeneralised(*choice).ok_or(TranslateError::LabelTooLarge)?;
        if graph.states.len() > limits.states {
            return Err(TranslateError::TooLarge { limit: limits.states, what: "states" });
        }
        reduce(&mut graph, true);
        best = Some(best.map_or(graph.clone(), |best| smaller(best, graph)));
    }
    Ok((best.unwrap_or_else(|| Graph::empty(formula.atoms())), suspended))
}

/// A conjunction without the parts that only say that a condition on one state holds infinitely often, and these
/// conditions. `[](f && <>p)` is such a conjunction as well.
fn suspended(shared: &mut Shared, id: Id) -> (Id, Vec<Id>) {
    let (mut rest, mut conditions) = (Vec::new(), Vec::new());
    for part in conjuncts(shared, id) {
        let Node::Release(Shared::FALSE, inner) = *shared.node(part) else {
            rest.push(part);
            continue;
        };
        let mut always = Vec::new();
        for part in conjuncts(shared, inner) {
            match *shared.node(part) {
                Node::Until(Shared::TRUE, condition) if shared.facts(condition).boolean => conditions.push(condition),
                _ => always.push(part),
            }
        }
        let always = shared.and(always);
        rest.push(shared.release(Shared::FALSE, always));
    }
    (shared.and(rest), conditions)
}

fn conjuncts(shared: &Shared, id: Id) -> Vec<Id> {
    match shared.node(id) {
        Node::And(parts) => parts.clone(),
        _ => vec![id],
    }
}

/// Merges and prunes until nothing changes. A Büchi automaton has its mark on states.
pub(crate) fn reduce(graph: &mut Graph, buchi: bool) {
    graph.prune();
    loop {
        let before = graph.size();
        if buchi {
            graph.normalise_acceptance();
        }
        graph.merge_identical();
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
