//! Expressions and formulas with all their structure, for comparison: prefix notation, no spans.

use bughound_promela::ast::*;
use std::fmt::Write;

/// An expression in prefix notation.
pub fn expression(e: &Expr) -> String {
    let mut out = String::new();
    write(&mut out, e);
    out
}

/// A formula in prefix notation.
pub fn formula(l: &Ltl) -> String {
    match &l.kind {
        LtlKind::Atom(e) => expression(e),
        LtlKind::Unary { op, operand } => format!("({op:?} {})", formula(operand)),
        LtlKind::Binary { op, left, right } => format!("({op:?} {} {})", formula(left), formula(right)),
    }
}

fn write(out: &mut String, e: &Expr) {
    if let Some(value) = constant(e) {
        let _ = write!(out, "{value}");
        return;
    }
    let _ = match &e.kind {
        ExprKind::Const { .. } => unreachable!(),
        ExprKind::Var(var) => write!(out, "{}", variable(var)),
        ExprKind::Unary { op, operand } => write!(out, "({op:?} {})", expression(operand)),
        ExprKind::Binary { op, left, right } => {
            write!(out, "({op:?} {} {})", expression(left), expression(right))
        }
        ExprKind::Conditional { condition, then, otherwise } => {
            write!(out, "(if {} {} {})", expression(condition), expression(then), expression(otherwise))
        }
        ExprKind::Run(run) => {
            let args: Vec<_> = run.args.iter().map(expression).collect();
            write!(out, "(run {} {args:?} {:?})", run.process.name, run.priority.as_ref().map(expression))
        }
        ExprKind::Channel { query, channel } => write!(out, "({query:?} {})", variable(channel)),
        ExprKind::Poll(poll) => {
            write!(out, "(poll {} {}", variable(&poll.channel), poll.random).ok();
            for arg in &poll.args {
                let _ = match &arg.kind {
                    RecvArgKind::Var(var) => write!(out, " {}", variable(var)),
                    RecvArgKind::Eval(e) => write!(out, " eval {}", expression(e)),
                    RecvArgKind::Const(e) => write!(out, " {}", expression(e)),
                    RecvArgKind::Wildcard => write!(out, " _"),
                };
            }
            write!(out, ")")
        }
        ExprKind::Enabled(pid) => write!(out, "(enabled {})", expression(pid)),
        ExprKind::PcValue(pid) => write!(out, "(pc_value {})", expression(pid)),
        ExprKind::GetPriority(pid) => write!(out, "(get_priority {})", expression(pid)),
        ExprKind::Timeout => write!(out, "timeout"),
        ExprKind::NonProgress => write!(out, "np_"),
        ExprKind::RemoteLabel(r) => {
            write!(out, "(at {} {:?} {})", r.process.name, r.pid.as_ref().map(expression), r.label.name)
        }
        ExprKind::RemoteVar(r) => {
            let pid = r.pid.as_ref().map(expression);
            write!(
                out,
                "(of {} {pid:?} {} {:?})",
                r.process.name,
                r.var.name.name,
                r.var.index.as_ref().map(expression)
            )
        }
    };
}

/// `-1` may be a constant or the negation of one.
fn constant(e: &Expr) -> Option<i32> {
    match &e.kind {
        ExprKind::Const { value, .. } => Some(*value),
        ExprKind::Unary { op: UnaryOp::Negate, operand } => constant(operand).map(i32::wrapping_neg),
        _ => None,
    }
}

fn variable(var: &VarRef) -> String {
    let mut out = String::new();
    for segment in &var.path {
        let _ = write!(out, ".{}", segment.name.name);
        if let Some(index) = &segment.index {
            let _ = write!(out, "[{}]", expression(index));
        }
    }
    out
}

/// Calls `take` with every statement of a model that is printed as a whole, and whether it stands in a claim.
pub fn simple_statements(model: &Model, take: &mut dyn FnMut(&Stmt, bool)) {
    for item in &model.items {
        match item {
            Item::Proctype(p) => block(&p.body, false, take),
            Item::Init(init) => block(&init.body, false, take),
            Item::Never(claim) => block(&claim.body, true, take),
            _ => {}
        }
    }
}

fn block(block: &Block, claim: bool, take: &mut dyn FnMut(&Stmt, bool)) {
    block.stmts.iter().for_each(|s| statement(s, claim, take));
}

fn statement(stmt: &Stmt, claim: bool, take: &mut dyn FnMut(&Stmt, bool)) {
    match &stmt.kind {
        StmtKind::If(branches) | StmtKind::Do(branches) => {
            branches.iter().flat_map(|b| &b.stmts).for_each(|s| statement(s, claim, take));
        }
        StmtKind::For(each) => block(&each.body, claim, take),
        StmtKind::Atomic(b) | StmtKind::DStep(b) | StmtKind::Block(b) => block(b, claim, take),
        StmtKind::Unless { main, escape } => {
            statement(main, claim, take);
            statement(escape, claim, take);
        }
        StmtKind::Inlined(inlined) => block(&inlined.body, claim, take),
        // Legal only inside something else, or after other declarations.
        StmtKind::Break | StmtKind::Else | StmtKind::Decl(_) | StmtKind::ExclusiveAccess { .. } => {}
        _ => take(stmt, claim),
    }
}
