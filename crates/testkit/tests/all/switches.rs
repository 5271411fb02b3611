//! Traces with few changes of the process, on random programs.
//!
//! `cargo run --release -p bughound-testkit --example switches -- 0 20000` tries as many as one likes.

use bughound_testkit::switches::{Report, check_seed};

#[test]
fn reordered_traces_are_runs_to_the_same_end() {
    let mut total = Report::default();
    (0..600).for_each(|seed| total.merge(check_seed(seed)));
    assert!(total.wrong.is_empty(), "{}", total.wrong.join("\n"));
    println!("{} traces, {} reordered, {} → {}", total.traces, total.reordered, total.before, total.after);
    assert!(total.traces > 1000 && total.reordered > 80 && total.after < total.before, "{total:?}");
}
