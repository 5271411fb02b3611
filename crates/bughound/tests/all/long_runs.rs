//! Runs that are saved: killed, ended by limits, resumed, refused.

use std::path::Path;
use std::time::Duration;

use bughound_kernel::Random;
use bughound_testkit::kills::{Kills, killed, undisturbed};

use crate::support::Workspace;

const PROGRAM: &str = env!("CARGO_BIN_EXE_bughound");

/// Counters: (3 N + 1)^4 · 10 states, which take about a second.
const COUNTERS: &str = "
#ifndef N
#define N 5
#endif
byte a, b, c, d, e;
active proctype A() { do :: a < N -> a++ :: a > 0 -> a-- od }
active proctype B() { do :: b < N -> b++ :: b > 0 -> b-- od }
active proctype C() { do :: c < N -> c++ :: c > 0 -> c-- od }
active proctype D() { do :: d < N -> d++ :: d > 0 -> d-- od }
active proctype E() { do :: e < 3 -> e++ :: e > 0 -> e-- od }
";

fn workspace() -> Workspace {
    Workspace::with("counters.pml", COUNTERS)
}

/// A short series; as many as one likes: `testkit/examples/kills.rs`.
#[test]
fn a_killed_run_goes_on_to_the_same_result() {
    let workspace = workspace();
    let model = workspace.path("counters.pml");
    let model = model.to_str().unwrap();
    let mut random = Random::new(1);
    let mut all = Kills::default();
    let disk = workspace.path("disk");
    let disk = disk.to_str().unwrap();
    let invariant = "a + b + c + d < 19";
    let searches: [&[&str]; 8] = [
        &["cluster", "--local", "2", model, "--reduction", "off", "--invariant", "a + b + c + d < 21"],
        &["explore", model, "--search", "external-bfs", "--disk", disk, "--max-memory", "100M"],
        &["check", model, "--reduction", "off", "--search", "external-astar", "--disk", disk, "--invariant", invariant],
        &["explore", model, "-DN=6", "--search", "bfs", "--disk", disk, "--max-memory", "80M"],
        &["explore", model],
        &[
            "check",
            model,
            "--search",
            "astar",
            "--threads",
            "1",
            "--reduction",
            "off",
            "--invariant",
            "a + b + c + d < 19",
        ],
        &["check", model, "--threads", "1", "--reduction", "off", "--invariant", "a + b + c + d < 19"],
        &["explore", model, "--store", "tree", "--search", "dfs"],
    ];
    for (number, command) in searches.into_iter().enumerate() {
        let (expected, time) = undisturbed(Path::new(PROGRAM), command, &workspace.path("undisturbed")).unwrap();
        let directory = workspace.path(&format!("saved-{number}"));
        let longest = time.max(Duration::from_millis(300));
        let (told, kills) = killed(Path::new(PROGRAM), command, &directory, (longest, 8), &mut random).unwrap();
        assert_eq!(told, expected, "{command:?}");
        all.add(kills);
    }
    assert!(all.kills > 0 && all.resumed > 0, "{all:?}");
}

#[test]
fn a_limit_saves_the_run_and_more_time_goes_on_with_it() {
    let workspace = workspace();
    let whole = workspace.run(&["explore", "counters.pml", "--json"]).exits(0).json();
    let saved = ["explore", "counters.pml", "--json", "--every", "1h"];
    let first = [&saved[..], &["--checkpoint", "saved", "--max-time", "100ms"]].concat();
    let ended = workspace.run(&first).exits(4);
    assert!(ended.json()["warnings"].to_string().contains("--resume saved"), "{}", ended.out);
    let resumed = workspace.run(&[&saved[..], &["--resume", "saved"]].concat()).exits(0).json();
    for count in ["stored", "transitions", "expanded", "generated", "depth"] {
        assert_eq!(resumed["stats"][count], whole["stats"][count], "{count}");
    }
    // Nothing is left to go on with.
    workspace.run(&[&saved[..], &["--resume", "saved"]].concat()).exits(2).complains("holds no checkpoint");
    workspace.run(&[&saved[..], &["--checkpoint", "saved"]].concat()).exits(0);
}

#[test]
fn what_has_changed_is_named() {
    let workspace = workspace();
    let saved = ["check", "counters.pml", "--search", "astar", "--reduction", "off", "--max-time", "100ms"];
    workspace.run(&[&saved[..], &["--checkpoint", "saved"]].concat()).exits(4).says("--resume saved");
    let resume = |changed: &[&str]| workspace.run(&[changed, &["--max-time", "100ms", "--resume", "saved"]].concat());
    let same = ["check", "counters.pml", "--search", "astar", "--reduction", "off"];
    resume(&["check", "counters.pml", "--search", "bfs", "--reduction", "off"])
        .exits(2)
        .complains("--resume: --search: astar then, bfs now");
    resume(&[&same[..], &["--seed", "3"]].concat()).exits(2).complains("--seed: 0 then, 3 now");
    resume(&[&same[..], &["--max-states", "9"]].concat()).exits(2).complains("--max-states: none then, 9 now");
    resume(&[&same[..], &["-DN=6"]].concat()).exits(2).complains("the model, or how it is read, has changed");
    resume(&[&same[..], &["--keep-going"]].concat()).exits(2).complains("--keep-going");
    resume(&["explore", "counters.pml", "--search", "astar"])
        .exits(2)
        .complains("the command: check then, explore now");
    workspace.write("counters.pml", &COUNTERS.replace("e < 3", "e < 4"));
    resume(&same).exits(2).complains("the model, or how it is read, has changed");
    workspace.write("counters.pml", COUNTERS);
    resume(&same).exits(4);
    // A new run does not take its place.
    let anew = [&same[..], &["--checkpoint", "saved"]].concat();
    workspace.run(&anew).exits(2).complains("holds a checkpoint already: go on with --resume");
}

#[test]
fn a_flipped_byte_is_refused() {
    flip_bytes(&["explore", "counters.pml", "--max-time", "100ms"]);
    let disk = ["--search", "external-bfs", "--disk", "disk", "--max-memory", "24M"];
    flip_bytes(&[&["explore", "counters.pml", "--max-time", "400ms"][..], &disk].concat());
}

fn flip_bytes(saved: &[&str]) {
    let workspace = workspace();
    workspace.run(&[saved, &["--checkpoint", "saved"]].concat()).exits(4);
    let files = std::fs::read_dir(workspace.path("saved")).unwrap().map(|entry| entry.unwrap().path());
    let mut random = Random::new(1);
    for file in files.filter(|file| !file.ends_with("lock")).collect::<Vec<_>>() {
        let whole = std::fs::read(&file).unwrap();
        let mut flipped = whole.clone();
        flipped[random.below(whole.len())] ^= 1 << random.below(8);
        std::fs::write(&file, flipped).unwrap();
        workspace.run(&[saved, &["--resume", "saved"]].concat()).exits(2).complains("is damaged");
        std::fs::write(&file, whole).unwrap();
    }
    workspace.run(&[saved, &["--resume", "saved"]].concat()).exits(4);
}

#[test]
fn what_cannot_be_saved_is_refused_before_it_starts() {
    let workspace = workspace();
    let refused = |more: &[&str], why: &str| {
        let command = [&["check", "counters.pml", "--checkpoint", "saved"], more].concat();
        workspace.run(&command).exits(2).complains(why);
        assert!(!workspace.path("saved").exists());
    };
    refused(&["--search", "idastar"], "--checkpoint: `idastar` cannot be saved while it is under way");
    refused(&["--store", "compact"], "--store auto, exact and tree can");
    refused(&["--reduction", "check"], "--reduction check");
    refused(&["--search", "external-queue", "--disk", "."], "`external-queue` keeps what it has done");
    workspace.write("other.pml", COUNTERS);
    refused(&["other.pml"], "--checkpoint");
}
