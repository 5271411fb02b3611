//! Saving a counterexample and replaying it later.

use crate::support::{ASSERTION, DEADLOCK, HOLDS, Workspace};
use bughound_trace::SavedTrace;

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

/// Changes a trace and seals it anew, as if it had been saved so.
fn forge(workspace: &Workspace, change: impl Fn(&mut serde_json::Value)) {
    tamper(workspace, change);
    let path = workspace.path("t.json");
    let saved: SavedTrace = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    std::fs::write(path, saved.to_text()).unwrap();
}

#[test]
fn every_change_of_what_is_replayed_is_noticed() {
    let changes: [fn(&mut serde_json::Value); 8] = [
        |trace| trace["property"] = "deadlock".into(),
        |trace| trace["dialect"] = serde_json::json!(["lossy"]),
        |trace| trace["loop_start"] = 0.into(),
        |trace| trace["merge"] = false.into(),
        |trace| trace["defines"] = serde_json::json!(["N=3"]),
        |trace| trace["moves"][0]["edge"] = 3.into(),
        |trace| trace["added"] = serde_json::json!([["reach", "true"]]),
        |trace| drop(trace.as_object_mut().unwrap().remove("seal")),
    ];
    for change in changes {
        let workspace = saved(ASSERTION, &[]);
        tamper(&workspace, change);
        for command in [
            &["trace", "t.json"][..],
            &["check", "m.pml", "--improve", "t.json"],
            &["simulate", "m.pml", "--trace", "t.json"],
        ] {
            workspace.run(command).exits(2).complains("the trace was changed after it was saved");
        }
    }
    // Where the model lies, and what is only shown, may be changed.
    let workspace = saved(ASSERTION, &[]);
    tamper(&workspace, |trace| {
        trace["file"] = "./m.pml".into();
        trace["shown"] = serde_json::Value::Null;
    });
    workspace.run(&["trace", "t.json"]).exits(0);
}

#[test]
fn a_forged_trace_cannot_be_improved() {
    let workspace = saved(ASSERTION, &[]);
    forge(&workspace, |trace| trace["moves"][0]["edge"] = 3.into());
    workspace.run(&["check", "m.pml", "--improve", "t.json"]).exits(2).complains("t.json does not fit m.pml: step 1");
    let workspace = saved(ASSERTION, &[]);
    forge(&workspace, |trace| drop(trace["moves"].as_array_mut().unwrap().pop()));
    workspace.run(&["check", "m.pml", "--improve", "t.json"]).exits(2).complains("does not end in a failing step");
}

#[test]
fn outputs_never_take_the_place_of_inputs_or_of_each_other() {
    let workspace = saved(DEADLOCK, &[]);
    let model = std::fs::read_to_string(workspace.path("m.pml")).unwrap();
    let trace = std::fs::read_to_string(workspace.path("t.json")).unwrap();
    workspace.write("c.pml", "never { true }");
    std::fs::create_dir(workspace.path("d")).unwrap();
    for options in [
        &["check", "m.pml", "--save-trace", "m.pml"][..],
        &["check", "m.pml", "--save-trace", "d/../m.pml"],
        &["check", "m.pml", "--chart-svg", "./m.pml"],
        &["check", "m.pml", "--claim", "c.pml", "--save-trace", "c.pml"],
        &["check", "m.pml", "--improve", "t.json", "--save-trace", "t.json"],
        &["simulate", "m.pml", "--save-trace", "m.pml"],
        &["simulate", "m.pml", "--trace", "t.json", "--save-trace", "t.json"],
        &["compare", "m.pml", "--svg", "m.pml"],
        &["explain", "m.pml", "--svg", "m.pml"],
        &["trace", "t.json", "--chart-svg", "t.json"],
    ] {
        workspace.run(options).exits(2).complains("would overwrite");
    }
    for command in ["check", "simulate"] {
        let options = [command, "m.pml", "--save-trace", "new", "--chart-svg", "d/../new"];
        workspace.run(&options).exits(2).complains("both write to");
    }
    assert_eq!(std::fs::read_to_string(workspace.path("m.pml")).unwrap(), model);
    assert_eq!(std::fs::read_to_string(workspace.path("t.json")).unwrap(), trace);
    assert!(!workspace.path("new").exists());
    workspace.run(&["check", "m.pml", "--save-trace", "/dev/null", "--chart-svg", "/dev/null"]).exits(1);
}

#[test]
fn tampered_traces_are_refused() {
    let workspace = saved(ASSERTION, &[]);
    forge(&workspace, |trace| trace["moves"][0]["edge"] = 3.into());
    workspace
        .run(&["trace", "t.json"])
        .exits(2)
        .complains("t.json does not fit m.pml: step 1 of the trace is not possible");
    let workspace = saved(ASSERTION, &[]);
    forge(&workspace, |trace| drop(trace["moves"].as_array_mut().unwrap().pop()));
    workspace.run(&["trace", "t.json"]).exits(2).complains("the trace does not end in a failing step");
    let workspace = saved(DEADLOCK, &[]);
    forge(&workspace, |trace| trace["property"] = "nothing".into());
    workspace.run(&["trace", "t.json"]).exits(2).complains("no property `nothing`");
    let workspace = saved(DEADLOCK, &[]);
    forge(&workspace, |trace| trace["property"] = "assertion".into());
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
        .exits(1)
        .says("violated")
        .complains("error: no/such/t.json: the trace cannot be written");
    workspace
        .run(&["simulate", "m.pml", "--save-trace", "no/such/t.json"])
        .exits(1)
        .says("deadlock")
        .complains("error: no/such/t.json: the trace cannot be written");
}
