//! Some hundred random properties of infinite runs, beside a decision by brute force and, where it is installed, SPIN.
//!
//! `cargo run --release -p bughound-testkit --example liveness -- 0 2200` compares as many as one likes.

use bughound_testkit::liveness::comparison::{Report, compare_seed};
use bughound_testkit::seeds;

#[test]
fn every_search_agrees_with_brute_force() {
    let mut total = Report::default();
    seeds::in_parallel(0..70, compare_seed, |_, report| total.merge(report));
    assert!(total.differences.is_empty(), "{}", total.differences.join("\n\n"));
    let share = |what: &str| 100 * total.of(what) / total.of("pairs").max(1);
    assert!(total.of("pairs") > 250 && total.of("checks") > 4000, "{:?}", total.counts);
    assert!((35..=65).contains(&share("violated")), "{:?}", total.counts);
    assert!(share("decided by fairness") >= 4, "{:?}", total.counts);
    assert!(share("pairs with runs at rest") >= 20, "{:?}", total.counts);
    for kind in ["claims", "acceptance", "non-progress", "pairs with steps that fail", "pairs with more states"] {
        assert!(total.of(kind) > 0, "{kind}: {:?}", total.counts);
    }
    assert!(10 * total.of("counterexamples proven shortest") > total.of("checks"), "{:?}", total.counts);
}
