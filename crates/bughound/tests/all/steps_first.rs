//! Searches that look at steps before states: verdicts, queues in the statistics, and where steps may not be left out.

use std::path::Path;

use crate::support::{Workspace, check};
use serde_json::Value;

/// Two pairs of processes that share nothing; the property is about one pair.
const TWO_PAIRS: &str = "byte a, b, c, d;
active proctype A() { do :: a < 5 -> a++ :: a == 5 -> a = 0; b = 1 od }
active proctype B() { do :: b == 1 -> b = 2 :: b == 2 -> b = 3; a = 1 od }
active proctype C() { do :: c < 5 -> c++ :: c == 5 -> c = 0; d = 1 od }
active proctype D() { do :: d == 1 -> d = 0 od }
";

const SEARCHES: [&str; 9] = [
    "ce",
    "ce(order=bfs)",
    "ce(order=dfs)",
    "ce(order=astar)",
    "icb",
    "icb(by=interference, n=1)",
    "icb(blocked=free, order=dfs)",
    "ut",
    "guided",
];

fn answer(program: &str, invariant: &str, search: &str) -> (i32, Value) {
    // The orders are compared: none of them leaves steps out otherwise.
    let all_steps = ["--reduction", "off"];
    let options = ["--invariant", invariant, "--property", "invariant", "--search", search, "--json"];
    let options = [&options[..], &all_steps].concat();
    let ran = check(program, &options);
    (ran.code, ran.json()["properties"][0].clone())
}

#[test]
fn verdicts_are_those_of_breadth_first_search() {
    for (invariant, code) in [("b != 3", 1), ("b != 4", 0)] {
        for search in SEARCHES.into_iter().chain(["ce(prune=true)", "ce(prune=true, order=bfs)"]) {
            assert_eq!(answer(TWO_PAIRS, invariant, search).0, code, "{invariant} by {search}");
        }
    }
}

#[test]
fn steps_without_connection_wait_or_are_left_out() {
    let (_, by_context) = answer(TWO_PAIRS, "b != 3", "ce(order=bfs)");
    let (_, plain) = answer(TWO_PAIRS, "b != 3", "bfs");
    let expanded = |found: &Value| found["stats"]["expanded"].as_u64().unwrap();
    assert!(2 * expanded(&by_context) < expanded(&plain), "{by_context}");
    let queues = by_context["stats"]["queues"].as_array().unwrap();
    let rest = queues.iter().find(|queue| queue["name"] == "rest").unwrap();
    assert!(rest["pushed"].as_u64() > Some(0) && rest["popped"] == 0, "{rest}");
    assert_eq!(plain["stats"]["queues"], Value::Array(Vec::new()));
    let (_, all) = answer(TWO_PAIRS, "b != 4", "ce(order=bfs)");
    let (_, pruned) = answer(TWO_PAIRS, "b != 4", "ce(order=bfs, prune=true)");
    assert!(expanded(&pruned) < expanded(&all), "{pruned}");
}

#[test]
fn nothing_is_left_out_where_that_is_no_proof() {
    let fischer = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/timed/fischer_faulty.xta");
    let file = fischer.display().to_string();
    let ran = Workspace::new().run(&["check", &file, "--search", "ce(prune=true)"]);
    ran.exits(2).complains("`prune` would not be safe here: time connects all processes");
    let options = ["--property", "deadlock", "--search", "ce(prune=true)"];
    check(TWO_PAIRS, &options).exits(2).complains("for conditions on states only");
}

#[test]
fn the_queues_stand_in_the_text() {
    let options = ["--invariant", "b != 3", "--property", "invariant", "--search", "guided"];
    let ran = check(TWO_PAIRS, &options).exits(1);
    assert!(ran.out.contains("taken/put by queue: h1 "), "{}", ran.out);
}
