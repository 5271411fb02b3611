//! Each row of the table in `compile.rs`, with its dual, against values computed by hand.

use bughound_ir::expr::Expr;
use bughound_ir::question::Question;
use bughound_ir::targets::Targets;
use bughound_kernel::{State, TransitionSystem};
use bughound_layers::ClaimProduct;
use bughound_semantics::Claim;

use crate::testing::{along, at_start, heuristic, system, violation};

/// `x` is 2 and counted up and down by 1, `y` is 0 and set, `q` is empty, `P` is at `A`, three steps from `C`.
const MODEL: &str = "byte x = 2, y; chan q = [3] of { byte }; chan r = [0] of { byte };
    active proctype P() { A: x++; B: x--; y = 7; C: q!1; q?_; r!1; goto A }
    active proctype Q() { r?_ }";

/// The estimates until `formula` holds (with `sum`, with `max`) and until it does not.
fn estimates(formula: &str) -> ([Option<u64>; 2], [Option<u64>; 2]) {
    let [until, until_not] = [format!("!({formula})"), formula.to_string()].map(|invariant| {
        let system = system(&format!("{MODEL} ltl p {{ [] ({invariant}) }}"));
        ["formula", "formula(combine=max)"].map(|text| at_start(&system, &violation(&system), text))
    });
    (until, until_not)
}

fn same(until: u64, until_not: u64) -> ([Option<u64>; 2], [Option<u64>; 2]) {
    ([Some(until); 2], [Some(until_not); 2])
}

#[test]
fn constants() {
    assert_eq!(estimates("1 == 1 && 2 > 1"), ([Some(0); 2], [None; 2]));
    assert_eq!(estimates("x == 300"), ([None; 2], [Some(0); 2]));
}

#[test]
fn atoms_and_counters() {
    assert_eq!(estimates("y == 7"), same(1, 0));
    assert_eq!(estimates("y == 0"), same(0, 1));
    assert_eq!(estimates("x == y"), same(1, 0));
    assert_eq!(estimates("x == 5"), same(3, 0));
    assert_eq!(estimates("5 <= x"), same(3, 0));
    assert_eq!(estimates("x == 254"), same(4, 0));
    assert_eq!(estimates("x < 4"), same(0, 2));
    assert_eq!(estimates("x"), same(0, 2));
}

#[test]
fn connectives() {
    assert_eq!(estimates("!(x == 5)"), same(0, 3));
    assert_eq!(estimates("x == 5 && y == 7"), ([Some(4), Some(3)], [Some(0); 2]));
    assert_eq!(estimates("x == 2 && y == 0"), same(0, 1));
    assert_eq!(estimates("x == 5 || y == 7"), same(1, 0));
    assert_eq!(estimates("x == 2 || y == 0"), ([Some(0); 2], [Some(2), Some(1)]));
    assert_eq!(estimates("(x == 5) == 1"), same(3, 0));
}

#[test]
fn conditionals() {
    let system = system(&format!("{MODEL} ltl a {{ [] (y == 7) }} ltl b {{ [] (x == 5) }} ltl c {{ [] (x == 4) }}"));
    let parts = system.network().properties.iter().filter_map(|p| match &p.question {
        Question::Invariant(condition) => Some(Box::new(condition.clone())),
        _ => None,
    });
    let [condition, then, otherwise]: [Box<Expr>; 3] = parts.collect::<Vec<_>>().try_into().unwrap();
    let choice = Expr::Conditional(condition, then, otherwise);
    let run = |wanted| at_start(&system, &Targets::condition(choice.clone(), wanted), "formula");
    // As it is, x must get to 4; or y to 7 and x to 5.
    assert_eq!((run(true), run(false)), (Some(2), Some(0)));
}

#[test]
fn channels() {
    assert_eq!(estimates("full(q)"), same(3, 0));
    assert_eq!(estimates("nfull(q)"), same(0, 3));
    assert_eq!(estimates("empty(q)"), same(0, 1));
    assert_eq!(estimates("nempty(q)"), same(1, 0));
    assert_eq!(estimates("len(q) >= 2"), same(2, 0));
    assert_eq!(estimates("len(q) != 0"), same(1, 0));
    assert_eq!(estimates("q?[1]"), same(1, 0));
    // A rendezvous channel is always empty and never full.
    assert_eq!(estimates("full(r)"), ([None; 2], [Some(0); 2]));
}

#[test]
fn locations() {
    assert_eq!(estimates("P@C"), same(3, 0));
    assert_eq!(estimates("P@A"), same(0, 1));
    assert_eq!(estimates("P@C && y == 7"), ([Some(4), Some(3)], [Some(0); 2]));
}

#[test]
fn polls_count_the_messages_before() {
    let run = |formula: &str| {
        let text = "chan q = [4] of { byte }; active proctype P() { q!5; q!6; q!1; S: q?_; q?_; q!1; goto S }";
        let system = system(&format!("{text} ltl p {{ [] ({formula}) }}"));
        *along(&system, &violation(&system), "formula(combine=max)", &[0, 0, 0]).last().unwrap()
    };
    assert_eq!((run("!q?[5]"), run("!q?[6]"), run("!q?[1]"), run("!q?[9]")), (Some(0), Some(1), Some(2), Some(4)));
    assert_eq!((run("q?[5]"), run("q?[6]"), run("nempty(q)"), run("nfull(q)")), (Some(1), Some(0), Some(3), Some(1)));
}

#[test]
fn several_changes_in_one_step() {
    let text = "byte x; chan q = [6] of { byte };
        active proctype P() { do :: d_step { x++; x++; q!1; q!2; q?_ } od } ltl p { [] ";
    let run = |formula: &str| {
        let system = system(&format!("{text} ({formula}) }}"));
        at_start(&system, &violation(&system), "formula(combine=max)")
    };
    assert_eq!((run("x < 5"), run("nfull(q)")), (Some(3), Some(3)));
}

#[test]
fn failures_need_the_location_the_violation_and_the_step() {
    let system =
        system("byte x, y; active proctype P() { x = 1; x = 2; assert(y == 0) } active proctype Q() { x = 3; y = 1 }");
    let targets = Targets::failures();
    assert_eq!(at_start(&system, &targets, "formula"), Some(4));
    assert_eq!(at_start(&system, &targets, "formula(combine=max)"), Some(3));
    // All of Q, then P up to the assertion.
    let estimates = along(&system, &targets, "formula(combine=max)", &[0, 0, 1, 1]);
    assert_eq!(estimates, [Some(3), Some(3), Some(3), Some(2), Some(1)]);
}

#[test]
fn errors_that_cannot_be_ruled_out_are_targets_of_the_lower_bound() {
    let text = "byte x, a[3]; active proctype P() { x = 1; a[x] = 1; x = 2; x = 3; assert(x == 3); BODY }";
    let run = |body: &str, h| at_start(&system(&text.replace("BODY", body)), &Targets::failures(), h);
    assert_eq!((run("skip", "formula"), run("skip", "formula(combine=max)")), (Some(5), Some(2)));
    let harmless = text.replace("a[3]", "a[4]").replace("BODY", "skip");
    assert_eq!(at_start(&system(&harmless), &Targets::failures(), "formula(combine=max)"), Some(5));
}

#[test]
fn what_is_out_of_reach_is_a_dead_end() {
    let system = system("byte x; active proctype P() { assert(x == 0); L: x++ }");
    let estimates = along(&system, &Targets::failures(), "formula(combine=max)", &[0, 0]);
    assert_eq!(estimates, [Some(2), None, None]);
}

#[test]
fn claims_are_estimated_by_the_guards_on_their_way() {
    let text = "int x; active proctype P() { do :: x < 9 -> x++ :: x > 0 -> x-- od }
        never { do :: true :: x == 3 -> goto seen od; seen: do :: true :: x == 0 -> break od }";
    let system = system(text);
    let claims = system.network().properties.iter().filter_map(|p| match p.question {
        Question::Never(template) => Some(template),
        _ => None,
    });
    let targets = Targets { claim: claims.into_iter().next(), ..Targets::default() };
    let claim = Claim::new(&system, targets.claim.unwrap());
    let product = ClaimProduct::new(&system, &claim);
    let mut start = Vec::new();
    product.explorer().initial(&mut |state| start = state.key.to_vec());
    let start = product.situation(State::discrete(&start));
    let mut sum = heuristic(&system, &targets, "formula");
    // Three steps until `x` is 3, one more at least until the claim has ended.
    assert_eq!(sum.estimate(start).finite(), Some(4));
    let mut max = heuristic(&system, &targets, "formula(combine=max)");
    assert!(max.claims().consistent);
    // To rest, `P` needs x at 9.
    assert_eq!(max.estimate(start).finite(), Some(4));
}
