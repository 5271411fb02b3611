//! Some hundred random programs with and without the values that make no difference.
//!
//! `cargo run --release -p bughound-testkit --example dead_variables -- 0 20000` compares as many as one likes.

use bughound_ir::analysis::dead_variables::Observers;
use bughound_promela::lower::LowerOptions;
use bughound_testkit::conditions;
use bughound_testkit::dead_variables::{Report, check_seed, walk, walk_seed};
use bughound_testkit::differential::network;
use bughound_testkit::random_promela::{Features, Rng, generate};
use bughound_testkit::seeds;

fn all(seeds: std::ops::Range<u64>, compare: fn(u64) -> Report) -> Report {
    let mut all = Report::default();
    seeds::in_parallel(seeds, compare, |_, report| all.merge(report));
    assert!(all.differences.is_empty(), "{}", all.differences.join("\n"));
    all
}

#[test]
fn the_same_steps_are_possible_and_observers_see_the_same() {
    let report = all(0..400, walk_seed);
    assert!(report.forgetful > 300, "{report:?}");
    assert!(report.fewer * 100 < report.states * 97, "{report:?}");
}

#[test]
fn the_same_answers_are_given() {
    let report = all(50_000..50_120, check_seed);
    assert!(report.answers > 500, "{report:?}");
}

/// A planted mistake: what a condition looks at is not kept.
#[test]
fn an_observer_that_is_not_asked_is_missed_soon() {
    let mut programs = 0;
    let caught = (0..200).find(|seed| {
        let source = generate(*seed, &(Features::CORE | Features::REMOTE));
        let network = network(&source, LowerOptions::default()).unwrap();
        let seen = conditions::random(&network, &mut Rng::new(*seed)).condition;
        let observers = Observers { conditions: vec![seen], ..Observers::default() };
        programs += 1;
        walk(&network, &Observers::default(), &observers, &mut Report::default()).is_err()
    });
    println!("caught after {programs} programs");
    assert!(caught.is_some());
}
