//! Random Promela programs: is everything found in reduced state spaces that was to be kept?
//!
//! `cargo run --release -p bughound-testkit --example reduction -- FIRST LAST`

use bughound_testkit::reduction::{Report, check_seed};
use bughound_testkit::seeds;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let mut total = Report::default();
    seeds::in_parallel(number(0, 0)..number(1, 1000), check_seed, |_, report| {
        report.wrong.iter().for_each(|text| println!("{text}\n"));
        total.merge(report);
    });
    println!("{:>10}  programs", total.programs);
    total.refused.iter().for_each(|(why, count)| println!("{count:>10}  not reduced: {why}"));
    println!("{:>10}  too large", total.too_large);
    println!("{:>10}  states", total.states);
    println!("{:>10}  states of the smallest walks", total.reduced);
    println!("{:>10}  reduced walks", total.walks);
    println!("{:>10}  wrong", total.wrong.len());
    std::process::exit(!total.wrong.is_empty() as i32);
}
