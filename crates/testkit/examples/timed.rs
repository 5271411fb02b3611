//! Random timed models: Bughound, with every search and every treatment of zones, beside a decision by brute force.
//!
//! `cargo run --release -p bughound-testkit --example timed -- FIRST LAST [sample|each|product]`
//!
//! Prints seed, query, options and text of every model with a difference.

use std::time::Instant;

use bughound_testkit::liveness::comparison::Report;
use bughound_testkit::seeds;
use bughound_testkit::timed::comparison::{Effort, compare_seed};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let effort = match words.get(2).map(String::as_str) {
        Some("sample") => Effort::Sample,
        Some("product") => Effort::Product,
        _ => Effort::Each,
    };
    let start = Instant::now();
    let mut total = Report::default();
    seeds::in_parallel(
        number(0, 0)..number(1, 1000),
        |seed| compare_seed(seed, effort),
        |_, report| {
            report.differences.iter().for_each(|text| println!("{text}\n"));
            total.merge(report);
        },
    );
    for (what, count) in &total.counts {
        println!("{count:>10}  {what}");
    }
    println!("{:>10}  differences", total.differences.len());
    println!("{:>10.1}  seconds", start.elapsed().as_secs_f64());
    std::process::exit(!total.differences.is_empty() as i32);
}
