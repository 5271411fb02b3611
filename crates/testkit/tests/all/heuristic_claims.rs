//! The claims of all heuristics on some hundred random programs, compared with true distances.
//!
//! `cargo run --release -p bughound-testkit --example heuristic_claims -- 0 20000` checks as many as one likes.

use std::ops::Range;

use bughound_promela::lower::LowerOptions;
use bughound_testkit::heuristic_claims::{
    ANALYSING, NEED_PRICES, Program, Report, check_program, check_seed, expressions, kinds, weights,
};
use bughound_testkit::random_promela::Rng;
use bughound_testkit::seeds;

const PROGRAMS: u64 = 400;
/// Larger programs are left out.
const STATES: usize = 400;

/// Checks the programs of these seeds.
fn check(seeds: Range<u64>, weights: fn(u64) -> &'static [u64], heuristics: &[String]) -> Report {
    let mut total = Report::default();
    seeds::in_parallel(
        seeds,
        |seed| check_seed(seed, STATES, weights(seed), heuristics),
        |seed, mut report| {
            report.violations.iter_mut().for_each(|text| *text = format!("seed {seed}: {text}"));
            total.merge(report);
        },
    );
    assert!(total.violations.is_empty(), "{}", total.violations.join("\n"));
    total
}

/// Heuristics that know that steps may cost nothing.
#[test]
fn claims_hold_where_steps_are_free() {
    let heuristics = ["blind", "send-receive", "max(blind, send-receive)", "min(send-receive, hamming)"];
    let total = check(0..100, |_| &[0, 1, 2], &heuristics.map(String::from));
    assert!(total.coverage["channel overflow: with an error"] >= 10);
}

#[test]
fn no_heuristic_claims_too_much() {
    let mut heuristics = expressions();
    // Those have a test of their own, `heuristics`.
    heuristics.retain(|text| !ANALYSING.contains(&text.as_str()) && !is_abstraction(text));
    let total = check(0..PROGRAMS, weights, &heuristics);
    println!("{:#?}", total.coverage);
    // The test must not pass because there was nothing to test.
    let count = |what: &str| total.counted(what);
    assert!(count("programs") >= PROGRAMS / 3, "only {} programs are small enough", count("programs"));
    assert!(count("estimates: admissible, two or more") > 1000 && count("estimates: safe dead ends") > 1000);
    let kinds = ["deadlock", "failure", "condition", "formula", "everything", "invariant", "claim"];
    for kind in kinds.into_iter().chain(["unspecified reception", "channel overflow"]) {
        let with_error = count(&format!("{kind}: with an error"));
        assert!(with_error >= 10, "{kind}: only {with_error} programs have a reachable error");
    }
    let tested = |name: &str| !is_abstraction(name) && !NEED_PRICES.contains(&name);
    for entry in bughound_heuristics::ALL.iter().filter(|entry| tested(entry.name)) {
        let states = count(&format!("heuristic {}", entry.name));
        assert!(states > 1000, "{}: only {states} states were estimated", entry.name);
    }
}

/// Does it take long to build?
fn is_abstraction(text: &str) -> bool {
    let name = text.split('(').next().unwrap_or(text);
    ["pdb", "pdbs", "merge-and-shrink", "cartesian", "causal-graph"].contains(&name)
}

/// On fewer programs: every one of them is taken apart for every kind of error.
#[test]
fn no_abstraction_claims_too_much() {
    let mut heuristics = expressions();
    heuristics.retain(|text| is_abstraction(text) && !ANALYSING.contains(&text.as_str()));
    let total = check(1..31, weights, &heuristics);
    assert!(total.counted("estimates: admissible, two or more") > 1000);
    assert!(total.counted("estimates: safe dead ends") > 1000);
    assert!(total.counted("heuristics cut short") > 100);
    for entry in bughound_heuristics::ALL.iter().filter(|entry| is_abstraction(entry.name)) {
        let states = total.counted(&format!("heuristic {}", entry.name));
        assert!(states > 1000, "{}: only {states} states were estimated", entry.name);
    }
}

/// Programs in which a claim would be false without a condition that random programs hardly ever need.
const TEMPTING: [&str; 2] = [
    // One step that fills several cells.
    "chan q = [3] of { byte }; active proctype P() { d_step { q!1; q!2; q!3 }; q!4 }",
    // A process that brings a smaller channel with it.
    "chan q = [5] of { byte };
     proctype Q() { chan r = [1] of { byte }; r!1; r!2 }
     active proctype P() { q!1; run Q() }",
];

#[test]
fn claims_hold_where_it_is_tempting_to_claim_too_much() {
    for source in TEMPTING {
        let program = Program::new(source, LowerOptions::default()).unwrap();
        let report = check_program(&program, kinds, STATES, &expressions(), &mut Rng::new(0));
        assert_eq!(report.violations, [""; 0], "{source}");
        assert_eq!(report.coverage["channel overflow: with an error"], 1, "{source}");
    }
}

/// Claims with an assertion that fails: that takes them to their end, to which no other move leads.
const FAILING_CLAIMS: [&str; 2] = [
    "bit g; byte n;
     active proctype P() { do :: n < 5 -> n++ :: n == 5 -> break od; g = 1 }
     never { do :: assert(g == 0) :: n == 7 -> break od }",
    "byte n;
     active proctype P() { n = 1; n = 2; n = 3 }
     never { true; do :: assert(n != 3) :: n == 7 -> break od }",
];

#[test]
fn claims_hold_where_an_assertion_in_a_never_claim_fails() {
    for source in FAILING_CLAIMS {
        let program = Program::new(source, LowerOptions::default()).unwrap();
        let report = check_program(&program, kinds, STATES, &expressions(), &mut Rng::new(0));
        assert_eq!(report.violations, [""; 0], "{source}");
        assert_eq!(report.coverage["claim: with an error"], 1, "{source}");
    }
}
