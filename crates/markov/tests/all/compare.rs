//! Hundreds of random models of each kind. `cargo run --release --example random` does thousands.

use bughound_markov::{
    Builder, Effort, ExactLimits, Extreme, Kind, Model, Pool, RBig, RewardId, StateSet, reward_until, until,
};

use crate::oracle::check::{Count, check};
use crate::oracle::raw::{Dice, fraction};

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

/// A row of states with a drift that depends on the place, detours, and chances next to nothing. Both ends stay.
fn row(dice: &mut Dice) -> Model {
    let n = 20 + dice.below(250);
    let mut builder = Builder::new(Kind::Dtmc);
    let reward = builder.reward_structure("r");
    let drift = 1 + dice.below(9) as i64;
    let tiny = if dice.chance(40) { RBig::from(10).pow(-(dice.below(400) as isize)) } else { RBig::ONE };
    for state in 0..n {
        builder.state();
        if state == 0 || state == n - 1 {
            builder.entry(state, Pool::ONE);
            continue;
        }
        let earned = builder.number(&fraction(1 + dice.below(3) as i64, 1));
        builder.state_reward(reward, earned);
        let up = fraction(if dice.chance(70) { drift } else { 1 + dice.below(9) as i64 }, 10);
        let mut parts = vec![(state + 1, up.clone()), (state - 1, fraction(1, 1) - up)];
        if dice.chance(10) {
            parts.push((1 + dice.below(n - 2), fraction(1 + dice.below(3) as i64, 10) * &tiny));
        }
        if dice.chance(20) {
            let part = dice.below(2);
            parts[part].1 *= &tiny;
        }
        let total = parts.iter().fold(RBig::ZERO, |sum, (_, part)| sum + part);
        for (target, part) in parts {
            let weight = builder.number(&(part / &total));
            builder.entry(target, weight);
        }
    }
    builder.finish([1]).unwrap()
}

#[test]
fn long_rows_agree_with_fractions() {
    for seed in 0..60 {
        let model = row(&mut Dice::new(seed));
        let n = model.states();
        let all = StateSet::all(n);
        let without = Effort { exact: ExactLimits::NONE, ..Effort::default() };
        let with = Effort { exact: ExactLimits::UNLIMITED, ..Effort::default() };
        let ends = StateSet::from_states(n, [0, n - 1]);
        let goal = StateSet::from_states(n, [n - 1]);
        let ask = |effort: &Effort| {
            [
                until(&model, Extreme::Max, &all, &goal, effort).unwrap(),
                reward_until(&model, Extreme::Max, RewardId(0), &ends, effort).unwrap(),
            ]
        };
        for (between, exact) in ask(&without).iter().zip(ask(&with)) {
            for state in 0..n {
                let (interval, value) = (between.values.interval(state), exact.values.exact(state).unwrap());
                let value = value.finite().unwrap();
                assert!(interval.contains(value), "{seed} {state}: {interval}");
                let is_fine =
                    interval.is_within(1e-6, 1e-289) || interval.upper.is_infinite() && interval.lower > 1e290;
                assert!(is_fine, "{seed} {state}: {interval}");
            }
        }
    }
}
