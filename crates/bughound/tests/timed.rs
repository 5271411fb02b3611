//! UPPAAL models, from the file to the timed trace.

mod support;

use std::path::{Path, PathBuf};

use serde_json::Value;
use support::Workspace;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/timed")
}

fn check_file(file: &Path, options: &[&str]) -> (i32, Value) {
    let file = file.display().to_string();
    let ran = Workspace::new().run(&[&["check", &file, "--json", "--no-progress", "--keep-going"], options].concat());
    assert!(ran.code != 5, "{file}: {}\n{}", ran.out, ran.err);
    (ran.code, ran.json())
}

/// Name, verdict and length of each property.
fn answers(document: &Value) -> Vec<(String, String, Option<u64>)> {
    let properties = document["properties"].as_array().unwrap();
    let answer = |p: &Value| {
        let text = |key: &str| p[key].as_str().unwrap().to_string();
        (text("name"), text("verdict"), p["trace"]["length"].as_u64())
    };
    properties.iter().map(answer).collect()
}

/// A verdict, and the length of the shortest trace.
type Answer = (&'static str, Option<u64>);

#[test]
fn bundled_models_do_what_they_say() {
    let expected: [(&str, &[Answer]); 3] = [
        ("fischer.xta", &[("holds", None), ("holds", None), ("satisfied", Some(3))]),
        ("fischer_faulty.xta", &[("violated", Some(6))]),
        ("hanoi.xta", &[("satisfied", Some(22))]),
    ];
    for (file, wanted) in expected {
        for search in ["auto", "bfs", "astar", "dfs"] {
            let (_, document) = check_file(&models().join(file), &["--search", search]);
            let found = answers(&document);
            assert_eq!(found.len(), wanted.len(), "{file}");
            for ((name, verdict, length), (wanted, shortest)) in found.iter().zip(wanted) {
                assert_eq!(verdict, wanted, "{file}: {name} by {search}");
                match search {
                    "dfs" => assert!(length >= shortest, "{file}: {name} by {search}"),
                    _ => assert_eq!(length, shortest, "{file}: {name} by {search}"),
                }
            }
        }
    }
    let listed: Vec<&str> = expected.iter().map(|(file, _)| *file).collect();
    for entry in std::fs::read_dir(models()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name.ends_with(".q") || listed.contains(&name.as_str()), "{name} is not tested");
    }
}

/// A zone on the second way has larger values of a clock than the one on the first way: a query that asks whether they
/// are too large must see both, although it names an upper bound.
const TWO_WAYS: &str = "clock x, y; process P() { state a { y <= 5 }, b { y <= 5 }; init a; trans
    a -> b { assign x = 0, y = 0; }, a -> b { guard y >= 5; assign y = 0; }; } system P;";

#[test]
fn constants_of_queries_count_whichever_way_they_are_asked() {
    let workspace = Workspace::with("m.xta", TWO_WAYS);
    let expected = [
        ("A[] P.b imply x <= 7", 1),
        ("A[] P.b imply x < 10", 1),
        ("A[] P.b imply x <= 10", 0),
        ("A[] not (P.b and x > 7)", 1),
        ("A[] not (P.b and x > 10)", 0),
        ("A[] P.b imply not (x == 9)", 1),
        ("E<> P.b and x > 7", 0),
        ("E<> not (P.b imply x <= 7)", 0),
        ("E<> not (P.b imply x <= 10)", 1),
    ];
    for zones in ["none simulation", "m equal", "m+ subset", "lu subset", "lu+ subset", "lu+ simulation"] {
        let (extrapolation, inclusion) = zones.split_once(' ').unwrap();
        let zones = ["--extrapolation", extrapolation, "--inclusion", inclusion, "--search", "bfs"];
        for (query, code) in expected {
            let ran = workspace.run(&[&["check", "m.xta", "--query", query][..], &zones[..]].concat());
            assert_eq!(ran.code, code, "{query}, {zones:?}: {}{}", ran.out, ran.err);
        }
    }
}

#[test]
fn abstractions_agree() {
    for extrapolation in ["none", "m", "m+", "lu", "lu+"] {
        for inclusion in ["equal", "subset", "simulation"] {
            let options = ["--extrapolation", extrapolation, "--inclusion", inclusion, "--search", "bfs"];
            let (_, document) = check_file(&models().join("fischer.xta"), &options);
            let found: Vec<_> = answers(&document).into_iter().take(3).map(|(_, verdict, _)| verdict).collect();
            assert_eq!(found, ["holds", "holds", "satisfied"], "{options:?}");
            let (code, document) = check_file(&models().join("fischer_faulty.xta"), &options);
            assert_eq!((code, answers(&document)[0].2), (1, Some(6)), "{options:?}");
        }
    }
}

/// The faulty protocol at its fastest: everybody writes at once, and waits for exactly the delay.
#[test]
fn traces_have_times() {
    let (_, document) = check_file(&models().join("fischer_faulty.xta"), &[]);
    let trace = &document["properties"][0]["trace"];
    let text = trace.to_string();
    assert!(text.contains("\"time\""), "{text}");
    let file = models().join("fischer_faulty.xta").display().to_string();
    let workspace = Workspace::new();
    workspace.run(&["check", &file, "--save-trace", "t.json"]).exits(1).says("after 2");
    workspace.run(&["trace", "t.json"]).exits(0).says("@ 4  after 2");
}

#[test]
fn queries_come_from_the_command_line() {
    let file = models().join("fischer.xta").display().to_string();
    let workspace = Workspace::new();
    workspace
        .run(&["check", &file, "--query", "E<> P(1).cs and P(2).wait", "--keep-going"])
        .says("Witness for `E<> P(1).cs and P(2).wait`");
    workspace.run(&["check", &file, "--query", "E<> P(1).cs and P(1).x < 2", "--keep-going"]).exits(1);
    workspace.run(&["check", &file, "--query", "E<> P(9).cs"]).complains("P(9)");
    workspace.run(&["check", &file, "--ltl", "[] P(1).cs"]).exits(2).complains("--ltl is not for UPPAAL models");
    workspace.write("m.pml", "init { skip }");
    workspace.run(&["check", "m.pml", "--query", "A[] true"]).exits(2).complains("--query is for UPPAAL models");
}

const DEADLOCK: &str =
    "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x >= 5; }; } system P;";

#[test]
fn deadlocks_know_that_time_stops() {
    let workspace = Workspace::with("m.xta", DEADLOCK);
    workspace.run(&["check", "m.xta", "--query", "A[] not deadlock"]).exits(1);
    workspace.write("m.xta", &DEADLOCK.replace("x >= 5", "x >= 3"));
    // Behind the edge nothing can happen any more.
    let ran = workspace.run(&["check", "m.xta", "--query", "A[] not deadlock", "--json"]).exits(1).json();
    assert_eq!(ran["properties"][0]["trace"]["length"], 1);
    workspace.write("m.xta", &DEADLOCK.replace("x >= 5; }", "x >= 3; }, b -> b { }"));
    workspace.run(&["check", "m.xta", "--query", "A[] not deadlock"]).exits(0);
}

#[test]
fn what_is_not_supported_is_said() {
    let workspace = Workspace::new();
    workspace
        .write("d.xta", "clock x, y; process P() { state a, b; init a; trans a -> b { guard x - y > 5; }; } system P;");
    workspace.run(&["check", "d.xta", "--query", "E<> P.b"]).exits(3).says("differences of clocks");
    workspace.write("bad.xml", "<nta><declaration>int x</declaration>");
    workspace.run(&["check", "bad.xml"]).exits(2);
}

/// Published and recomputed answers for other people's models.
#[test]
fn the_table_of_timed_models_is_reproduced() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(table) = std::fs::read_to_string(shared.join("expected/timed.csv")) else {
        println!("skipped: there is no table of timed models beside the repository");
        return;
    };
    let mut compared = 0;
    for line in table.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let mut cells = line.splitn(2, ',');
        let (model, rest) = (cells.next().unwrap(), cells.next().unwrap());
        let mut behind = rest.rsplitn(4, ',');
        let (_source, length, verdict) = (behind.next(), behind.next().unwrap(), behind.next().unwrap());
        let query = behind.next().unwrap();
        // Beyond blind search.
        if model.contains("C9") {
            continue;
        }
        let file = shared.join("models").join(model);
        let (_, document) = check_file(&file, &["--search", "bfs", "--query", query, "--property", query]);
        let found = answers(&document);
        let found = found.iter().rev().find(|(name, ..)| name == query).unwrap_or_else(|| panic!("{line}: {found:?}"));
        assert_eq!(found.1, verdict, "{line}");
        if let Ok(length) = length.parse::<u64>() {
            assert_eq!(found.2, Some(length), "{line}");
        }
        compared += 1;
    }
    assert!(compared >= 23, "only {compared} answers were compared");
}
