//! Random models with chances and questions about them, beside brute force with exact numbers.
//!
//! `cargo run --release -p bughound-testkit --example chances -- 0 5000` compares as many as one likes.

use bughound::added::{AddedKind, AddedProperty};
use bughound::check::{CheckRequest, check};
use bughound::language::Language;
use bughound::model::{ModelOptions, load_text};
use bughound::run::Hooks;
use bughound::verdict::Verdict;
use bughound_testkit::chances::comparison::compare_seed;
use bughound_testkit::chances::constructs::missing;
use bughound_testkit::chances::storm::Storm;
use bughound_testkit::liveness::comparison::Report;
use bughound_testkit::seeds;

#[test]
fn answers_about_chances_agree_with_brute_force() {
    let mut total = Report::default();
    seeds::in_parallel(0..300, compare_seed, |_, report| total.merge(report));
    assert!(total.differences.is_empty(), "{}", total.differences.join("\n\n"));
    // What must have been seen for this to be worth something.
    for (what, least) in [
        ("models", 250),
        ("models: DTMC", 70),
        ("models: CTMC", 70),
        ("models: MDP", 70),
        ("models with 10 states or more", 80),
        ("models with deadlocks", 40),
        ("models with several initial states", 20),
        ("models in which several commands of a module meet the same partners", 8),
        ("models with probability 0 at work", 40),
        ("models with two commands in a step", 40),
        ("models with three commands in a step", 5),
        ("models that are wrong", 3),
        ("queries", 2000),
        ("answers: infinite", 50),
        ("answers: numbers, exact", 700),
        ("answers: numbers, within bounds", 60),
        ("answers: ranges", 50),
        ("answers: true", 200),
        ("answers: false", 200),
        ("answers: none", 20),
        ("numbers compared as fractions", 700),
        ("bounds decided on a part of the states", 80),
        ("counterexamples to bounds", 20),
        ("searches", 1000),
        ("searches with a distance of 3 or more", 40),
    ] {
        assert!(total.of(what) >= least, "{what}: {:#?}", total.counts);
    }
}

/// `cargo run -p bughound-testkit --example storm -- 0 2000` compares as many as one likes.
#[test]
fn storm_says_the_same() {
    let Some(storm) = Storm::find() else {
        println!("skipped: Python cannot import stormpy");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let report = storm.compare(0..400, folder.path()).unwrap();
    assert!(report.differences.is_empty(), "{}", report.differences.join("\n"));
    for (what, least) in [("models", 50), ("exact answers of Storm", 120), ("answers of Storm", 10)] {
        assert!(report.of(what) >= least, "{what}: {:#?}", report.counts);
    }
}

#[test]
fn every_construct_and_every_pair_occurs() {
    let missing = missing(0..1500);
    assert!(missing.is_empty(), "never together: {missing:#?}");
}

/// The step that chooses an initial state starts from no state of the model.
#[test]
fn nothing_is_true_before_the_initial_state_is_chosen() {
    let text = b"dtmc module m x : [0..3]; [] x=1 -> (x'=2); [] x=2 -> (x'=3); endmodule init x=1|x=2 endinit";
    for (kind, condition, verdict, length) in [
        (AddedKind::Reach, "x=0", Verdict::Violated, None),
        (AddedKind::Reach, "x=1", Verdict::Satisfied, Some(1)),
        (AddedKind::Reach, "x=3", Verdict::Satisfied, Some(2)),
        (AddedKind::Invariant, "x>0", Verdict::Holds, None),
        (AddedKind::Invariant, "x>1", Verdict::Violated, Some(1)),
    ] {
        let added = vec![AddedProperty { kind, text: condition.to_string() }];
        let options = ModelOptions { added, ..ModelOptions::default() };
        let model = load_text("m.prism", text, Language::Prism, &options).unwrap();
        let report = check(&model, &CheckRequest::default(), Hooks::default()).unwrap();
        let [found] = &report.properties[..] else { panic!("{condition}") };
        assert_eq!((found.verdict, found.trace.as_ref().map(|trace| trace.cost)), (verdict, length), "{condition}");
    }
}

/// Nothing happens together with a command whose rates are all 0, whatever the other module would write, in either order.
#[test]
fn what_has_rate_0_writes_nothing() {
    let silent = "module s x : [0..1]; y : [0..2]; [a] true -> y/2 : (x'=1); [] x=0 -> 1 : (x'=1); endmodule ";
    let wrong = "module w z : [0..1] init 1; [a] true -> 1 : (z'=z+1); endmodule ";
    for text in [format!("ctmc {silent}{wrong}"), format!("ctmc {wrong}{silent}")] {
        let added = vec![AddedProperty { kind: AddedKind::Reach, text: "x=1".to_string() }];
        let options = ModelOptions { added, ..ModelOptions::default() };
        let model = load_text("m.prism", text.as_bytes(), Language::Prism, &options).unwrap();
        let report = check(&model, &CheckRequest::default(), Hooks::default()).unwrap();
        let [found] = &report.properties[..] else { panic!("{text}") };
        assert_eq!(found.verdict, Verdict::Satisfied, "{text}");
    }
    // A model of this kind, by all questions.
    let report = compare_seed(853);
    assert!(report.differences.is_empty(), "{}", report.differences.join("\n\n"));
}

/// What goes wrong in a step of several modules is an error of the model, whichever of them comes first.
#[test]
fn errors_of_one_module_are_errors_of_the_step() {
    let fair = "module f x : [0..1]; [go] true -> 1/2:(x'=0) + 1/2:(x'=1); endmodule ";
    for (what, wrong) in [
        ("a guard without a value", "[go] 1/y>0 -> (y'=0);"),
        ("no probability but 0", "[go] true -> y/2:(y'=0) + y/2:(y'=1);"),
        ("a value out of range", "[go] true -> (y'=y-1);"),
        ("less than 1 in all", "[go] true -> (y+1)/4:(y'=0) + 1/4:(y'=1);"),
        ("more than 1 in all", "[go] true -> (y+3)/4:(y'=0) + 3/4:(y'=1);"),
    ] {
        let wrong = format!("module w y : [0..1]; {wrong} endmodule ");
        for text in [format!("dtmc {fair}{wrong}"), format!("dtmc {wrong}{fair}")] {
            let reply = asked(&text, Language::Prism, AddedKind::Query, "P=? [ F x=1 ]");
            assert_eq!(reply.0, Verdict::Inconclusive, "{what}: {text}");
        }
    }
}

/// What all modules of a step read is what was there before it, for searches and for who confirms what they find.
#[test]
fn modules_of_a_step_exchange_values() {
    let (one, other) = (
        "module a x : [0..2]; [go] x=0 -> (x'=y+1); endmodule ",
        "module b y : [0..2] init 1; [go] true -> (y'=x); endmodule ",
    );
    for text in [format!("mdp {one}{other}"), format!("mdp {other}{one}")] {
        let reply = asked(&text, Language::Prism, AddedKind::Reach, "x=2 & y=0");
        assert_eq!(reply, (Verdict::Satisfied, Some(1)), "{text}");
    }
}

/// JANI: a rate of 0 has no shares that need exist, and what is earned may depend on where a step leads.
#[test]
fn rates_of_0_and_rewards_of_destinations() {
    let model = |kind: &str, edges: &str, properties: &str| {
        format!(
            r#"{{"jani-version":1,"name":"m","type":"{kind}","actions":[],"variables":[
            {{"name":"r","type":"int","transient":true,"initial-value":0}},
            {{"name":"x","type":{{"kind":"bounded","base":"int","lower-bound":0,"upper-bound":2}},"initial-value":0}}],
            "automata":[{{"name":"A","locations":[{{"name":"l"}}],"initial-locations":["l"],"edges":[{edges}]}}],
            "system":{{"elements":[{{"automaton":"A"}}]}},"properties":[{properties}]}}"#
        )
    };
    let to = |chance: &str, assignments: &str| {
        format!(r#"{{"location":"l","probability":{{"exp":{chance}}},"assignments":[{assignments}]}}"#)
    };
    let share = to(r#"{"op":"/","left":"x","right":"x"}"#, r#"{"ref":"x","value":2}"#);
    let rates = format!(
        r#"{{"location":"l","rate":{{"exp":"x"}},"destinations":[{share}]}},
        {{"location":"l","guard":{{"exp":{{"op":"=","left":"x","right":0}}}},"rate":{{"exp":3}},"destinations":[{}]}}"#,
        to("1", r#"{"ref":"x","value":1}"#)
    );
    let text = model("ctmc", &rates, "");
    assert_eq!(asked(&text, Language::Jani, AddedKind::Query, "P>=1 [ F x=2 ]").0, Verdict::Holds);
    // A bound on what is spent needs to know what is spent, not what is expected.
    let drawn = |first: u32, second: u32| {
        let earn =
            |reward: u32, x: u32| to("0.5", &format!(r#"{{"ref":"r","value":{reward}}},{{"ref":"x","value":{x}}}"#));
        let edges = format!(r#"{{"location":"l","destinations":[{},{}]}}"#, earn(first, 1), earn(second, 0));
        let until = r#"{"op":"U","left":true,"right":{"op":"=","left":"x","right":1},
            "reward-bounds":[{"exp":"r","accumulate":["steps"],"bounds":{"upper":2}}]}"#;
        let bound = format!(r#"{{"op":"≥","left":{{"op":"Pmin","exp":{until}}},"right":0.75}}"#);
        let filter = format!(r#"{{"op":"filter","fun":"∀","values":{bound},"states":{{"op":"initial"}}}}"#);
        let text = model("dtmc", &edges, &format!(r#"{{"name":"p","expression":{filter}}}"#));
        asked(&text, Language::Jani, AddedKind::Reach, "x=1")
    };
    // Two steps of 1 each are possible, and half of the runs are there after the first one.
    assert_eq!(drawn(1, 1).0, Verdict::Holds);
    assert_eq!(drawn(1, 3).0, Verdict::Inconclusive);
}

/// The verdict about the first property of a model, and the cost of its trace.
fn asked(text: &str, language: Language, kind: AddedKind, question: &str) -> (Verdict, Option<u64>) {
    let added = vec![AddedProperty { kind, text: question.to_string() }];
    let options = ModelOptions { added, ..ModelOptions::default() };
    let model = load_text("m", text.as_bytes(), language, &options).unwrap_or_else(|error| panic!("{error}: {text}"));
    let report = check(&model, &CheckRequest::default(), Hooks::default()).unwrap();
    let found = &report.properties[0];
    (found.verdict, found.trace.as_ref().map(|trace| trace.cost))
}
