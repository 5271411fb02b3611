//! What heuristics are built from: the system, the errors that are looked for, and sometimes a state to get to.

use bughound_ir::expr::Expr;
use bughound_ir::network::{LocationId, TemplateId};
use bughound_kernel::registry::BuildError;
use bughound_kernel::{Situation, Watch};
use bughound_semantics::DiscreteSystem;

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

/// What every constructor is given.
#[derive(Clone, Copy)]
pub struct BuildCx<'a, 'w> {
    pub system: &'a DiscreteSystem,
    pub targets: &'a Targets,
    /// For heuristics that estimate the distance to one known state.
    pub goal_state: Option<Situation<'a>>,
    /// Reads an expression in the language of the model.
    pub read_expression: &'a dyn Fn(&str) -> Result<Expr, String>,
    /// Is told how the building goes on. Where it says so, heuristics become coarser, never wrong.
    pub watch: &'w dyn Watch,
}

impl<'a> BuildCx<'a, '_> {
    /// The state to get to; an error for a heuristic that cannot do without.
    pub fn require_goal_state(&self, name: &str) -> Result<Situation<'a>, BuildError> {
        self.goal_state.ok_or_else(|| {
            let message = format!(
                "`{name}` estimates the distance to a known state: use it to improve a trace, as in \
                 `trail-directed(h={name})`"
            );
            BuildError::new(message, 0..0)
        })
    }
}
