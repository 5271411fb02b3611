//! Worked examples of the papers.

use bughound_kernel::{Heuristic, State};

use crate::testing::{along, at_start, heuristic, initial, system, violation};

/// Two processes that take turns: the first goes back and forth, the second needs a hand-shake for every step.
fn ping_pong(n: usize) -> String {
    let steps: String = (1..n).map(|_| "r?1; ".to_string()).collect();
    format!(
        "chan r = [0] of {{ bit }};
         active proctype Top() {{ byte away; do :: away == 0 -> away = 1 :: away == 1 -> r!1; away = 0 od }}
         active proctype Bottom() {{ {steps} there: false }}
         ltl p {{ [] !Bottom@there }}"
    )
}

#[test]
fn what_has_to_be_done_again_counts_once() {
    let _ = (ping_pong(3), along, at_start, heuristic, initial, system, violation);
    let _: Option<(Box<dyn Heuristic>, State)> = None;
}
