//! Random Promela programs: verdicts and proven lengths with and without reductions, by searches drawn for each program.
//!
//! `cargo run --release -p bughound-testkit --example reduced_verdicts -- FIRST LAST [SEED]`
//!
//! Prints seed, search and text of every program with a difference. `SEED`: another draw of searches and properties.

use std::time::Instant;

use bughound_testkit::reduced_verdicts::{Report, compare_seed};
use bughound_testkit::seeds;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let (first, last, draw) = (number(0, 0), number(1, 1000), number(2, 0));
    let start = Instant::now();
    let mut total = Report::default();
    seeds::in_parallel(
        first..last,
        |seed| compare_seed(seed, draw),
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
