//! What a search is sent after: the errors that estimates and abstractions are built for.

use crate::expr::Expr;
use crate::network::{LocationId, TemplateId};

/// A state is an error if `condition` has the truth value `wanted` in it.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorCondition {
    pub condition: Expr,
    pub wanted: bool,
}

/// What counts as an error. A state or step is one if any part says so.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Targets {
    /// Nothing moves, and some process may not rest where it is.
    pub deadlock: bool,
    /// A step fails: an assertion is false, or an expression has no value.
    pub failures: bool,
    pub conditions: Vec<ErrorCondition>,
    /// A claim gets to its end. Where it is belongs to every situation.
    pub claim: Option<TemplateId>,
    /// Locations of the claim that are as good as its end: accepting cycles are possible there.
    pub accepting: Vec<LocationId>,
    /// What counts is the cost of runs by the prices of the network, not their steps.
    pub prices: bool,
}

impl Targets {
    pub fn deadlock() -> Self {
        Targets { deadlock: true, ..Targets::default() }
    }

    pub fn failures() -> Self {
        Targets { failures: true, ..Targets::default() }
    }

    pub fn condition(condition: Expr, wanted: bool) -> Self {
        Targets { conditions: vec![ErrorCondition { condition, wanted }], ..Targets::default() }
    }
}
