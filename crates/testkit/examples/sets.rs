//! Random programs: searches with sets of states beside breadth-first search.
//!
//! `cargo run --release -p bughound-testkit --example sets -- FIRST LAST`. With `contract` at the end, what the models say of their
//! steps is held against all of their states; with `mistakes`, mistakes are planted in it: how many matter, and how many are found.

use bughound_testkit::seeds;
use bughound_testkit::sets::mistakes::{Mistake, plant};
use bughound_testkit::sets::{check_contract, compare_program};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u64| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(usual);
    let range = number(0, 0)..number(1, 1_000);
    if words.iter().any(|word| word == "mistakes") {
        for mistake in Mistake::ALL {
            let (mut both, mut matters, mut found, mut all) = (0, 0, 0, 0);
            let mut missed = Vec::new();
            seeds::in_parallel(
                range.clone(),
                |seed| plant(mistake, seed),
                |seed, outcome| {
                    let Some(outcome) = outcome else { return };
                    all += 1;
                    matters += u32::from(outcome.matters);
                    found += u32::from(outcome.found);
                    both += u32::from(outcome.matters && outcome.found);
                    if outcome.matters && !outcome.found {
                        missed.push(seed);
                    }
                },
            );
            missed.truncate(10);
            println!(
                "{mistake:?}: of {all}, {matters} matter, {both} of them found, {found} found in all; missed: {missed:?}"
            );
        }
        return;
    }
    let (mut programs, mut answers, mut differences) = (0, 0, 0);
    let work = if words.iter().any(|word| word == "contract") { check_contract } else { compare_program };
    seeds::in_parallel(range, work, |_, result| match result {
        Ok(compared) => {
            programs += u64::from(compared > 0);
            answers += compared;
        }
        Err(text) => {
            println!("{text}\n");
            differences += 1;
        }
    });
    println!("{programs} programs, {answers} answers, {differences} differences");
    std::process::exit((differences > 0).into());
}
