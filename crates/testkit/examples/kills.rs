//! Kills runs of the program at random moments, as often as one likes, and compares what they tell in the end with what a run tells
//! that nobody has killed. Of `cluster --local N`, all processes are killed, or any of them.
//!
//! `cargo run --release -p bughound-testkit --example kills -- PROGRAM KILLS SEED check MODEL OPTION…`

use std::path::Path;
use std::process::ExitCode;

use bughound_kernel::Random;
use bughound_testkit::kills::{Kills, killed, undisturbed};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, wanted, seed, command @ ..] = &arguments[..] else {
        eprintln!("expected PROGRAM KILLS SEED COMMAND…");
        return ExitCode::from(2);
    };
    let (Ok(wanted), Ok(seed)) = (wanted.parse::<u32>(), seed.parse::<u64>()) else {
        eprintln!("KILLS and SEED are numbers");
        return ExitCode::from(2);
    };
    match run(Path::new(program), wanted, seed, &command.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(kills) => {
            println!("{kills:?}: always the same result");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run(program: &Path, wanted: u32, seed: u64, command: &[&str]) -> Result<Kills, String> {
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (expected, time) = undisturbed(program, command, &place.path().join("undisturbed"))?;
    println!("undisturbed: {time:.1?}, exit code {:?}", expected.code);
    let mut random = Random::new(seed);
    let mut all = Kills::default();
    for round in 0.. {
        if all.kills >= wanted {
            break;
        }
        let directory = place.path().join(round.to_string());
        let (told, kills) = killed(program, command, &directory, (time, 40), &mut random)?;
        all.add(kills);
        println!("round {round}: {kills:?}");
        if told != expected {
            return Err(format!("round {round}: expected {expected:#?}, told {told:#?}"));
        }
    }
    Ok(all)
}
