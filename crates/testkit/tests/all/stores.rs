//! Every store on random programs: the same states, steps and errors, however many threads there are and wherever they wait.

use bughound_testkit::stores::compare_program;

#[test]
fn every_store_keeps_the_same_states() {
    let mut programs = 0;
    for seed in 0..150 {
        let compared = compare_program(seed).unwrap_or_else(|difference| panic!("{difference}"));
        programs += u32::from(compared > 0);
    }
    assert!(programs > 75, "{programs}");
}
