//! Typed expressions, checked as they are built. What is constant is computed at once.
//!
//! A constant operation without a value, such as a division by 0, stays as it is: it may stand where it is never evaluated.

use bughound_ir::chance::Number;
use bughound_ir::real::{logarithm, root};
use bughound_ir::source::{Diagnostic, Span};
use dashu_int::IBig;

use super::{Read, numbers};
use crate::tree::{Binary, Expr, ExprKind, Type, Unary};

/// Exponents beyond this are not computed while reading.
const MAX_EXPONENT: i32 = 10_000;

pub fn truth(value: bool, span: Span) -> Expr {
    Expr { kind: ExprKind::Bool(value), ty: Type::Bool, span }
}

pub fn whole(value: i32, span: Span) -> Expr {
    Expr { kind: ExprKind::Int(value), ty: Type::Int, span }
}

pub fn real(value: Number, span: Span) -> Expr {
    Expr { kind: ExprKind::Real(value), ty: Type::Real, span }
}

/// An Int if it is one and fits.
fn number(value: Number, wanted: Type, span: Span) -> Read<Expr> {
    if !numbers::is_reasonable(&value) {
        return Err(Diagnostic::error(span, "the value of this expression has too many digits").into());
    }
    Ok(match (wanted, numbers::as_whole(&value)) {
        (Type::Int, Some(int)) => whole(int, span),
        _ => real(value, span),
    })
}

/// The number that a literal is.
pub fn value_of(expr: &Expr) -> Option<Number> {
    match &expr.kind {
        ExprKind::Int(value) => Some(Number::from(IBig::from(*value))),
        ExprKind::Real(value) => Some(value.clone()),
        _ => None,
    }
}

pub fn truth_of(expr: &Expr) -> Option<bool> {
    match expr.kind {
        ExprKind::Bool(value) => Some(value),
        _ => None,
    }
}

pub fn is_literal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Real(_))
}

/// Is it the number 0?
pub fn is_zero(expr: &Expr) -> bool {
    value_of(expr).is_some_and(|value| value.is_zero())
}

pub fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "a truth value",
        Type::Int => "a whole number",
        Type::Real => "a real number",
    }
}

/// What an operand has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Truth,
    Number,
    Whole,
}

impl Needs {
    fn admits(self, ty: Type) -> bool {
        match self {
            Needs::Truth => ty == Type::Bool,
            Needs::Number => ty != Type::Bool,
            Needs::Whole => ty == Type::Int,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Needs::Truth => "a truth value",
            Needs::Number => "a number",
            Needs::Whole => "a whole number",
        }
    }
}

/// Refuses an expression of another type; `who` is "the guard of an edge".
pub fn expect(expr: &Expr, needs: Needs, who: &str) -> Read<()> {
    if needs.admits(expr.ty) {
        return Ok(());
    }
    let found = type_name(expr.ty);
    let mut wrong =
        Diagnostic::error(expr.span, format!("{who} is {}, but this is {found}", needs.name())).label(found);
    if needs == Needs::Whole && expr.ty == Type::Real {
        wrong = wrong.help("`floor` and `ceil` make whole numbers; whole numbers have 32 bits");
    }
    Err(wrong.into())
}

pub fn unary(op: Unary, operand: Expr, span: Span) -> Read<Expr> {
    let (needs, who) = match op {
        Unary::Not => (Needs::Truth, "the operand of `¬`"),
        Unary::Minus => (Needs::Number, "the operand of `-`"),
        Unary::Floor => (Needs::Number, "the operand of `floor`"),
        Unary::Ceil => (Needs::Number, "the operand of `ceil`"),
        Unary::Round => (Needs::Number, "the operand of `round`"),
    };
    expect(&operand, needs, who)?;
    if let Some(value) = truth_of(&operand) {
        return Ok(truth(!value, span));
    }
    let ty = match op {
        Unary::Not => Type::Bool,
        Unary::Minus => operand.ty,
        _ => Type::Int,
    };
    if let Some(value) = value_of(&operand) {
        let computed = match op {
            Unary::Minus => -value,
            Unary::Floor => Number::from(value.floor()),
            Unary::Ceil => Number::from(value.ceil()),
            _ => Number::from((value + Number::from_parts(1.into(), 2u8.into())).floor()),
        };
        return number(computed, ty, span);
    }
    if operand.ty == Type::Int && matches!(op, Unary::Floor | Unary::Ceil | Unary::Round) {
        return Ok(operand);
    }
    Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), ty, span })
}

/// The sign of an operator in messages.
fn sign(op: Binary) -> &'static str {
    match op {
        Binary::And => "∧",
        Binary::Or => "∨",
        Binary::Implies => "⇒",
        Binary::Iff => "⇔",
        Binary::Equal => "=",
        Binary::NotEqual => "≠",
        Binary::Less => "<",
        Binary::LessEqual => "≤",
        Binary::Greater => ">",
        Binary::GreaterEqual => "≥",
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Modulo => "%",
        Binary::Power => "pow",
        Binary::Logarithm => "log",
        Binary::Min => "min",
        Binary::Max => "max",
    }
}

pub fn binary(op: Binary, left: Expr, right: Expr, span: Span) -> Read<Expr> {
    use Binary::*;
    let needs = match op {
        And | Or | Implies | Iff => Needs::Truth,
        Modulo => Needs::Whole,
        Equal | NotEqual if left.ty == Type::Bool => Needs::Truth,
        _ => Needs::Number,
    };
    for operand in [&left, &right] {
        expect(operand, needs, &format!("an operand of `{}` here", sign(op)))?;
    }
    match op {
        And | Or | Implies | Iff => logical(op, left, right, span),
        Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => compared(op, left, right, span),
        _ => arithmetic(op, left, right, span),
    }
}

fn plain(op: Binary, left: Expr, right: Expr, ty: Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
}

/// Only the left side may decide alone: what stands there is evaluated in any case.
fn logical(op: Binary, left: Expr, right: Expr, span: Span) -> Read<Expr> {
    let decided = match (op, truth_of(&left)) {
        (Binary::And, Some(false)) => Some(truth(false, span)),
        (Binary::Or, Some(true)) | (Binary::Implies, Some(false)) => Some(truth(true, span)),
        (Binary::And | Binary::Implies, Some(true)) | (Binary::Or, Some(false)) => Some(right.clone()),
        (Binary::Iff, Some(value)) => truth_of(&right).map(|other| truth(value == other, span)),
        _ => None,
    };
    Ok(match (decided, op, truth_of(&right)) {
        (Some(decided), ..) => decided,
        (None, Binary::And, Some(true)) | (None, Binary::Or, Some(false)) => left,
        _ => plain(op, left, right, Type::Bool, span),
    })
}

fn compared(op: Binary, left: Expr, right: Expr, span: Span) -> Read<Expr> {
    let ordering = match (value_of(&left), value_of(&right), truth_of(&left), truth_of(&right)) {
        (Some(left), Some(right), ..) => left.cmp(&right),
        (.., Some(left), Some(right)) => left.cmp(&right),
        _ => return Ok(plain(op, left, right, Type::Bool, span)),
    };
    let value = match op {
        Binary::Equal => ordering.is_eq(),
        Binary::NotEqual => ordering.is_ne(),
        Binary::Less => ordering.is_lt(),
        Binary::LessEqual => ordering.is_le(),
        Binary::Greater => ordering.is_gt(),
        _ => ordering.is_ge(),
    };
    Ok(truth(value, span))
}

fn arithmetic(op: Binary, left: Expr, right: Expr, span: Span) -> Read<Expr> {
    let both_whole = left.ty == Type::Int && right.ty == Type::Int;
    let ty = match op {
        Binary::Divide | Binary::Logarithm => Type::Real,
        _ if both_whole => Type::Int,
        _ => Type::Real,
    };
    if let (Some(a), Some(b)) = (value_of(&left), value_of(&right))
        && let Some(value) = compute(op, a, b)
    {
        return number(value, ty, span);
    }
    // The tree has no whole number for a negative exponent.
    if let (Binary::Power, ExprKind::Int(exponent @ ..0)) = (op, &right.kind)
        && both_whole
        && *exponent > i32::MIN
    {
        let power = plain(op, left, whole(-exponent, right.span), Type::Int, span);
        return Ok(plain(Binary::Divide, whole(1, span), power, Type::Real, span));
    }
    Ok(plain(op, left, right, ty, span))
}

/// Nothing if there is no value, or it is better not computed now.
fn compute(op: Binary, a: Number, b: Number) -> Option<Number> {
    match op {
        Binary::Add => Some(a + b),
        Binary::Subtract => Some(a - b),
        Binary::Multiply => Some(a * b),
        Binary::Divide => (!b.is_zero()).then(|| a / b),
        Binary::Modulo => {
            let (a, b) = (i64::from(numbers::as_whole(&a)?), i64::from(numbers::as_whole(&b)?));
            (b > 0).then(|| Number::from(IBig::from(a.rem_euclid(b))))
        }
        Binary::Power => power(a, b),
        Binary::Logarithm => logarithm(&a, &b),
        Binary::Min => Some(a.min(b)),
        Binary::Max => Some(a.max(b)),
        _ => None,
    }
}

fn power(base: Number, exponent: Number) -> Option<Number> {
    match numbers::as_whole(&exponent) {
        Some(exponent) if exponent.abs() <= MAX_EXPONENT => {
            if base.is_zero() && exponent < 0 {
                return None;
            }
            let (numerator, denominator) = base.into_parts();
            let count = exponent.unsigned_abs() as usize;
            let raised = Number::from_parts(numerator.pow(count), denominator.pow(count));
            Some(if exponent < 0 { Number::from(IBig::from(1)) / raised } else { raised })
        }
        Some(_) => None,
        None => root(&base, &exponent),
    }
}

pub fn conditional(condition: Expr, then: Expr, otherwise: Expr, span: Span) -> Read<Expr> {
    expect(&condition, Needs::Truth, "the condition of `ite`")?;
    let ty = match (then.ty, otherwise.ty) {
        (a, b) if a == b => a,
        (Type::Bool, other) | (other, Type::Bool) => {
            let message = format!("one branch of `ite` is a truth value, the other {}", type_name(other));
            return Err(Diagnostic::error(span, message).into());
        }
        _ => Type::Real,
    };
    Ok(match truth_of(&condition) {
        Some(true) => then,
        Some(false) => otherwise,
        None => {
            let kind = ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
            Expr { kind, ty, span }
        }
    })
}

/// How many levels an expression has, and how many nodes.
pub fn measure(expr: &Expr) -> (usize, usize) {
    let mut height = 0;
    let mut size = 1;
    children(expr, &mut |child| {
        let (below, nodes) = measure(child);
        height = height.max(below);
        size += nodes;
    });
    (height + 1, size)
}

/// Calls `visit` with every operand.
pub fn children<'e>(expr: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    match &expr.kind {
        ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Variable(_) | ExprKind::At { .. } => {}
        ExprKind::Element(_, operand) | ExprKind::Unary(_, operand) => visit(operand),
        ExprKind::Binary(_, left, right) => {
            visit(left);
            visit(right);
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            visit(condition);
            visit(then);
            visit(otherwise);
        }
    }
}
