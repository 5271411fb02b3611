//! What heuristics that know the finite-domain view say about deadlocks.

use bughound_ir::targets::Targets;

use crate::testing::{at_start, system};

fn estimates<const N: usize>(text: &str, heuristics: [&str; N]) -> [Option<u64>; N] {
    let system = system(text);
    heuristics.map(|heuristic| at_start(&system, &Targets::deadlock(), heuristic))
}

/// Two who take two forks each, in opposite order; a third lays them out.
const FORKS: &str = "chan fork[2] = [1] of { bit };
    active [2] proctype P() { do :: fork[_pid]?_; fork[1 - _pid]?_; fork[0]!1; fork[1]!1 od }
    active proctype Waiter() { fork[0]!1; fork[1]!1 }";

#[test]
fn everybody_must_be_blocked_and_somebody_not_at_an_end() {
    // Both forks are laid out and taken, and the waiter ends.
    assert_eq!(estimates(FORKS, ["pdb(everything)", "merge-and-shrink", "cartesian"]), [Some(5); 3]);
    // One process may rest for ever: the other decides.
    let text = "byte x; active proctype P() { x = 1; x = 2; x = 3; end: x == 9 }
        active proctype Q() { x == 2; x == 7 }";
    assert_eq!(estimates(text, ["pdb(everything)", "hmax", "hadd"]), [Some(3); 3]);
}

#[test]
fn no_way_to_be_blocked_is_proof() {
    let ends = "byte x; active proctype P() { x = 1; x = 2 } active proctype Q() { end: x == 7 }";
    let waits = "byte x; active proctype P() { do :: x < 3 -> x++ :: timeout -> x = 0 od }";
    for text in [ends, waits] {
        assert_eq!(estimates(text, ["pdb", "merge-and-shrink", "cartesian", "hmax", "hff"]), [None; 5], "{text}");
    }
}

#[test]
fn a_rendezvous_may_always_lack_its_partner() {
    let text = "chan c = [0] of { bit }; active proctype P() { c!1; c!1 } active proctype Q() { c?_; c?_ }";
    assert_eq!(estimates(text, ["pdb(everything)", "hmax"]), [Some(0); 2]);
}
