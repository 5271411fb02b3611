//! Reduced state spaces beside whole ones, on random programs.
//!
//! `cargo run --release -p bughound-testkit --example reduction -- 0 20000` tries as many as one likes.

use bughound_testkit::reduction::{Mistake, Report, check_seed, check_seed_with};

#[test]
fn nothing_is_lost_that_was_to_be_kept() {
    let mut total = Report::default();
    (0..400).for_each(|seed| total.merge(check_seed(seed)));
    assert!(total.wrong.is_empty(), "{}", total.wrong.join("\n"));
    println!("{total:?}");
    assert!(total.programs > 100 && total.reduced * 10 < total.states * 9, "{total:?}");
}

/// A comparison that could not fail would prove nothing.
#[test]
fn mistakes_are_found_soon() {
    for mistake in [Mistake::Visibility, Mistake::Proviso, Mistake::Dependency] {
        let caught = (0..400).find(|seed| !check_seed_with(*seed, mistake).wrong.is_empty());
        println!("{mistake:?}: found by the program of seed {caught:?}");
        assert!(caught.is_some(), "{mistake:?} is not found");
    }
}
