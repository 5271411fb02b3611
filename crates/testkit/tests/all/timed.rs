//! Random timed models and queries, beside a decision by brute force on clock regions.
//!
//! `cargo run --release -p bughound-testkit --example timed -- 0 2000` compares as many as one likes.

use bughound_testkit::liveness::comparison::Report;
use bughound_testkit::seeds;
use bughound_testkit::timed::comparison::{Effort, compare_seed};

#[test]
fn every_search_and_every_treatment_of_zones_agrees_with_regions() {
    let mut total = Report::default();
    seeds::in_parallel(0..120, |seed| compare_seed(seed, Effort::Sample), |_, report| total.merge(report));
    assert!(total.differences.is_empty(), "{}", total.differences.join("\n\n"));
    // What must have been seen for this to be worth something.
    for (what, least) in [
        ("models", 80),
        ("models with more regions", 30),
        ("models with urgent channels at work", 5),
        ("queries", 600),
        ("queries that test clocks", 150),
        ("queries with a shortest trace of 3 steps or more", 25),
        ("queries: satisfied", 80),
        ("queries: holds", 80),
        ("queries: violated", 200),
        ("queries: E<>", 150),
        ("queries: A[]", 80),
        ("queries: deadlock in a condition", 80),
        ("queries: A<>", 20),
        ("queries: E[]", 20),
        ("queries: -->", 10),
        ("queries: sup, inf", 50),
        ("deadlocks", 40),
        ("runs", 5000),
        ("runs with a trace that is called shortest", 1000),
    ] {
        assert!(total.of(what) >= least, "{what}: {:?}", total.counts);
    }
}
