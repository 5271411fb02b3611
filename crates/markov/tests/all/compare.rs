//! Hundreds of random models of each kind. `cargo run --release --example random` does thousands.

use bughound_markov::Kind;

use crate::oracle::check::{Count, check};

fn compare(kind: Kind, seeds: u64) {
    let mut count = Count::default();
    for seed in 0..seeds {
        check(kind, seed, &mut count);
    }
    // Both ways of answering were compared.
    assert!(count.exact > 5 * seeds as usize && count.between > 5 * seeds as usize, "{count:?}");
}

#[test]
fn dtmcs_agree_with_linear_algebra() {
    compare(Kind::Dtmc, 400);
}

#[test]
fn mdps_agree_with_all_schedulers() {
    compare(Kind::Mdp, 300);
}

#[test]
fn ctmcs_agree_with_series() {
    compare(Kind::Ctmc, 200);
}
