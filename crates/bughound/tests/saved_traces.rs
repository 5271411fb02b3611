//! Saving a counterexample and replaying it later.

mod support;

use support::{ASSERTION, DEADLOCK, HOLDS, Workspace};

fn saved(model: &str, options: &[&str]) -> Workspace {
    let workspace = Workspace::with("m.pml", model);
    workspace
        .run(&[&["check", "m.pml", "--save-trace", "t.json"], options].concat())
        .exits(1)
        .complains("bughound trace t.json");
    workspace
}

fn tamper(workspace: &Workspace, change: impl Fn(&mut serde_json::Value)) {
    let path = workspace.path("t.json");
    let mut value: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut value);
    std::fs::write(path, value.to_string()).unwrap();
}

#[test]
fn saved_traces_replay_exactly() {
    let workspace = saved(DEADLOCK, &[]);
    let first = workspace.run(&["check", "m.pml", "--json"]).json();
    let again = workspace.run(&["trace", "t.json", "--json"]).exits(0).json();
    assert_eq!(again["trace"], first["properties"][0]["trace"]);
    assert_eq!(again["property"], "deadlock");
    workspace.run(&["trace", "t.json"]).exits(0).says("replayed a trace of 1 step for `deadlock`").says("q!1");
    workspace.run(&["trace", "t.json", "--full-states"]).exits(0).says("initially  q = empty, Q(1):x = 0");
    let hidden = workspace.run(&["trace", "t.json", "--hide", "q*"]).exits(0);
    assert!(!hidden.out.contains("q: empty"));
}

#[test]
fn options_and_added_properties_come_back() {
    let model =
        "#ifndef N\n#define N 9\n#endif\nbyte x; active proctype P() { do :: x < N -> x++ :: else -> break od }";
    let workspace = saved(model, &["-DN=3", "--merge", "off", "invariant", "--invariant", "x < N"]);
    workspace.run(&["trace", "t.json"]).exits(0).says("for `invariant-1`").says("is false: x = 3");
    let workspace = saved(ASSERTION, &[]);
    workspace.run(&["trace", "t.json"]).exits(0).says("assertion violated: x<2 (x = 2)");
}

#[test]
fn the_model_is_found_from_elsewhere() {
    let workspace = saved(DEADLOCK, &[]);
    let trace = workspace.path("t.json").display().to_string();
    Workspace::new().run(&["trace", &trace]).exits(0).says("deadlock");
}

#[test]
fn changed_models_are_noticed() {
    let workspace = saved(DEADLOCK, &[]);
    workspace.write("m.pml", &format!("{DEADLOCK}// more\n"));
    workspace.run(&["trace", "t.json"]).exits(2).complains("has changed since the trace was saved");
    workspace.write("m.pml", "active proctype P() {");
    workspace.run(&["trace", "t.json"]).exits(2).complains("m.pml:1");
    std::fs::remove_file(workspace.path("m.pml")).unwrap();
    workspace.run(&["trace", "t.json"]).exits(2).complains("there is no such file");
}

#[test]
fn tampered_traces_are_refused() {
    let workspace = saved(ASSERTION, &[]);
    tamper(&workspace, |trace| trace["moves"][0]["edge"] = 3.into());
    workspace
        .run(&["trace", "t.json"])
        .exits(2)
        .complains("t.json does not fit m.pml: step 1 of the trace is not possible");
    let workspace = saved(ASSERTION, &[]);
    tamper(&workspace, |trace| drop(trace["moves"].as_array_mut().unwrap().pop()));
    workspace.run(&["trace", "t.json"]).exits(2).complains("the trace does not end in a failing step");
    let workspace = saved(DEADLOCK, &[]);
    tamper(&workspace, |trace| trace["property"] = "nothing".into());
    workspace.run(&["trace", "t.json"]).exits(2).complains("no property `nothing`");
    let workspace = saved(DEADLOCK, &[]);
    tamper(&workspace, |trace| trace["property"] = "assertion".into());
    workspace.run(&["trace", "t.json", "--json"]).exits(2);
    let workspace = saved(DEADLOCK, &[]);
    tamper(&workspace, |trace| trace["moves"][0]["process"] = 70000.into());
    workspace.run(&["trace", "t.json"]).exits(2).complains("not a saved trace");
}

#[test]
fn files_that_are_no_traces() {
    let workspace = Workspace::with("m.pml", HOLDS);
    workspace.run(&["check", "m.pml", "--save-trace", "t.json"]).exits(0).complains("no counterexample to save");
    assert!(!workspace.path("t.json").exists());
    workspace.run(&["trace", "t.json"]).exits(2).complains("t.json: there is no such file");
    workspace.run(&["trace", "m.pml"]).exits(2).complains("not JSON");
    let result = workspace.run(&["check", "m.pml", "--json"]).out;
    workspace.write("result.json", &result);
    workspace.run(&["trace", "result.json"]).exits(2).complains("this is a result document");
    workspace.write("other.json", "{\"format\": \"bughound-trace/9\"}");
    workspace.run(&["trace", "other.json"]).exits(2).complains("this version reads");
    workspace.write("m.pml", DEADLOCK);
    workspace
        .run(&["check", "m.pml", "--save-trace", "no/such/t.json"])
        .exits(2)
        .says("violated")
        .complains("cannot be written");
}
