//! A probabilistic model as both languages describe it, when everything that is only notation is gone.
//!
//! Constants have their values, formulas and labels are expanded, modules renamed, functions without recursion replaced by their
//! bodies, types checked. A PRISM module is an automaton with one location; a JANI automaton has its own. Which edges happen
//! together is said by [`Vector`]s, for both languages: PRISM's actions, its `system … endsystem`, JANI's `syncs`.

use std::sync::Arc;

use bughound_ir::chance::{ChanceQuestion, Kind, Number};
use bughound_ir::source::{SourceMap, Span};

#[derive(Clone, Debug)]
pub struct Model {
    pub name: String,
    pub kind: Kind,
    pub sources: Arc<SourceMap>,
    /// Of all automata, and the global ones. Transient ones (JANI) are not among them.
    pub variables: Vec<Variable>,
    pub automata: Vec<Automaton>,
    pub vectors: Vec<Vector>,
    pub initial: Initial,
    pub rewards: Vec<Reward>,
    /// Conditions with names, for properties, results and explicit formats.
    pub labels: Vec<Label>,
    /// Constants and formulas, for properties that are read later.
    pub definitions: Vec<Definition>,
    pub properties: Vec<Property>,
}

/// A name for a value or for an expression.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    /// Or why it has none: a constant was not given.
    pub value: Result<Expr, Unsupported>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

#[derive(Clone, Debug)]
pub struct Variable {
    /// As the user writes it; variables of JANI automata have their automaton before it if the name alone is ambiguous:
    /// `sender.n`.
    pub name: String,
    /// Of a scalar, or of each element.
    pub ty: StateType,
    /// Number of elements, if it is an array. Arrays of arrays are flattened by the reader.
    pub len: Option<u32>,
    /// The automaton that owns it; `None`: global.
    pub owner: Option<u32>,
    /// Of a scalar: one value; of an array: one for each element. `None` if [`Model::initial`] says it.
    pub initial: Option<Vec<i32>>,
    pub span: Span,
}

/// Types of what a state is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateType {
    Bool,
    /// Leaving these bounds is an error, with the state. `int` has those of 32 bits.
    Int {
        lo: i32,
        hi: i32,
    },
}

#[derive(Clone, Debug)]
pub enum Initial {
    /// The values that the variables have; every automaton in its first initial location.
    Values,
    /// All valuations of the variables without an initial value, and all combinations of initial locations, in which this is
    /// true.
    Where(Expr),
}

/// A process: module or automaton.
#[derive(Clone, Debug)]
pub struct Automaton {
    pub name: String,
    pub locations: Vec<Location>,
    /// Indices of `locations`; at least one.
    pub initial: Vec<u32>,
    pub edges: Vec<Edge>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Location {
    pub name: String,
    pub span: Span,
}

/// Index of an action name, for [`Edge::action`] and [`Vector::parts`]. Numbers mean something only inside of an automaton
/// and the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActionId(pub u32);

/// A command: `[a] guard -> p1: u1 + p2: u2`.
#[derive(Clone, Debug)]
pub struct Edge {
    pub from: u32,
    /// `None`: it happens alone. With an action it happens only as part of a [`Vector`].
    pub action: Option<ActionId>,
    pub guard: Expr,
    /// Of CTMCs where the language separates the total rate from the shares (JANI); `None` is 1.
    pub rate: Option<Expr>,
    pub destinations: Vec<Destination>,
    /// The command as the user wrote it, without line breaks.
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Destination {
    /// Probability, or rate; `None` is 1. Evaluated only if the guard is true.
    pub chance: Option<Expr>,
    /// Phases, one after the other; all assignments of a phase happen at once and read the state before the phase. In a
    /// vector, phases with the same index of all its edges are one phase (JANI's `index`; PRISM has one phase).
    pub phases: Vec<Phase>,
    pub to: u32,
    /// Its part of the command, as the user wrote it, such as `0.5 : (x'=1)`; empty if the command has no other.
    pub text: String,
    pub span: Span,
}

pub type Phase = Vec<Assignment>;

#[derive(Clone, Debug)]
pub struct Assignment {
    pub target: Target,
    pub value: Expr,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Target {
    pub variable: VariableId,
    /// Of arrays; the reader has flattened several indices to one.
    pub index: Option<Expr>,
}

/// Edges that happen together: one with the given action of each automaton listed. All combinations of enabled edges are
/// separate choices; their chances multiply. (The rates, and the shares.)
#[derive(Clone, Debug)]
pub struct Vector {
    /// (automaton, action), each automaton once, in their order.
    pub parts: Vec<(u32, ActionId)>,
    /// The name that the step has, for rewards and traces; `None`: silent.
    pub name: Option<String>,
}

/// A reward structure.
#[derive(Clone, Debug)]
pub struct Reward {
    /// `None`: PRISM's structure without a name.
    pub name: Option<String>,
    pub items: Vec<RewardItem>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct RewardItem {
    pub of: Rewarded,
    /// In the state (before the step).
    pub guard: Expr,
    pub value: Expr,
    pub span: Span,
}

/// What earns a reward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rewarded {
    /// Being in a state: per step in discrete time, per unit of time in continuous time.
    State,
    /// Leaving a state, once, also in continuous time (JANI's `exit`).
    Exit,
    /// Any step, once per choice.
    Step,
    /// A choice of an edge without an action, or of a vector without a name.
    Silent,
    /// A choice of a vector with this name, given as an index of [`Model::vectors`]: all vectors with that name count.
    Vector(u32),
    /// An edge of an automaton; with a destination: if that is where it leads.
    Edge { automaton: u32, edge: u32, destination: Option<u32> },
}

#[derive(Clone, Debug)]
pub struct Label {
    pub name: String,
    pub condition: Expr,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Property {
    /// Its name, or else its text without line breaks.
    pub name: String,
    pub text: String,
    pub question: Result<ChanceQuestion<Expr>, Unsupported>,
    /// What the file says that the answer is (PRISM's `// RESULT`).
    pub recorded: Vec<Recorded>,
    pub span: Span,
}

/// Why it cannot be answered: "LTL formulas are not supported".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

/// A result that stands in a property file.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The constants for which it was recorded; empty: whatever they are.
    pub constants: Vec<(String, String)>,
    /// As it is written: a number, a fraction, `true`, `Infinity`, `Error:…`, `?`.
    pub value: String,
    pub span: Span,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Type,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Bool,
    Int,
    /// Everything that is computed in exact fractions. An `Int` operand next to a `Real` one is promoted without a node.
    Real,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Bool(bool),
    Int(i32),
    /// A literal (0.1 is 1/10) or the value of a constant. What has no exact value (`log`, roots, π) is the fraction that the
    /// nearest `f64` is.
    Real(Number),
    Variable(VariableId),
    /// Outside of the array is an error, with the state.
    Element(VariableId, Box<Expr>),
    /// Is this automaton at this location? (JANI has no such expression, but rewards and labels of locations need it.)
    At {
        automaton: u32,
        location: u32,
    },
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// Only the branch that is chosen is evaluated.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    Not,
    /// Int or Real, as its operand.
    Minus,
    /// Real (or Int) to Int: the next whole number below, above, and the nearest one (halves upwards, as PRISM rounds).
    Floor,
    Ceil,
    Round,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// Its right side is evaluated only if the left one does not decide, here and in `Or` and `Implies`.
    And,
    Or,
    Implies,
    Iff,
    /// Of two values of the same type, or of an Int and a Real.
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// Int of two Ints, Real otherwise.
    Add,
    Subtract,
    Multiply,
    /// Always Real; by 0 it is an error.
    Divide,
    /// Int of two Ints; the result is in 0..b-1, and b <= 0 is an error.
    Modulo,
    /// Int of two Ints (a negative exponent is an error); Real otherwise (the exponent may then be any number).
    Power,
    /// `log(x, base)`; Real.
    Logarithm,
    /// Int of two Ints, Real otherwise.
    Min,
    Max,
}
