//! Random programs and timed models: steps with code for each process beside steps that are walked.
//!
//! `cargo run --release -p bughound-testkit --example both_ways -- FIRST LAST`

use bughound_testkit::both_ways::{compare_program, compare_timed};
use bughound_testkit::seeds;

fn main() {
    let words: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let (first, last) = (words.first().copied().unwrap_or(0), words.get(1).copied().unwrap_or(1_000));
    let (mut programs, mut states, mut differences) = (0, 0, 0);
    seeds::in_parallel(
        first..last,
        |seed| [compare_program(seed, 2_000), compare_timed(seed, 2_000)],
        |_, results| {
            for result in results {
                match result {
                    Ok(compared) => {
                        programs += u64::from(compared > 0);
                        states += compared;
                    }
                    Err(text) => {
                        println!("{text}\n");
                        differences += 1;
                    }
                }
            }
        },
    );
    println!("{programs} models, {states} states, {differences} differences");
    std::process::exit((differences > 0).into());
}
