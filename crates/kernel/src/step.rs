//! Steps: what the search sees of one indivisible move of the system.

use crate::marks::Marks;
use crate::state::State;

/// One edge taken by one process.
///
/// A micro step is one move, or one move followed by those that join it: the receiver of a rendezvous, the hearers of
/// a broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Number of the process in the state (its pid in Promela).
    pub process: u16,
    /// Network-wide number of the edge.
    pub edge: u32,
    /// Which destination of a probabilistic edge was drawn; 0 otherwise.
    pub destination: u16,
    /// True if this move belongs to the same micro step as the move before it.
    pub joins: bool,
}

/// What went wrong inside a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// An `assert` was false.
    Assertion,
    /// An expression had no value or an operation no meaning: division by zero, an index out of range, a dead channel.
    Evaluation,
}

/// A failure and where: enough to tell failures apart and to describe them after replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    pub kind: FailureKind,
    /// Edge during which it happened.
    pub edge: u32,
    /// Which failing check within that edge (the ordinal of an assertion, the code of an evaluation error).
    pub code: u32,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome<'a> {
    State(State<'a>),
    /// The step failed at its last move. If the system can go on in spite of it (a failed assertion), the step is
    /// emitted a second time with the state that it leads to.
    Failure(Failure),
}

/// What is said of a step, in models with prices, besides the state that it leads to. It is no part of that state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// What the step itself costs, without the time before it.
    pub paid: u64,
    /// The model's lower bound of the cost to come, and its order of states, as the step leaves them: 0 without such.
    pub remaining: i32,
    pub heur: i32,
}

impl Price {
    /// Of models without prices, and of steps that fail.
    pub const NONE: Price = Price { paid: 0, remaining: 0, heur: 0 };
}

/// What a step changes.
#[derive(Clone, Copy, Debug)]
pub struct Changes<'a> {
    /// The key that the explorer was asked about: the very slice, by which one can tell whether it is still there.
    pub from: &'a [i32],
    /// The key of the outcome is as long, and differs from it in these slots at most.
    pub slots: &'a [u32],
}

/// One macro step: a chain of micro steps that nothing can interrupt, and its outcome.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    pub moves: &'a [Move],
    /// Steps of one expansion with equal `choice` form one probability distribution.
    pub choice: u32,
    /// Probability or rate of this outcome within its choice; 1 in models without probabilities.
    pub probability: f64,
    /// Length in micro steps, or the cost where the model gives one.
    pub weight: u64,
    pub price: Price,
    /// The conditions on infinite runs that this step fulfils; none in systems that have no such conditions.
    pub marks: Marks,
    pub outcome: Outcome<'a>,
    /// If it is known. Who emits another key with the step need not forget it: it is about another slice then.
    pub changes: Option<Changes<'a>>,
}
