//! Values that make no difference: forgotten by searches, shown in traces.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{Workspace, check};

/// Rows of SPIN's table with more states take too long for every day.
const QUICK: u64 = 100_000;

/// Rows where SPIN has no complete answer.
const NO_ANSWER: [(&str, &str); 1] = [("priorities.pml", "the search of SPIN was not complete")];

/// States with dead variables reset and statements merged, as SPIN does by default: never more than SPIN has.
fn compare_with_spin(most: u64) {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(table) = std::fs::read_to_string(shared.join("expected/spin-reduced.csv")) else {
        println!("skipped: there is no table of SPIN's counts beside the repository");
        return;
    };
    let mut compared = 0;
    let mut more = Vec::new();
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        let Some(full) = cells.get(2).and_then(|cell| cell.parse::<u64>().ok()).filter(|full| *full < most) else {
            continue;
        };
        if NO_ANSWER.iter().any(|(name, _)| cells[0].ends_with(name)) {
            continue;
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_bughound"));
        command.args(["explore", "--dead-variables", "on", "--json", "--quiet", "--max-memory", "4G"]);
        let output = command.args(cells[1].split_whitespace()).arg(shared.join("models").join(cells[0])).output();
        let explored: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        let ours = explored["stats"]["stored"].as_u64().unwrap();
        println!("{} {}: SPIN {full}, Bughound {ours}", cells[0], cells[1]);
        if ours > full || explored["stats"]["complete"] != true {
            more.push(format!("{} {}: SPIN {full}, Bughound {ours}", cells[0], cells[1]));
        }
        compared += 1;
    }
    assert!(compared > 40, "only {compared} rows");
    assert!(more.is_empty(), "{}", more.join("\n"));
}

#[test]
fn there_are_no_more_states_than_spin_has() {
    compare_with_spin(QUICK);
}

#[test]
#[ignore = "millions of states: to be run by hand"]
fn there_are_no_more_states_than_spin_has_in_large_models() {
    compare_with_spin(u64::MAX);
}

/// `seen` counts for nobody, `x` is not read behind the assertion.
const FORGETFUL: &str = "byte seen, turn;
active [2] proctype P() { byte x; do :: turn == _pid -> x = turn + 1; seen++; assert(x < 2); turn = 1 - turn od }
";

#[test]
fn traces_show_what_searches_forget() {
    for options in [&["--dead-variables", "on"][..], &["--dead-variables", "off"], &[]] {
        check(FORGETFUL, options).exits(1).says("seen: 1 → 2").says("P(1):x: 0 → 2");
    }
    let stored = |switch: &str| {
        let model = FORGETFUL.replace("x < 2", "x < 3");
        let document = check(&model, &["--dead-variables", switch, "--search", "bfs", "--json"]).exits(0).json();
        document["stats"]["stored"].as_u64().unwrap()
    };
    assert!(stored("on") * 20 < stored("off"), "{} and {}", stored("on"), stored("off"));
    let explored = |options: &[&str]| {
        let arguments = [&["explore", "m.pml", "--json"], options].concat();
        Workspace::with("m.pml", FORGETFUL).run(&arguments).exits(0).json()["stats"]["stored"].as_u64()
    };
    assert_eq!(explored(&[]), explored(&["--dead-variables", "off"]), "counts stay comparable");
    assert!(explored(&["--dead-variables", "on"]) < explored(&[]));
}

#[test]
fn what_is_asked_about_is_not_forgotten() {
    check(FORGETFUL, &["reach", "--reach", "seen == 2"]).exits(0);
    check(FORGETFUL, &["reach", "--reach", "P[1]:x == 2"]).exits(0);
    check(FORGETFUL, &["invariant", "--invariant", "seen < 2"]).exits(1);
    check(FORGETFUL, &["ltl-1", "--ltl", "[] (seen < 2)"]).exits(1);
    // A run comes back to where it was only when all values are the same again.
    check("byte n; active proctype P() { do :: n++ od }", &["ltl-1", "--ltl", "<> (n == 7)"]).exits(0);
    check("byte n, m; active proctype P() { do :: n++; m = 1 - m od }", &["ltl-1", "--ltl", "<>[] (m == 1)"]).exits(1);
    // The user's own heuristic sees what it looks at.
    let counter =
        "byte n; active proctype P() { byte i; do :: i < 9 -> i++; n++ :: i == 9 -> break od; assert(false) }";
    let search = "greedy(h=expression('9 - n'))";
    let expanded = |options: &[&str]| {
        let document = check(counter, &[&["--search", search, "--json"], options].concat()).exits(1).json();
        document["stats"]["expanded"].as_u64()
    };
    assert_eq!(expanded(&[]), expanded(&["--dead-variables", "off"]));
}

#[test]
fn explain_lists_what_is_forgotten() {
    let workspace = Workspace::with("m.pml", FORGETFUL);
    let text = workspace.run(&["explain", "m.pml"]).exits(0);
    let text = text.says("values that it forgets").says("seen  faint: its value makes no difference");
    text.says("P:x   dead at ");
    let document = workspace.run(&["explain", "m.pml", "--json"]).exits(0).json();
    let names: Vec<&str> =
        document["forgotten"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["seen", "P:x"]);
    let with_cycle = format!("{FORGETFUL} ltl p {{ []<> (turn == 0) }}");
    Workspace::with("m.pml", &with_cycle).run(&["explain", "m.pml"]).exits(0).says("; all values are kept");
    check(FORGETFUL, &["--dead-variables", "perhaps"]).exits(2);
}
