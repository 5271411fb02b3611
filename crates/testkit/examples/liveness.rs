//! Random models and properties of their runs: Bughound, with every kind of search, beside a decision by brute force.
//!
//! `cargo run --release -p bughound-testkit --example liveness -- FIRST LAST [spin]`
//!
//! Prints seed, property and text of every model with a difference. `spin`: SPIN is asked as well, about one property per
//! seed.

use std::time::Instant;

use bughound_testkit::liveness::comparison::{Report, compare_seed};
use bughound_testkit::liveness::with_spin;
use bughound_testkit::seeds;
use bughound_testkit::spin_oracle::SpinOracle;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let (first, last) = (number(0, 0), number(1, 1000));
    let spin = if words.iter().any(|word| word == "spin") {
        let found = SpinOracle::find();
        if found.is_none() {
            println!("skipped: SPIN or a C compiler is not installed");
            return;
        }
        found
    } else {
        None
    };
    let start = Instant::now();
    let mut total = Report::default();
    let work = |seed| spin.as_ref().map_or_else(|| compare_seed(seed), |spin| with_spin::compare_seed(seed, spin));
    seeds::in_parallel(first..last, work, |_, report| {
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
