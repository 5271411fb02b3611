//! Verdicts and proven lengths with and without reductions, on random programs.
//!
//! `cargo run --release -p bughound-testkit --example reduced_verdicts -- 0 20000` compares as many as one likes.

use bughound_testkit::reduced_verdicts::{Report, compare_seed};
use bughound_testkit::seeds;

#[test]
fn what_is_left_out_changes_no_answer() {
    let mut total = Report::default();
    seeds::in_parallel(0..120, |seed| compare_seed(seed, 0), |_, report| total.merge(report));
    assert!(total.differences.is_empty(), "{}", total.differences.join("\n\n"));
    println!("{:?}", total.counts);
    assert!(total.of("programs") == 120 && total.of("verdicts compared") > 1000, "{:?}", total.counts);
    for what in ["runs that left steps out", "runs with several threads", "proven lengths compared", "violated", "hold"]
    {
        assert!(total.of(what) > 50, "{what}: {:?}", total.counts);
    }
    assert!(total.of("inconclusive") > 0, "{:?}", total.counts);
}
