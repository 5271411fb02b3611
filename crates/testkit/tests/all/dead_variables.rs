//! Some hundred random programs with and without the values that make no difference.
//!
//! `cargo run --release -p bughound-testkit --example dead_variables -- 0 20000` compares as many as one likes.

use bughound_ir::analysis::dead_variables::Observers;
use bughound_promela::lower::LowerOptions;
use bughound_testkit::conditions;
use bughound_testkit::dead_variables::{Report, check_seed, walk, walk_seed};
use bughound_testkit::differential::network;
use bughound_testkit::liveness::facade::Subject;
use bughound_testkit::random_promela::{Features, Rng, generate};
use bughound_testkit::seeds;

fn all(seeds: std::ops::Range<u64>, compare: fn(u64) -> Report) -> Report {
    let mut all = Report::default();
    seeds::in_parallel(seeds, compare, |_, report| all.merge(report));
    assert!(all.differences.is_empty(), "{}", all.differences.join("\n"));
    all
}

#[test]
fn the_same_steps_are_possible_and_observers_see_the_same() {
    let report = all(0..400, walk_seed);
    assert!(report.forgetful > 300, "{report:?}");
    assert!(report.fewer * 100 < report.states * 97, "{report:?}");
}

#[test]
fn the_same_answers_are_given() {
    let report = all(50_000..50_060, check_seed);
    assert!(report.answers > 250, "{report:?}");
}

/// A planted mistake: what a condition looks at is not kept.
#[test]
fn an_observer_that_is_not_asked_is_missed_soon() {
    let mut programs = 0;
    let caught = (0..200).find(|seed| {
        let source = generate(*seed, &(Features::CORE | Features::REMOTE));
        let network = network(&source, LowerOptions::default()).unwrap();
        let seen = conditions::random(&network, &mut Rng::new(*seed)).condition;
        let observers = Observers { conditions: vec![seen], ..Observers::default() };
        programs += 1;
        walk(&network, &Observers::default(), &observers, &mut Report::default()).is_err()
    });
    println!("caught after {programs} programs");
    assert!(caught.is_some());
}

/// The states of a program with all values, and without those that make no difference to a condition.
fn states(source: &str, seen: Option<&str>) -> (u64, u64) {
    let (network, condition) = match seen {
        Some(text) => {
            let subject = Subject::load(source, &[], &[text.to_string()], true).unwrap();
            (subject.network().clone(), subject.atoms().pop())
        }
        None => (network(source, LowerOptions::default()).unwrap(), None),
    };
    let observers = Observers { conditions: condition.into_iter().collect(), ..Observers::default() };
    let mut report = Report::default();
    walk(&network, &observers, &observers, &mut report).unwrap_or_else(|why| panic!("{why}\n{source}"));
    (report.states, report.fewer)
}

/// Programs in which something can be forgotten, and the states before and after.
const FORGETFUL: [(&str, &str, (u64, u64)); 13] = [
    ("read for the last time", "active proctype P() { byte x; select(x: 1..2); x > 0; skip; skip }", (10, 7)),
    ("only written", "byte g; active proctype P() { do :: g = 1 :: g = 2 od }", (3, 1)),
    ("only counts itself", "byte g; active proctype P() { do :: g++ od }", (256, 1)),
    ("only for another such one", "byte g, h; active proctype P() { do :: g = (g + 1) % 5 :: h = g od }", (25, 1)),
    ("only printed", "byte g; active proctype P() { do :: g = 1 :: printf(\"%d\", g) od }", (2, 1)),
    ("a local counter", "active proctype P() { byte x; do :: x++ od }", (256, 1)),
    (
        "received and not read",
        "chan q = [1] of { byte }; active proctype P() { byte x; do :: q!1 :: q!2 :: q?x od }",
        (9, 3),
    ),
    ("an element", "byte g[3]; active proctype P() { do :: g[1] = 1 :: g[2] = 2 :: g[1] = 0 :: g[2] == 0 od }", (4, 2)),
    ("written in a d_step", "byte g; active proctype P() { do :: d_step { g = g + 1; g = g % 3 } od }", (3, 1)),
    ("the number of a process", "proctype Q() { skip } init { pid p; if :: p = run Q() :: p = 7 fi }", (0, 0)),
    ("a parameter", "proctype Q(byte n) { skip; skip } init { if :: run Q(1) :: run Q(2) fi }", (9, 6)),
    ("an argument", "proctype Q(byte n) { skip } init { byte x; do :: x = 1 :: x = 2 :: run Q(x); break od }", (13, 5)),
    ("a quotient, not its divisor", "byte g; active proctype P() { byte x; do :: x = 1 - x :: g = 1 / x od }", (4, 2)),
];

#[test]
fn what_makes_no_difference_is_forgotten() {
    for (what, source, (before, after)) in FORGETFUL {
        let (all, some) = states(source, None);
        assert!(some < all, "{what}: {all} states became {some}");
        assert!(before == 0 || before == all, "{what}: {all} states");
        assert!(after == 0 || after == some, "{what}: {some} states instead of {all}");
    }
}

/// Programs in which nothing may be forgotten: every state differs in what can happen.
const MINDFUL: [(&str, &str); 11] = [
    ("a guard", "active proctype P() { byte x; do :: x = 1 :: x = 2 :: x == 2 od }"),
    ("an else", "active proctype P() { byte x; do :: x = 1 :: x = 2 :: if :: x == 2 -> skip :: else fi od }"),
    ("an index of a write", "byte g[2]; active proctype P() { byte x; do :: x = (x + 1) % 4 :: g[x] = 0 od }"),
    (
        "an element at an index",
        "active proctype P() { byte a[2], i; do :: a[0] = 1 :: i = 1 - i :: a[i] == 1 -> a[1] = 2 od }",
    ),
    (
        "an element that is perhaps written",
        "active proctype P() { byte a[2], i; do :: i = 1 - i :: a[0] = 1 :: a[i] = 0; a[0] == 1 od }",
    ),
    ("another process", "active proctype P() { byte x; end: do :: x = 1 - x od } active proctype Q() { P[0]:x == 1 }"),
    ("provided", "byte g; active proctype P() provided (g < 2) { do :: g++ od }"),
    ("an escape", "active proctype P() { byte x; { do :: x = (x + 1) % 6 od } unless { x == 3 } }"),
    ("a message", "chan q = [1] of { byte }; active proctype P() { byte x; do :: x = 1 :: x = 2 :: q!x :: q?1 od }"),
    ("a match", "chan q = [1] of { byte }; active proctype P() { byte x; do :: q!1 :: x = 1 - x :: q?eval(x) od }"),
    ("an assertion", "active proctype P() { byte x; do :: x = (x + 1) % 6 :: assert(x < 4) od }"),
];

#[test]
fn what_makes_a_difference_is_kept() {
    for (what, source) in MINDFUL {
        let (all, some) = states(source, None);
        assert_eq!(all, some, "{what}");
    }
}

#[test]
fn what_a_condition_looks_at_is_kept() {
    let source = "byte g; active proctype P() { byte x; do :: g = 1 :: g = 2 :: x = 1 :: x = 2 od }";
    assert_eq!(states(source, None), (9, 1));
    assert_eq!(states(source, Some("g == 1")), (9, 3));
    let (all, some) = states(source, Some("P[0]:x == 1 && g == 1"));
    assert_eq!(all, some);
}

/// Programs in which something dies while something else must not.
const CAREFUL: [(&str, &str); 4] = [
    (
        "the index of the second field is what was bound to the first",
        "chan q = [1] of { byte, byte };
         active proctype P() { byte i, a[2]; do :: i = 1 - i :: q!0,1 :: q!1,2 :: q?i,a[i]; a[0] == 1 od }",
    ),
    (
        "the index of the first field is what was there before",
        "chan q = [1] of { byte, byte };
         active proctype P() { byte i, a[2]; do :: i = 1 - i :: q!1,0 :: q!2,1 :: q?a[i],i; a[0] == 1; i = 0 od }",
    ),
    (
        "an argument whose parameter is read",
        "proctype Q(byte n) { n == 2; n = 0; skip } init { byte x; if :: x = 1 :: x = 2 fi; run Q(x); skip }",
    ),
    (
        "an initial value that is taken from a parameter",
        "proctype Q(byte n) { byte m = n; m == 2; skip } init { byte x; if :: x = 1 :: x = 2 fi; run Q(x); skip }",
    ),
];

#[test]
fn what_is_needed_to_compute_it_is_kept() {
    for (what, source) in CAREFUL {
        let (all, some) = states(source, None);
        assert!(some <= all, "{what}: {all} states became {some}");
    }
}
