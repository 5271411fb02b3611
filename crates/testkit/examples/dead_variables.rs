//! Random programs with and without the values that make no difference.
//!
//! `cargo run --release -p bughound-testkit --example dead_variables -- FIRST LAST [walk|check]`
//!
//! `walk` compares the steps of both, state by state; `check` the answers of Bughound. Without a word, both.

use bughound_testkit::dead_variables::{Report, check_seed, walk_seed};
use bughound_testkit::seeds;

type Comparison = fn(u64) -> Report;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = words.iter().filter_map(|w| w.parse().ok()).collect();
    let (first, last) = (numbers.first().copied().unwrap_or(0), numbers.get(1).copied().unwrap_or(500));
    let wants = |name: &str| words.iter().any(|w| w == name) || !words.iter().any(|w| w == "walk" || w == "check");
    let mut all = Report::default();
    let ways: [(&str, Comparison); 2] = [("walk", walk_seed), ("check", check_seed)];
    for (_, compare) in ways.into_iter().filter(|(name, _)| wants(name)) {
        seeds::in_parallel(first..last, compare, |_, report| {
            report.differences.iter().for_each(|difference| println!("{difference}"));
            all.merge(report);
        });
    }
    println!(
        "{} programs, {} with something to forget; {} states became {}; {} answers compared; {} differences",
        all.programs,
        all.forgetful,
        all.states,
        all.fewer,
        all.answers,
        all.differences.len()
    );
    std::process::exit((!all.differences.is_empty()) as i32);
}
