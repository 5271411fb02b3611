//! Does a statement touch more than its process's own variables?
//!
//! SPIN merges chains of statements that are local in this sense. Its rules, including what `xr` and `xs` promise, are
//! followed to the letter, because merging decides how long traces are.

use super::body::BodyLowering;
use super::symbols::{Exclusive, Owner};
use crate::ast::{self, ExprKind, RecvArg, RecvArgKind, StmtKind};

impl BodyLowering<'_> {
    pub fn statement_is_global(&self, statement: &ast::Stmt) -> bool {
        match &statement.kind {
            StmtKind::Expr(e) | StmtKind::Assert(e) | StmtKind::Printm(e) => self.expr_is_global(e),
            StmtKind::Assign { target, value } => self.variable_is_global(target) || self.expr_is_global(value),
            StmtKind::Increment(target) | StmtKind::Decrement(target) => self.variable_is_global(target),
            StmtKind::Printf { args, .. } => args.iter().any(|a| self.expr_is_global(a)),
            StmtKind::Send(send) => {
                let literal = |a: &ast::Expr| self.symbols.literal(a).is_some();
                send.args.iter().any(|a| !literal(a) && self.expr_is_global(a)) || !self.exclusive(&send.channel).send
            }
            StmtKind::Receive(receive) => {
                self.arguments_are_global(&receive.args) || !self.exclusive(&receive.channel).receive
            }
            StmtKind::SetPriority { .. } => true,
            _ => false,
        }
    }

    pub fn expr_is_global(&self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ExprKind::Const { .. } => false,
            ExprKind::Var(var) => self.variable_is_global(var),
            ExprKind::Unary { operand, .. } => self.expr_is_global(operand),
            ExprKind::Binary { .. } => {
                let mut at = expr;
                while let ExprKind::Binary { left, right, .. } = &at.kind {
                    if self.expr_is_global(right) {
                        return true;
                    }
                    at = left;
                }
                self.expr_is_global(at)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().any(|e| self.expr_is_global(e))
            }
            ExprKind::Run(run) => self.symbols.processes.get(&run.process.name).is_some_and(|p| p.unsafe_start),
            ExprKind::Channel { query, channel } => {
                let Exclusive { receive, send } = self.exclusive(channel);
                match query {
                    ast::ChannelQuery::NotEmpty | ast::ChannelQuery::Full => !receive,
                    ast::ChannelQuery::NotFull | ast::ChannelQuery::Empty => !send,
                    ast::ChannelQuery::Len => !(receive && send),
                }
            }
            ExprKind::Poll(poll) => {
                let Exclusive { receive, send } = self.exclusive(&poll.channel);
                self.arguments_are_global(&poll.args) || !(receive && send)
            }
            ExprKind::Enabled(_)
            | ExprKind::PcValue(_)
            | ExprKind::GetPriority(_)
            | ExprKind::Timeout
            | ExprKind::NonProgress
            | ExprKind::RemoteLabel(_)
            | ExprKind::RemoteVar(_) => true,
        }
    }

    /// Only the variable itself counts, not what its indices look at: SPIN does not look there either.
    pub fn variable_is_global(&self, var: &ast::VarRef) -> bool {
        let name = &*var.root().name;
        if matches!(name, "_pid" | "_" | "_priority") || self.symbols.mtypes.contains_key(name) {
            return false;
        }
        self.find_variable(name).is_none_or(|info| info.owner == Owner::Global && !info.promised_local)
    }

    fn arguments_are_global(&self, arguments: &[RecvArg]) -> bool {
        arguments.iter().any(|a| match &a.kind {
            RecvArgKind::Wildcard | RecvArgKind::Const(_) => false,
            RecvArgKind::Eval(e) => self.expr_is_global(e),
            RecvArgKind::Var(var) => self.variable_is_global(var),
        })
    }

    fn exclusive(&self, channel: &ast::VarRef) -> Exclusive {
        self.find_variable(&channel.root().name).map_or(Exclusive::default(), |info| info.exclusive)
    }
}
