//! How often random Promela programs contain each construct of the language and each pair of constructs.
//!
//! `cargo run --release -p bughound-testkit --example constructs -- FIRST LAST [pairs]`
//!
//! Prints three tables: for programs, for single expressions and for single `d_step`s. `pairs`: every pair with its count.
//! Exits with 1 if something that the grammar allows never occurs.

use bughound_testkit::comparison::wide_features;
use bughound_testkit::constructs::Counts;
use bughound_testkit::random_promela::generate;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let mut counts = Counts::default();
    (number(0, 0)..number(1, 5000)).for_each(|seed| counts.add(&generate(seed, &wide_features(seed))));
    let mut missing = counts.rejected.len();
    for (name, table) in counts.tables() {
        println!("{name}\n{table}");
        if words.iter().any(|word| word == "pairs") {
            table.pairs().for_each(|(one, other, count)| println!("{count:>9}  {one} with {other}"));
        }
        missing += table.missing().len() + table.refuted().len();
        table.missing().iter().for_each(|text| println!("never in {name}: {text}"));
        table.refuted().iter().for_each(|text| println!("possible after all in {name}: {text}"));
    }
    println!("{} programs, {} rejected, {missing} things amiss", counts.programs, counts.rejected.len());
    counts.rejected.iter().take(5).for_each(|why| println!("rejected: {why}"));
    std::process::exit((missing > 0) as i32);
}
