//! Properties by number, and `--only`.

use crate::support::Workspace;

const TIMED: &str = "clock x; process P() { state a, b; init a; trans a -> b { guard x > 1; }; } system P;\n";
const FORMULAS: &str = "byte x; ltl small { [] (x < 3) } ltl tiny { [] (x < 1) } init { x = 1 }\n";

fn names(document: &serde_json::Value) -> Vec<(Option<u64>, &str)> {
    let properties = document["properties"].as_array().unwrap().iter();
    properties.map(|p| (p["number"].as_u64(), p["name"].as_str().unwrap())).collect()
}

#[test]
fn numbers_are_those_of_explain() {
    let workspace = Workspace::with("m.xta", TIMED);
    workspace.write("m.q", "A[] not P.b\nE<> P.b\nA[] x >= 0\n");
    let explained = workspace.run(&["explain", "m.xta", "--json"]).exits(0).json();
    let listed = names(&explained);
    assert_eq!(listed, [(Some(1), "A[] not P.b"), (Some(2), "E<> P.b"), (Some(3), "A[] x >= 0")]);
    for (number, name) in &listed {
        let number = number.unwrap().to_string();
        for arguments in [vec!["check", "m.xta", &number], vec!["check", "m.xta", "--property", &number]] {
            let ran = workspace.run(&[&arguments[..], &["--json"]].concat());
            assert_eq!(names(&ran.json()), [(number.parse().ok(), *name)], "{arguments:?}");
        }
    }
    workspace.run(&["check", "m.xta", "3", "2"]).exits(0).says("  2  E<> P.b").says("  3  A[] x >= 0");
    workspace.run(&["explain", "m.xta"]).says("  2  E<> P.b");
    // What is added comes behind: the numbers of the others stay.
    let ran = workspace.run(&["check", "m.xta", "--query", "E<> P.a", "--json", "4", "1"]).exits(1);
    assert_eq!(names(&ran.json()), [(Some(1), "A[] not P.b"), (Some(4), "E<> P.a")]);
    for wrong in ["0", "4", "99999999999999999999"] {
        let ran = workspace.run(&["check", "m.xta", wrong]).exits(2);
        ran.complains(&format!("no property {wrong}")).complains("2 E<> P.b");
    }
}

/// One question has one answer, however often it is asked.
#[test]
fn queries_that_are_asked_twice_are_answered_once() {
    let workspace = Workspace::with("m.xta", TIMED);
    workspace.write("m.q", "A[] not P.b\nE<> P.b\nA[] x >= 0\n");
    workspace.write("more.q", "E<> P.b\nE<> P.a\n");
    let asked = |arguments: &[&str]| workspace.run(&[&["check", "m.xta", "--json"], arguments].concat()).json();
    let once = asked(&["--only", "--query", "E<>   P.b"]);
    assert_eq!(names(&once), [(Some(2), "E<> P.b")]);
    let file = asked(&["--only", "--queries", "more.q", "--query", "E<> P.b"]);
    assert_eq!(names(&file), [(Some(2), "E<> P.b"), (Some(4), "E<> P.a")]);
    let all = asked(&["--query", "A[] x >= 0", "--query", "E<> P.a", "--query", "E<> P.a"]);
    let own = [(Some(1), "A[] not P.b"), (Some(2), "E<> P.b"), (Some(3), "A[] x >= 0")];
    assert_eq!(names(&all), [&own[..], &[(Some(4), "E<> P.a")]].concat());
}

#[test]
fn queries_that_cannot_be_checked_move_no_numbers() {
    let workspace = Workspace::with("m.xta", TIMED);
    workspace.write("m.q", "Pr[<=10] (<> P.b)\nE<> P.b\n");
    let explained = workspace.run(&["explain", "m.xta", "--json"]).exits(0).json();
    let listed = names(&explained);
    let ran = workspace.run(&["check", "m.xta", "--query", "E<> P.a", "--json"]);
    let document = ran.json();
    assert_eq!(names(&document)[..listed.len()], listed);
    assert_eq!(names(&document).last(), Some(&(Some(3), "E<> P.a")));
}

#[test]
fn promela_has_numbers_too() {
    let workspace = Workspace::with("m.pml", FORMULAS);
    let ran = workspace.run(&["check", "m.pml", "4", "--json"]).exits(1);
    assert_eq!(names(&ran.json()), [(Some(4), "tiny")]);
    workspace.run(&["explain", "m.pml"]).says("  3  small ");
    let ran = workspace.run(&["check", "m.pml", "--property", "channel-overflow", "--json"]);
    assert_eq!(names(&ran.json()), [(None, "channel-overflow")]);
}

#[test]
fn only_what_the_command_line_asks() {
    let workspace = Workspace::with("m.pml", FORMULAS);
    let ran = workspace.run(&["check", "m.pml", "--only", "--invariant", "x < 2", "--ltl", "<> (x == 1)", "--json"]);
    let document = ran.exits(0).json();
    assert_eq!(names(&document).iter().map(|(_, name)| *name).collect::<Vec<_>>(), ["invariant-1", "ltl-1"]);
    let ran = workspace.run(&["check", "m.pml", "--only", "--invariant", "x < 2", "small", "--json"]).exits(0);
    assert_eq!(names(&ran.json()).iter().map(|(_, name)| *name).collect::<Vec<_>>(), ["small", "invariant-1"]);
    workspace.run(&["check", "m.pml", "--invariant", "x < 2"]).exits(1).says("tiny");
    let ran = workspace.run(&["check", "m.pml", "--only"]).exits(2);
    ran.complains("--only leaves nothing to check").complains("--invariant");
    workspace.write("m.xta", TIMED);
    workspace.write("m.q", "A[] not P.b\n");
    workspace.run(&["check", "m.xta"]).exits(1);
    let ran = workspace.run(&["check", "m.xta", "--only", "--query", "E<> P.b"]).exits(0);
    ran.says("E<> P.b").does_not_say("A[]");
    let ran = workspace.run(&["compare", "m.pml", "--only", "--invariant", "x < 2", "--searches", "bfs,dfs"]).exits(0);
    ran.says("invariant-1").does_not_say("deadlock");
}

/// What options ask for is checked in addition to what is selected among the properties of the model.
#[test]
fn a_selection_does_not_drop_what_options_ask_for() {
    let workspace = Workspace::with("m.pml", FORMULAS);
    let ran = workspace.run(&["check", "m.pml", "deadlock", "--invariant", "x == 0", "--json"]).exits(1);
    assert_eq!(ran.json()["properties"].as_array().unwrap().len(), 2);
    let workspace = Workspace::with("m.xta", TIMED);
    workspace.write("m.q", "E<> P.b\nA[] x >= 0\n");
    let ran = workspace.run(&["check", "m.xta", "2", "--query", "A[] not P.b", "--json"]).exits(1);
    assert_eq!(names(&ran.json()), [(Some(2), "A[] x >= 0"), (Some(3), "A[] not P.b")]);
}
