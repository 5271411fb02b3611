//! The largest constant that each clock is compared with, anywhere in a model or in its queries.
//!
//! Deliberately coarse: no look at where a comparison can happen, nor in which direction it goes.

use bughound_ir::expr::{BinaryOp, Expr, UnaryOp};
use bughound_ir::network::Network;
use bughound_ir::types::ClockConstraint;

use crate::timed::regions::Ceilings;

/// `None` if a bound is an expression whose largest value is not obvious, or a constraint is on a difference.
pub fn ceilings(network: &Network, conditions: &[&Expr]) -> Option<Ceilings> {
    let guards = network.edges.iter().flat_map(|edge| &edge.clock_guards);
    let invariants = network.locations.iter().flat_map(|location| &location.invariant);
    let mut asked = Vec::new();
    for condition in conditions {
        condition.walk(&mut |e| {
            if let Expr::Clock(constraint) = e {
                asked.push((**constraint).clone());
            }
        });
    }
    let mut ceilings = vec![-1; network.clocks.len()];
    for ClockConstraint { left, minus, bound, .. } in guards.chain(invariants).chain(&asked) {
        if minus.is_some() {
            return None;
        }
        let ceiling = &mut ceilings[left.0 as usize];
        *ceiling = (*ceiling).max(largest(bound)?);
    }
    Some(ceilings)
}

/// The largest value that a bound can have.
fn largest(bound: &Expr) -> Option<i32> {
    range(bound).map(|(_, high)| high)
}

fn range(bound: &Expr) -> Option<(i32, i32)> {
    Some(match bound {
        Expr::Const(value) => (*value, *value),
        Expr::Read(place) => place.ty.domain(),
        Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b) => {
            let ((a, b), (c, d)) = (range(a)?, range(b)?);
            match op {
                BinaryOp::Add => (a.checked_add(c)?, b.checked_add(d)?),
                _ => (a.checked_sub(d)?, b.checked_sub(c)?),
            }
        }
        Expr::Unary(UnaryOp::Minus, e) => {
            let (low, high) = range(e)?;
            (high.checked_neg()?, low.checked_neg()?)
        }
        _ => return None,
    })
}
