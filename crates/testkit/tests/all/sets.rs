//! Searches with sets of states on random programs: the counts, errors and lengths of breadth-first search.

use bughound_testkit::sets::mistakes::{Mistake, plant};
use bughound_testkit::sets::{check_contract, compare_program};

#[test]
fn sets_of_states_are_searched_like_states() {
    let mut programs = 0;
    for seed in 0..30 {
        let compared = compare_program(seed).unwrap_or_else(|difference| panic!("{difference}"));
        programs += u32::from(compared > 0);
    }
    assert!(programs > 15, "{programs}");
}

#[test]
fn what_models_say_of_their_steps_is_true() {
    let mut predictions = 0;
    for seed in 0..30 {
        predictions += check_contract(seed).unwrap_or_else(|difference| panic!("{difference}"));
    }
    assert!(predictions > 100_000, "{predictions}");
}

#[test]
fn mistakes_that_matter_are_found() {
    for mistake in Mistake::ALL {
        let outcomes: Vec<_> = (0..25).filter_map(|seed| Some((seed, plant(mistake, seed)?))).collect();
        let missed: Vec<u64> =
            outcomes.iter().filter(|(_, is)| is.matters && !is.found).map(|(seed, _)| *seed).collect();
        assert!(missed.is_empty(), "{mistake:?} is missed in {missed:?}");
        assert!(outcomes.iter().any(|(_, is)| is.found), "{mistake:?} is never found");
    }
}

/// 121 and 124 have a monitor, and states without a process.
#[test]
fn nobody_waits_where_nobody_is() {
    for seed in [121, 124] {
        assert!(compare_program(seed).unwrap_or_else(|difference| panic!("{difference}")) > 0);
    }
}
