//! Random models with chances: Bughound beside Storm.
//!
//! `cargo run --release -p bughound-testkit --example storm -- FIRST LAST`; needs a Python that can import `stormpy`.

use bughound_testkit::chances::storm::Storm;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let Some(storm) = Storm::find() else {
        eprintln!("Python cannot import stormpy");
        std::process::exit(2);
    };
    let folder = std::env::temp_dir().join(format!("bughound-storm-{}", std::process::id()));
    let compared = std::fs::create_dir_all(&folder)
        .map_err(|error| error.to_string())
        .and_then(|()| storm.compare(number(0, 0)..number(1, 400), &folder));
    let _ = std::fs::remove_dir_all(&folder);
    match compared {
        Err(why) => {
            eprintln!("{why}");
            std::process::exit(2);
        }
        Ok(report) => {
            report.differences.iter().for_each(|text| println!("{text}"));
            report.counts.iter().for_each(|(what, count)| println!("{count:>10}  {what}"));
            println!("{:>10}  differences", report.differences.len());
            std::process::exit(!report.differences.is_empty() as i32);
        }
    }
}
