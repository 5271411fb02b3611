//! Conditions on states with clocks: which points of a zone satisfy them.

use bughound_dbm::{Bound, ZoneBuf};
use bughound_ir::expr::{BinaryOp, Expr, UnaryOp};
use bughound_ir::types::ClockConstraint;

use super::constraints::Constraint;
use crate::code::{self, Code};
use crate::machine::Machine;

/// A condition whose clock constraints can be told from the rest.
#[derive(Debug)]
pub enum Condition {
    Discrete(Code),
    Clock(Constraint),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

impl Condition {
    /// `None` if a clock is used as a number.
    pub fn new(expr: &Expr) -> Option<Condition> {
        let part = |e: &Expr| Condition::new(e).map(Box::new);
        Some(match expr {
            _ if !expr.any(|e| matches!(e, Expr::Clock(_) | Expr::Deadlock)) => Condition::Discrete(code::expr(expr)),
            // Only asked whether it may stand here: what it means is answered elsewhere.
            Expr::Deadlock => Condition::Discrete(code::expr(expr)),
            Expr::Clock(constraint) => Condition::Clock(Constraint::new(constraint)),
            Expr::Unary(UnaryOp::Not, e) => Condition::Not(part(e)?),
            Expr::Binary(BinaryOp::And, a, b) => Condition::And(part(a)?, part(b)?),
            Expr::Binary(BinaryOp::Or, a, b) => Condition::Or(part(a)?, part(b)?),
            Expr::Holds(e) => return Condition::new(e),
            _ => return None,
        })
    }

    /// The clock constraints that a point must satisfy, or some of them, if it satisfies the expression: what stands
    /// under a negation counts as its opposite.
    pub fn constraints(expr: &Expr) -> Vec<ClockConstraint> {
        let mut found = Vec::new();
        collect(expr, true, &mut found);
        found
    }

    /// May it have no value here, whatever the clocks say? Not sure: a part that fails may not decide anything.
    pub fn fails(&self, machine: &Machine, key: &[i32]) -> bool {
        match self {
            Condition::Discrete(code) => machine.truth(machine.outside(key), code).is_err(),
            Condition::Clock(_) => false,
            Condition::Not(e) => e.fails(machine, key),
            Condition::And(a, b) | Condition::Or(a, b) => a.fails(machine, key) || b.fails(machine, key),
        }
    }

    /// The parts of the zones whose points satisfy the condition (or do not, if it is not wanted).
    pub fn part(&self, wanted: bool, machine: &Machine, key: &[i32], zones: Vec<ZoneBuf>) -> Vec<ZoneBuf> {
        let cx = machine.outside(key);
        match self {
            Condition::Discrete(code) => {
                if machine.truth(cx, code).unwrap_or(false) == wanted {
                    zones
                } else {
                    Vec::new()
                }
            }
            Condition::Not(e) => e.part(!wanted, machine, key, zones),
            Condition::And(a, b) if wanted => b.part(true, machine, key, a.part(true, machine, key, zones)),
            Condition::Or(a, b) if !wanted => b.part(false, machine, key, a.part(false, machine, key, zones)),
            Condition::And(a, b) | Condition::Or(a, b) => {
                let mut found = a.part(wanted, machine, key, zones.clone());
                found.extend(b.part(wanted, machine, key, zones));
                found
            }
            Condition::Clock(constraint) => {
                let Some((bounds, count)) = constraint.bounds(machine, cx) else {
                    return if wanted { Vec::new() } else { zones };
                };
                let bounds = &bounds[..count];
                if wanted {
                    return restricted(&zones, bounds);
                }
                // Outside of at least one of the bounds.
                let outside = bounds.iter().filter_map(|(i, j, bound)| Some((*j, *i, bound.negated()?)));
                outside.flat_map(|bound| restricted(&zones, &[bound])).collect()
            }
        }
    }
}

fn collect(expr: &Expr, wanted: bool, found: &mut Vec<ClockConstraint>) {
    match expr {
        Expr::Clock(constraint) => {
            // Outside of a point lies what is below and above it: it is its own opposite.
            let opposite = || constraint.relation.opposite().unwrap_or(constraint.relation);
            let relation = if wanted { constraint.relation } else { opposite() };
            found.push(ClockConstraint { relation, ..(**constraint).clone() });
        }
        Expr::Unary(UnaryOp::Not, e) => collect(e, !wanted, found),
        Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
            collect(a, wanted, found);
            collect(b, wanted, found);
        }
        Expr::Holds(e) => collect(e, wanted, found),
        // Without clocks, or no condition at all.
        _ => {}
    }
}

fn restricted(zones: &[ZoneBuf], bounds: &[(usize, usize, Bound)]) -> Vec<ZoneBuf> {
    let restrict = |zone: &ZoneBuf| {
        let mut zone = zone.clone();
        let inside = bounds.iter().all(|(i, j, bound)| zone.as_mut().tighten(*i, *j, *bound));
        inside.then_some(zone)
    };
    zones.iter().filter_map(restrict).collect()
}
