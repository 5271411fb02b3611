//! Models whose number of states is a formula, and whose depth or shortest error is known: what `explore` and `check` count.
//!
//! The formulas are computed here, not recorded. SPIN counts the same states, if it is installed.

use std::path::Path;
use std::process::Command;

use bughound_testkit::spin_oracle::{OracleOptions, SpinOracle};
use serde_json::Value;

struct Known {
    file: &'static str,
    options: &'static [&'static str],
    states: u64,
    /// The length of the longest of all shortest paths.
    depth: u64,
    /// The invariant that is violated, and after how many steps.
    error: Option<(&'static str, u64)>,
}

/// In memory, and with the states on disk.
const SEARCHES: [&str; 2] = ["bfs", "external-bfs"];

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

fn binomial(n: u64, k: u64) -> u64 {
    (1..=k).fold(1, |product, i| product * (n - k + i) / i)
}

/// Fewest moves for n discs on four pegs: the n-th number is the sum of the first n of 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, ...
fn frame_stewart(discs: u64) -> u64 {
    (0..).flat_map(|k| (0..=k).map(move |_| 1 << k)).take(discs as usize).sum()
}

fn known() -> Vec<Known> {
    let hanoi = |options: &'static [&'static str], pegs: u64, discs: u64| {
        let depth = if pegs == 3 { (1 << discs) - 1 } else { frame_stewart(discs) };
        let error = Some(("unsolved", depth));
        Known { file: "hanoi.pml", options, states: pegs.pow(discs as u32), depth, error }
    };
    let tiles = |options: &'static [&'static str], cells: u64, depth: u64, error: bool| {
        let error = error.then_some(("nearer", depth));
        Known { file: "tiles.pml", options, states: factorial(cells) / 2, depth, error }
    };
    let pancakes = |options: &'static [&'static str], n: u64, depth: u64, error: bool| {
        let error = error.then_some(("easier", depth));
        Known { file: "pancakes.pml", options, states: factorial(n), depth, error }
    };
    let shares = |options: &'static [&'static str], users: u64, units: u64| {
        let states = binomial(users + units, users);
        Known { file: "shares.pml", options, states, depth: units, error: None }
    };
    let token_ring = |options: &'static [&'static str], stations: u64, depth: u64| {
        let states = stations * 3 * (1 << (stations - 1));
        Known { file: "token_ring.pml", options, states, depth, error: None }
    };
    let pipeline = |options: &'static [&'static str], registers: u32, depth: u64| {
        let states = 16 * 17_u64.pow(registers);
        Known { file: "pipeline.pml", options, states, depth, error: None }
    };
    vec![
        token_ring(&["-DN=5"], 5, 10),
        pipeline(&["-DN=2"], 2, 48),
        hanoi(&[], 4, 6),
        hanoi(&["-DN=1"], 4, 1),
        hanoi(&["-DN=7"], 4, 7),
        hanoi(&["-DPEGS=3", "-DN=8"], 3, 8),
        tiles(&[], 9, 31, true),
        tiles(&["-DHEIGHT=2"], 6, 21, true),
        tiles(&["-DWIDTH=2", "-DHEIGHT=2"], 4, 6, false),
        tiles(&["-DWIDTH=4", "-DHEIGHT=2"], 8, 36, false),
        pancakes(&[], 6, 7, true),
        pancakes(&["-DN=2"], 2, 1, false),
        pancakes(&["-DN=7"], 7, 8, false),
        shares(&[], 4, 12),
        shares(&["-DUSERS=1", "-DUNITS=255"], 1, 255),
        shares(&["-DUSERS=5", "-DUNITS=15"], 5, 15),
    ]
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/promela")
}

fn document(command: &str, options: &[&str], model: &Known) -> Value {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bughound"));
    child.current_dir(folder()).args([command, "--json", "--no-progress"]).args(options);
    let output = child.args(model.options).arg(model.file).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn formulas_are_counted() {
    for (model, search) in known().iter().flat_map(|model| SEARCHES.map(|search| (model, search))) {
        let about = format!("{} {:?} {search}", model.file, model.options);
        let explored = document("explore", &["--search", search], model);
        assert_eq!(explored["stats"]["complete"], true, "{about}");
        assert_eq!(explored["stats"]["stored"], model.states, "{about}");
        assert_eq!(explored["stats"]["expanded"], model.states, "{about}");
        assert_eq!(explored["stats"]["deadlocks"], 0, "{about}");
        assert_eq!(explored["stats"]["depth"], model.depth, "{about}");
    }
}

#[test]
fn known_shortest_errors_are_found() {
    for (model, search) in known().iter().flat_map(|model| SEARCHES.map(|search| (model, search))) {
        let about = format!("{} {:?} {search}", model.file, model.options);
        let checked = document("check", &["--keep-going", "--search", search], model);
        let violated: Vec<&Value> =
            checked["properties"].as_array().unwrap().iter().filter(|p| p["verdict"] == "violated").collect();
        assert_eq!(violated.len(), usize::from(model.error.is_some()), "{about}");
        if let Some((name, length)) = model.error {
            assert_eq!(violated[0]["name"], name, "{about}");
            assert_eq!(violated[0]["proven_shortest"], true, "{about}");
            assert_eq!(violated[0]["trace"]["length"], length, "{about}");
        }
    }
}

#[test]
fn spin_counts_the_same_states() {
    let Some(oracle) = SpinOracle::find() else {
        eprintln!("skipped: SPIN or a C compiler is not installed");
        return;
    };
    for model in known() {
        let about = format!("{} {:?}", model.file, model.options);
        let source = std::fs::read_to_string(folder().join(model.file)).unwrap();
        let spin_flags = model.options.iter().map(|option| (*option).to_owned()).collect();
        let report = oracle.check(&source, &OracleOptions { spin_flags, ..OracleOptions::default() }).unwrap();
        let space = report.space.unwrap_or_else(|| panic!("{about}: {:?}", report.incomplete));
        assert_eq!(space.states, model.states, "{about}");
    }
}
