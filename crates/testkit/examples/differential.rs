//! Random Promela programs through Bughound, its reference evaluator and SPIN.
//!
//! `cargo run --release -p bughound-testkit --example differential -- FIRST LAST [feature,…] [extended] [no-spin]`
//!
//! Prints every seed with a difference. `extended` draws a random set of language features for each program, to which
//! the named ones are added; `no-spin` compares only the engine with the reference evaluator.

use bughound_testkit::comparison::{compare_program, random_features};
use bughound_testkit::random_promela::{Features, generate};
use bughound_testkit::seeds;
use bughound_testkit::spin_oracle::SpinOracle;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = words.iter().filter_map(|w| w.parse().ok()).collect();
    let (first, last) = (numbers.first().copied().unwrap_or(0), numbers.get(1).copied().unwrap_or(100));
    let has = |name: &str| words.iter().any(|w| w == name);
    let fixed =
        words.iter().flat_map(|w| w.split(',')).filter_map(Features::by_name).fold(Features::CORE, |a, b| a | b);
    let spin = if has("no-spin") { None } else { SpinOracle::find() };
    let features = |seed| if has("extended") { fixed | random_features(seed) } else { fixed };
    let (mut programs, mut spun, mut walked, mut differences) = (0, 0, 0, 0);
    seeds::in_parallel(
        first..last,
        |seed| compare_program(&generate(seed, &features(seed)), features(seed), spin.as_ref()),
        |seed, compared| {
            programs += 1;
            spun += compared.with_spin;
            walked += compared.with_reference;
            if let Some(text) = compared.difference {
                differences += 1;
                println!("seed {seed} ({:?}): {text}", features(seed));
            }
        },
    );
    println!(
        "{programs} programs, {differences} differences; {spun} states counted as by SPIN, {walked} compared with the reference"
    );
    std::process::exit((differences > 0) as i32);
}
