//! Random Promela programs: are traces with their steps reordered still runs to the same end?
//!
//! `cargo run --release -p bughound-testkit --example switches -- FIRST LAST`

use bughound_testkit::switches::{Report, check_seed};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let mut total = Report::default();
    (number(0, 0)..number(1, 1000)).for_each(|seed| total.merge(check_seed(seed)));
    total.wrong.iter().for_each(|text| println!("{text}\n"));
    println!("{:>10}  traces", total.traces);
    println!("{:>10}  of them in another order", total.reordered);
    println!("{:>10}  changes of the process before", total.before);
    println!("{:>10}  changes of the process after", total.after);
    println!("{:>10}  wrong", total.wrong.len());
    std::process::exit(!total.wrong.is_empty() as i32);
}
