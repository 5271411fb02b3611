//! Reduced state spaces beside whole ones, on random programs.
//!
//! `cargo run --release -p bughound-testkit --example reduction -- 0 20000` tries as many as one likes.

use bughound_testkit::reduction::{Report, check_seed};

#[test]
fn nothing_is_lost_that_was_to_be_kept() {
    let mut total = Report::default();
    (0..400).for_each(|seed| total.merge(check_seed(seed)));
    assert!(total.wrong.is_empty(), "{}", total.wrong.join("\n"));
    println!("{total:?}");
    assert!(total.programs > 100 && total.reduced * 10 < total.states * 9, "{total:?}");
}
