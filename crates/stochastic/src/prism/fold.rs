//! Constant parts of expressions become their values.
//!
//! What has no value (a division by zero) stays as it is: it may never be evaluated. `false & …` is false, whatever follows.

use bughound_ir::source::{Diagnostic, Span};

use super::arithmetic::{self, NoValue, Value};
use crate::tree::{Binary, Expr, ExprKind, Type, Unary};

/// The value of a literal.
pub fn literal(expr: &Expr) -> Option<Value> {
    match &expr.kind {
        ExprKind::Bool(value) => Some(Value::Bool(*value)),
        ExprKind::Int(value) => Some(Value::Int(*value)),
        ExprKind::Real(value) => Some(Value::Real(value.clone())),
        _ => None,
    }
}

pub fn constant(value: Value, span: Span) -> Expr {
    let ty = value.ty();
    let kind = match value {
        Value::Bool(value) => ExprKind::Bool(value),
        Value::Int(value) => ExprKind::Int(value),
        Value::Real(value) => ExprKind::Real(value),
    };
    Expr { kind, ty, span }
}

pub fn unary(op: Unary, operand: Expr, ty: Type, span: Span) -> Expr {
    if let Some(Ok(value)) = literal(&operand).map(|value| arithmetic::unary(op, &value)) {
        return constant(value, span);
    }
    Expr { kind: ExprKind::Unary(op, Box::new(operand)), ty, span }
}

pub fn binary(op: Binary, left: Expr, right: Expr, ty: Type, span: Span) -> Expr {
    let (a, b) = (literal(&left), literal(&right));
    if let (Some(a), Some(b)) = (&a, &b)
        && let Ok(value) = arithmetic::binary(op, a, b)
    {
        return constant(value, span);
    }
    match (op, a, b) {
        (Binary::And, Some(Value::Bool(false)), _) => constant(Value::Bool(false), span),
        (Binary::Or, Some(Value::Bool(true)), _) | (Binary::Implies, Some(Value::Bool(false)), _) => {
            constant(Value::Bool(true), span)
        }
        (Binary::And | Binary::Implies, Some(Value::Bool(true)), _) | (Binary::Or, Some(Value::Bool(false)), _) => {
            right
        }
        (Binary::And, _, Some(Value::Bool(true))) | (Binary::Or, _, Some(Value::Bool(false))) => left,
        _ => Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span },
    }
}

pub fn conditional(condition: Expr, then: Expr, otherwise: Expr, ty: Type, span: Span) -> Expr {
    if let Some(Value::Bool(holds)) = literal(&condition) {
        let chosen = if holds { &then } else { &otherwise };
        if chosen.ty == ty {
            return if holds { then } else { otherwise };
        }
        if let Some(number) = literal(chosen).and_then(|value| value.number()) {
            return constant(Value::Real(number), span);
        }
    }
    Expr { kind: ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise)), ty, span }
}

/// The value of an expression that has to be constant. `name` says what variables are called.
pub fn value(expr: &Expr, name: &dyn Fn(&ExprKind) -> String) -> Result<Value, Diagnostic> {
    let failed = |reason: NoValue| Diagnostic::error(expr.span, format!("this has no value: {reason}"));
    match &expr.kind {
        ExprKind::Unary(op, a) => arithmetic::unary(*op, &value(a, name)?).map_err(failed),
        ExprKind::Binary(op, a, b) => {
            let a = value(a, name)?;
            match (op, &a) {
                (Binary::And, Value::Bool(false)) => Ok(a),
                (Binary::Or, Value::Bool(true)) => Ok(a),
                (Binary::Implies, Value::Bool(false)) => Ok(Value::Bool(true)),
                _ => arithmetic::binary(*op, &a, &value(b, name)?).map_err(failed),
            }
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            let holds = value(condition, name)? == Value::Bool(true);
            let chosen = value(if holds { then } else { otherwise }, name)?;
            match (expr.ty, chosen.number()) {
                (Type::Real, Some(number)) => Ok(Value::Real(number)),
                _ => Ok(chosen),
            }
        }
        kind => literal(expr).ok_or_else(|| {
            let message = format!("this has to be constant, but depends on `{}`", name(kind));
            Diagnostic::error(expr.span, message).label("this changes from state to state")
        }),
    }
}
