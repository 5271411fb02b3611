//! Landmarks: steps of which every path to an error has one (Alkhazraji, Wehrle, Mattmüller, Helmert 2012).
//!
//! A stubborn set that has a landmark of each error loses no error, and no shortest one: the first step of the set on the way
//! to the error may as well come first, and the way is then as long as before. Nothing is postponed, so nothing has to be seen
//! to. What a failing step needs is the step itself. What a condition needs is somebody who changes it: of `a && b`, where
//! only `a` is false, somebody who changes `a`.

use bughound_ir::analysis::groups::{GroupId, GroupMaker, Groups, Situation};
use bughound_ir::expr::{BinaryOp, Expr, UnaryOp};

use super::Preserve;
use super::tables::collect;
use crate::code::{self, Code};
use crate::machine::Machine;

pub(super) struct Landmarks {
    /// All that may fail, if failures are errors.
    pub failing: Vec<GroupId>,
    pub conditions: Vec<Turn>,
}

/// Whose steps can give a condition another value.
pub(super) enum Turn {
    /// Those that write what it looks at.
    By(Vec<GroupId>),
    /// Two parts that always have a value; `if_both`: the whole has this value only if both parts have it.
    Parts { if_both: bool, parts: Box<[(Code, Turn); 2]> },
}

impl Landmarks {
    /// `None` if a condition looks at the whole state.
    pub fn new(maker: &GroupMaker, groups: &Groups, situation: &Situation, preserve: &Preserve) -> Option<Landmarks> {
        let all = groups.all.iter().enumerate();
        let failing = all.clone().filter(|(_, group)| preserve.failures && group.may_fail);
        // Whatever a process to come will write, somebody has to create it first.
        let creating = all.filter(|(_, group)| !situation.to_come.is_empty() && !group.creates.is_empty());
        let creating: Vec<GroupId> = creating.map(|(id, _)| id as GroupId).collect();
        let turn = |condition: &Expr| Turn::new(maker, groups, &creating, condition);
        Some(Landmarks {
            failing: failing.map(|(id, _)| id as GroupId).collect(),
            conditions: preserve.conditions.iter().map(turn).collect::<Option<_>>()?,
        })
    }
}

impl Turn {
    fn new(maker: &GroupMaker, groups: &Groups, creating: &[GroupId], condition: &Expr) -> Option<Turn> {
        match condition {
            Expr::Unary(UnaryOp::Not, inner) => Turn::new(maker, groups, creating, inner),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) if !condition.can_fail() => {
                let part = |e: &Expr| Some((code::expr(e), Turn::new(maker, groups, creating, e)?));
                Some(Turn::Parts { if_both: *op == BinaryOp::And, parts: Box::new([part(a)?, part(b)?]) })
            }
            _ if condition.any(|e| matches!(e, Expr::NonProgress | Expr::AtAcceptLabel)) => None,
            _ => {
                let reads = maker.read_by(condition)?;
                let writers = reads.iter().flat_map(|r| groups.writers(*r).iter().copied());
                Some(Turn::By(collect(writers.chain(creating.iter().copied()))))
            }
        }
    }

    /// Calls `add` with sets of groups one of which has to be taken, in all of them together, before the condition has another
    /// value. Of two sets that would do, the lighter one.
    pub fn landmark(
        &self,
        machine: &Machine,
        key: &[i32],
        weight: &dyn Fn(&[GroupId]) -> u32,
        add: &mut dyn FnMut(&[GroupId]),
    ) {
        let Turn::Parts { if_both, parts } = self else {
            let Turn::By(groups) = self else { return };
            return add(groups);
        };
        let cx = machine.outside(key);
        let has_it = |code: &Code| machine.truth(cx, code) == Ok(*if_both);
        let weighed = |turn: &Turn| {
            let mut sum = 0;
            turn.landmark(machine, key, weight, &mut |groups| sum += weight(groups));
            sum
        };
        let [(left_code, left), (right_code, right)] = &**parts;
        match (has_it(left_code), has_it(right_code)) {
            // One part has to change, either of them.
            (true, true) => {
                left.landmark(machine, key, weight, add);
                right.landmark(machine, key, weight, add);
            }
            (false, true) => left.landmark(machine, key, weight, add),
            (true, false) => right.landmark(machine, key, weight, add),
            // Both have to.
            (false, false) if weighed(left) <= weighed(right) => left.landmark(machine, key, weight, add),
            (false, false) => right.landmark(machine, key, weight, add),
        }
    }
}
