//! Random Promela programs through Bughound, its reference evaluator and SPIN.
//!
//! `cargo run --release -p bughound-testkit --example differential -- FIRST LAST [feature,…] [extended] [no-spin]`
//!
//! Prints every seed with a difference. `extended` draws a random set of language features for each program; `no-spin`
//! compares only the engine with the reference evaluator.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use bughound_kernel::Limits;
use bughound_promela::lower::LowerOptions;
use bughound_testkit::differential::{bughound, compare, compare_with_claim, network};
use bughound_testkit::engines::compare_engines;
use bughound_testkit::random_promela::{Features, Rng, generate};
use bughound_testkit::spin_oracle::{OracleFailure, OracleOptions, SpinOracle};

/// Features that can be combined with one another in a random program.
const EXTENDED: [Features; 12] = [
    Features::LAST,
    Features::REMOTE,
    Features::NONDET_DSTEP,
    Features::UNLESS,
    Features::PROVIDED,
    Features::PRIORITY,
    Features::VISIBILITY,
    Features::XR_XS,
    Features::UNSIGNED,
    Features::MTYPE_SUBTYPES,
    Features::ENABLED,
    Features::PC_VALUE,
];

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
                    let features = if has("extended") { random_features(seed) } else { fixed };
                    let source = generate(seed, &features);
                    let (spun, walked, difference) = one(&source, features, spin.as_ref());
                    let mut totals = totals.lock().unwrap();
                    totals[0] += 1;
                    totals[1] += spun;
                    totals[2] += walked;
                    if let Some(text) = difference {
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

fn random_features(seed: u64) -> Features {
    let mut rng = Rng::new(seed ^ 0x5eed);
    EXTENDED.into_iter().filter(|_| rng.below(5) == 0).fold(Features::CORE, |a, b| a | b)
}

/// States compared with SPIN and with the reference, and the first difference.
fn one(source: &str, features: Features, spin: Option<&SpinOracle>) -> (u64, u64, Option<String>) {
    let lossy_sends = features.has(Features::LOSSY);
    let options = LowerOptions { merge: false, lossy_sends, ..LowerOptions::default() };
    let plain = match network(source, options) {
        Ok(network) => network,
        Err(messages) => return (0, 0, Some(format!("rejected: {}", messages.join("; ")))),
    };
    let mut walked = 0;
    for network in [Ok(plain), network(source, LowerOptions { merge: true, lossy_sends, ..LowerOptions::default() })]
        .into_iter()
        .flatten()
    {
        match compare_engines(&network, 400) {
            Ok(count) => walked += count as u64,
            Err(text) => return (0, walked, Some(format!("engine and reference differ {text}"))),
        }
    }
    let Some(spin) = spin else { return (0, walked, None) };
    let limits = Limits { states: Some(400_000), ..Limits::default() };
    let ours = match bughound(source, options, limits) {
        Ok(answer) => answer,
        Err(messages) => return (0, walked, Some(messages.join("; "))),
    };
    let options = OracleOptions {
        spin_flags: features.spin_flags(),
        claims: features.has_claim(),
        existence: true,
        ..OracleOptions::quick()
    };
    match spin.check(source, &options) {
        Ok(report) if features.has_claim() => (0, walked, compare_with_claim(&ours, &report)),
        Ok(report) => (ours.states, walked, compare(&ours, &report)),
        Err(OracleFailure::Timeout(_)) => (0, walked, None),
        Err(OracleFailure::Rejected(_)) => (0, walked, None),
        Err(other) => (0, walked, Some(format!("{other:?}"))),
    }
}
