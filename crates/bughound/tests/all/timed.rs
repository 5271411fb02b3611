//! UPPAAL models, from the file to the timed trace.

use std::path::{Path, PathBuf};

use crate::support::Workspace;
use serde_json::Value;

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

const HOLDS: Answer = ("holds", None);

const fn satisfied(length: u64) -> Answer {
    ("satisfied", Some(length))
}

const fn violated(length: u64) -> Answer {
    ("violated", Some(length))
}

/// By file: the answers to its queries, in their order, without those that are still awaited.
const ANSWERS: [(&str, &[Answer]); 11] = [
    ("critical_region.xta", &[HOLDS, satisfied(6), satisfied(5), violated(5)]),
    ("critical_region_faulty.xta", &[violated(9), HOLDS]),
    ("csma_cd.xta", &[HOLDS, HOLDS, satisfied(2), satisfied(2)]),
    ("csma_cd_faulty.xta", &[violated(3), HOLDS]),
    ("fddi.xta", &[HOLDS, satisfied(6), satisfied(6), satisfied(2), HOLDS]),
    ("fischer.xta", &[HOLDS, HOLDS, satisfied(3)]),
    ("fischer_faulty.xta", &[violated(6)]),
    ("hanoi.xta", &[satisfied(22)]),
    ("light.xml", &[HOLDS, HOLDS, satisfied(2), HOLDS]),
    ("light_faulty.xml", &[violated(3), HOLDS, satisfied(2), HOLDS]),
    ("train_gate.xml", &[HOLDS, satisfied(6), HOLDS, satisfied(9), HOLDS, HOLDS]),
];

/// Queries about all futures, and extreme values.
const RUNS_AND_EXTREMES: [(&str, &str, &str); 20] = [
    ("critical_region.xta", "sup{Cell(1).critical}: Cell(1).x", "20"),
    ("critical_region.xta", "Cell(1).critical --> not Cell(1).critical", "holds"),
    ("critical_region_faulty.xta", "Cell(1).critical --> not Cell(1).critical", "violated"),
    ("csma_cd.xta", "sup{Station(1).sending && Station(2).sending}: Station(1).x", "52, not reached"),
    ("fddi.xta", "sup: Station(1).rotation", "210"),
    ("fddi.xta", "Station(1).idle_odd --> not Station(1).idle_odd", "holds"),
    ("fischer.xta", "P(1).request --> P(1).wait", "holds"),
    ("light.xml", "inf{Lamp.Expired}: Button.since", "60"),
    ("light.xml", "Lamp.Bright --> Lamp.Off", "holds"),
    ("light.xml", "A<> Lamp.Dim", "violated"),
    ("light.xml", "E[] Lamp.Off", "satisfied"),
    ("light.xml", "E[] not Lamp.Bright", "satisfied"),
    ("light_faulty.xml", "inf{Lamp.Expired}: Button.since", "56"),
    ("light_faulty.xml", "Lamp.Bright --> Lamp.Off", "holds"),
    ("light_faulty.xml", "A<> Lamp.Dim", "violated"),
    ("light_faulty.xml", "E[] Lamp.Off", "satisfied"),
    ("light_faulty.xml", "E[] not Lamp.Bright", "satisfied"),
    ("train_gate.xml", "Train(0).Appr --> Train(0).Cross", "holds"),
    ("train_gate.xml", "Train(0).Appr --> Train(0).Stop", "violated"),
    ("train_gate.xml", "sup{Train(0).Stop}: Train(0).x", "45"),
];

#[test]
fn bundled_models_do_what_they_say() {
    for (file, wanted) in ANSWERS {
        for search in ["auto", "bfs", "astar", "dfs", "largest-first", "guided", "ce", "icb", "ut"] {
            let (_, document) = check_file(&models().join(file), &["--search", search]);
            let mut found = answers(&document);
            found.retain(|(name, ..)| {
                !RUNS_AND_EXTREMES.iter().any(|(at, query, _)| (*at, *query) == (file, name.as_str()))
            });
            assert_eq!(found.len(), wanted.len(), "{file}: {found:?}");
            for ((name, verdict, length), (wanted, shortest)) in found.iter().zip(wanted) {
                assert_eq!(verdict, wanted, "{file}: {name} by {search}");
                match search {
                    "dfs" | "largest-first" | "guided" | "ce" | "icb" | "ut" => {
                        assert!(length >= shortest, "{file}: {name} by {search}");
                    }
                    _ => assert_eq!(length, shortest, "{file}: {name} by {search}"),
                }
            }
        }
    }
    for entry in std::fs::read_dir(models()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let tested = ANSWERS.iter().any(|(file, _)| *file == name);
        assert!(name.ends_with(".q") || tested, "{name} is not tested");
    }
}

#[test]
fn runs_and_extremes_of_bundled_models() {
    for (file, _) in ANSWERS {
        let (_, document) = check_file(&models().join(file), &[]);
        for (_, query, expected) in RUNS_AND_EXTREMES.iter().filter(|(at, ..)| *at == file) {
            let properties = document["properties"].as_array().unwrap();
            let property = properties.iter().find(|p| p["name"] == *query);
            let property = property.unwrap_or_else(|| panic!("{file} does not ask {query}"));
            let extreme = property["extremes"][0].as_object().and_then(|of| of.get("sup").or(of.get("inf")));
            let found = match extreme {
                None => property["verdict"].as_str().unwrap().to_string(),
                Some(value) if value["reached"] == true => value["value"].to_string(),
                Some(value) => format!("{}, not reached", value["value"]),
            };
            assert_eq!(found, *expected, "{file}: {query}");
        }
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

/// In `middle`, x is ahead of y by 5, or by nothing. To get to `end`, it would have to be 3.
const GAP: &str = "clock x, y;
process P() {
    state start, middle, end;
    init start;
    trans start -> middle { guard x == 5; assign y = 0; }, start -> middle { guard x == 0; },
          middle -> end { guard y == 0 && x == 3; };
}
system P;";

#[test]
fn approximate_zones_prove_but_have_to_be_confirmed() {
    let workspace = Workspace::new();
    let hull = |file: &str, options: &[&str]| {
        let fixed = ["check", file, "--approximate", "hull", "--json", "--no-progress"];
        let ran = workspace.run(&[&fixed, options].concat());
        let document = ran.json();
        let property = &document["properties"][0];
        (ran.code, property["verdict"].as_str().unwrap().to_string(), property["reason"].to_string())
    };
    let faulty = models().join("fischer_faulty.xta").display().to_string();
    for search in ["bfs", "dfs", "auto", "largest-first"] {
        let (code, verdict, reason) = hull(&faulty, &["--search", search]);
        assert!((code, &*verdict) == (1, "violated") || reason.contains("approximate zones"), "{search}: {verdict}");
        let arguments = ["check", &faulty, "--approximate", "hull", "--search", search, "--json", "--no-progress"];
        let document = workspace.run(&arguments).json();
        assert_ne!(document["properties"][0]["proven_shortest"], true, "{search}");
    }
    workspace.write("gap.xta", GAP);
    let options = ["--query", "E<> P.end", "--search", "bfs"];
    let (code, verdict, reason) = hull("gap.xta", &options);
    assert!((code, &*verdict) == (3, "inconclusive") && reason.contains("approximate zones"), "{verdict}: {reason}");
    workspace.run(&[&["check", "gap.xta"], &options[..]].concat()).exits(1);
    let (code, verdict, _) = hull("gap.xta", &["--query", "A[] not (P.start && x > 20 && y < 20)"]);
    assert_eq!((code, &*verdict), (0, "holds"));
}

#[test]
fn bits_of_zones_prove_nothing() {
    let options = ["--search", "bitstate-dfs(mb=1)", "--property", "invariant"];
    let (code, document) = check_file(&models().join("fischer_faulty.xta"), &options);
    assert_eq!((code, &*answers(&document)[0].1), (1, "violated"));
    let (code, document) = check_file(&models().join("fischer.xta"), &options);
    assert_eq!((code, &*answers(&document)[0].1), (3, "inconclusive"));
}

/// Depth first, zones come in the wrong order, and what lies behind small ones is explored again and again.
#[test]
fn large_zones_first_expands_no_state_in_vain() {
    let counts = |search: &str| {
        let options = ["--search", search, "--property", "invariant"];
        let (_, document) = check_file(&models().join("fischer.xta"), &options);
        let stats = document["properties"][0]["stats"].clone();
        ["expanded", "stored", "displaced"].map(|count| stats[count].as_u64().unwrap())
    };
    let [expanded, stored, displaced] = counts("largest-first");
    assert_eq!((expanded, displaced), (stored, 0));
    for search in ["bfs", "dfs"] {
        let [expanded, stored_too, displaced] = counts(search);
        assert!(stored_too == stored && expanded > stored && displaced > 0, "{search}");
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
    workspace.run(&["check", &file, "--query", "E<> P(9).cs"]).exits(2).complains("there is no process `P(9)`");
    workspace.write("never.pml", "never { do :: true od }");
    workspace.run(&["check", &file, "--claim", "never.pml"]).exits(2).complains("--claim is not for UPPAAL models");
    workspace.write("m.pml", "init { skip }");
    workspace
        .run(&["check", "m.pml", "--query", "A[] true"])
        .exits(2)
        .complains("--query is for models of UPPAAL, PRISM and JANI");
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

/// What a search without a heuristic and what guided searches say: verdict and length.
fn agreed(text: &str, query: &str, options: &[&str]) -> Vec<(String, Option<u64>)> {
    let workspace = Workspace::with("m.xta", text);
    let answer = |search: &&str| {
        let arguments = ["check", "m.xta", "--json", "--query", query, "--search", search];
        let (_, verdict, length) = answers(&workspace.run(&[&arguments, options].concat()).json()).remove(0);
        (verdict, length)
    };
    let mut all: Vec<(String, Option<u64>)> =
        ["bfs", "astar", "idastar", "refined-threshold", "auto"].iter().map(answer).collect();
    all.dedup();
    all
}

/// Estimates know no clocks: they must not believe that a process can always move which a clock, or the invariant behind
/// its edge, keeps from it.
#[test]
fn estimates_do_not_hide_deadlocks_in_time() {
    let late = "clock x; process P() { state a, b; init a; trans a -> a { guard x <= 1; }; } system P;";
    let invariant = "clock x; process P() { state a, b { x <= 1 }; init a;
        trans a -> b { guard x >= 1; }, b -> b { }, b -> a { assign x := 2; }; } system P;";
    for (text, length) in [(late, 0), (invariant, 0)] {
        assert_eq!(agreed(text, "A[] not deadlock", &[]), [("violated".into(), Some(length))], "{text}");
    }
}

#[test]
fn deadlock_can_be_a_part_of_a_condition() {
    let text = "clock x; process P() { state a { x <= 3 }, b, c; init a;
        trans a -> b { guard x == 2; }, a -> c { guard x <= 2; }, c -> c { }; } system P;";
    for inclusion in ["equal", "subset", "simulation"] {
        for (query, verdict, length) in [
            ("E<> deadlock", "satisfied", Some(0)),
            ("E<> deadlock and P.b", "satisfied", Some(1)),
            ("E<> deadlock and P.c", "violated", None),
            ("E<> deadlock and P.a and x <= 2", "violated", None),
            ("A[] (deadlock imply x >= 2)", "holds", None),
            ("A[] (deadlock imply x > 2)", "violated", Some(1)),
            ("A[] (P.a imply not deadlock)", "violated", Some(0)),
        ] {
            assert_eq!(agreed(text, query, &["--inclusion", inclusion]), [(verdict.to_string(), length)], "{query}");
        }
    }
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
