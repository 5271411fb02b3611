//! Random Promela programs: pairs of searches and heuristics beside breadth-first search and true distances.
//!
//! `cargo run --release -p bughound-testkit --example search_pairs -- FIRST LAST [SEARCH or show]`
//!
//! Prints seed, form and text of every program with a difference; at the end how many runs each pair of a search and a
//! heuristic had. `SEARCH`: only pairs with this search. `show`: prints the programs instead.

use std::time::Instant;

use bughound_testkit::search_pairs::{Report, compare_seed, program};
use bughound_testkit::seeds;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let (first, last) = (number(0, 0), number(1, 1000));
    if words.iter().any(|word| word == "show") {
        for seed in first..last {
            let (source, conditions) = program(seed);
            println!("{source}\n/* {conditions:?} */\n");
        }
        return;
    }
    let start = Instant::now();
    let mut total = Report::default();
    let only = words.get(2).map(String::as_str);
    seeds::in_parallel(
        first..last,
        |seed| compare_seed(seed, only),
        |_, report| {
            report.differences.iter().for_each(|text| println!("{text}\n"));
            total.merge(report);
        },
    );
    let mut times: Vec<_> = total.times.iter().map(|(what, time)| (*time, what)).collect();
    times.sort();
    for (time, what) in times.iter().rev().take(12) {
        println!("{:>10.1}  seconds for {what}", time.as_secs_f64());
    }
    let least = total.least();
    for (runs, pair) in &least {
        println!("{runs:>10}  {pair}");
    }
    for (what, count) in &total.counts {
        println!("{count:>10}  {what}");
    }
    println!("{:>10}  pairs of a search and a heuristic", least.len());
    println!("{:>10}  runs of each of them at least", least.first().map_or(0, |(runs, _)| *runs));
    println!("{:>10}  differences", total.differences.len());
    println!("{:>10.1}  seconds", start.elapsed().as_secs_f64());
    std::process::exit(!total.differences.is_empty() as i32);
}
