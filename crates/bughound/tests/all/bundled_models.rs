//! Every model in `models/`: exit code, verdict of each property, length of the trace, number of states.
//!
//! The numbers of states without statement merging are those of SPIN 6.5.2, counted with
//! `spin -a -o1 -o2 -o3`, `gcc -DNOREDUCE -DSAFETY -DNOCLAIM` and `pan -c0 -A -E`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A violated property and the lengths of its shortest traces with and without statement merging.
struct Violated {
    property: &'static str,
    merged: u64,
    unmerged: u64,
}

struct Expected {
    file: &'static str,
    options: &'static [&'static str],
    /// All properties of the model.
    properties: &'static [&'static str],
    violated: Option<Violated>,
    states_merged: u64,
    states_unmerged: u64,
}

const SAFETY: &[&str] = &["deadlock", "assertion"];

/// All properties hold.
const fn correct(
    file: &'static str,
    options: &'static [&'static str],
    properties: &'static [&'static str],
    states_merged: u64,
    states_unmerged: u64,
) -> Expected {
    Expected { file, options, properties, violated: None, states_merged, states_unmerged }
}

/// One property is violated, all others hold.
const fn wrong(
    (file, options): (&'static str, &'static [&'static str]),
    properties: &'static [&'static str],
    property: &'static str,
    (merged, unmerged): (u64, u64),
    (states_merged, states_unmerged): (u64, u64),
) -> Expected {
    let violated = Some(Violated { property, merged, unmerged });
    Expected { file, options, properties, violated, states_merged, states_unmerged }
}

const MODELS: &[Expected] = &[
    correct("promela/alternating_bit.pml", &[], SAFETY, 1_525, 2_064),
    correct("promela/bounded_buffer.pml", &[], SAFETY, 31_604, 31_604),
    correct("promela/bounded_buffer.pml", &["-DSIZE=3"], SAFETY, 45_488, 45_488),
    wrong(("promela/bounded_buffer_deadlock.pml", &[]), SAFETY, "deadlock", (1, 2), (17, 17)),
    wrong(("promela/bounded_buffer_lost_item.pml", &[]), SAFETY, "assertion", (7, 9), (4_006, 4_006)),
    wrong(("promela/broken_mutex.pml", &[]), SAFETY, "assertion", (7, 7), (52, 52)),
    correct("promela/elevator.pml", &[], &["deadlock", "assertion", "served"], 4_914, 4_914),
    wrong(
        ("promela/elevator.pml", &["-DHASTY"]),
        &["deadlock", "assertion", "served"],
        "served",
        (12, 12),
        (3_213, 3_213),
    ),
    wrong(("promela/hanoi.pml", &["-DN=4"]), &["deadlock", "assertion", "unsolved"], "unsolved", (9, 9), (256, 256)),
    correct("promela/leader_election.pml", &[], &["deadlock", "assertion", "one_leader"], 338, 339),
    correct("promela/leader_election.pml", &["-DN=5"], &["deadlock", "assertion", "one_leader"], 1_673, 1_674),
    wrong(("promela/pancakes.pml", &[]), &["deadlock", "assertion", "easier"], "easier", (7, 7), (720, 720)),
    correct("promela/pipeline.pml", &["-DN=2"], SAFETY, 4_624, 4_624),
    wrong(("promela/pipeline.pml", &["-DN=2", "-DSTRICT"]), SAFETY, "assertion", (18, 18), (4_624, 4_624)),
    correct("promela/peterson.pml", &[], &["deadlock", "assertion", "exclusion"], 38, 38),
    wrong(("promela/philosophers.pml", &[]), SAFETY, "deadlock", (5, 10), (392, 392)),
    wrong(("promela/philosophers.pml", &["-DN=8"]), SAFETY, "deadlock", (8, 16), (14_158, 14_158)),
    correct("promela/philosophers.pml", &["-DPOLITE"], SAFETY, 1_424, 2_296),
    correct("promela/shares.pml", &[], &["deadlock", "assertion", "nothing_lost"], 1_820, 1_820),
    wrong(("promela/tiles.pml", &["-DHEIGHT=2"]), &["deadlock", "assertion", "nearer"], "nearer", (21, 21), (360, 360)),
    correct("promela/token_ring.pml", &[], &["deadlock", "assertion", "exclusion"], 3_072, 3_072),
    wrong(
        ("promela/token_ring.pml", &["-DLOST"]),
        &["deadlock", "assertion", "exclusion"],
        "deadlock",
        (16, 16),
        (3_200, 3_200),
    ),
    wrong(
        ("promela/two_phase_commit.pml", &[]),
        &["deadlock", "assertion", "agreement"],
        "agreement",
        (29, 30),
        (1_606, 1_664),
    ),
    correct("promela/two_phase_commit.pml", &["-DFIXED"], &["deadlock", "assertion", "agreement"], 1_604, 1_708),
];

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// Exit code and document of a command with `--json`.
fn run(command: &str, model: &Expected, options: &[&str]) -> (i32, Value) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bughound"));
    child.current_dir(models()).args([command, "--json", "--no-progress"]).args(options).args(model.options);
    let output = child.arg(model.file).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors, "", "{} {:?}: the model is read without a warning", model.file, model.options);
    (output.status.code().unwrap(), serde_json::from_str(&text).unwrap())
}

fn check(model: &Expected, merge: &str, length: fn(&Violated) -> u64) {
    let about = format!("{} {:?} --merge {merge}", model.file, model.options);
    let (code, document) = run("check", model, &["--keep-going", "--merge", merge]);
    assert_eq!(code, i32::from(model.violated.is_some()), "{about}");
    assert_eq!(document["exit_code"], code, "{about}");
    assert_eq!(document["verdict"], if model.violated.is_some() { "violated" } else { "holds" }, "{about}");

    let properties = document["properties"].as_array().unwrap();
    let names: Vec<&str> = properties.iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, model.properties, "{about}");
    for property in properties {
        let violated = model.violated.as_ref().filter(|v| property["name"] == v.property);
        let about = format!("{about}: {}", property["name"]);
        assert_eq!(property["verdict"], if violated.is_some() { "violated" } else { "holds" }, "{about}");
        if let Some(violated) = violated {
            assert_eq!(property["proven_shortest"], true, "{about}");
            assert_eq!(property["trace"]["length"], length(violated), "{about}");
            assert_eq!(property["trace"]["steps"].as_array().unwrap().len() as u64, length(violated), "{about}");
        }
    }
}

#[test]
fn verdicts_and_lengths() {
    for model in MODELS {
        check(model, "on", |v| v.merged);
        check(model, "off", |v| v.unmerged);
    }
}

#[test]
fn numbers_of_states() {
    for model in MODELS {
        for (merge, states) in [("on", model.states_merged), ("off", model.states_unmerged)] {
            let about = format!("{} {:?} --merge {merge}", model.file, model.options);
            let (code, document) = run("explore", model, &["--merge", merge]);
            assert_eq!(code, 0, "{about}");
            assert_eq!(document["stats"]["complete"], true, "{about}");
            assert_eq!(document["stats"]["stored"], states, "{about}");
        }
    }
}

/// Every complete search finds the same verdict; only the length of its trace is its own.
#[test]
fn other_searches_agree() {
    for model in MODELS {
        for search in ["dfs", "random-dfs(seed=7)", "bfs(ties=lifo)"] {
            let (code, document) = run("check", model, &["--search", search]);
            assert_eq!(code, i32::from(model.violated.is_some()), "{} {:?} {search}", model.file, model.options);
            assert_eq!(document["exit_code"], code);
        }
    }
}

fn files_below(folder: &Path, out: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, out);
        } else {
            out.insert(path);
        }
    }
}

#[test]
fn every_file_is_covered() {
    let mut found = BTreeSet::new();
    // Timed models have tests of their own, see `timed.rs`.
    files_below(&models().join("promela"), &mut found);
    let listed: BTreeSet<PathBuf> = MODELS.iter().map(|model| models().join(model.file)).collect();
    assert_eq!(found, listed);
}

#[test]
fn every_file_says_what_is_expected() {
    for model in MODELS {
        let text = std::fs::read_to_string(models().join(model.file)).unwrap();
        let comment = text.split("*/").next().unwrap();
        assert!(text.starts_with("/*"), "{} opens with a comment", model.file);
        assert!(comment.contains("Expected: "), "{} says what is expected", model.file);
        assert!(
            comment.contains(&format!("bughound check models/{}", model.file)),
            "{} says how to run it",
            model.file
        );
    }
}
