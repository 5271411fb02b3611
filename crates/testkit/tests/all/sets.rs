//! Searches with sets of states on random programs: the counts, errors and lengths of breadth-first search.

use bughound_testkit::sets::compare_program;

#[test]
fn sets_of_states_are_searched_like_states() {
    let mut programs = 0;
    for seed in 0..60 {
        let compared = compare_program(seed).unwrap_or_else(|difference| panic!("{difference}"));
        programs += u32::from(compared > 0);
    }
    assert!(programs > 30, "{programs}");
}

/// 121 and 124 have a monitor, and states without a process.
#[test]
fn nobody_waits_where_nobody_is() {
    for seed in [121, 124] {
        assert!(compare_program(seed).unwrap_or_else(|difference| panic!("{difference}")) > 0);
    }
}
