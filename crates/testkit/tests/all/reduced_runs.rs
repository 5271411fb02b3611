//! Reduced runs beside the decision by brute force, and mistakes that are planted in the reduction.

use bughound_testkit::reduced_runs::{Mistake, Report, check_seed};
use bughound_testkit::seeds;

#[test]
fn a_run_that_violates_a_formula_is_left_if_there_is_one() {
    let mut total = Report::default();
    seeds::in_parallel(0..800, |seed| check_seed(seed, Mistake::None), |_, report| total.merge(report));
    assert!(total.differences.is_empty(), "{}", total.differences.join("\n"));
    println!("{total:?}");
    assert!(total.pairs > 1500 && total.violated > 500 && total.reduced > 200, "{total:?}");
}

/// A comparison that could not fail would prove nothing.
#[test]
fn mistakes_are_found_soon() {
    for mistake in [Mistake::Visibility, Mistake::Cycle, Mistake::Dependency] {
        let caught = (0..6000).find(|seed| !check_seed(*seed, mistake).differences.is_empty());
        println!("{mistake:?}: found by the model of seed {caught:?}");
        assert!(caught.is_some(), "{mistake:?} is not found");
    }
}
