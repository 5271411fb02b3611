//! Random models and properties of their runs: Bughound, with every kind of search, beside a decision by brute force.
//!
//! `cargo run --release -p bughound-testkit --example liveness -- FIRST LAST`
//!
//! Prints seed, property and text of every model with a difference.

use std::time::Instant;

use bughound_testkit::liveness::comparison::{Report, compare_seed};
use bughound_testkit::seeds;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let (first, last) = (number(0, 0), number(1, 1000));
    let start = Instant::now();
    let mut total = Report::default();
    seeds::in_parallel(first..last, compare_seed, |_, report| {
        report.differences.iter().for_each(|text| println!("{text}\n"));
        total.merge(report);
    });
    for (what, count) in &total.counts {
        println!("{count:>10}  {what}");
    }
    println!("{:>10}  differences", total.differences.len());
    println!("{:>10.1}  seconds", start.elapsed().as_secs_f64());
    std::process::exit(!total.differences.is_empty() as i32);
}
