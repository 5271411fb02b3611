//! Code for each process takes the same steps as the walk along the templates. `examples/both_ways` does it for many more.

use bughound_testkit::both_ways::{compare_program, compare_timed};

#[test]
fn random_programs_have_the_same_steps_both_ways() {
    let states: usize = (0..200).map(|seed| compare_program(seed, 500).unwrap_or_else(|text| panic!("{text}"))).sum();
    assert!(states > 5_000, "{states}");
}

#[test]
fn random_timed_models_have_the_same_steps_both_ways() {
    let states: usize = (0..100).map(|seed| compare_timed(seed, 300).unwrap_or_else(|text| panic!("{text}"))).sum();
    assert!(states > 2_000, "{states}");
}
