//! The options: what is refused and how, exit codes, documents.

use serde_json::json;

use crate::support::Workspace;

const WALK: &str = "dtmc
module m
  x : [0..4] init 1;
  [up] x>0 & x<4 -> 1/4 : (x'=x+1) + 3/4 : (x'=x-1);
  [rest] x=0 | x=4 -> true;
endmodule
rewards \"ups\" [up] true : 1; endrewards
";

fn workspace() -> Workspace {
    let here = Workspace::new();
    here.write("walk.pm", WALK);
    here.write("mdp.nm", "mdp\nmodule m\n  x : [0..1];\n  [] true -> (x'=1);\n  [] true -> true;\nendmodule\n");
    here.write("two.pm", "dtmc\nmodule m\n  x : [0..1];\n  [] true -> (x'=1-x);\nendmodule\ninit true endinit\n");
    here.write("slow.pm", "dtmc\nmodule m\n  x : [0..1000000000];\n  [] x<1000000000 -> (x'=x+1);\nendmodule\n");
    here.write("none.pml", "active proctype P() { skip }");
    here
}

#[test]
fn wrong_options_are_told() {
    let here = workspace();
    let question = ["--query", "P=? [ F x=4 ]"];
    for (options, message) in [
        (&["--samples", "0"][..], "0 is not in 1.."),
        (&["--samples", "many"], "invalid value 'many'"),
        (&["--confidence", "0.9"], "--samples <N>"),
        (&["--splitting"], "--samples <N>"),
        (&["--samples", "9", "--confidence", "1"], "expected a number between 0 and 1"),
        (&["--samples", "9", "--confidence", "nan"], "expected a number between 0 and 1"),
        (&["--samples", "9", "--heuristic", "nonsense"], "nonsense"),
    ] {
        let all: Vec<&str> = ["check", "walk.pm"].iter().chain(&question).chain(options).copied().collect();
        here.run(&all).exits(2).complains(message);
    }
    here.run(&["check", "none.pml", "--samples", "9"]).exits(2).complains("it is for models of PRISM and JANI");
    here.run(&["check", "walk.pm", "--samples", "9", "--invariant", "x<9"])
        .exits(0)
        .says("--samples makes no difference");
}

#[test]
fn questions_that_runs_cannot_answer_are_refused_by_name() {
    let here = workspace();
    for (model, query, options, reason) in [
        ("mdp.nm", "Pmax=? [ F x=1 ]", &[][..], "runs of a decision process depend on who decides"),
        ("two.pm", "P=? [ X x=1 ]", &[], "the model has 2 initial states"),
        ("walk.pm", "S=? [ x=0 ]", &[], "no run of finite length shows the long run"),
        ("walk.pm", "R{\"ups\"}=? [ S ]", &[], "no run of finite length shows the long run"),
        ("walk.pm", "R{\"ups\"}=? [ C ]", &[], "no run of finite length shows what is earned for ever"),
        ("walk.pm", "P=? [ F P>=0.5 [ X x=0 ] ]", &[], "a bound inside of a condition"),
        ("walk.pm", "filter(max, P=? [ F x=4 ], x>1)", &[], "runs begin in the initial state"),
        ("walk.pm", "filter(forall, x<9)", &[], "runs begin in the initial state"),
        ("walk.pm", "P>=0.1 [ F x=4 ] & P<=0.9 [ F x=4 ]", &[], "nothing around it"),
        ("walk.pm", "P=? [ Frew{\"ups\"}<=3 x=4 ]", &[], "bounds on rewards are not supported for runs"),
        ("walk.pm", "R{\"ups\"}=? [ F x=4 ]", &["--splitting"], "--splitting is for events that may be reached"),
        ("walk.pm", "P=? [ X x=0 ]", &["--splitting"], "--splitting is for events that may be reached"),
        ("walk.pm", "P=? [ F x=4 ]", &["--splitting"], "--samples 200 at least"),
    ] {
        let all: Vec<&str> =
            ["check", model, "--samples", "100", "--query", query].iter().chain(options).copied().collect();
        here.run(&all).exits(3).says("not ").says(reason);
    }
}

#[test]
fn numbers_are_estimated_and_bounds_are_never_proven() {
    let here = workspace();
    let check = |query: &str| here.run(&["check", "walk.pm", "--samples", "2000", "--seed", "4", "--query", query]);
    // (3 - 1) / (3^4 - 1) = 1/40
    check("P=? [ F x=4 ]").exits(0).says("walk.pm: estimated from random runs").says("2,000 runs, seed 4)");
    check("P<=0.5 [ F x=4 ]").exits(3).says("not proven; statistically it holds: about 0.0");
    check("P<=0.001 [ F x=4 ]").exits(3).says("not proven; statistically it is violated: about 0.0");
    check("P<=0.025 [ F x=4 ]").exits(3).says("not decided: the bound lies inside of the interval: about 0.0");
    check("P>=1 [ F x=0 | x=4 ]").exits(3).says("not decided: the bound lies inside of the interval: about 1 ");
    check("R{\"ups\"}>=1000 [ F x=4 ]")
        .exits(3)
        .says("not proven; statistically it holds: infinite (some run never gets there;");
    check("R{\"ups\"}<=1000 [ F x=4 ]").exits(3).says("not proven; statistically it is violated: infinite");
}

#[test]
fn documents_say_how_an_estimate_came_about() {
    let here = workspace();
    let run = |options: &[&str]| {
        let all = ["check", "walk.pm", "--json", "--samples", "400", "--query", "P=? [ F x=4 ]"];
        here.run(&all.iter().chain(options).copied().collect::<Vec<_>>()).exits(0).json()["properties"][0].clone()
    };
    let plain = run(&["--confidence", "0.9"]);
    let answer = &plain["answer"];
    assert_eq!((&plain["verdict"], &plain["search"]), (&json!("satisfied"), &json!("samples")));
    assert_eq!((&answer["type"], &answer["method"]), (&json!("estimate"), &json!("clopper-pearson")));
    assert_eq!((&answer["samples"], &answer["seed"]), (&json!(400), &json!(0)));
    assert_eq!((&answer["confidence"], &answer["undecided"]), (&json!(0.9), &json!(0)));
    assert_eq!(answer["value"].as_f64().unwrap(), answer["hits"].as_f64().unwrap() / 400.0);
    let split = run(&["--splitting"]);
    assert_eq!(split["answer"]["method"], json!("splitting"));
    assert_eq!(
        (&split["answer"]["splitting"]["replications"], &split["answer"]["splitting"]["runs"]),
        (&json!(20), &json!(20))
    );
    let bound =
        here.run(&["check", "walk.pm", "--json", "--samples", "400", "--query", "P<=0.5 [ F x=4 ]"]).exits(3).json();
    assert_eq!(bound["properties"][0]["verdict"], json!("inconclusive"));
    assert_eq!(bound["properties"][0]["answer"]["type"], json!("estimate"));
}

#[test]
fn an_estimate_that_is_cut_says_so_and_counts_the_run_under_way() {
    let here = workspace();
    let query = ["--query", "P=? [ F x=1000000000 ]", "--max-depth", "20000", "--max-time", "2s"];
    let run = |options: &[&str]| {
        here.run(&["check", "slow.pm"].iter().chain(&query).chain(options).copied().collect::<Vec<_>>())
    };
    let cut = run(&["--samples", "1000000", "--json"]).exits(4).json();
    let (property, answer) = (&cut["properties"][0], &cut["properties"][0]["answer"]);
    assert_eq!(property["verdict"], json!("limit"));
    let reason = property["reason"].as_str().unwrap();
    assert!(reason.starts_with("the time limit was reached in run ") && reason.ends_with(" of 1,000,000"), "{reason}");
    // All are undecided after 20,000 steps; so is the last one, before.
    assert!(answer["samples"].as_u64() < Some(1_000_000) && answer["samples"] == answer["undecided"], "{answer}");
    assert_eq!((&answer["lower"], &answer["upper"]), (&json!(0.0), &json!(1.0)));
    run(&["--samples", "1000000", "--splitting"])
        .exits(4)
        .says("not decided (search incomplete because the time limit was reached)");
}
