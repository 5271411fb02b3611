//! Random programs: searches with sets of states beside breadth-first search.
//!
//! `cargo run --release -p bughound-testkit --example sets -- FIRST LAST`

use bughound_testkit::seeds;
use bughound_testkit::sets::compare_program;

fn main() {
    let words: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let (first, last) = (words.first().copied().unwrap_or(0), words.get(1).copied().unwrap_or(1_000));
    let (mut programs, mut answers, mut differences) = (0, 0, 0);
    seeds::in_parallel(first..last, compare_program, |_, result| match result {
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
