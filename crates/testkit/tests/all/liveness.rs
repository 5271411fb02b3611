//! A thousand random properties of infinite runs, beside a decision by brute force and, where it is installed, SPIN.
//!
//! `cargo run --release -p bughound-testkit --example liveness -- 0 2000` compares as many as one likes.

use bughound_testkit::liveness::comparison::{Report, compare_seed};
use bughound_testkit::liveness::with_spin;
use bughound_testkit::seeds;
use bughound_testkit::spin_oracle::SpinOracle;

#[test]
fn every_search_agrees_with_brute_force() {
    let mut total = Report::default();
    seeds::in_parallel(0..200, compare_seed, |_, report| total.merge(report));
    assert!(total.differences.is_empty(), "{}", total.differences.join("\n\n"));
    let share = |what: &str| 100 * total.of(what) / total.of("pairs").max(1);
    assert!(total.of("pairs") > 800 && total.of("checks") > 12_000, "{:?}", total.counts);
    assert!((35..=65).contains(&share("violated")), "{:?}", total.counts);
    assert!(share("decided by fairness") >= 4, "{:?}", total.counts);
    assert!(share("pairs with runs at rest") >= 20, "{:?}", total.counts);
    for kind in ["claims", "acceptance", "non-progress", "pairs with steps that fail", "pairs with more states"] {
        assert!(total.of(kind) > 0, "{kind}: {:?}", total.counts);
    }
    assert!(10 * total.of("counterexamples proven shortest") > total.of("checks"), "{:?}", total.counts);
}

#[test]
fn spin_agrees() {
    let Some(spin) = SpinOracle::find() else {
        println!("skipped: SPIN or a C compiler is not installed");
        return;
    };
    let mut total = Report::default();
    seeds::in_parallel(0..110, |seed| with_spin::compare_seed(seed, &spin), |_, report| total.merge(report));
    assert!(total.differences.is_empty(), "{}", total.differences.join("\n\n"));
    assert!(total.of("pairs") >= 90 && total.of("verdicts compared with SPIN's") >= 150, "{:?}", total.counts);
    assert!((25..=75).contains(&(100 * total.of("violated") / total.of("pairs"))), "{:?}", total.counts);
    assert!(total.of("decided by fairness") > 0, "{:?}", total.counts);
}
