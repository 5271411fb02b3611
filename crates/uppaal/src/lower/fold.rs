//! Making expressions small while they are built.
//!
//! Parameters, selections and quantified names are constants by the time an expression is built, so most of what is
//! written folds away. An operand that could fail (a division, an index) is never dropped.

use bughound_ir::analysis::ranges::{Interval, by_types};
use bughound_ir::expr::{BinaryOp, Expr, UnaryOp, apply_binary, apply_unary};

pub use bughound_ir::analysis::ranges::can_fail;

/// The values that an expression can have, as far as the types of its variables tell.
pub fn bounds(expr: &Expr) -> (i64, i64) {
    let Interval { lo, hi } = by_types(expr);
    (lo, hi)
}

/// The value of a constant expression, computed without the limits of 32 bits.
pub fn exact(expr: &Expr) -> Option<i128> {
    Some(match expr {
        Expr::Const(value) => (*value).into(),
        Expr::Unary(UnaryOp::Minus, e) => exact(e)?.checked_neg()?,
        Expr::Binary(op, a, b) => {
            let (a, b) = (exact(a)?, exact(b)?);
            match op {
                BinaryOp::Add => a.checked_add(b)?,
                BinaryOp::Subtract => a.checked_sub(b)?,
                BinaryOp::Multiply => a.checked_mul(b)?,
                BinaryOp::Divide => a.checked_div(b)?,
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// Do 32 bits not hold the result?
fn overflows(op: BinaryOp, a: i32, b: i32) -> bool {
    match op {
        BinaryOp::Add => a.checked_add(b).is_none(),
        BinaryOp::Subtract => a.checked_sub(b).is_none(),
        BinaryOp::Multiply => a.checked_mul(b).is_none(),
        _ => false,
    }
}

pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    if let (Some(a), Some(b)) = (left.as_const(), right.as_const())
        && let Some(value) = apply_binary(op, a, b)
    {
        // Left as it is, so that it can be seen where it matters ([`exact`]).
        return if overflows(op, a, b) { Expr::binary(op, left, right) } else { Expr::Const(value) };
    }
    match (op, left.as_const(), right.as_const()) {
        (BinaryOp::And, Some(0), _) => return Expr::Const(0),
        (BinaryOp::And, Some(_), _) => return truth(right),
        (BinaryOp::And, _, Some(value)) if value != 0 => return truth(left),
        (BinaryOp::Or, Some(0), _) => return truth(right),
        (BinaryOp::Or, Some(_), _) => return Expr::Const(1),
        (BinaryOp::Or, _, Some(0)) => return truth(left),
        (BinaryOp::Add | BinaryOp::Subtract, _, Some(0)) | (BinaryOp::Multiply, _, Some(1)) => return left,
        (BinaryOp::Add, Some(0), _) | (BinaryOp::Multiply, Some(1), _) => return right,
        _ => {}
    }
    let whole = Expr::binary(op, left, right);
    decided(whole)
}

/// All operands of an associative operator as a flat tree: walks over long lists must not need deep stacks.
pub fn balanced(op: BinaryOp, mut operands: Vec<Expr>, none: i32) -> Expr {
    match operands.len() {
        0 => Expr::Const(none),
        1 => operands.swap_remove(0),
        many => {
            let right = operands.split_off(many / 2);
            binary(op, balanced(op, operands, none), balanced(op, right, none))
        }
    }
}

pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
    match operand {
        Expr::Const(value) => Expr::Const(apply_unary(op, value)),
        Expr::Unary(UnaryOp::Not, inner) if op == UnaryOp::Not => truth(*inner),
        Expr::Binary(relation, left, right) => match relation.opposite().filter(|_| op == UnaryOp::Not) {
            Some(opposite) => Expr::Binary(opposite, left, right),
            None => decided(Expr::Unary(op, Box::new(Expr::Binary(relation, left, right)))),
        },
        operand => decided(Expr::Unary(op, Box::new(operand))),
    }
}

pub fn not(operand: Expr) -> Expr {
    unary(UnaryOp::Not, operand)
}

pub fn conditional(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    match condition.as_const() {
        Some(0) => otherwise,
        Some(_) => then,
        None if then == otherwise && !can_fail(&condition) => then,
        None if (then.as_const(), otherwise.as_const()) == (Some(1), Some(0)) => truth(condition),
        None if (then.as_const(), otherwise.as_const()) == (Some(0), Some(1)) => not(condition),
        None if then == Expr::Const(1) && is_truth(&otherwise) => binary(BinaryOp::Or, condition, otherwise),
        None if otherwise == Expr::Const(0) && is_truth(&then) => binary(BinaryOp::And, condition, then),
        None => Expr::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise)),
    }
}

/// The expression as 0 or 1.
pub fn truth(expr: Expr) -> Expr {
    match expr {
        Expr::Const(value) => Expr::truth(value != 0),
        expr if is_truth(&expr) => expr,
        expr => Expr::binary(BinaryOp::NotEqual, expr, Expr::Const(0)),
    }
}

/// Is it always 0 or 1?
fn is_truth(expr: &Expr) -> bool {
    matches!(bounds(expr), (0 | 1, 0 | 1))
}

/// A constant, if the types of the variables leave no choice.
fn decided(expr: Expr) -> Expr {
    let (lo, hi) = bounds(&expr);
    if lo == hi && !can_fail(&expr) { Expr::Const(lo as i32) } else { expr }
}

/// Number of parts, counted up to a limit.
pub fn size(expr: &Expr) -> usize {
    let mut count = 0;
    expr.walk(&mut |_| count += 1);
    count
}
