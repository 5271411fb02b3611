//! Statistics of random programs under SPIN.
//!
//! `cargo run --release -p bughound-testkit --example spin_random -- [first] [last] [feature,...] [option...]`
//!
//! Options: `show` prints the program of the first seed and stops, `rejects` prints every program that SPIN does
//! not accept, `lengths` compares SPIN's two ways to find a shortest error, `gcc` compares the verifier of the
//! default compiler with gcc's (slow), `merged` also counts the states with statement merging.

use std::collections::BTreeMap;
use std::time::Instant;

use bughound_testkit::constructs::{CORE, constructs};
use bughound_testkit::random_promela::{Features, generate};
use bughound_testkit::seeds;
use bughound_testkit::spin_oracle::{OracleFailure, OracleOptions, SpinOracle, SpinReport};

#[derive(Default)]
struct Statistics {
    counts: BTreeMap<String, u64>,
    covered: BTreeMap<&'static str, u64>,
    remarks: Vec<String>,
}

impl Statistics {
    fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (numbers, rest): (Vec<&String>, Vec<&String>) = words.iter().partition(|w| w.parse::<u64>().is_ok());
    let number = |i: usize, default: u64| numbers.get(i).map_or(default, |w| w.parse().unwrap());
    let (first, last) = (number(0, 0), number(1, 200));
    let mut features = Features::CORE;
    let mut flags: Vec<&str> = Vec::new();
    for word in rest {
        for name in word.split(',') {
            match Features::by_name(name) {
                Some(feature) => features = features | feature,
                None => flags.push(name),
            }
        }
    }
    let flag = |name: &str| flags.contains(&name);
    if flag("show") {
        print!("{}", generate(first, &features));
        return;
    }
    let Some(oracle) = SpinOracle::find() else {
        println!("skipped: SPIN or a C compiler is not installed");
        return;
    };
    let gcc = if flag("gcc") { SpinOracle::with_compiler("gcc") } else { None };
    let options = OracleOptions {
        spin_flags: features.spin_flags(),
        claims: features.has_claim(),
        shortest_bfs: flag("lengths"),
        shortest_dfs: flag("lengths"),
        merged: flag("merged"),
        ..OracleOptions::quick()
    };
    let mut all = Statistics::default();
    let start = Instant::now();
    seeds::in_parallel(
        first..last,
        |seed| {
            let source = generate(seed, &features);
            let result = oracle.check(&source, &options);
            let other = gcc.as_ref().map(|gcc| gcc.check(&source, &options));
            (source, result, other)
        },
        |seed, (source, result, other)| {
            for name in constructs(&source).map(|found| found.program).unwrap_or_default() {
                *all.covered.entry(name).or_default() += 1;
            }
            note(&mut all, seed, &source, &result, flag("rejects"));
            if let Some(other) = other
                && !same(&result, &other)
            {
                all.count("differs with gcc");
                all.remarks.push(format!("seed {seed}: {result:?}\n  gcc: {other:?}"));
            }
        },
    );
    let elapsed = start.elapsed().as_secs_f64();
    for remark in &all.remarks {
        println!("{remark}");
    }
    let total = last.saturating_sub(first).max(1) as f64;
    for (what, n) in &all.counts {
        println!("{:6.2} %  {n:7}  {what}", *n as f64 * 100.0 / total);
    }
    println!("{total} programs, {:.1} per second, {features:?}", total / elapsed);
    for name in CORE {
        all.covered.get(name).map_or_else(|| println!("never: {name}"), |n| print!("{name} {n}, "));
    }
    println!();
}

fn note(all: &mut Statistics, seed: u64, source: &str, result: &Result<SpinReport, OracleFailure>, verbose: bool) {
    let report = match result {
        Ok(report) => report,
        Err(failure) => {
            let (kind, why) = match failure {
                OracleFailure::Rejected(why) => ("rejected", why.as_str()),
                OracleFailure::Compiler(why) => ("compiler", why.as_str()),
                OracleFailure::Timeout(what) => ("timeout", *what),
                OracleFailure::System(why) => ("system", why.as_str()),
            };
            all.count(format!("failure: {kind}"));
            let text = if verbose { format!("seed {seed}: {why}\n{source}") } else { format!("seed {seed}: {why}") };
            all.remarks.push(text);
            return;
        }
    };
    all.count("accepted");
    all.count(format!("verdict: {}", report.verdict.kind()));
    if matches!(report.verdict.kind(), "other" | "crash" | "incomplete") {
        all.remarks.push(format!("seed {seed}: {:?}", report.verdict));
    }
    let bucket = match report.space.map(|s| s.states) {
        None => "states: unknown",
        Some(0..10) => "states: 1 below 10",
        Some(10..100) => "states: 2 below 100",
        Some(100..1000) => "states: 3 below 1,000",
        Some(1000..20_000) => "states: 4 below 20,000",
        Some(20_000..200_000) => "states: 5 below 200,000",
        Some(_) => "states: 6 more",
    };
    all.count(bucket);
    if let Some(why) = &report.incomplete {
        all.remarks.push(format!("seed {seed}: no state space, {why}"));
    }
    if let (Some(bfs), Some(dfs)) = (&report.shortest_bfs, &report.shortest_dfs) {
        let rendezvous = source.contains("[0] of");
        let what = match (bfs.length, dfs.length) {
            (a, b) if a == b => "equal",
            (None, _) => "breadth-first search found nothing",
            (Some(a), Some(b)) if a > b => "breadth-first search found a longer one",
            _ => "breadth-first search found a shorter one",
        };
        all.count(format!("lengths: {what}{}", if rendezvous { " (rendezvous)" } else { "" }));
        if bfs.length != dfs.length && (!rendezvous || what.ends_with("shorter one")) {
            all.remarks.push(format!("seed {seed}: {bfs:?} {dfs:?}"));
        }
    }
}

fn same(a: &Result<SpinReport, OracleFailure>, b: &Result<SpinReport, OracleFailure>) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => a.space == b.space && (a.verdict == b.verdict || a.verdict.kind() == "crash"),
        (Err(_), Err(_)) => true,
        _ => false,
    }
}
