//! What is said about bounds on probabilities besides the verdict: what was explored by what, what is known at a limit, which
//! paths there are, and numbers that no double can say.

use bughound::chances::{ChanceOptions, ExploreBy, Shows};
use bughound::verdict::Verdict;

use super::counterexamples::{exceeds, small};
use crate::support::{Ran, Workspace};

fn check(text: &str, arguments: &[&str]) -> Ran {
    Workspace::with("m.pm", text).run(&[&["check", "m.pm", "--no-progress"], arguments].concat())
}

/// A walk to 20, step by step; three in four steps lead on.
const WALK: &str = "dtmc module M x:[0..20]; [] x<20 -> 3/4:(x'=x+1)+1/4:(x'=0); endmodule";

#[test]
fn numbers_too_small_for_doubles_are_told() {
    let chain = "dtmc module M s:[0..201]; [] s<200 -> 0.001:(s'=s+1)+0.999:(s'=201); [] s=201 -> true; endmodule";
    let bound = "P<=1e-601 [ F s=200 ]";
    check(chain, &["--query", bound])
        .exits(1)
        .says("201 states reach the goal with probability 1e-600 (bound 1e-601)")
        .does_not_say("probability 0 (bound 0)");
}

#[test]
fn the_heuristic_that_guided_is_told() {
    let asked = ["--query", "P<=0.001 [ F x=20 ]", "--json"];
    let of = |more: &[&str]| check(WALK, &[&asked[..], more].concat()).exits(1).json();
    assert_eq!(of(&[])["properties"][0]["heuristic"], "pdb");
    assert_eq!(of(&["--heuristic", "hmax"])["properties"][0]["heuristic"], "hmax");
    let unfit = of(&["--heuristic", "hadd"]);
    assert!(unfit["properties"][0]["heuristic"].is_null(), "{unfit}");
    let told =
        "explored without `--heuristic hadd`: it is not admissible, so it gives no upper bounds on probabilities";
    assert!(unfit["notes"].as_array().is_some_and(|notes| notes.iter().any(|note| note == told)), "{unfit}");
    check(WALK, &["--query", "P<=0.001 [ F x=20 ]", "--heuristic", "hadd", "--paths", "1"]).exits(1).says(told);
    check(WALK, &["--query", "P=? [ F x=20 ]", "--heuristic", "hmax"])
        .exits(0)
        .says("`--heuristic hmax` guides nothing here: all states are explored");
    check(WALK, &["--query", "P<=0.001 [ F x=20 ]", "--heuristic", "hmax(x=3)"]).exits(2).complains("--heuristic");
}

#[test]
fn what_is_known_at_a_limit_is_told() {
    let text = "dtmc module M x:[0..100000]; y:[0..1];
        [] x<100000 -> 1/4:(x'=x+1)+1/4:(y'=1)&(x'=100000)+1/2:(x'=x+1)&(y'=0); [] x=100000 -> true; endmodule";
    let ran = check(text, &["--query", "P<=0.9999999 [ F y=1 & x=100000 ]", "--max-states", "20", "--json"]);
    let document = ran.exits(4).json();
    let property = &document["properties"][0];
    assert_eq!(property["verdict"], "limit", "{document}");
    let expanded = property["stats"]["expanded"].as_u64().unwrap();
    assert!((10..=20).contains(&expanded), "{expanded}");
    let reason = property["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("the limit on the number of states was reached; the probability is between 0.9"),
        "{reason}"
    );
    assert!(reason.ends_with(" and 1 so far"), "{reason}");
    // The complement is told as it was asked for.
    let ran = check(text, &["--query", "P>=0.0000001 [ G y=0 ]", "--max-states", "20", "--json"]).exits(4).json();
    let reason = ran["properties"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("the probability is between 0 and 0.0"), "{reason}");
}

#[test]
fn all_paths_that_were_asked_for_are_written_down() {
    let document = check(WALK, &["--query", "P<=0.001 [ F x=20 ]", "--paths", "20", "--json"]).exits(1).json();
    let paths = &document["properties"][0]["most_probable"];
    assert_eq!(paths["count"], 20);
    let paths = paths["paths"].as_array().unwrap();
    assert_eq!(paths.len(), 20);
    for path in paths {
        assert_eq!(path["steps"].as_array().unwrap().len() as u64, path["length"].as_u64().unwrap());
    }
}

#[test]
fn paths_are_listed_for_every_question() {
    let queries = ["--query", "P<=0.001 [ F x=20 ]", "--query", "P<=0.9 [ F x=3 ]", "--query", "P>=0.5 [ F x=4 ]"];
    for by in ["auto", "mass", "path", "whole"] {
        let ran = check(WALK, &[&queries[..], &["--chances", by, "--paths", "2"]].concat()).exits(1);
        for query in ["P<=0.001 [ F x=20 ]", "P<=0.9 [ F x=3 ]", "P>=0.5 [ F x=4 ]"] {
            let title = format!("The 2 most probable paths for `{query}`:");
            assert_eq!(ran.out.matches(&title).count(), 1, "{by} {query}:\n{}", ran.out);
        }
    }
}

#[test]
fn paths_need_one_initial_state_and_no_bound_on_steps() {
    let several = "dtmc module M x:[0..3]; [] x<3 -> 1/2:(x'=x+1)+1/2:(x'=x); endmodule init x<2 endinit";
    check(several, &["--query", "P<=0.5 [ F x=3 ]", "--paths", "3"])
        .exits(1)
        .says("no paths for `P<=0.5 [ F x=3 ]`: there are several initial states")
        .does_not_say("most probable paths for");
    check(WALK, &["--query", "P<=0.0001 [ F<=25 x=20 ]", "--paths", "3"])
        .exits(1)
        .says(
            "no paths for `P<=0.0001 [ F<=25 x=20 ]`: within a bound on steps, the most probable paths may be too long",
        )
        .does_not_say("most probable paths for");
}

#[test]
fn bounds_of_several_initial_states_are_decided_for_each() {
    let text = "dtmc module M x:[0..4]; [] x=0 -> 1/2:(x'=3)+1/2:(x'=4); [] x=1 -> 2/3:(x'=3)+1/3:(x'=4);
        [] x>2 -> true; endmodule init x<2 endinit";
    for by in [ExploreBy::Mass, ExploreBy::Path, ExploreBy::Whole] {
        let options = ChanceOptions { by, ..ChanceOptions::default() };
        assert_eq!(small(text, "P<=0.7 [ F x=3 ]", options).verdict, Verdict::Holds);
        let found = small(text, "P<=0.6 [ F x=3 ]", options);
        assert_eq!(found.verdict, Verdict::Violated);
        let shown = found.counterexample.expect("a counterexample");
        exceeds(&shown).unwrap();
        assert!(shown.states[0].values.contains(&("x".into(), "1".into())), "{:?}", shown.states[0]);
    }
}

#[test]
fn paths_within_a_bound_on_steps_are_short_enough() {
    let options = ChanceOptions::default();
    let found = small(WALK, "P<=0.0032 [ F<=25 x=20 ]", options);
    let shown = found.counterexample.expect("a counterexample");
    assert!(shown.paths.iter().all(|path| path.edges.len() <= 25), "a path is too long");
    assert!(shown.paths.len() > 1);
}

#[test]
fn paths_in_time_are_told_where_much_happens() {
    // On average a million steps within the bound: whoever is at 2 has left it by then, or has a slow step ahead.
    let text =
        "ctmc module M s:[0..3]; [] s=0 -> 10000:(s'=1); [] s=1 -> 0.01:(s'=2)+0.01:(s'=3); [] s>1 -> true; endmodule";
    let found = small(text, "P<=0.1 [ F<=100 s=2 ]", ChanceOptions { paths: Some(1), ..ChanceOptions::default() });
    let expected = 0.5 * (1.0 - (-2.0f64).exp());
    let path = &found.counterexample.as_ref().expect("a counterexample").paths[0];
    assert!((path.in_time.unwrap() - expected).abs() < 1e-4, "{:?} {expected}", path.in_time);
    let listed = &found.most_probable.as_ref().expect("paths").paths[0];
    assert!((listed.in_time.unwrap() - expected).abs() < 1e-4, "{:?} {expected}", listed.in_time);
}

#[test]
fn where_a_scheduler_avoids_the_goal_is_drawn() {
    // From 1 the scheduler may go round in a circle of three states for ever instead of going to the goal.
    let text = "mdp module M s:[0..5];
        [] s=0 -> 1/2:(s'=1)+1/2:(s'=5);
        [stay] s=1 -> 1/3:(s'=2)+2/3:(s'=3); [go] s=1 -> (s'=5);
        [on] s=2 -> (s'=3); [leave] s=2 -> (s'=5);
        [back] s=3 -> (s'=1); [off] s=3 -> (s'=4);
        [] s=4 -> (s'=5); [] s=5 -> true; endmodule";
    let found = small(text, "P>=0.9 [ F s=5 ]", ChanceOptions::default());
    let shown = found.counterexample.expect("a counterexample");
    assert_eq!((shown.shows, shown.size()), (Shows::Avoids, 2));
    exceeds(&shown).unwrap();
    let value = |at: usize| shown.states[at].values[0].1.as_str();
    let beyond: Vec<&str> = (0..shown.states.len()).filter(|&at| shown.states[at].is_beyond).map(value).collect();
    assert_eq!(beyond.len(), 2, "{:?}", shown.states);
    assert!(beyond.contains(&"2") && beyond.contains(&"3"));
    let mut steps: Vec<(&str, &str)> = shown.edges.iter().map(|edge| (value(edge.from), value(edge.to))).collect();
    steps.sort_unstable();
    assert_eq!(steps, [("0", "1"), ("1", "2"), ("1", "3"), ("2", "3"), ("3", "1")]);
    for state in &shown.states[1..] {
        let choice = state.choice.as_deref().expect("a decision");
        assert!(["[stay]", "[on]", "[back]"].iter().any(|name| choice.starts_with(name)), "{choice}");
    }
    assert!(shown.headline().starts_with("2 states avoid the goal with probability 0.5"), "{}", shown.headline());
}
