//! Some hundred random programs through the engine, the reference evaluator and, where it is installed, SPIN.
//!
//! `cargo run --release -p bughound-testkit --example differential -- 0 20000` compares as many as one likes.

use bughound_testkit::comparison::{compare_program, random_features};
use bughound_testkit::random_promela::{Features, generate};
use bughound_testkit::seeds;
use bughound_testkit::spin_oracle::SpinOracle;

/// Compares the programs of these seeds and returns the number of states compared with SPIN.
fn compare_all(seeds: std::ops::Range<u64>, features: fn(u64) -> Features) -> u64 {
    let spin = SpinOracle::find();
    if spin.is_none() {
        println!("skipped: SPIN is not installed; only the engine and the reference evaluator are compared");
    }
    let (mut with_spin, mut with_reference, mut differences) = (0, 0, Vec::new());
    seeds::in_parallel(
        seeds,
        |seed| compare_program(&generate(seed, &features(seed)), features(seed), spin.as_ref()),
        |seed, compared| {
            with_spin += compared.with_spin;
            with_reference += compared.with_reference;
            differences.extend(compared.difference.map(|d| format!("seed {seed} ({:?}): {d}", features(seed))));
        },
    );
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(with_reference > 1000, "only {with_reference} states were compared with the reference evaluator");
    assert!(spin.is_none() || with_spin > 1000, "only {with_spin} states were compared with SPIN");
    with_spin
}

#[test]
fn the_core_of_the_language() {
    compare_all(0..250, |_| Features::CORE);
}

#[test]
fn all_features() {
    compare_all(100_000..100_150, random_features);
}

#[test]
fn claims_and_event_traces() {
    for feature in [Features::LTL, Features::TRACE] {
        compare_all_of(feature);
    }
}

/// With a claim SPIN counts states in its own way: only verdicts are compared.
fn compare_all_of(feature: Features) {
    let spin = SpinOracle::find();
    for seed in 0..30 {
        let features = Features::CORE | feature;
        let compared = compare_program(&generate(seed, &features), features, spin.as_ref());
        assert_eq!(compared.difference, None, "seed {seed} ({features:?})");
    }
}

/// Programs that the engine and the reference evaluator, or SPIN, once saw differently.
const ONCE_DIFFERENT: [&str; 7] = [
    // A guard of another process that has no value while a rendezvous is under way.
    "byte x = 1; chan q = [0] of { byte };
     active proctype S() { atomic { x = 0; q!1 } }
     active proctype R() { atomic { q?_; x = 1 } }
     active proctype G() { (1/x == 1) }",
    // `else` inside a d_step looks only at the options before it.
    "bool g; active proctype P() { bit l; if :: (g < 2) :: d_step { if :: else fi }; l = g + 1 fi }",
    // `_last` in code that is never reached is part of the state all the same.
    "byte x; active proctype P() { do :: x = 1 od; x = _last } active proctype Q() { do :: skip od }",
    // A priority of the proctype does not count for `run`.
    "byte g; proctype P() priority 1 { g = 3 } proctype Q() priority 2 { g++ }
     init { pid p; atomic { p = run P(); run Q() } }",
    // With priorities SPIN does not compare all bits of a frame, unless told to.
    "byte g; active proctype P() { bit b; if :: b = 0 :: b = 1 fi; g = 1; assert(!b) }
     active proctype Q() priority 1 { skip }",
    // Loops over messages share a counter if they stand in the same scope.
    "typedef M { byte x; bit y }; M m; byte s; chan q = [1] of { M };
     active proctype P() { if :: for (m in q) { skip } :: s = 2 fi; for (m in q) { s = 1 }; { for (m in q) { skip } } }
     active proctype Q() { q!m }",
    // Rendezvous and atomic chains.
    "chan q = [0] of { byte }; byte x;
     active proctype A() { atomic { q!1; x = 1; q!2 }; assert(x < 3) }
     active proctype B() { byte y; atomic { q?y; x = 2 }; q?y; x = y }",
];

/// Programs that the engine and the reference evaluator once saw differently, and that SPIN cannot be asked about.
const ONCE_DIFFERENT_WITHOUT_SPIN: [&str; 3] = [
    // Whether a process is enabled may depend on whether another one is.
    "active proctype P0() { skip }
     active proctype P1() { enabled(0) }
     active proctype P2() { byte l = 1; (enabled(1) != l); assert(false) }",
    // But not in a circle.
    "byte x; active proctype P0() { x = 1; enabled(2) }
     active proctype P1() { enabled(0); x = 2 }
     active proctype P2() { enabled(1); x = 3 }",
    // Among those who can take a message over a rendezvous, priorities count.
    "chan q = [0] of { byte }; byte x;
     active proctype S() { q!1; q!2 }
     active proctype R1() priority 2 { q?_; x = 1 }
     active proctype R2() priority 3 { q?1; x = 2; assert(x == 2) }",
];

#[test]
fn programs_that_once_differed_without_spin() {
    for source in ONCE_DIFFERENT_WITHOUT_SPIN {
        let compared = compare_program(source, Features::CORE, None);
        assert_eq!(compared.difference, None, "{source}");
        assert!(compared.with_reference > 0);
    }
}

#[test]
fn programs_that_once_differed() {
    let spin = SpinOracle::find();
    for source in ONCE_DIFFERENT {
        let compared = compare_program(source, Features::CORE, spin.as_ref());
        assert_eq!(compared.difference, None, "{source}");
        assert!(compared.with_reference > 0);
    }
}
