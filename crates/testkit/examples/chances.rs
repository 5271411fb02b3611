//! Random models with chances in PRISM's language: Bughound beside brute force with exact numbers.
//!
//! `cargo run --release -p bughound-testkit --example chances -- FIRST LAST`
//!
//! Prints seed, question and text of every model with a difference.

use std::time::Instant;

use bughound_testkit::chances::comparison::compare_seed;
use bughound_testkit::liveness::comparison::Report;
use bughound_testkit::seeds;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let start = Instant::now();
    let mut total = Report::default();
    seeds::in_parallel(number(0, 0)..number(1, 1000), compare_seed, |_, report| {
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
