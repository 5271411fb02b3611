//! The tableau on models whose runs are known by hand.

use super::*;
use crate::differential::network;
use bughound_ir::expr::{BinaryOp, Expr, Place};
use bughound_promela::lower::LowerOptions;

fn atom(n: usize) -> Box<Ltl> {
    Box::new(Ltl::Atom(n))
}

/// Is the formula violated, over the atoms `x == 0`, `x == 1`, `x == 2`?
fn violated(text: &str, formula: &Ltl, fair: bool) -> bool {
    let network = network(text, LowerOptions { merge: false, ..LowerOptions::default() }).unwrap();
    let graph = Graph::new(&network, 1000).unwrap();
    let x = network.variables.iter().find(|v| v.name == "x").unwrap();
    let read = || Expr::read(Place::global(x.slot, x.ty));
    let atoms: Vec<Expr> = (0..3).map(|value| Expr::binary(BinaryOp::Equal, read(), Expr::Const(value))).collect();
    is_violated(&graph, &graph.letters(&atoms), formula, Runs { fair, rest: true }).unwrap()
}

#[test]
fn one_run() {
    // 0 1 2 0 1 2 ...
    let turning = "byte x; active proctype P() { do :: x = 1; x = 2; x = 0 od }";
    let holds = |formula: &Ltl| !violated(turning, formula, false);
    assert!(holds(&atom(1).eventually().always()) && !holds(&atom(1).always().eventually()));
    assert!(holds(&Ltl::Until(atom(0), atom(1))) && !holds(&Ltl::Until(atom(0), atom(2))));
    assert!(!holds(&Ltl::WeakUntil(atom(0), atom(2))));
    assert!(holds(&Ltl::WeakUntil(Box::new(Ltl::Or(atom(0), atom(1))), atom(2))));
    assert!(holds(&Ltl::Release(atom(0), atom(0))) && !holds(&Ltl::Release(atom(1), atom(0))));
    assert!(holds(&Ltl::Next(atom(1))) && !holds(&Ltl::Next(atom(0))));
    let step = Ltl::Equivalent(atom(1), Box::new(Ltl::Next(atom(2))));
    assert!(holds(&step.clone().always()) && !holds(&step.negated().eventually()));
    assert!(holds(&Ltl::True) && !holds(&Ltl::True.negated()));
}

#[test]
fn rest_and_fairness() {
    let resting = "byte x; active proctype P() { x = 1 }";
    assert!(!violated(resting, &atom(1).always().eventually(), false));
    assert!(violated(resting, &atom(2).eventually(), false));
    // Whether x ever becomes 1 is up to the scheduler.
    let starving = "byte x; bit y; active proctype P() { x = 1 } active proctype Q() { do :: y = 1 - y od }";
    assert!(violated(starving, &atom(1).eventually(), false));
    assert!(!violated(starving, &atom(1).eventually(), true));
    // One that is blocked again and again may wait for ever: weak fairness is not strong.
    let waiting = "byte x; bit y; active proctype P() { y -> x = 1 } active proctype Q() { do :: y = 1 - y od }";
    assert!(violated(waiting, &atom(1).eventually(), true));
}
