//! Innocence: an edge is innocent if every part of the error condition that is true after it was true before.
//!
//! A static test for each part (Wehrle, Kupferschmid 2010): the edge does not touch it, or makes it false, or requires it.
//! In doubt an edge is guilty. The error condition is taken apart at `&&` and `||`: if all its parts keep their truth, so
//! does the whole.

use bughound_ir::analysis::access::{EdgeAccess, PropertyReader};
use bughound_ir::analysis::constants::{Constants, fold, fold_place};
use bughound_ir::analysis::{Instance, actions_of, edges_of, slots_of};
use bughound_ir::edge::{Action, Edge, EdgeId, Sync};
use bughound_ir::expr::{BinaryOp, Expr, Scope, UnaryOp, apply_binary};
use bughound_ir::frames::LOCATION;
use bughound_ir::network::{LocationId, Network};
use bughound_kernel::{Access, SlotSet};

use bughound_ir::targets::Targets;

/// A part of the error condition.
struct Part {
    reads: SlotSet,
    test: Test,
}

enum Test {
    /// The process with this number (or the first of its template) is at the location, or is not.
    At {
        pid: Option<u32>,
        location: LocationId,
        wanted: bool,
    },
    /// The variable compared with the number has this truth value.
    Compare {
        slot: u32,
        op: BinaryOp,
        value: i32,
        wanted: bool,
    },
    Other,
}

pub(super) struct Judge<'n> {
    network: &'n Network,
    reader: PropertyReader<'n>,
    constants: Constants,
    parts: Vec<Part>,
    vague: bool,
}

impl<'n> Judge<'n> {
    /// `access`: that of all edges.
    pub(super) fn new(network: &'n Network, targets: &Targets, access: &EdgeAccess) -> Self {
        let (reader, constants) = (PropertyReader::new(network), Constants::new(network));
        let mut judge = Judge { network, reader, constants, parts: Vec::new(), vague: false };
        for error in &targets.conditions {
            judge.take_apart(&fold(&error.condition, &judge.constants.outside()), error.wanted);
        }
        if targets.failures {
            judge.add_assertions(access);
        }
        if let Some(claim) = targets.claim {
            for (_, edge) in edges_of(network, claim) {
                edge.guards.iter().for_each(|guard| judge.add(guard, Test::Other));
            }
        }
        judge
    }

    /// Some part is about the whole state.
    pub(super) fn is_vague(&self) -> bool {
        self.vague
    }

    fn take_apart(&mut self, expr: &Expr, wanted: bool) {
        match expr {
            Expr::Const(_) => {}
            Expr::Unary(UnaryOp::Not, e) => self.take_apart(e, !wanted),
            Expr::Holds(e) if wanted => self.take_apart(e, wanted),
            Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.take_apart(a, wanted);
                self.take_apart(b, wanted);
            }
            Expr::At { pid, location } => {
                let test = match **pid {
                    Expr::Const(pid) => u32::try_from(pid).ok().map(Some),
                    Expr::FirstOf(_) => Some(None),
                    // Who changes the number may choose another process, which is there already.
                    _ => None,
                };
                let at = |pid| Test::At { pid, location: *location, wanted };
                self.add(expr, test.map_or(Test::Other, at));
            }
            Expr::Binary(op, a, b) => {
                let test = comparison(*op, a, b, wanted).unwrap_or(Test::Other);
                self.add(expr, test);
            }
            other => {
                let zero = Expr::Const(0);
                let test = comparison(BinaryOp::NotEqual, other, &zero, wanted).unwrap_or(Test::Other);
                self.add(other, test);
            }
        }
    }

    fn add(&mut self, expr: &Expr, test: Test) {
        let access = self.reader.access(expr);
        self.vague |= access.reads_everything;
        if !access.reads.is_empty() {
            self.parts.push(Part { reads: access.reads, test });
        }
    }

    /// A failing assertion: somebody is at its statement, and what it reads has certain values.
    fn add_assertions(&mut self, access: &EdgeAccess) {
        for (instance, id, access) in access.iter() {
            let edge = self.network.edge(id);
            if actions_of(self.network, edge).any(|action| matches!(action, Action::Assert { .. })) {
                let base = self.network.frames.processes[instance.pid as usize].base;
                let location = base + LOCATION;
                let reads = access.reads.iter().filter(|slot| *slot != location).collect();
                self.parts.push(Part { reads, test: Test::Other });
                let here = Test::At { pid: Some(instance.pid), location: edge.from, wanted: true };
                self.parts.push(Part { reads: SlotSet::from_iter([location]), test: here });
            }
        }
    }

    pub(super) fn is_innocent(&self, instance: Instance, id: EdgeId, access: &Access) -> bool {
        let edge = self.network.edge(id);
        let touched = self.parts.iter().filter(|part| part.reads.intersects(&access.may_write));
        touched.into_iter().all(|part| match part.test {
            Test::At { pid, location, wanted } => self.keeps_location(instance, edge, pid, location, wanted),
            Test::Compare { slot, op, value, wanted } => {
                let holds = |number: i32| (apply_binary(op, number, value) != Some(0)) == wanted;
                self.requires(instance, edge, slot, &holds) || self.assigns_only(instance, edge, slot, &|n| !holds(n))
            }
            Test::Other => false,
        })
    }

    fn keeps_location(&self, own: Instance, edge: &Edge, pid: Option<u32>, location: LocationId, wanted: bool) -> bool {
        let changes_others = actions_of(self.network, edge).any(|a| matches!(a, Action::Run { .. } | Action::End));
        if changes_others || pid.is_some_and(|pid| pid != own.pid) {
            return false; // it writes the location of a process that starts or ends
        }
        if wanted {
            edge.from == location || edge.destinations.iter().all(|destination| destination.to != location)
        } else {
            edge.from != location || edge.destinations.iter().all(|destination| destination.to == location)
        }
    }

    /// Is the edge possible only where the variable has a value that passes the test?
    fn requires(&self, own: Instance, edge: &Edge, slot: u32, passes: &dyn Fn(i32) -> bool) -> bool {
        let known = self.constants.of(own);
        edge.guards.iter().any(|guard| match comparison_of(&fold(guard, &known)) {
            Some((at, BinaryOp::Equal, value)) => at == slot && passes(value),
            _ => false,
        })
    }

    /// Does every assignment to the variable give it a constant that passes the test?
    fn assigns_only(&self, own: Instance, edge: &Edge, slot: u32, passes: &dyn Fn(i32) -> bool) -> bool {
        let known = self.constants.of(own);
        // What a receive stores and what code does is not looked at.
        if edge.program.is_some() || matches!(edge.sync, Sync::Receive { .. }) {
            return false;
        }
        let mut found = false;
        for action in actions_of(self.network, edge) {
            for (target, value) in action.assignments() {
                let target = fold_place(target, &known);
                if target.scope != Scope::Global || !slots_of(&target).contains(&slot) {
                    continue;
                }
                found = true;
                match fold(value, &known).as_const().and_then(|value| target.ty.convert(value)) {
                    Some(value) if passes(value) => {}
                    _ => return false,
                }
            }
        }
        found
    }
}

fn comparison(op: BinaryOp, a: &Expr, b: &Expr, wanted: bool) -> Option<Test> {
    let (slot, op, value) = comparison_of(&Expr::binary(op, a.clone(), b.clone()))?;
    Some(Test::Compare { slot, op, value, wanted })
}

/// A comparison of a global variable with a number, the variable on the left.
fn comparison_of(expr: &Expr) -> Option<(u32, BinaryOp, i32)> {
    let Expr::Binary(op, a, b) = expr else { return None };
    let mirrored = op.mirrored()?;
    let (place, op, value) = match (&**a, &**b) {
        (Expr::Read(place), Expr::Const(value)) => (place, *op, *value),
        (Expr::Const(value), Expr::Read(place)) => (place, mirrored, *value),
        _ => return None,
    };
    let slots = slots_of(place);
    (place.scope == Scope::Global && slots.len() == 1).then(|| (slots[0], op, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{system, violation};

    /// The statements that are guilty of violations of the invariant.
    fn guilty(text: &str) -> Vec<String> {
        let system = system(text);
        let network = system.network();
        let access = EdgeAccess::direct(network);
        let judge = Judge::new(network, &violation(&system), &access);
        let edges = access.iter().filter(|(instance, id, access)| !judge.is_innocent(*instance, *id, access));
        edges.map(|(_, id, _)| network.edge(id).text.clone()).collect()
    }

    #[test]
    fn guilty_is_who_can_make_a_part_true() {
        let model =
            "byte x, y; active proctype P() { x = 1; x = 2; atomic { x == 2 -> x = 3 }; x = y; y = 2; L: y = 1 }";
        assert_eq!(guilty(&format!("{model} ltl p {{ [] !(x == 2) }}")), ["x = 2", "x = y"]);
        assert_eq!(guilty(&format!("{model} ltl p {{ [] (x < 3) }}")), ["(x==2); x = 3", "x = y"]);
        assert_eq!(guilty(&format!("{model} ltl p {{ [] !(y != 2) }}")), ["y = 1"]);
        // The end of a process may make another one the first of its kind.
        assert_eq!(guilty(&format!("{model} ltl p {{ [] !P@L }}")), ["y = 2", "-end-"]);
    }

    #[test]
    fn who_chooses_the_process_may_choose_one_that_is_there() {
        let model = "byte y; active [2] proctype P() { L: skip } active proctype Q() { y = 1 } ltl p { [] !P[y]@L }";
        assert!(guilty(model).contains(&"y = 1".to_string()));
    }
}
