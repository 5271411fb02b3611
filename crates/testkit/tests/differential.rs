//! Some hundred random programs through the engine, the reference evaluator and, where it is installed, SPIN.
//!
//! `cargo run --release -p bughound-testkit --example differential -- 0 20000` compares as many as one likes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use bughound_testkit::comparison::{Comparison, compare_program, random_features};
use bughound_testkit::random_promela::{Features, generate};
use bughound_testkit::spin_oracle::SpinOracle;

/// Compares the programs of these seeds on two threads and returns the number of states compared with SPIN.
fn compare_all(seeds: std::ops::Range<u64>, features: fn(u64) -> Features) -> u64 {
    let spin = SpinOracle::find();
    if spin.is_none() {
        println!("skipped: SPIN is not installed; only the engine and the reference evaluator are compared");
    }
    let next = AtomicU64::new(seeds.start);
    let found = Mutex::new((0, 0, Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let features = features(seed);
                    let Comparison { with_spin, with_reference, difference } =
                        compare_program(&generate(seed, &features), features, spin.as_ref());
                    let mut found = found.lock().unwrap();
                    found.0 += with_spin;
                    found.1 += with_reference;
                    found.2.extend(difference.map(|d| format!("seed {seed} ({features:?}): {d}")));
                }
            });
        }
    });
    let (with_spin, with_reference, differences) = found.into_inner().unwrap();
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
