//! Where steps may be left out, and where that would be wrong: each case of docs/reductions.md that is refused or bounded has a
//! model here that would get the wrong answer otherwise.

use crate::support::{Workspace, check};
use serde_json::Value;

/// Two steps that have nothing to do with each other: one order is enough for deadlocks, and for nothing that sees both.
const INDEPENDENT: &str = "byte a, b;
active proctype A() { a = 1 }
active proctype B() { b = 1 }
";

/// A loop that has nothing to do with the other process, which can wait for ever.
const LOOP: &str = "byte p;
active proctype L() { bit x; do :: x == 0 -> x = 1 :: x == 1 -> x = 0 od }
active proctype S() { p = 1; assert(false) }
";

const SEARCHES: [&str; 6] = ["auto", "scc", "nested-dfs", "improved-nested-dfs", "shortest-lasso", "bfs"];

fn verdict(document: &Value, property: &str) -> String {
    let all = document["properties"].as_array().unwrap();
    let found = all.iter().find(|p| p["name"] == property).unwrap_or_else(|| panic!("no `{property}` in {document:#}"));
    found["verdict"].as_str().unwrap().to_string()
}

/// The verdict on a formula.
fn formula(model: &str, formula: &str, options: &[&str]) -> String {
    let text = format!("{model}ltl f {{ {formula} }}\n");
    let document = check(&text, &[&["f", "--json"], options].concat());
    let document: Value = serde_json::from_str(&document.out).unwrap();
    verdict(&document, "f")
}

#[test]
fn what_a_formula_looks_at_is_not_reordered() {
    for search in SEARCHES {
        for (text, expected) in [
            ("[] !(a == 1 && b == 0)", "violated"),
            ("[] !(b == 1 && a == 0)", "violated"),
            ("<> (a == 1 && b == 1)", "holds"),
            ("(a == 0 && b == 0) U (a == 1 || b == 1)", "holds"),
        ] {
            assert_eq!(formula(INDEPENDENT, text, &["--search", search]), expected, "{search}: {text}");
        }
    }
}

#[test]
fn formulas_that_count_steps_see_all_of_them() {
    // In one order or the other the second state has the one and not the other.
    for text in ["X (a == 0)", "X (b == 0)"] {
        assert_eq!(formula(INDEPENDENT, text, &[]), "violated", "{text}");
    }
    let model = format!("{INDEPENDENT}ltl f {{ X (a == 0) }}\n");
    check(&model, &["f", "--reduction", "on"]).exits(1).says("no step is left out: the formula has X");
    // A claim that wants the first step to be that of A, and the second one that of B.
    for (first, second) in [("a", "b"), ("b", "a")] {
        let claim = format!(
            "never {{ {first} == 0 && {second} == 0; {first} == 1 && {second} == 0; {first} == 1 && {second} == 1 }}\n"
        );
        let ran = check(&format!("{INDEPENDENT}{claim}"), &["never", "--reduction", "on"]).exits(1);
        ran.says("no step is left out: a never claim may count steps");
    }
}

#[test]
fn nothing_is_postponed_for_ever() {
    for search in ["auto", "bfs", "dfs", "greedy", "astar", "idastar", "random-dfs(seed=1)"] {
        check(LOOP, &["assertion", "--search", search]).exits(1);
    }
    for search in SEARCHES {
        assert_eq!(formula(LOOP, "[] (p == 0)", &["--search", search]), "violated", "{search}");
        // The other one may wait for ever, unless it is treated fairly.
        assert_eq!(formula(LOOP, "<> (p == 1)", &["--search", search]), "violated", "{search}");
    }
    assert_eq!(formula(LOOP, "<> (p == 1)", &["--fair", "weak"]), "holds");
    let model = format!("{LOOP}ltl f {{ <> (p == 1) }}\n");
    check(&model, &["f", "--fair", "weak", "--reduction", "on"])
        .exits(0)
        .says("no step is left out: fair runs are asked for");
}

#[test]
fn labels_are_looked_at() {
    // Beside it, somebody is busy.
    let busy = "active proctype L() { bit x; do :: x == 0 -> x = 1 :: x == 1 -> x = 0 od }\n";
    let accepting = format!("{busy}byte n;\nactive proctype A() {{ do :: n = 1; accept: n = 0 od }}\n");
    let progress = format!("{busy}byte n;\nactive proctype A() {{ do :: n = 1; progress: n = 0 od }}\n");
    for search in ["auto", "scc", "nested-dfs", "improved-nested-dfs"] {
        check(&accepting, &["acceptance", "--search", search]).exits(1);
        check(&progress, &["non-progress", "--search", search]).exits(1);
    }
}

/// What an atomic sequence comes to, and whom it moves on its way, is looked at as well.
#[test]
fn labels_at_the_end_of_atomic_sequences_are_looked_at() {
    let busy =
        "bool g, h; chan c = [1] of { byte }; chan r = [0] of { byte };\nactive proctype Q() { do :: g = 1 - g od }\n";
    let own = "active proctype P() { atomic { h = 1; h == 1 }; progress: false }\n";
    let partner = "active proctype S() { r?_; progress: false }\nactive proctype P() { atomic { c!1; r!1 }; false }\n";
    let accepting = "active proctype P() { accept: atomic { h = 1; acceptb: h == 1 }; false }\n";
    for (model, property) in [(own, "non-progress"), (partner, "non-progress"), (accepting, "acceptance")] {
        for search in ["auto", "scc", "nested-dfs", "improved-nested-dfs", "shortest-lasso"] {
            check(&format!("{busy}{model}"), &["--only", property, "--search", search]).exits(1);
        }
    }
    let once =
        "byte g; chan c = [1] of { byte };\nactive proctype P() { byte i; atomic { c!1; c?i }; progress: i == 7 }
active proctype Q() { g = 1 }\n";
    for question in [["--invariant", "!(np_ && g == 1)"], ["--ltl", "!(np_ U (g == 1))"]] {
        check(once, &[&["--only"], &question[..]].concat()).exits(1);
    }
}

/// A ring of processes: the orders in which they go on are many, and one of them is enough.
#[test]
fn formulas_are_decided_in_fewer_states() {
    let model = "chan c[4] = [1] of { byte }; byte done;
active [4] proctype P() { byte v; c[_pid] ! _pid; c[(_pid + 3) % 4] ? v; c[_pid] ! v; c[(_pid + 3) % 4] ? v; done++ }
ltl f { <> (done == 4) }
";
    let states = |reduction: &str| {
        let document = check(model, &["f", "--json", "--reduction", reduction]).exits(0).json();
        document["properties"][0]["stats"]["stored"].as_u64().unwrap()
    };
    let (some, all) = (states("auto"), states("off"));
    assert!(some * 5 < all, "{some} of {all}");
}

/// The loop of a run closes where all values are the same again, also those that make no difference to the formula.
#[test]
fn a_loop_found_without_some_values_is_one_of_the_model() {
    let model = "byte turn, ticks;
active proctype A() { do :: ticks = (ticks + 1) % 7; turn = 1 - turn od }
ltl f { <> (turn == 2) }
";
    for search in ["auto", "scc", "nested-dfs"] {
        let workspace = Workspace::with("m.pml", model);
        let found = workspace.run(&["check", "m.pml", "f", "--search", search, "--save-trace", "t.json"]);
        found.exits(1);
        workspace.run(&["trace", "t.json"]).exits(0);
    }
}

/// Whoever counts has nothing to do with whoever fails: a shortest way to the error has no step of theirs.
const BYSTANDERS: &str = "byte x, y;
active [4] proctype Count() { byte n; do :: n < 9 -> n++ :: n == 9 -> break od }
active proctype Bad() { x++; x++; assert(x == 1) }
active proctype Other() { y++; y++ }
";

#[test]
fn shortest_errors_are_found_without_the_steps_that_they_do_not_need() {
    for (options, property, length) in [
        (&["assertion"][..], "assertion", 3),
        (&["--only", "--invariant", "!(x == 2 && y == 2)"][..], "invariant", 4),
        (&["--only", "--reach", "y == 2 || x == 7"][..], "reach", 2),
    ] {
        let run = |reduction: &str| {
            let fixed = ["--json", "--search", "bfs", "--reduction", reduction, "--dead-variables", "off"];
            let out = check(BYSTANDERS, &[options, &fixed].concat()).out;
            serde_json::from_str::<Value>(&out).unwrap()
        };
        let (reduced, whole) = (run("on"), run("off"));
        for document in [&reduced, &whole] {
            let all = document["properties"].as_array().unwrap();
            let entry = all.iter().find(|p| p["name"].as_str().unwrap().starts_with(property)).unwrap();
            assert_eq!(entry["trace"]["length"], length, "{document:#}");
            assert_eq!(entry["proven_shortest"], true, "{document:#}");
        }
        let stored = |document: &Value| document["stats"]["stored"].as_u64().unwrap();
        assert!(stored(&reduced) * 4 < stored(&whole), "{} and {}", stored(&reduced), stored(&whole));
    }
}

/// Where nothing but what leads to an error was looked at, nothing is known of statements that were not reached.
#[test]
fn after_a_search_by_landmarks_no_statement_is_called_unreached() {
    let model = "byte x; active proctype A() { x = 1; assert(x < 2) }
active proctype B() { byte n; do :: n < 3 -> n++ :: else -> break od; if :: n == 9 -> skip :: else fi }
";
    let check = |options: &[&str]| check(model, &[&["assertion", "--json"], options].concat()).exits(0);
    let unreached = |out: &str| serde_json::from_str::<Value>(out).unwrap()["unreached"].clone();
    let whole = unreached(&check(&["--search", "bfs", "--reduction", "off"]).out);
    assert!(whole.to_string().contains("skip"), "{whole}");
    let reduced = unreached(&check(&["--search", "bfs", "--reduction", "on"]).out);
    assert!(reduced.is_null() || reduced == whole, "{reduced}");
    // A search for any error takes every step somewhere.
    assert_eq!(unreached(&check(&["--search", "dfs", "--reduction", "on"]).out), whole);
}

#[test]
fn searches_that_take_all_steps_by_themselves_say_so() {
    let said = "no step is left out: the search";
    for search in
        ["icb", "ce", "ut", "iterative-deepening", "idastar", "branch-and-bound", "depth-bounded-dfs", "bitstate-dfs"]
    {
        let options = ["deadlock", "--reduction", "on", "--search", search];
        check(INDEPENDENT, &options).says(said);
    }
    for search in ["auto", "bfs", "dfs", "astar", "greedy", "guided", "scc"] {
        check(INDEPENDENT, &["deadlock", "--reduction", "on", "--search", search]).does_not_say(said);
    }
    check(INDEPENDENT, &["deadlock", "--search", "idastar"]).does_not_say(said);
}

#[test]
fn a_reduction_can_be_checked_while_it_runs() {
    let local = "active [2] proctype P() { byte i; do :: i < 3 -> i++ :: else -> break od }\n";
    for (model, options) in [(local, &["--search", "dfs"][..]), (LOOP, &[]), (INDEPENDENT, &["--ltl", "<> (a == 1)"])] {
        let ran = check(model, &[&["--reduction", "check", "--json"], options].concat());
        let document = ran.json();
        let notes = document["notes"].as_array().unwrap();
        assert!(
            notes.iter().any(|note| note.as_str().unwrap().starts_with("--reduction check: the steps")),
            "{notes:?}"
        );
        assert!(document["stats"]["compared"].as_u64().is_some(), "{document:#}");
        assert_eq!(ran.code, check(model, &[&["--reduction", "off"], options].concat()).code, "{model}");
    }
    let compared = check(INDEPENDENT, &["deadlock", "--reduction", "check", "--json"]).json();
    assert!(compared["stats"]["compared"].as_u64() >= Some(1), "{compared:#}");
    // Where nothing is left out, nothing is compared, and that is noted as ever.
    let clock = format!("{INDEPENDENT}ltl f {{ X (a == 0) }}\n");
    check(&clock, &["f", "--reduction", "check"]).exits(1).says("no step is left out: the formula has X");
    let workspace = Workspace::with("m.pml", INDEPENDENT);
    let explored =
        workspace.run(&["explore", "m.pml", "--reduction", "check", "--preserve", "deadlocks", "--json"]).exits(0);
    assert!(explored.json()["stats"]["compared"].as_u64() >= Some(1));
}

/// What is evaluated first may have no value whatever comes later: a guard that is false because of its second part, a statement
/// that waits, and an end that has to wait can fail all the same.
#[test]
fn guards_that_fail_are_not_taken_for_guards_that_wait() {
    let spinner = "active proctype S() { byte q; do :: q = 1 - q od }\n";
    let alternative = |guard: &str| {
        format!(
            "int x=1; byte a[3]; byte b; active proctype T() {{ b==1; x=3; x=1 }}
active proctype R() {{ byte l; b=1; if :: {guard} :: l=1 fi; l=2; l=3 }}"
        )
    };
    let beside = |r: &str| {
        let globals = "int x=1; byte a[3]; byte b; chan c = [1] of {byte};";
        format!("{globals} active proctype R() {r} active proctype T() {{ b=1; x=2; x=3 }}\n{spinner}")
    };
    for (model, length) in [
        (alternative("a[x]==2 && b==6"), 4),
        (alternative("a[x]==7 && timeout"), 4),
        (beside("{ a[x]==2 && b==6 }"), 4),
        (beside("{ if :: timeout && a[x]==0 :: a[x]==7 && timeout fi }"), 4),
        (beside("provided (a[x]==0) { b==7 }"), 4),
        (beside("provided (a[x]==0) { c?1 }"), 4),
        (beside("provided (a[x]==0) { b==1 }"), 4),
    ] {
        for search in ["auto", "bfs", "dfs", "astar", "greedy", "guided"] {
            for reduction in ["off", "on", "check"] {
                let options = ["assertion", "--json", "--search", search, "--reduction", reduction];
                let found = check(&model, &options).exits(1).json()["properties"][0].clone();
                assert_eq!(found["verdict"], "violated", "{search}, {reduction}: {model}");
                let proven = found["proven_shortest"] == true;
                assert!(!proven || found["trace"]["length"] == length, "{search}, {reduction}: {model}\n{found:#}");
            }
        }
    }
}
