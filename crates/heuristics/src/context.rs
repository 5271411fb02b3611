//! What heuristics are built from: the system, the errors that are looked for, and sometimes a state to get to.

use bughound_ir::expr::Expr;
use bughound_ir::targets::Targets;
use bughound_kernel::registry::BuildError;
use bughound_kernel::{Situation, Watch};
use bughound_semantics::DiscreteSystem;

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
