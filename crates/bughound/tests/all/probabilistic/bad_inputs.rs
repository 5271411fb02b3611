//! Models and questions that are wrong, and what is said about them.

use crate::support::{Ran, Workspace};

/// A model with one variable and these commands.
fn model(kind: &str, more: &str, commands: &str) -> String {
    format!("{kind}\n{more}\nmodule M\n  x : [0..3];\n  {commands}\nendmodule\n")
}

fn ask(text: &str, queries: &[&str], options: &[&str]) -> Ran {
    let queries = queries.iter().flat_map(|query| ["--query", query]);
    let arguments = ["check", "m.pm", "--no-progress"].into_iter().chain(queries).chain(options.iter().copied());
    Workspace::with("m.pm", text).run(&arguments.collect::<Vec<_>>())
}

const REACHES: &str = "P=? [ F x=3 ]";

/// The model is not read, and this is why.
#[track_caller]
fn refused(text: &str, options: &[&str], why: &str) {
    ask(text, &[REACHES], options).exits(2).complains(why);
}

/// The model is read, but questions about it have no answer, and this is why.
#[track_caller]
fn undecided(text: &str, why: &str) {
    ask(text, &[REACHES], &[]).exits(3).says(&format!("not decided: the model is wrong: {why}"));
}

#[test]
fn constant_chances_are_looked_at_before_anything_else() {
    let of = |command: &str| model("dtmc", "", command);
    let wrong = "[] x=0 -> 0.5:(x'=1) + 0.4:(x'=2);";
    ask(&of(wrong), &[REACHES], &[])
        .exits(3)
        .complains("warning: the probabilities add up to 9/10 (about 0.900000), not to 1\n --> m.pm:5:3")
        .says(
            "not decided: the model is wrong: the probabilities of `[] x=0 -> 0.5:(x'=1) + 0.4:(x'=2)` add up to 0.9",
        );
    undecided(&of("[] x=0 -> 1.5:(x'=1);"), "the probabilities of `[] x=0 -> 1.5:(x'=1)` add up to 1.5, not to 1");
    // Where it is never enabled it is told of, and no error, as in PRISM and Storm.
    ask(&of("[] x=2 -> 0.5:(x'=1) + 0.4:(x'=2);\n  [] x=0 -> (x'=3);"), &[REACHES], &[])
        .exits(0)
        .complains("warning: the probabilities add up to 9/10")
        .says("1");
    refused(
        &of("[] x=0 -> -0.5:(x'=1) + 1.5:(x'=2);"),
        &[],
        "error: the probability -1/2 (about -0.500000) is negative\n --> m.pm:5:3",
    );
    refused(&model("ctmc", "", "[] x=0 -> -2:(x'=1);"), &[], "error: the rate -2 is negative");
    // What never happens is no error.
    ask(&of("[] false -> -1:(x'=1);\n  [] x<3 -> (x'=x+1);"), &[REACHES], &[]).exits(0);
}

/// A command as messages show it.
fn shown(command: &str) -> &str {
    command.trim_end_matches(';')
}

#[test]
fn chances_that_depend_on_the_state_are_looked_at_there() {
    let of = |command: &str| model("dtmc", "", command);
    let command = "[] x<3 -> x/4:(x'=3) + 1/2:(x'=x+1);";
    let text = shown(command);
    undecided(&of(command), &format!("the probabilities of `{text}` add up to 0.5, not to 1, in the state x=0"));
    let what = "no probability or rate: below 0, or too large";
    for (kind, command, state) in [
        ("dtmc", "[] x<3 -> (x-1):(x'=3) + (2-x):(x'=x+1);", "x=0"),
        ("dtmc", "[] x<3 -> (x+1)/1:(x'=x+1);", "x=1"),
        ("ctmc", "[] x<3 -> (x-1):(x'=x+1);", "x=0"),
    ] {
        undecided(&model(kind, "", command), &format!("{what}: {}, in the state {state}", shown(command)));
    }
}

#[test]
fn what_has_no_value_is_told_with_the_state() {
    let of = |command: &str| model("dtmc", "", command);
    let command = "[] true -> 1/2:(x'=x+1) + 1/2:(x'=x);";
    let text = shown(command);
    undecided(&of(command), &format!("value out of range: x = 4, allowed is 0 to 3: {text}, in the state x=3"));
    for command in ["[] 1/x>0 -> (x'=1);", "[] x<3 -> 1/x:(x'=x+1) + 1-1/x:(x'=x);"] {
        undecided(&of(command), &format!("division by zero: {}, in the state x=0", shown(command)));
    }
}

/// Rewards and labels that are wrong are nothing to those who do not ask for them.
#[test]
fn wrong_rewards_and_labels_concern_their_questions_only() {
    let steps = "[] x<3 -> (x'=x+1);";
    let rewards = "rewards \"r\" true : 1/x; endrewards rewards \"s\" true : 1-x; endrewards label \"l\" = 1/x>0;";
    let questions = [REACHES, "R{\"r\"}=? [ F x=3 ]", "R{\"s\"}=? [ F x=3 ]", "P=? [ F \"l\" ]"];
    let ran = ask(&model("dtmc", rewards, steps), &questions, &["--json"]).exits(3).json();
    let said: Vec<(&str, &str)> = ran["properties"].as_array().unwrap()[..4]
        .iter()
        .map(|p| (p["verdict"].as_str().unwrap(), p["reason"].as_str().unwrap_or_default()))
        .collect();
    let expected = [
        ("satisfied", ""),
        ("inconclusive", "not decided: division by zero in a reward, in the state x=0"),
        ("inconclusive", "not decided: the reward -1 is negative, in the state x=2"),
        ("inconclusive", "not decided: division by zero in a condition, in the state x=0"),
    ];
    assert_eq!(said, expected);
    assert_eq!(ran["properties"][0]["answer"]["value"], 1.0);
}

#[test]
fn constants_are_asked_for() {
    let of = |more: &str| model("dtmc", more, "[] x<N -> p:(x'=x+1) + 1-p:(x'=x);");
    refused(
        &of("const int N; const double p;"),
        &[],
        "error: the constants `N` (int), `p` (double) have no value\n --> m.pm:2:11",
    );
    refused(&of("const int N; const double p;"), &["--const", "N=3"], "= help: give a value: `--const p=…`");
    let open = of("const int N; const double p=1/2;");
    for (given, why) in [
        ("N=2,N=3", "error: the constant `N` is given twice"),
        ("N", "a constant is given as NAME=VALUE, several as N=3,p=0.5"),
        ("N=a+", "error: the value `a+` given for the constant `N` is not a number, `true` or `false`"),
        ("N=0.5", "error: the value `0.5` given for the constant `N` is not an int"),
        ("N=3,p=0.1", "error: the constant `p` has a value in the text and cannot be given another"),
    ] {
        refused(&open, &["--const", given], why);
    }
    let named = of("const int Size; const int N=Size; const double p=1/2;");
    refused(
        &named,
        &["--const", "Sise=3"],
        "error: there is no constant `Sise` to give a value to (did you mean `Size`?)",
    );
    // Given twice by two options.
    refused(&open, &["--const", "N=2", "--const", "N=3"], "error: the constant `N` is given twice");
    // What nobody uses need not be known.
    ask(&model("dtmc", "const int K;", "[] x<3 -> (x'=x+1);"), &[REACHES], &[]).exits(0);
}

#[test]
fn other_kinds_of_models_are_refused_by_name() {
    for (kind, name) in [("pta", "probabilistic timed automata"), ("smg", "stochastic games")] {
        let why = format!("error: `{kind}` models ({name}) are not supported\n --> m.pm:1:1");
        refused(&model(kind, "", "[] x<3 -> (x'=x+1);"), &[], &why);
    }
    refused("", &[], "error: the model has no module");
    let two =
        format!("{}module N\n  y : bool;\n  [] true -> (x'=0);\nendmodule\n", model("dtmc", "", "[] x<3 -> (x'=x+1);"));
    refused(&two, &[], "error: module `N` cannot write `x`, which belongs to module `M`\n --> m.pm:9:15");
}

#[test]
fn jani_files_that_are_none_are_refused() {
    let nested = format!("{{\"jani-version\":1,\"name\":\"m\",\"type\":\"dtmc\",\"x\":{}}}", "[".repeat(200_000));
    let timed = "{\"jani-version\":1,\"name\":\"m\",\"type\":\"pta\",\"automata\":[],\"system\":{\"elements\":[]}}";
    for (text, why) in [
        (nested.as_str(), "error: values are nested more than 500 deep"),
        ("", "error: the file is empty"),
        ("{", "error: this is not well-formed JSON: expected a key in quotes"),
        (timed, "error: probabilistic timed automata (`pta`) are not supported"),
    ] {
        Workspace::with("m.jani", text).run(&["check", "m.jani", "--query", REACHES]).exits(2).complains(why);
    }
}

#[test]
fn questions_that_are_wrong_or_not_supported() {
    let steps = model("dtmc", "rewards \"r\" true : x; endrewards", "[] x<3 -> (x'=x+1);");
    // What is not supported does not keep the others from being answered.
    let both = ask(&steps, &["P=? [ (F x=1) & (F x=2) ]", REACHES], &[]).exits(3);
    both.says("not checked: LTL formulas (operators about runs inside of one another) are not supported")
        .says("2  P=? [ F x=3 ]              1");
    for (query, why) in [
        ("P=? [ F x= ]", "error: expected an expression, found `]`\n --> --query:1:12"),
        ("P=? [ F y=1 ]", "error: `y` is not declared\n --> --query:1:9"),
        ("R{\"s\"}=? [ F x=3 ]", "error: the model has no rewards \"s\""),
        ("P=? [ F<=1.5 x=3 ]", "error: 3/2 is not a number of steps"),
        ("P=? [ F<=-1 x=3 ]", "error: the time -1 is negative"),
    ] {
        ask(&steps, &[query], &[]).exits(2).complains(why);
    }
    let choices = model("mdp", "", "[] x<3 -> (x'=x+1);");
    ask(&choices, &[REACHES], &[])
        .exits(2)
        .complains("error: in an MDP, `P=?` has no single answer")
        .complains("ask for `Pmin=?` or `Pmax=?`");
}

#[test]
fn several_initial_states_need_one_answer() {
    let text = "dtmc\nmodule M\n  x : [0..3];\n  [] x>0 -> 1/2:(x'=x-1) + 1/2:(x'=x);\n  [] x=0 -> true;\nendmodule\ninit x<2 endinit\n";
    let queries = ["P=? [ X x=0 ]", "filter(min, P=? [ X x=0 ], \"init\")", "filter(max, P=? [ X x=0 ], \"init\")"];
    ask(text, &queries, &[])
        .exits(3)
        .says("not decided: the states have different values, from 1/2 (about 0.500000000) to 1: use filter(min, …) or filter(max, …)")
        .says("filter(min, P=? [ X x=0 ], \"init\")  1/2 (about 0.500000000)")
        .says("filter(max, P=? [ X x=0 ], \"init\")  1\n");
}
