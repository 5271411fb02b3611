//! Costs of statements, from annotations such as `/*@cost 5*/`.
//!
//! In a model with costs a statement without one costs 1, and the statements of a merged step are added, so that costs do
//! not depend on what is merged. Jumps and joins inside a merged step cost nothing. A `d_step` is one step: its cost stands
//! before it. A rendezvous costs what its send costs.

use bughound_ir::source::Diagnostic;

use super::automaton::Transition;
use super::body::BodyLowering;
use super::elements::{Flow, Op};
use crate::ast::{self, StmtKind};

impl BodyLowering<'_> {
    /// The cost that the user gave to a statement; an error if it can have none.
    pub(super) fn cost_of(&mut self, statement: &ast::Stmt) -> Option<u32> {
        let cost = statement.cost?;
        let place = match &statement.kind {
            _ if self.flow.is_claim || self.of_events => Some("in a claim, which takes no steps"),
            _ if self.in_dstep => Some("inside `d_step`, which is one step: put it before the `d_step`"),
            StmtKind::Expr(_)
            | StmtKind::Assign { .. }
            | StmtKind::Increment(_)
            | StmtKind::Decrement(_)
            | StmtKind::Send(_)
            | StmtKind::Receive(_)
            | StmtKind::Else
            | StmtKind::Assert(_)
            | StmtKind::Printf { .. }
            | StmtKind::Printm(_)
            | StmtKind::SetPriority { .. }
            | StmtKind::DStep(_) => None,
            StmtKind::Break | StmtKind::Goto(_) => Some("before a jump, which is no step of its own"),
            _ => Some("before a compound statement: put it before the statements inside"),
        };
        match place {
            None => Some(cost),
            Some(place) => {
                let error = Diagnostic::error(statement.span, format!("a cost cannot stand {place}"));
                self.error(error.label(format!("`/*@cost {cost}*/` stands before this")));
                None
            }
        }
    }
}

/// The cost of a transition in a model with costs.
pub(super) fn cost(flow: &Flow, transition: &Transition) -> u64 {
    let elements = transition.chain.iter().map(|id| flow.elem(*id));
    let mut statements = elements.filter(|e| !matches!(e.op, Op::Join | Op::BreakJoin | Op::Goto(_))).peekable();
    if statements.peek().is_none() {
        return 1; // a jump that takes a step, as without costs
    }
    statements.map(|e| u64::from(e.cost.unwrap_or(1))).sum()
}
