//! Which parts of a condition decide it.

use bughound_ir::expr::{BinaryOp, Expr, UnaryOp};

use crate::explain::{Reason, undefined};
use crate::expression::Viewpoint;

/// A part of a condition whose truth value decides the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FalsePart {
    /// The part, as text.
    pub text: String,
    /// Variables in it, with their values.
    pub values: Vec<(String, String)>,
    /// It is true, where it should be false.
    pub is_true: bool,
}

/// Why the condition does not have the truth value that was expected of it.
pub fn explain(view: Viewpoint<'_>, condition: &Expr, expected: bool) -> Reason {
    if let Err(error) = view.truth(condition) {
        return undefined(view, "the condition", condition, error);
    }
    let mut parts = Vec::new();
    collect(view, condition, !expected, &mut parts);
    let headline = match expected {
        true => format!("invariant violated: `{}` is false", view.text(condition)),
        false => format!("reached: `{}` is true", view.text(condition)),
    };
    Reason { headline, parts, ..Reason::default() }
}

/// Collects the smallest parts that make `expr` have the value `actual`: of a false conjunction the false conjuncts, of
/// a false disjunction all of its parts.
fn collect(view: Viewpoint<'_>, expr: &Expr, actual: bool, parts: &mut Vec<FalsePart>) {
    match expr {
        Expr::Unary(UnaryOp::Not, operand) if is_logical(operand) => collect(view, operand, !actual, parts),
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
            let decisive = (*op == BinaryOp::And) != actual;
            for side in [left, right] {
                let truth = view.truth(side).unwrap_or(false);
                if !decisive || truth == actual {
                    collect(view, side, truth, parts);
                }
            }
        }
        _ => {
            let part = FalsePart { text: view.text(expr), values: view.values(expr), is_true: actual };
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
    }
}

fn is_logical(expr: &Expr) -> bool {
    matches!(expr, Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) | Expr::Unary(UnaryOp::Not, _))
}
