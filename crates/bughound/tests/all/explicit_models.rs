//! Markov models state by state: written for other tools, and read again; experiments with constants.

use serde_json::json;

use crate::support::Workspace;

/// A token walks on a ring with a coin; two places are marked; a state without a way out.
const WALK: &str = "dtmc
const int N = 3;
const double p;
module walk
  x : [0..N] init 0;
  [] x<N -> p : (x'=x+1) + 1-p : (x'=max(0,x-1));
endmodule
label \"end\" = x=N;
rewards \"moves\" [] true : 1; endrewards
rewards \"high\" x>1 : 1/3; endrewards
";

const CHOICE: &str = "mdp
module m
  x : [0..2];
  y : bool;
  [a] x=0 -> 0.5 : (x'=1) + 0.5 : (x'=2);
  [b] x=0 -> (y'=!y);
  [c] x>0 -> true;
endmodule
init x=0 endinit
label \"two\" = x=2;
rewards [b] true : 2; endrewards
";

#[test]
fn what_is_written_is_read_again_with_the_same_answers() {
    let workspace = Workspace::with("walk.pm", WALK);
    workspace.write("choice.nm", CHOICE);
    let queries = [
        ("walk", "pm", "P=? [ F \"end\" ]"),
        ("walk", "pm", "P=? [ F<=7 \"end\" ]"),
        ("walk", "pm", "R{\"moves\"}=? [ F \"end\" ]"),
        ("walk", "pm", "R{\"high\"}=? [ C<=9 ]"),
        ("walk", "pm", "filter(count, \"deadlock\")"),
        ("choice", "nm", "filter(max, Pmax=? [ F \"two\" ], \"init\")"),
        ("choice", "nm", "filter(min, Rmin=? [ F \"two\" ], \"init\")"),
        ("choice", "nm", "filter(sum, Rmax=? [ C<=3 ], \"init\")"),
    ];
    for (name, ending, query) in queries {
        let model = format!("{name}.{ending}");
        let constants: &[&str] = if name == "walk" { &["--const", "p=0.3"] } else { &[] };
        let answer = |arguments: &[&str]| workspace.run(arguments).exits(0).json()["properties"][0]["answer"].clone();
        let own = answer(&[&["check", model.as_str(), "--json", "--query", query], constants].concat());
        assert!(own["exact"].is_string(), "{query}: {own}");
        for format in ["drn", "tra"] {
            let file = format!("{name}.{format}");
            workspace.run(&[&["explore", model.as_str(), "--export", file.as_str()], constants].concat()).exits(0);
            let read = answer(&["check", &file, "--json", "--query", query]);
            match format {
                // Decimals that PRISM reads: what has no short one is rounded.
                "tra" => {
                    let [found, known] = [&read, &own].map(|answer| answer["value"].as_f64());
                    match found.zip(known) {
                        Some((found, known)) => {
                            assert!((found - known).abs() <= 1e-12 * known, "{query}: {read} {own}")
                        }
                        None => assert_eq!(read, own, "{query} {format}"),
                    }
                }
                _ => assert_eq!(read, own, "{query} {format}"),
            }
            let counts = |file: &str, constants: &[&str]| {
                workspace.run(&[&["explore", file, "--json"], constants].concat()).exits(0).json()["markov"].clone()
            };
            assert_eq!(counts(&file, &[]), counts(&model, constants), "{format}");
        }
    }
}

#[test]
fn searches_walk_through_explicit_models() {
    let workspace = Workspace::with("walk.pm", WALK);
    workspace.run(&["explore", "walk.pm", "--const", "p=0.3", "--export", "walk.drn"]).exits(0);
    for search in ["bfs", "astar(h=hmax)"] {
        workspace
            .run(&["check", "walk.drn", "--invariant", "!\"end\"", "--search", search])
            .exits(1)
            .says("violated after 3 steps, shortest (proven)");
    }
}

#[test]
fn files_that_are_no_models_say_where() {
    let workspace =
        Workspace::with("a.drn", "@type: DTMC\n@nr_states\n1\n@model\nstate 0 init\n\taction 0\n\t\t7 : 1\n");
    workspace.write("b.tra", "2 2\n0 1 1\n1 5 1\n");
    for file in ["a.drn", "b.tra"] {
        let ran = workspace.run(&["check", file, "--query", "P=? [ F true ]"]).exits(2);
        assert!(ran.err.contains(&format!("{file}: ")) && ran.err.contains("no state"), "{}", ran.err);
    }
}

#[test]
fn constants_may_be_ranges() {
    let workspace = Workspace::with("walk.pm", WALK);
    let arguments = ["check", "walk.pm", "--const", "p=0.25:0.25:1", "--query", "R{\"moves\"}=? [ F x=3 ]"];
    let table = "walk.pm: 4 experiments\n     p  R{\"moves\"}=? [ F x=3 ]\n  0.25                      72\n   0.5                      12\n";
    let ran = workspace.run(&[&arguments[..], &["--plot", "moves.svg"]].concat()).exits(0).says(table);
    assert!(ran.out.contains("     1                       3\n"), "{}", ran.out);
    let plot = std::fs::read_to_string(workspace.path("moves.svg")).unwrap();
    assert_eq!(plot.matches("<circle").count(), 4);
    let document = workspace.run(&[&arguments[..], &["--json"]].concat()).exits(0).json();
    let experiments = document["experiments"].as_array().unwrap();
    let exact = |at: usize| experiments[at]["result"]["properties"][0]["answer"]["exact"].clone();
    assert_eq!((experiments.len(), exact(0), exact(3)), (4, json!("72"), json!("3")));
    assert_eq!(experiments[1]["constants"], json!({ "p": "0.5" }));
    workspace.run(&["check", "walk.pm", "--const", "p=1:0"]).exits(2).complains("the range is empty");
}
