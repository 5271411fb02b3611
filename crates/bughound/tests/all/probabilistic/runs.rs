//! Models with probabilities as other models: traces, saved traces, charts, simulation.

use bughound::condition::parse_condition;
use bughound::language::Language;
use bughound::model::{ModelOptions, load_text};
use bughound::simulate::{Ending, Session};
use bughound_kernel::StopSignal;
use bughound_trace::values;
use serde_json::json;

use crate::support::Workspace;

const WALK: &str = "dtmc
const double p = 0.1;
module walk
  x : [0..4]; lucky : bool;
  [] x<2 -> 0.5 : (x'=x+1) + 0.25 : (x'=x+2) & (lucky'=true) + 0.25 : true;
  [go] x=2 -> 1-p : (x'=3) + p : (x'=4);
endmodule
module other
  [go] true -> 0.5 : true + 0.5 : true;
endmodule
";

/// A step shows the update that was drawn and not the others; a module is at no place.
#[test]
fn steps_show_what_was_drawn() {
    let workspace = Workspace::with("walk.pm", WALK);
    let drawn = "line 5  [] x<2 -> 0.25 : (x'=x+2) & (lucky'=true)";
    let run = workspace.run(&["check", "walk.pm", "--reach", "x=4", "--save-trace", "walk.json"]).exits(0);
    let run =
        run.says(drawn).says("lucky: false → true").says("[go] x=2 -> p : (x'=4)").says("[go] true -> 0.5 : true");
    run.says("probability 0.05").does_not_say("walk → walk").does_not_say("0.5 : (x'=x+1)");
    workspace.run(&["trace", "walk.json"]).exits(0).says(drawn).says("probability 0.05");
    workspace.run(&["trace", "walk.json", "--chart"]).exits(0).says("[go] true -> 0.5 : true");
}

#[test]
fn documents_have_chances_and_truths() {
    let workspace = Workspace::with("walk.pm", WALK);
    let document = workspace.run(&["check", "walk.pm", "--reach", "x=4", "--json"]).exits(0).json();
    let steps = document["properties"][0]["trace"]["steps"].as_array().unwrap();
    let chances: Vec<f64> = steps.iter().map(|step| step["chance"].as_f64().unwrap()).collect();
    assert_eq!(chances, [0.25, 0.05]);
    assert_eq!(steps[0]["changes"][1], json!({ "name": "lucky", "old": false, "new": true }));
    assert!(steps[0].get("from").is_none(), "{}", steps[0]);
}

/// What JANI calls a location is one.
#[test]
fn locations_of_automata_are_shown() {
    let text = r#"{"jani-version":1,"name":"m","type":"dtmc","variables":[{"name":"x","type":"bool","initial-value":false}],
        "automata":[{"name":"a","locations":[{"name":"here"},{"name":"there"}],"initial-locations":["here"],"edges":[
        {"location":"here","destinations":[{"location":"here","probability":{"exp":0.5}},
        {"location":"there","probability":{"exp":0.5},"assignments":[{"ref":"x","value":true}]}]}]}],
        "system":{"elements":[{"automaton":"a"}]},"properties":[]}"#;
    let workspace = Workspace::with("m.jani", text);
    let run = workspace.run(&["check", "m.jani", "--reach", "x"]).exits(0);
    run.says("here → there").says("-> 0.5: (x' = true) & at there");
}

fn value_of_x(session: &Session<'_>) -> usize {
    let values = values(session.network(), session.state());
    values.iter().find(|value| value.name == "x").unwrap().value.parse().unwrap()
}

/// 200 of 4000 draws are more than six times what chance usually makes of them.
#[test]
fn simulation_draws_by_chances() {
    let draws = |kind: &str, commands: &str, seed: u64| {
        let text = format!("{kind} module m x : [0..3]; {commands} [] x>0 -> (x'=0); endmodule");
        let model = load_text("m.prism", text.as_bytes(), Language::Prism, &ModelOptions::default()).unwrap();
        let mut session = Session::new(&model.network, seed).unwrap();
        let mut counts = [0; 4];
        for _ in 0..4000 {
            session.random_step().unwrap();
            counts[value_of_x(&session)] += 1;
            session.random_step().unwrap();
            session.undo(2);
        }
        counts
    };
    let near = |counts: [i32; 4], expected: [i32; 4]| {
        let is_near = counts.iter().zip(expected).all(|(found, wanted)| (found - wanted).abs() <= 200);
        assert!(is_near, "{counts:?}, expected about {expected:?}");
    };
    near(draws("dtmc", "[] x=0 -> 0.7 : (x'=1) + 0.2 : (x'=2) + 0.1 : (x'=3);", 1), [0, 2800, 800, 400]);
    near(draws("ctmc", "[] x=0 -> 6 : (x'=1); [] x=0 -> 2 : (x'=2) + 2 : (x'=3);", 2), [0, 2400, 800, 800]);
    // Who chooses does so without preference, then it is drawn.
    near(draws("mdp", "[a] x=0 -> (x'=1); [b] x=0 -> 0.9 : (x'=2) + 0.1 : (x'=3);", 3), [0, 2000, 1800, 200]);
    assert_eq!(draws("dtmc", "[] x=0 -> 1 : (x'=1) + 0 : (x'=2);", 4), [0, 4000, 0, 0]);
}

#[test]
fn conditions_can_be_waited_for() {
    let model = load_text("walk.pm", WALK.as_bytes(), Language::Prism, &ModelOptions::default()).unwrap();
    let condition = parse_condition(&model, "x>=3").unwrap();
    let mut session = Session::new(&model.network, 5).unwrap();
    let ending = session.run(1000, Some(&condition), &StopSignal::default());
    assert!(matches!(ending, Ending::Reached), "{ending:?}");
    assert!(value_of_x(&session) >= 3);
}

/// Advice is about the language that is used.
#[test]
fn messages_speak_of_the_language() {
    let workspace = Workspace::with("walk.pm", WALK);
    workspace.run(&["check", "walk.pm"]).exits(3).says("--query 'P=? [ F x=1 ]'");
    workspace.write("n.pm", "dtmc const int N; module m x : [0..N]; [] true -> true; endmodule");
    workspace.run(&["check", "n.pm"]).exits(2).complains("--const N=…");
    workspace.write("text", WALK);
    workspace.run(&["check", "text", "--query", "P=? [ F x=4 ]"]).exits(0).complains("is read as a PRISM model");
}

/// A model that is wrong somewhere: how one gets there, as for all other errors.
#[test]
fn errors_of_the_model_have_a_way_to_them() {
    let text =
        "dtmc\nmodule m\n  x : [0..3];\n  [] x<3 -> 1/2:(x'=x+1) + 1/2:(x'=0);\n  [] x=3 -> (x'=x+1);\nendmodule\n";
    let workspace = Workspace::with("m.pm", text);
    let run = workspace.run(&["check", "m.pm", "--query", "P=? [ F x=3 ]"]).exits(3);
    let run = run.says("not decided: the model is wrong: value out of range: x = 4, allowed is 0 to 3");
    run.says("Error of the model, in the way of").says("3 steps").says("x: 2 → 3");
    let document = workspace.run(&["check", "m.pm", "--query", "P=? [ F x=3 ]", "--json"]).exits(3).json();
    let property = &document["properties"][0];
    assert_eq!(property["trace"]["steps"].as_array().unwrap().len(), 3);
    assert!(property["model_error"].as_str().unwrap().starts_with("value out of range"), "{property}");
    // The step that chooses the initial state comes before.
    let text = text.replace("x : [0..3];", "x : [0..3]; y : bool;") + "init x>=2 endinit\n";
    workspace.write("i.pm", &text.replace("(x'=x+1);", "0.4:(x'=1);"));
    let run = workspace.run(&["check", "i.pm", "--query", "P=? [ F x=3 ]"]).exits(3);
    run.says("add up to 0.4, not to 1").says("start: x=3, y=false");
}

/// PRISM's own results, which stand in comments.
#[test]
fn recorded_results_are_compared() {
    let workspace =
        Workspace::with("m.pm", "dtmc const int N; module m x : [0..2]; [] x=0 -> 1/4:(x'=1) + 3/4:(x'=2); endmodule");
    let queries = "// RESULT (N=1): 0.5\n// RESULT (N=2): 0.25\n\"one\": P=? [ F x=1 ];\n// RESULT: true\n\"two\": P>=3/4 [ F x=2 ];\n\
                   // RESULT: ?\n\"three\": P=? [ F x=2 ];\n";
    workspace.write("m.pctl", queries);
    let check = |n: &str| workspace.run(&["check", "m.pm", "--const", n, "--queries", "m.pctl"]);
    check("N=2").exits(0).says("all 2 answers are as the file expects");
    check("N=1").exits(0).says("warning: `one` is 1/4 (about 0.250000000), but the file expects 0.5");
    check("N=3").exits(0).says("the answer is as the file expects");
    let document = workspace.run(&["check", "m.pm", "--const", "N=1", "--queries", "m.pctl", "--json"]).exits(0).json();
    let of = |at: usize, key: &str| document["properties"][at][key].clone();
    assert_eq!((of(0, "expected_result"), of(0, "as_expected")), (json!("0.5"), json!(false)));
    assert_eq!((of(1, "expected_result"), of(1, "as_expected")), (json!("true"), json!(true)));
    assert_eq!((of(2, "expected_result"), of(2, "as_expected")), (json!("?"), json!(null)));
}
