//! The claims of heuristics on random programs, compared with true distances.
//!
//! `cargo run --release -p bughound-testkit --example heuristic_claims -- FIRST LAST [STATES] [EXPRESSION…]`
//!
//! Prints seed and text of every program with a violation. `STATES`: larger programs are left out (default 2000).
//! Expressions name the heuristics to be checked; none: all.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use bughound_testkit::heuristic_claims::{Report, check_seed, expressions, program, weights};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (numbers, names): (Vec<&String>, Vec<&String>) = words.iter().partition(|w| w.parse::<u64>().is_ok());
    let number = |at: usize, default: u64| numbers.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let (first, last, states) = (number(0, 0), number(1, 1000), number(2, 2000) as usize);
    let heuristics = if names.is_empty() { expressions() } else { names.into_iter().cloned().collect() };
    let next = AtomicU64::new(first);
    let total = Mutex::new(Report::default());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= last {
                        return;
                    }
                    let report = check_seed(seed, states, weights(seed), &heuristics);
                    let mut total = total.lock().unwrap();
                    if !report.violations.is_empty() {
                        println!("seed {seed}:\n  {}\n{}\n", report.violations.join("\n  "), program(seed));
                    }
                    total.merge(report);
                }
            });
        }
    });
    let total = total.into_inner().unwrap();
    for (what, count) in &total.coverage {
        println!("{count:>10}  {what}");
    }
    println!("{:>10}  violations", total.violations.len());
    std::process::exit(!total.violations.is_empty() as i32);
}
