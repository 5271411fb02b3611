//! Random programs: searches with sets of states beside breadth-first search.
//!
//! `cargo run --release -p bughound-testkit --example sets -- FIRST LAST`, and with `mistakes` at the end how many mistakes are found
//! that are planted in what the models say of their steps.

use bughound_testkit::seeds;
use bughound_testkit::sets::{Mistake, compare_program, finds};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u64| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(usual);
    let range = number(0, 0)..number(1, 1_000);
    if words.iter().any(|word| word == "mistakes") {
        for mistake in Mistake::ALL {
            let (mut found, mut all) = (0, 0);
            seeds::in_parallel(
                range.clone(),
                |seed| finds(mistake, seed),
                |_, is| {
                    all += u32::from(is.is_some());
                    found += u32::from(is == Some(true));
                },
            );
            println!("{mistake:?}: {found} of {all} found");
        }
        return;
    }
    let (mut programs, mut answers, mut differences) = (0, 0, 0);
    seeds::in_parallel(range, compare_program, |_, result| match result {
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
