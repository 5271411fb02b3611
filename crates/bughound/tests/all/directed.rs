//! Directed search from the command line: searches and heuristics by name, shortest traces, improved traces, limits.

use std::path::Path;

use crate::support::{ASSERTION, DEADLOCK, HOLDS, HUGE, Workspace, check};
use serde_json::Value;

/// Dining philosophers with forks as messages; the forks are laid out in one step.
const PHILOSOPHERS: &str = "chan fork[N] = [1] of { bit };
proctype Philosopher(byte me) {
  do :: fork[me]?1 -> danger: fork[(me + 1) % N]?1; fork[me]!1; fork[(me + 1) % N]!1 od
}
init { byte i = N; atomic { do :: i > 0 -> i--; run Philosopher(i); fork[i]!1 :: i == 0 -> break od } }
";

fn deadlock(n: u32, search: &str) -> Value {
    let define = format!("-DN={n}");
    // What is compared with the literature takes all steps.
    let options = [define.as_str(), "--property", "deadlock", "--search", search, "--json", "--reduction", "off"];
    check(PHILOSOPHERS, &options).exits(1).json()["properties"][0].clone()
}

#[test]
fn a_star_expands_what_the_literature_says() {
    for (n, active, formula) in [(2, 3, 3), (3, 6, 4), (4, 8, 5), (8, 16, 9), (12, 24, 13)] {
        for (search, expected) in [("astar(h=active-processes)", active), ("astar(h=deadlock-formula)", formula)] {
            let found = deadlock(n, search);
            assert_eq!(found["stats"]["expanded"], expected, "{search}, {n} philosophers");
            assert_eq!(found["trace"]["length"], 4 * n + 2, "{search}, {n} philosophers");
            assert_eq!(found["proven_shortest"], false, "neither heuristic is admissible");
        }
    }
}

#[test]
fn greedy_search_expands_what_the_literature_says() {
    for (n, expanded, length) in [(2, 3, 10), (3, 22, 14), (4, 56, 26), (8, 224, 66)] {
        let found = deadlock(n, "greedy(h=active-processes)");
        assert_eq!((&found["stats"]["expanded"], &found["trace"]["length"]), (&expanded.into(), &length.into()));
    }
}

#[test]
fn the_default_finds_and_proves_the_shortest_trace() {
    let found = deadlock(6, "auto");
    assert_eq!((&found["trace"]["length"], &found["proven_shortest"]), (&26.into(), &true.into()));
    assert_eq!(found["heuristic"], "auto");
    assert_eq!(check(HOLDS, &["--json"]).exits(0).json()["properties"][0]["verdict"], "holds");
}

#[test]
fn shortest_and_first() {
    let shortest = check(ASSERTION, &["--shortest", "--json"]).exits(1).json();
    let assertion = |document: &Value| document["properties"][1].clone();
    assert_eq!(assertion(&shortest)["search"], "auto(shortest=true)");
    assert_eq!(assertion(&shortest)["proven_shortest"], true);
    let bfs = check(ASSERTION, &["--search", "bfs", "--json"]).exits(1).json();
    assert_eq!(assertion(&shortest)["trace"]["length"], assertion(&bfs)["trace"]["length"]);
    let first = check(ASSERTION, &["--first", "--json"]).exits(1).json();
    assert_eq!(assertion(&first)["search"], "auto(effort=0)");
    check(ASSERTION, &["--first", "--shortest"]).exits(2).complains("cannot be used with");
}

#[test]
fn every_search_and_heuristic_runs_from_its_name() {
    let listed = |what: &str| -> Vec<String> {
        let names = Workspace::new().run(&["list", what, "--json"]).exits(0).json();
        names[what].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap().to_string()).collect()
    };
    let workspace = Workspace::with("m.pml", DEADLOCK);
    for search in listed("searches") {
        let shared: &[&str] = if search == "external-queue" { &["--disk", "shared"] } else { &[] };
        let ran = workspace.run(&[&["check", "m.pml", "--search", &search, "--json"], shared].concat()).exits(1);
        assert_eq!(ran.json()["properties"][0]["verdict"], "violated", "{search}");
    }
    // These need arguments, a state to get to, an error that names locations, or a model with prices.
    let special = ["expression", "max", "min", "sum", "hamming", "fsm-distance", "d-l", "d-u"];
    let special = [&special[..], &["least-cost", "remaining", "heur"]].concat();
    for heuristic in listed("heuristics").iter().filter(|name| !special.contains(&name.as_str())) {
        let ran = workspace.run(&["check", "m.pml", "--search", "greedy", "--heuristic", heuristic, "--json"]).exits(1);
        assert_eq!(ran.json()["properties"][0]["heuristic"], heuristic.as_str());
    }
    let at = "byte x; active proctype P() { x = 1; x = 2; done: false }";
    let workspace = Workspace::with("m.pml", at);
    for heuristic in ["d-l", "d-u", "max(formula, blind)", "sum(d-l, weighted(formula, 2))", "expression('3 - x')"] {
        let search = format!("greedy(h={heuristic})");
        let options = ["check", "m.pml", "--reach", "P@done", "--property", "reach", "--search", &search];
        workspace.run(&options).exits(0).says("satisfied after 2 steps");
    }
}

#[test]
fn mistakes_are_explained_with_their_place() {
    let wrong = |search: &str, words: &str| check(DEADLOCK, &["--search", search]).exits(2).complains(words);
    wrong("asatr", "did you mean `astar`?");
    wrong("astar(h=formla)", "there is no heuristic `formla` (did you mean `formula`?)").complains("        ^^^^^^");
    wrong("astar(h=hamming)", "`hamming` estimates the distance to a known state");
    wrong("wastar(w=2, alpha=0.5)", "give either `w` or `alpha`, not both");
    wrong("beam(k=0)", "`k` must be an integer from 1");
    wrong("greedy(h=expression('nobody > 3'))", "nobody");
    wrong("greedy(h=expression('x", "the quotes are not closed");
    wrong("greedy(h=d-l)", "location");
    check(DEADLOCK, &["--search", "greedy", "--heuristic", "nonsense"]).exits(2).complains("--heuristic: there is no");
}

#[test]
fn a_saved_trace_is_improved() {
    let workspace = Workspace::with("m.pml", PHILOSOPHERS);
    let saved = ["check", "m.pml", "-DN=4", "--property", "deadlock", "--search", "dfs", "--save-trace", "t.json"];
    workspace.run(&saved).exits(1);
    for heuristic in ["hamming", "fsm-distance", "sum(hamming, fsm-distance)"] {
        let improve = ["check", "m.pml", "-DN=4", "--improve", "t.json", "--heuristic", heuristic];
        workspace.run(&improve).exits(1).says("violated after 18 steps, shortest (proven)");
    }
    let other = ["check", "m.pml", "-DN=3", "--improve", "t.json"];
    workspace.run(&other).exits(2).complains("was saved for another model");
    workspace.run(&["check", "m.pml", "-DN=4", "--improve", "no.json"]).exits(2).complains("there is no such file");
}

#[test]
fn a_memory_limit_is_a_verdict_and_keeps_what_was_found() {
    for search in ["bfs", "dfs", "greedy(h=formula)", "astar", "idastar", "branch-and-bound", "k-best-first", "auto"] {
        let options = ["--max-memory", "20M", "--property", "safety", "--search", search];
        check(HUGE, &options).exits(4).says("the memory limit was reached");
    }
    // An error is found soon; shorter ones are looked for until memory ends.
    let with_error =
        format!("{HUGE}active proctype Q() {{ byte n; do :: n < 200 -> n++ :: n > 100 -> break od; assert(false) }}");
    let options = ["--max-memory", "20M", "--property", "assertion", "--search", "branch-and-bound", "--json"];
    let found = check(&with_error, &options).exits(1).json();
    assert_eq!(found["properties"][0]["verdict"], "violated");
    assert_eq!(found["properties"][0]["proven_shortest"], false);
}

/// The abstraction is much larger than the limits: what is built of it until then is used, and the search has its share.
#[test]
fn a_heuristic_leaves_time_and_memory_for_the_search() {
    let fischer = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/timed/fischer.xta");
    for limit in [["--max-time", "3s"], ["--max-memory", "4M"]] {
        let file = fischer.display().to_string();
        let searched = ["--search", "astar(h=pdb(everything))", "--json"];
        let ran = Workspace::new()
            .run(&[&["check", &file, "-DN=9", "--property", "invariant"][..], &searched, &limit].concat());
        let document = ran.exits(4).json();
        let stats = &document["properties"][0]["stats"];
        assert_eq!(stats["preparation_cut_short"], true, "{limit:?}: {stats}");
        assert!(stats["expanded"].as_u64() > Some(0), "{limit:?}: {stats}");
    }
}
