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
