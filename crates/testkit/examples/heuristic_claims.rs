//! The claims of heuristics on random programs, compared with true distances.
//!
//! `cargo run --release -p bughound-testkit --example heuristic_claims -- FIRST LAST [STATES] [OPTION…] [EXPRESSION…]`
//!
//! Prints seed and text of every program with a violation. `STATES`: larger programs are left out (default 2000).
//! Expressions name the heuristics to be checked; none: all. `--free`: some steps cost nothing (not all heuristics may
//! claim anything then). `--timed`: timed models instead of programs.

use bughound_testkit::heuristic_claims::{Report, check_seed, expressions, features, weights};
use bughound_testkit::random_promela::generate;
use bughound_testkit::{seeds, timed};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (options, words): (Vec<String>, Vec<String>) = words.into_iter().partition(|w| w.starts_with("--"));
    let (numbers, names): (Vec<String>, Vec<String>) = words.into_iter().partition(|w| w.parse::<u64>().is_ok());
    let number = |at: usize, default: u64| numbers.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let (first, last, states) = (number(0, 0), number(1, 1000), number(2, 2000) as usize);
    let heuristics = if names.is_empty() { expressions() } else { names };
    let has = |option: &str| options.iter().any(|o| o == option);
    let (is_timed, is_free) = (has("--timed"), has("--free"));
    if options.len() != is_timed as usize + is_free as usize || (is_timed && is_free) {
        eprintln!("the options are --timed or --free");
        std::process::exit(2);
    }
    let check = |seed| match is_timed {
        true => timed::claims::check_seed(seed, states, &heuristics),
        false => check_seed(seed, states, if is_free { &[0, 1, 2] } else { weights(seed) }, &heuristics),
    };
    let mut total = Report::default();
    seeds::in_parallel(first..last, check, |seed, report| {
        if !report.violations.is_empty() {
            // Violations of timed models come with their text.
            let source = if is_timed { String::new() } else { generate(seed, &features(seed)) };
            println!("seed {seed}:\n  {}\n{source}\n", report.violations.join("\n  "));
        }
        total.merge(report);
    });
    for (what, count) in &total.coverage {
        println!("{count:>10}  {what}");
    }
    println!("{:>10}  violations", total.violations.len());
    std::process::exit(!total.violations.is_empty() as i32);
}
