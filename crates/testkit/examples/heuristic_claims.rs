//! The claims of heuristics on random programs, compared with true distances.
//!
//! `cargo run --release -p bughound-testkit --example heuristic_claims -- FIRST LAST [STATES] [EXPRESSION…]`
//!
//! Prints seed and text of every program with a violation. `STATES`: larger programs are left out (default 2000).
//! Expressions name the heuristics to be checked; none: all.

use bughound_testkit::heuristic_claims::{Report, check_seed, expressions, features, weights};
use bughound_testkit::random_promela::generate;
use bughound_testkit::seeds;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (numbers, names): (Vec<&String>, Vec<&String>) = words.iter().partition(|w| w.parse::<u64>().is_ok());
    let number = |at: usize, default: u64| numbers.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let (first, last, states) = (number(0, 0), number(1, 1000), number(2, 2000) as usize);
    let heuristics = if names.is_empty() { expressions() } else { names.into_iter().cloned().collect() };
    let mut total = Report::default();
    seeds::in_parallel(
        first..last,
        |seed| check_seed(seed, states, weights(seed), &heuristics),
        |seed, report| {
            if !report.violations.is_empty() {
                let source = generate(seed, &features(seed));
                println!("seed {seed}:\n  {}\n{source}\n", report.violations.join("\n  "));
            }
            total.merge(report);
        },
    );
    for (what, count) in &total.coverage {
        println!("{count:>10}  {what}");
    }
    println!("{:>10}  violations", total.violations.len());
    std::process::exit(!total.violations.is_empty() as i32);
}
