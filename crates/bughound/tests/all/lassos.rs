//! Runs that go on for ever: saved, replayed and simulated.

use crate::support::Workspace;
use bughound::added::{AddedKind, AddedProperty};
use bughound::check::{PropertyReport, claim};
use bughound::model::{ModelOptions, load};
use bughound::properties::named;
use bughound::saved_trace::Origin;
use bughound::verdict::Verdict;
use bughound_ir::edge::EdgeId;
use bughound_trace::{Reference, SavedTrace, replay};

const MODEL: &str = "bool req, ack; chan q = [1] of { byte };
active proctype Client() { req = 1; do :: q!1; q?_ od }
active proctype Server() { req; ack = 1 }
";

/// Saves this run of the client, with a loop behind so many steps, as a counterexample to `[] (req -> <> ack)`.
fn saved(run: &[&str], loop_start: usize, fair: bool) -> Workspace {
    let workspace = Workspace::with("m.pml", MODEL);
    let added = vec![AddedProperty { kind: AddedKind::Ltl, text: "[] (req -> <> ack)".into() }];
    let options = ModelOptions { added, ..ModelOptions::default() };
    let model = load(&workspace.path("m.pml").display().to_string(), &options).unwrap();
    let reference = Reference::new(&model.network).unwrap();
    let (mut state, mut moves) = (reference.initial().unwrap(), Vec::new());
    for text in run {
        let steps = reference.micro_steps(&state);
        let step = steps.into_iter().find(|s| model.network.edge(EdgeId(s.moves[0].edge)).text == *text).unwrap();
        moves.extend(step.moves);
        state = step.result.unwrap();
    }
    let asked = named(&model.network, "ltl-1").remove(0);
    let trace = replay(&model.network, &moves, &claim(&asked, None, Some(loop_start), false)).unwrap();
    let report = PropertyReport {
        verdict: Verdict::Violated,
        trace: Some(trace.into()),
        cycle: Some(loop_start),
        fair,
        ..PropertyReport::undecided(&asked)
    };
    let mut origin = Origin::of(&model, &options);
    origin.file = "m.pml".into();
    workspace.write("t.json", &origin.save(&report).unwrap().to_text());
    workspace
}

const RUN: [&str; 3] = ["req = 1", "q!1", "q?_"];

#[test]
fn saved_loops_are_replayed() {
    let workspace = saved(&RUN, 1, false);
    workspace
        .run(&["trace", "t.json"])
        .exits(0)
        .says("replayed a trace of 3 steps for `ltl-1`")
        .says("── the loop starts here: from now on these 2 steps repeat for ever ──\n   2")
        .says("── back to the state after step 1 ──")
        .says("`ack` is never true");
    let document = workspace.run(&["trace", "t.json", "--json"]).exits(0).json();
    assert_eq!(document["kind"], "ltl");
    assert_eq!(document["trace"]["loop"], serde_json::json!({ "start": 1, "length": 2, "fair": false }));
    workspace.run(&["trace", "t.json", "--chart"]).exits(0).says("── the loop starts here ──");
    workspace.run(&["trace", "t.json", "--chart-svg", "c.svg"]).exits(0);
    assert!(std::fs::read_to_string(workspace.path("c.svg")).unwrap().contains("<title>the loop</title>"));
    workspace.run(&["check", "m.pml", "--ltl", "[] (req -> <> ack)", "--improve", "t.json"]).exits(2);
}

#[test]
fn loops_that_are_not_what_they_claim_are_refused() {
    let workspace = saved(&RUN, 1, true);
    workspace.run(&["trace", "t.json"]).exits(2).complains("leaves out a process that could always move");
    let workspace = saved(&RUN, 1, false);
    let text = std::fs::read_to_string(workspace.path("t.json")).unwrap();
    workspace.write("t.json", &text.replace("\"loop_start\": 1,\n  \"shown\"", "\"loop_start\": 2,\n  \"shown\""));
    workspace.run(&["trace", "t.json"]).exits(2).complains("the trace was changed after it was saved");
    // A seal says who wrote the file last, not that it is right.
    let mut trace = SavedTrace::from_text(&text).unwrap();
    trace.loop_start = Some(2);
    workspace.write("t.json", &trace.to_text());
    workspace.run(&["trace", "t.json"]).exits(2).complains("does not lead back to its beginning");
    // Without a loop the prefix would have to be enough, but the client can go on so for ever.
    trace.loop_start = None;
    workspace.write("t.json", &trace.to_text());
    workspace.run(&["trace", "t.json"]).exits(2).complains("the formula is false whatever follows");
}

#[test]
fn simulations_go_through_the_loop() {
    let workspace = saved(&RUN, 1, false);
    workspace
        .run(&["simulate", "m.pml", "--trace", "t.json"])
        .exits(1)
        .says("along t.json, 3 steps")
        .says("the loop starts here")
        .says("── back to the state after step 1 ──")
        .says("`[] (req -> <> ack)` is false of the run that repeats this loop");
    let document = workspace.run(&["simulate", "m.pml", "--trace", "t.json", "--json"]).exits(1).json();
    assert_eq!(document["trace"]["loop"]["length"], 2);
    workspace.run(&["simulate", "m.pml", "--trace", "t.json", "--chart"]).exits(1).says("── the loop starts here ──");
    workspace
        .run_with_input(&["simulate", "m.pml", "--trace", "t.json", "-i"], "quit\n")
        .exits(0)
        .says("── the loop starts here: from now on these 2 steps repeat for ever ──\n    2");
    // Behind the loop anything may happen: then it is no loop any more.
    let on = workspace.run(&["simulate", "m.pml", "--trace", "t.json", "--continue", "--steps", "5"]).exits(1);
    assert!(!on.out.contains("loop"), "{}", on.out);
}
