//! What a trace claims to show, and whether it does.

use bughound_ir::expr::Expr;
use bughound_ir::network::TemplateId;
use bughound_ir::reference::{MicroStep, RefState, Reference};
use bughound_kernel::Failure;

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
            Claim::NoInitialState => "a failure of the initial values",
        }
    }
}
