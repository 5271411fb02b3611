//! Random Promela programs through Bughound, its reference evaluator and SPIN.
//!
//! `cargo run --release -p bughound-testkit --example differential -- FIRST LAST [feature,…] [extended] [no-spin]`
//!
//! Prints every seed with a difference. `extended` draws a random set of language features for each program, to which
//! the named ones are added; `no-spin` compares only the engine with the reference evaluator.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use bughound_testkit::comparison::{compare_program, random_features};
use bughound_testkit::random_promela::{Features, generate};
use bughound_testkit::spin_oracle::SpinOracle;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = words.iter().filter_map(|w| w.parse().ok()).collect();
    let (first, last) = (numbers.first().copied().unwrap_or(0), numbers.get(1).copied().unwrap_or(100));
    let has = |name: &str| words.iter().any(|w| w == name);
    let fixed =
        words.iter().flat_map(|w| w.split(',')).filter_map(Features::by_name).fold(Features::CORE, |a, b| a | b);
    let spin = if has("no-spin") { None } else { SpinOracle::find() };
    let next = AtomicU64::new(first);
    let totals = Mutex::new([0u64; 4]); // programs, states compared with SPIN, states compared with the reference, differences
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= last {
                        return;
                    }
                    let features = if has("extended") { fixed | random_features(seed) } else { fixed };
                    let source = generate(seed, &features);
                    let compared = compare_program(&source, features, spin.as_ref());
                    let mut totals = totals.lock().unwrap();
                    totals[0] += 1;
                    totals[1] += compared.with_spin;
                    totals[2] += compared.with_reference;
                    if let Some(text) = compared.difference {
                        totals[3] += 1;
                        println!("seed {seed} ({features:?}): {text}");
                    }
                }
            });
        }
    });
    let [programs, spun, walked, differences] = *totals.lock().unwrap();
    println!(
        "{programs} programs, {differences} differences; {spun} states counted as by SPIN, {walked} compared with the reference"
    );
    std::process::exit((differences > 0) as i32);
}
