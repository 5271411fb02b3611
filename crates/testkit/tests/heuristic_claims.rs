//! The claims of all heuristics on some hundred random programs, compared with true distances.
//!
//! `cargo run --release -p bughound-testkit --example heuristic_claims -- 0 20000` checks as many as one likes.

use std::ops::{Range, RangeInclusive};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use bughound_promela::lower::LowerOptions;
use bughound_testkit::heuristic_claims::{Report, check_program, check_seed, expressions, weights};

const PROGRAMS: u64 = 300;
/// Larger programs are left out.
const STATES: usize = 400;

/// Checks the programs of these seeds on two threads.
fn check(seeds: Range<u64>, weights: fn(u64) -> RangeInclusive<u64>, heuristics: &[String]) -> Report {
    let next = AtomicU64::new(seeds.start);
    let total = Mutex::new(Report::default());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let mut report = check_seed(seed, STATES, weights(seed), heuristics);
                    report.violations.iter_mut().for_each(|text| *text = format!("seed {seed}: {text}"));
                    total.lock().unwrap().merge(report);
                }
            });
        }
    });
    let total = total.into_inner().unwrap();
    assert!(total.violations.is_empty(), "{}", total.violations.join("\n"));
    total
}

/// Heuristics that know that steps may cost nothing.
#[test]
fn claims_hold_where_steps_are_free() {
    let heuristics = ["blind", "send-receive", "max(blind, send-receive)", "min(send-receive, hamming)"];
    let total = check(0..100, |_| 0..=2, &heuristics.map(String::from));
    assert!(total.coverage["channel overflow: with an error"] >= 10);
}

#[test]
fn no_heuristic_claims_too_much() {
    let total = check(0..PROGRAMS, weights, &expressions());
    println!("{:#?}", total.coverage);
    // The test must not pass because there was nothing to test.
    let count = |what: &str| total.coverage.get(what).copied().unwrap_or(0);
    assert!(count("programs") >= PROGRAMS / 3, "only {} programs are small enough", count("programs"));
    let kinds = ["deadlock", "failure", "condition", "everything", "invariant", "claim"];
    for kind in kinds.into_iter().chain(["unspecified reception", "channel overflow"]) {
        let with_error = count(&format!("{kind}: with an error"));
        assert!(with_error >= 10, "{kind}: only {with_error} programs have a reachable error");
    }
    for entry in bughound_heuristics::ALL {
        let states = count(&format!("heuristic {}", entry.name));
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
        let report = check_program(source, LowerOptions::default(), 0, STATES, 1..=1, &expressions());
        assert_eq!(report.violations, [""; 0], "{source}");
        assert_eq!(report.coverage["channel overflow: with an error"], 1, "{source}");
    }
}
