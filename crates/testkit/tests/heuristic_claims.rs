//! The claims of all heuristics on some hundred random programs, compared with true distances.
//!
//! `cargo run --release -p bughound-testkit --example heuristic_claims -- 0 20000` checks as many as one likes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use bughound_testkit::heuristic_claims::{Report, check_seed, expressions};

const PROGRAMS: u64 = 300;
/// Larger programs are left out.
const STATES: usize = 400;

#[test]
fn no_heuristic_claims_too_much() {
    let heuristics = expressions();
    let next = AtomicU64::new(0);
    let total = Mutex::new(Report::default());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= PROGRAMS {
                        return;
                    }
                    let mut report = check_seed(seed, STATES, &heuristics);
                    report.violations.iter_mut().for_each(|text| *text = format!("seed {seed}: {text}"));
                    total.lock().unwrap().merge(report);
                }
            });
        }
    });
    let total = total.into_inner().unwrap();
    println!("{:#?}", total.coverage);
    assert!(total.violations.is_empty(), "{}", total.violations.join("\n"));
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
