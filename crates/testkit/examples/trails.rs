//! Trails both ways on random programs: numbers of statements, our errors replayed by `spin -t`, SPIN's trails replayed here.
//!
//! `cargo run --release -p bughound-testkit --example trails -- FIRST LAST [feature,...]`
//! `cargo run --release -p bughound-testkit --example trails -- table [off]`
//!
//! Prints every program with a difference. `table`: the violated rows of SPIN's tables for other people's models, if they lie
//! beside the repository; `off`: without statement merging.

use std::time::Instant;

use bughound_testkit::random_promela::Features;
use bughound_testkit::seeds;
use bughound_testkit::spin_oracle::SpinOracle;
use bughound_testkit::trails::{Report, compare_seed, table};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let (first, last) = (number(0, 0), number(1, 200));
    let names = words.iter().flat_map(|word| word.split(','));
    let features = names.filter_map(Features::by_name).fold(Features::CORE, |all, one| all | one);
    let Some(oracle) = SpinOracle::find() else {
        println!("skipped: SPIN or a C compiler is not installed");
        return;
    };
    if words.iter().any(|word| word == "table") {
        table(&oracle, !words.iter().any(|word| word == "off"));
        return;
    }
    let start = Instant::now();
    let mut total = Report::default();
    seeds::in_parallel(
        first..last,
        |seed| compare_seed(seed, &features, &oracle),
        |_, report| {
            report.differences.iter().for_each(|text| println!("{text}\n"));
            total.merge(report);
        },
    );
    for (what, count) in &total.counts {
        println!("{count:>10}  {what}");
    }
    println!("{:>10}  differences", total.differences.len());
    println!("{:>10.1}  seconds", start.elapsed().as_secs_f64());
    std::process::exit(!total.differences.is_empty() as i32);
}

fn table(oracle: &SpinOracle, merge: bool) {
    let Some(shared) = table::directory() else {
        println!("skipped: there are no tables of SPIN's answers beside the repository");
        return;
    };
    let scratch = std::env::temp_dir().join(format!("bughound-trails-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a directory for temporary files");
    let rows = table::violated_rows(&shared);
    let (mut there, mut here) = (0, 0);
    for row in &rows {
        let (by_spin, by_us) = table::both_ways(row, &shared, merge, oracle, &scratch);
        there += usize::from(by_spin.is_ok());
        here += usize::from(by_us.is_ok());
        let first = |result: Result<(), String>| match result {
            Ok(()) => "yes".to_string(),
            Err(why) => why.lines().next().unwrap_or_default().to_string(),
        };
        println!("{}: by SPIN: {}; here: {}", row.name(), first(by_spin), first(by_us));
    }
    println!("{} rows: SPIN replays {there} of ours, Bughound replays {here} of SPIN's", rows.len());
    let _ = std::fs::remove_dir_all(&scratch);
}
