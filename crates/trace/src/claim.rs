//! What a trace claims to show, and whether it does.

use bughound_ir::expr::Expr;
use bughound_ir::ltl::Formula;
use bughound_ir::network::TemplateId;
use bughound_ir::reference::{MicroStep, RefState, Reference};
use bughound_kernel::Failure;

use crate::lasso::{Lasso, Violated};
use crate::never::ClaimWatch;

/// The end that a path is said to have.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim<'a> {
    /// Nothing is executable, and some process may not rest where it is.
    Deadlock,
    /// The last step fails in this way.
    Failure(Failure),
    /// In the last state the condition does not have this truth value. A condition without value is false.
    Condition { condition: &'a Expr, expected: bool },
    /// The run lets this never claim get to its end.
    Never(TemplateId),
    /// The path leads to a loop, or to rest; the run that goes on so for ever violates something.
    Lasso(Lasso<'a>),
    /// Whatever follows the path, the formula is false of the run.
    Prefix { formula: &'a Formula },
    /// The initial values cannot be computed: there is no first state.
    NoInitialState,
}

impl Claim<'_> {
    /// Does the path end as claimed? `last` is its last micro step, `state` the state it ends in (the one before the
    /// last step if that failed), `watch` the never claim that has followed it.
    pub(crate) fn is_true(
        &self,
        reference: Reference<'_>,
        last: Option<&MicroStep>,
        state: &RefState,
        watch: Option<&ClaimWatch<'_>>,
    ) -> bool {
        match self {
            Claim::Deadlock => last.is_none_or(|step| step.result.is_ok()) && reference.is_deadlock(state),
            Claim::Failure(failure) => last.is_some_and(|step| {
                step.result.as_ref().err().into_iter().chain(&step.soft_failures).any(|info| info.failure == *failure)
            }),
            Claim::Condition { condition, expected } => {
                last.is_none_or(|step| step.result.is_ok())
                    && reference.holds(&state.ordinary(), condition).unwrap_or(false) != *expected
            }
            Claim::Never(_) => watch.is_some_and(|watch| watch.completed().is_some()),
            // Decided on all states of the run: see `lasso`.
            Claim::Lasso(_) | Claim::Prefix { .. } => false,
            Claim::NoInitialState => false,
        }
    }

    /// For messages: what should have been there.
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Claim::Deadlock => "a deadlock",
            Claim::Failure(_) => "a failing step",
            Claim::Condition { expected: true, .. } => "a state in which the invariant is false",
            Claim::Condition { expected: false, .. } => "a state in which the condition is true",
            Claim::Never(_) => "the end of the never claim",
            Claim::Lasso(Lasso { of: Violated::Formula { .. }, .. }) => "a loop that violates the formula",
            Claim::Lasso(Lasso { of: Violated::Nothing { .. }, .. }) => "a loop that satisfies the formula",
            Claim::Lasso(Lasso { of: Violated::Never(_), .. }) => "a loop that the never claim accepts",
            Claim::Prefix { .. } => "a state from which on the formula is false whatever follows",
            Claim::NoInitialState => "a failure of the initial values",
        }
    }
}
