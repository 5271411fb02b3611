//! Trails of SPIN on the command line: written by `check`, read by `trace`.

use crate::support::{ASSERTION, DEADLOCK, HOLDS, Workspace};

/// With statements that are merged, a rendezvous, an atomic chain, a `d_step` and a failing assertion.
const MODEL: &str = "byte x; chan r = [0] of { byte };
active proctype P() { byte y; atomic { r!1; x = 2 }; d_step { x = 3; y = 4 }; y = 1; y = 2; assert(x == 9) }
active proctype Q() { byte z; r?z; do :: z > 0 -> z-- :: else -> break od }
never { do :: x == 3 -> break :: else od }
ltl low { [] (x < 2) }
ltl live { []<> (x < 2) }
";

fn written(property: &str, options: &[&str]) -> String {
    let workspace = Workspace::with("m.pml", MODEL);
    workspace
        .run(&[&["check", "m.pml", property, "--shortest", "--trail", "t.trail"], options].concat())
        .exits(1)
        .complains("replay it with: spin -t -p -k t.trail m.pml");
    std::fs::read_to_string(workspace.path("t.trail")).unwrap()
}

#[test]
fn the_lines_of_a_trail() {
    // As SPIN numbers: P has the elements 0 to 9, Q 10 to 18, the claim 19 to 25, that of `low` 26 to 35.
    assert_eq!(written("assertion", &[]), "-4:-4:-4\n1:0:0\n2:1:10\n3:0:1\n4:0:5\n5:0:6\n6:0:8\n");
    assert_eq!(written("assertion", &["--merge", "off"]), "1:0:0\n2:1:10\n3:0:1\n4:0:5\n5:0:6\n6:0:7\n7:0:8\n");
    // The claim is process 0, looks at every state, and is named by its number.
    let never = "1:0:21\n2:1:0\n3:2:10\n4:0:21\n5:1:1\n6:0:21\n7:1:5\n8:0:19\n";
    assert_eq!(written("never", &[]), format!("-2:2:-2\n-4:-4:-4\n{never}"));
    let low = "1:0:29\n2:1:0\n3:2:10\n4:0:29\n5:1:1\n6:0:26\n";
    assert_eq!(written("low", &[]), format!("-2:3:-2\n-4:-4:-4\n{low}"));
    // Merged, the assertion of the claim is part of the step before.
    assert_eq!(written("low", &["--merge", "off"]), format!("-2:3:-2\n{low}7:0:27\n"));
    // Of other formulas the run alone, with its loop.
    assert!(written("live", &[]).contains("-1:-1:-1\n"));
}

#[test]
fn trails_are_read_again() {
    for (property, kind) in [("assertion", "assertion"), ("never", "never"), ("low", "invariant")] {
        for merge in ["on", "off"] {
            let workspace = Workspace::with("m.pml", MODEL);
            let check = ["check", "m.pml", property, "--merge", merge, "--trail", "t.trail", "--save-trace", "t.json"];
            workspace.run(&check).exits(1);
            let read = workspace.run(&["trace", "--trail", "t.trail", "m.pml", "--json"]).exits(0).json();
            let saved = workspace.run(&["trace", "t.json", "--json"]).exits(0).json();
            assert_eq!(read, saved, "{property}, merging {merge}");
            assert_eq!(read["kind"], kind);
        }
    }
    // A run without its claim does not tell which formula it violates, but the formulas can tell.
    let workspace = Workspace::with("m.pml", MODEL);
    workspace.run(&["check", "m.pml", "live", "--trail", "t.trail"]).exits(1);
    let found = workspace.run(&["trace", "--trail", "t.trail", "m.pml"]).exits(0);
    found.says("for `live`").says("is false of the run");
    let named = workspace.run(&["trace", "--trail", "t.trail", "m.pml", "--property", "live"]).exits(0);
    named.says("for `live`").says("is false of the run");
    let formula = ["trace", "--trail", "t.trail", "m.pml", "--ltl", "[]<> (x < 2)", "--chart"];
    workspace.run(&formula).exits(0).says("for `ltl-1`");
    // One that is not in the model must be given.
    workspace.write("m.pml", &MODEL.replace("ltl live", "ltl other").replace("[]<> (x < 2)", "[]<> (x < 9)"));
    let ran = workspace.run(&["trace", "--trail", "t.trail", "m.pml"]).exits(2);
    ran.complains("nothing is wrong in its loop").complains("add --ltl FORMULA");
    workspace.run(&formula).exits(0).says("for `ltl-1`");
}

/// The names of properties that every model has are no keywords.
#[test]
fn formulas_may_be_named_like_other_properties() {
    let tail = "active proctype P() { x = 1; x = 2; accept: x = 3; assert(x == 3); do :: x = 4 :: x = 5 od }";
    let formulas = ["[] (x < 2)", "[] (x < 5)", "<> (x == 9)", "(x < 3) U (x == 9)"];
    for name in ["deadlock", "assertion", "acceptance", "safety"] {
        for formula in formulas {
            let workspace = Workspace::with("m.pml", &format!("byte x; ltl {name} {{ {formula} }}\n{tail}\n"));
            let files = ["--save-trace", "t.json", "--trail", "t.trail"];
            let ran = workspace.run(&[&["check", "m.pml", "--json"][..], &files].concat()).exits(1).json();
            let found = |p: &&serde_json::Value| p["verdict"] == "violated";
            let violated: Vec<_> = ran["properties"].as_array().unwrap().iter().filter(found).collect();
            assert_eq!((violated.len(), &violated[0]["name"]), (1, &name.into()), "{name}, {formula}: {ran:#}");
            let saved = workspace.run(&["trace", "t.json", "--json"]).exits(0).json();
            assert_eq!((&saved["property"], &saved["kind"]), (&name.into(), &violated[0]["kind"]), "{formula}");
            let trail = workspace.run(&["trace", "--trail", "t.trail", "m.pml", "--json"]).exits(0).json();
            assert_eq!((&trail["property"], &trail["kind"]), (&saved["property"], &saved["kind"]), "{formula}");
            assert_eq!(trail["trace"]["steps"], saved["trace"]["steps"], "{name}, {formula}");
            if saved["trace"]["loop"].is_null() {
                let ran = workspace.run(&["check", "m.pml", "--improve", "t.json", "--json"]).exits(1).json();
                let improved = &ran["properties"].as_array().unwrap()[..];
                assert_eq!((improved.len(), &improved[0]["kind"]), (1, &saved["kind"]), "{name}, {formula}");
                workspace.run(&["trace", "--trail", "t.trail", "m.pml", "--improve"]).exits(0);
            }
        }
    }
    // The check of accept labels stays.
    let model = "byte x; ltl acceptance { [] (x < 3) } active proctype P() { do :: accept: x = 1 - x od }";
    let ran = Workspace::with("m.pml", model).run(&["check", "m.pml", "--json"]).exits(1).json();
    let verdicts = ran["properties"].as_array().unwrap().iter().map(|p| (&p["kind"], &p["verdict"]));
    assert!(verdicts.clone().any(|found| found == (&"acceptance".into(), &"violated".into())), "{ran:#}");
    assert!(verdicts.clone().any(|found| found == (&"invariant".into(), &"holds".into())), "{ran:#}");
}

#[test]
fn spins_own_trails() {
    let workspace =
        Workspace::with("m.pml", "byte x; active proctype P() { do :: x = 1 :: x = 2; progress: x = 3 od }");
    // As written by `pan -l`: SPIN's own claim has the numbers 9997 to 9999.
    workspace.write("np.trail", "-2:1:-2\n-4:-4:-4\n1:0:9997\n2:1:0\n-1:-1:-1\n3:0:9999\n4:1:0\n");
    let shown = workspace.run(&["trace", "--trail", "np.trail", "m.pml"]).exits(0);
    shown.says("for `non-progress`").says("this step repeats");
    let json = workspace.run(&["trace", "--trail", "np.trail", "m.pml", "--json"]).exits(0).json();
    assert_eq!((&json["kind"], &json["trace"]["loop"]["start"]), (&"non-progress".into(), &1.into()));
    // As written by `pan -a`: the claim goes on where nothing can move any more.
    workspace.write("rest.pml", "byte x; active proctype P() { x = 1; x = 2; false } ltl foo { <> (x == 3) }");
    workspace.write("rest.trail", "-2:1:-2\n-4:-4:-4\n1:0:4\n2:1:0\n3:0:4\n4:1:1\n-1:-1:-1\n5:0:4\n6:0:4\n");
    let shown = workspace.run(&["trace", "--trail", "rest.trail", "rest.pml"]).exits(0);
    shown.says("for `foo`").says("this state lasts for ever");
    // Variables that nobody reads any more may differ at both ends of the loop.
    let dead = "byte x; active proctype P() { byte y = 7; do :: accept: y = 1; x = 1 - x od }";
    workspace.write("dead.pml", dead);
    workspace.write("dead.trail", "-1:-1:-1\n1:0:0\n2:0:1\n3:0:0\n4:0:1\n");
    workspace.run(&["trace", "--trail", "dead.trail", "dead.pml"]).exits(0).says("for `acceptance`");
}

#[test]
fn trails_are_shortened() {
    let model = "byte x; active proctype P() { do :: x < 5 -> x++ :: x > 0 -> x-- :: x == 2 -> assert(false) od }";
    let workspace = Workspace::with("m.pml", model);
    workspace.write("long.trail", "1:0:0\n2:0:1\n3:0:0\n4:0:1\n5:0:2\n6:0:3\n7:0:0\n8:0:1\n9:0:4\n10:0:5\n");
    workspace.run(&["trace", "--trail", "long.trail", "m.pml"]).exits(0).says("a trace of 10 steps for `assertion`");
    let shorter = ["trace", "--trail", "long.trail", "m.pml", "--improve"];
    workspace.run(&shorter).exits(0).says("a trace of 6 steps for `assertion`");
    let json = workspace.run(&[&shorter[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(json["trace"]["length"], 6);
    workspace.write("np.trail", "-2:1:-2\n1:0:9997\n-1:-1:-1\n3:0:9999\n4:1:0\n5:1:1\n6:1:2\n7:1:3\n");
    let refused = workspace.run(&["trace", "--trail", "np.trail", "m.pml", "--improve"]).exits(2);
    refused.complains("only traces that end in an error can be improved");
}

#[test]
fn trails_that_do_not_fit() {
    let workspace = Workspace::with("m.pml", DEADLOCK);
    let refuse = |text: &str, why: &str| {
        workspace.write("t.trail", text);
        workspace.run(&["trace", "--trail", "t.trail", "m.pml"]).exits(2).complains(why);
        let json = workspace.run(&["trace", "--trail", "t.trail", "m.pml", "--json"]).exits(2).json();
        assert!(json["errors"][0]["message"].as_str().unwrap_or_default().contains("t.trail"), "{json}");
    };
    refuse("1:0:999\n", "t.trail: line 1: P(0) has no statement 999 where it is (state 1, line ");
    refuse("1:9:0\n", "t.trail: line 1: process 9 does not exist here");
    refuse("-2:1:-2\n1:0:7\n2:300000:0\n", "t.trail: line 3: process 299999 does not exist here");
    refuse("hello\n", "t.trail: line 1: expected three numbers");
    refuse("-1:-1:-1\n-1:-1:-1\n", "line 2: a loop begins for the second time");
    refuse("", "nothing is wrong in its last state");
    workspace.run(&["trace", "--trail", "none.trail", "m.pml"]).exits(2).complains("none.trail: there is no such file");
    workspace.run(&["trace", "--trail", ".", "m.pml"]).exits(2).complains("directory");
    workspace.run(&["trace", "--trail", "t.trail", "none.pml"]).exits(2).complains("there is no such file");
    let unknown = workspace.run(&["trace", "--trail", "t.trail", "m.pml", "--property", "p"]).exits(2);
    unknown.complains("the model has no property `p`");
    // Options for models mean nothing where the trace knows its model.
    workspace.run(&["trace", "t.trail", "-DN=3"]).exits(2).complains("these options are for --trail");
    workspace.run(&["trace", "t.trail", "--improve"]).exits(2);
    workspace.write("t.trail", "1:0:0\n");
    workspace.run(&["trace", "t.trail"]).exits(2).complains("bughound trace --trail t.trail");
}

#[test]
fn what_has_no_trail() {
    let workspace = Workspace::with("m.pml", HOLDS);
    workspace.run(&["check", "m.pml", "--trail", "t.trail"]).exits(0).complains("there is no counterexample");
    assert!(!workspace.path("t.trail").exists());
    workspace.write("m.xta", "process P() { state a, b; init a; trans a -> b { }; } system P;");
    let refused = workspace.run(&["check", "m.xta", "--query", "E<> P.b", "--trail", "t.trail"]);
    refused.complains("SPIN's trails are for models in Promela");
    workspace.write("a.pml", ASSERTION);
    workspace.run(&["check", "a.pml", "--trail", "a.pml"]).exits(2).complains("would overwrite a.pml");
    let shown = workspace.run(&["check", "a.pml", "-DX=1 + 2", "--dialect", "lossy", "--trail", "t.trail"]).exits(1);
    shown.complains("spin -t -p -m '-DX=1 + 2' -k t.trail a.pml");
}

/// A trace that cannot be saved is no reason to leave out the trail.
#[cfg(target_os = "linux")]
#[test]
fn each_file_is_written_whatever_becomes_of_the_others() {
    let workspace = Workspace::with("m.pml", "init { assert(false) }\n");
    let ran = workspace.run(&["check", "m.pml", "--save-trace", "/dev/full", "--trail", "m.trail"]).exits(1);
    let ran = ran.complains("/dev/full");
    assert!(workspace.path("m.trail").is_file(), "{}", ran.err);
}

/// Inside of an atomic sequence nobody looks at the state: what is true there violates no invariant.
#[test]
fn a_trail_that_stops_inside_an_atomic_sequence_shows_nothing() {
    let model = "byte x; chan c = [1] of { byte };
active proctype P() { atomic { x = 1; c!0; x = 0 } }
ltl f { [] (x == 0) }
";
    let workspace = Workspace::with("m.pml", model);
    workspace.run(&["check", "m.pml", "--merge", "off", "f"]).exits(0);
    workspace.write("m.trail", "-4:-4:-4\n1:0:0\n");
    let arguments = ["trace", "--trail", "m.trail", "m.pml", "--property", "f"];
    workspace.run(&arguments).exits(2).complains("inside an atomic sequence");
    workspace.run(&[&arguments[..], &["--improve"]].concat()).exits(2);
}
