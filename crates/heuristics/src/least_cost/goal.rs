//! What the goal asks of single processes, and of counters that several of them increase.

use bughound_ir::analysis::constants::{Environment, fold, fold_place};
use bughound_ir::expr::{BinaryOp, Expr, Scope, UnaryOp};
use bughound_ir::network::LocationId;
use bughound_ir::targets::{ErrorCondition, Targets};

/// A global variable that the goal wants to be (at least) so large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    pub slot: u32,
    pub wanted: i64,
}

/// One of these conditions is to be reached.
pub struct Goal<'t> {
    conditions: &'t [ErrorCondition],
}

/// A process and where it is.
#[derive(Clone, Copy)]
pub struct Whereabouts {
    pub pid: u32,
    pub location: LocationId,
}

impl<'t> Goal<'t> {
    /// Nothing if something else than a state is looked for.
    pub fn new(targets: &'t Targets) -> Option<Goal<'t>> {
        let only_states = !targets.deadlock && !targets.failures && targets.claim.is_none();
        only_states.then_some(Goal { conditions: &targets.conditions })
    }

    /// Can the goal hold, as far as one process can tell?
    pub fn is_possible(&self, at: Whereabouts, known: &Environment) -> bool {
        self.conditions.iter().any(|goal| possible(&goal.condition, goal.wanted, at, known))
    }

    /// Conjuncts `v == c` and `v >= c`.
    pub fn counters(&self, known: &Environment) -> Vec<Counter> {
        let mut found = Vec::new();
        if let [goal] = self.conditions {
            conjuncts(&goal.condition, goal.wanted, &mut |conjunct| found.extend(counter(conjunct, known)));
        }
        found
    }
}

fn possible(expr: &Expr, wanted: bool, at: Whereabouts, known: &Environment) -> bool {
    let part = |expr: &Expr, wanted| possible(expr, wanted, at, known);
    match expr {
        Expr::Unary(UnaryOp::Not, e) => part(e, !wanted),
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
            let both = (*op == BinaryOp::And) == wanted;
            if both { part(a, wanted) && part(b, wanted) } else { part(a, wanted) || part(b, wanted) }
        }
        Expr::Holds(e) => !wanted || part(e, true),
        Expr::At { pid, location } => match fold(pid, known).as_const() {
            Some(pid) if pid == at.pid as i32 => (*location == at.location) == wanted,
            _ => true,
        },
        e => fold(e, known).as_const().is_none_or(|value| (value != 0) == wanted),
    }
}

fn conjuncts(expr: &Expr, wanted: bool, found: &mut dyn FnMut(&Expr)) {
    match expr {
        Expr::Unary(UnaryOp::Not, e) => conjuncts(e, !wanted, found),
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) if (*op == BinaryOp::And) == wanted => {
            conjuncts(a, wanted, found);
            conjuncts(b, wanted, found);
        }
        Expr::Holds(e) if wanted => conjuncts(e, wanted, found),
        e if wanted => found(e),
        _ => {}
    }
}

fn counter(conjunct: &Expr, known: &Environment) -> Option<Counter> {
    let Expr::Binary(op, left, right) = conjunct else { return None };
    let (op, variable, constant) = match (fold(left, known).as_const(), fold(right, known).as_const()) {
        (None, Some(constant)) => (*op, left, constant),
        (Some(constant), None) => (turned(*op)?, right, constant),
        _ => return None,
    };
    let Expr::Read(place) = &**variable else { return None };
    let place = fold_place(place, known);
    if place.scope != Scope::Global || !place.indices.is_empty() {
        return None;
    }
    let wanted = match op {
        BinaryOp::Equal | BinaryOp::GreaterEqual => i64::from(constant),
        BinaryOp::Greater => i64::from(constant) + 1,
        _ => return None,
    };
    Some(Counter { slot: place.slot, wanted })
}

/// The same comparison with its sides exchanged.
fn turned(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Equal => Some(op),
        BinaryOp::LessEqual => Some(BinaryOp::GreaterEqual),
        BinaryOp::Less => Some(BinaryOp::Greater),
        _ => None,
    }
}
