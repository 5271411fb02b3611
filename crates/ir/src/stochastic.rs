//! What a probabilistic model says besides its processes: what kind it is, its rewards and its labels.

use crate::chance::Kind;
use crate::edge::EdgeId;
use crate::expr::Expr;
use crate::real::Real;

#[derive(Clone, Debug, PartialEq)]
pub struct Stochastic {
    pub kind: Kind,
    /// If the only step of the initial state of the network chooses where the model begins: what is true from then on. Its successors
    /// are the initial states of the model, and it is none itself, whatever values variables have in it.
    pub started: Option<Expr>,
    pub rewards: Vec<RewardStructure>,
    /// Conditions with names.
    pub labels: Vec<(String, Expr)>,
    /// Constants without an exact value (roots, logarithms) were rounded to the nearest double when it was read.
    pub rounded: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RewardStructure {
    /// As the user calls it; `None` if it has no name.
    pub name: Option<String>,
    /// What a state or a step earns is the sum of what fits it.
    pub items: Vec<RewardItem>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RewardItem {
    pub of: Rewarded,
    /// In the state before the step.
    pub guard: Expr,
    pub value: Real,
}

/// What earns a reward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rewarded {
    /// Being in a state: per step in discrete time, per unit of time in continuous time.
    State,
    /// Leaving a state, once, in continuous time, too.
    Exit,
    /// Any step.
    Step,
    /// A step without a name: of an edge that happens alone, or of a vector without a name.
    Silent,
    /// A step of a vector with the same name as this one.
    Vector(u32),
    /// A step in which this edge takes part; with a destination: and leads there.
    Edge { edge: EdgeId, destination: Option<u16> },
}
