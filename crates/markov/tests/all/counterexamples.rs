//! Hundreds of random models of each kind. `cargo run --example counterexamples` does thousands.

use bughound_markov::Kind;

use crate::oracle::counterexamples::{Count, check};

fn compare(kind: Kind, seeds: u64) {
    let mut count = Count::default();
    for seed in 0..seeds {
        check(kind, seed, &mut count);
    }
    let seeds = seeds as usize;
    // Everything happened often.
    assert!(count.holds > seeds && count.violated > seeds && count.early > seeds / 10, "{count:?}");
    assert!(count.paths > 10 * seeds && count.bounds > 3 * seeds && count.parts > seeds / 2, "{count:?}");
    assert!(count.subsystems > 2 * seeds && count.compared > 2 * seeds, "{count:?}");
    // Nearly all of them are as small as possible.
    assert!(count.ratio < 1.02 * count.compared as f64 && count.alone <= seeds / 50, "{count:?}");
}

#[test]
fn dtmcs_agree_with_all_walks() {
    compare(Kind::Dtmc, 400);
}

#[test]
fn mdps_agree_with_all_walks() {
    compare(Kind::Mdp, 400);
}

#[test]
fn ctmcs_agree_with_all_walks() {
    compare(Kind::Ctmc, 400);
}
