//! Until with a bound on a reward, by unfolding: states know what was spent.
//!
//! Andova, Hermanns and Katoen, *Discrete-time rewards model-checked* (FORMATS 2003). Rewards may be any fractions: they are
//! counted in their greatest common measure. The unfolding has at most (bound / measure + 1) copies of each state, only those
//! that can be reached.

use std::collections::HashMap;

use dashu_int::ops::Gcd;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use super::layout::{fits, structure};
use super::until::until;
use crate::answer::{Answer, Extreme};
use crate::effort::{Effort, Failure};
use crate::model::{Builder, Kind, Model, Numbers, Pool, RewardId};
use crate::states::StateSet;

/// A model in which states know what was spent.
#[derive(Clone, Debug)]
pub struct Unfolding {
    pub model: Model,
    /// The state of the unfolding with nothing spent, by state of the model.
    pub start: Vec<usize>,
    pub left: StateSet,
    /// The decisive states, with as much spent as there should be.
    pub right: StateSet,
}

/// Largest fraction that divides all of these, none of which is zero.
fn measure<'a>(numbers: impl Iterator<Item = &'a RBig>) -> Option<RBig> {
    numbers.fold(None, |common: Option<RBig>, number| {
        Some(match common {
            None => number.clone(),
            Some(common) => {
                let below = common.denominator() * number.denominator();
                let first = UBig::try_from(common.numerator() * IBig::from(number.denominator().clone()));
                let second = UBig::try_from(number.numerator() * IBig::from(common.denominator().clone()));
                match (first, second) {
                    (Ok(first), Ok(second)) => RBig::from_parts(IBig::from(first.gcd(&second)), below),
                    _ => common,
                }
            }
        })
    })
}

/// Unfolds a DTMC or MDP along a reward. What is spent between `from` and `to` (both included; `None`: any more) when a state of
/// `right` is reached makes it decisive.
pub fn unfold(
    model: &Model,
    left: &StateSet,
    right: &StateSet,
    reward: RewardId,
    from: &RBig,
    to: Option<&RBig>,
    effort: &Effort,
) -> Result<Unfolding, Failure> {
    fits(model, &[left, right])?;
    let rewards = structure(model, reward)?;
    if model.kind() == Kind::Ctmc {
        return Err(Failure::Refused("bounds on rewards of continuous-time chains are not supported".into()));
    }
    let mut cost = Vec::with_capacity(model.choices());
    for state in 0..model.states() {
        for choice in model.choices_of(state) {
            cost.push((rewards.of_state(state), rewards.of_choice(choice)));
        }
    }
    let mut sums: HashMap<_, RBig> = HashMap::new();
    for &(a, b) in &cost {
        sums.entry((a, b)).or_insert_with(|| model.exact(a) + model.exact(b));
    }
    let unit = measure(sums.values().filter(|sum| !sum.is_zero())).unwrap_or(RBig::ONE);
    let too_large = || Failure::Refused("the bound is too large to be counted".into());
    let count = |number: RBig| u64::try_from(number.numerator().clone()).map_err(|_| too_large());
    let zero = RBig::ZERO;
    let enough = count(RBig::from(((if *from < zero { &zero } else { from }) / &unit).ceil()))?;
    // Beyond `most` all is lost; without such a bound, beyond `enough` all is the same.
    let most = match to {
        Some(to) if *to < zero => None,
        Some(to) => Some(count(RBig::from((to / &unit).floor()))?),
        None => Some(enough),
    };
    let units: HashMap<_, u64> = sums
        .iter()
        .map(|(&key, sum)| (key, u64::try_from((sum / &unit).numerator().clone()).unwrap_or(u64::MAX)))
        .collect();
    let mut builder = Builder::with_numbers(model.kind(), Numbers::from_pool(model.pool().clone()));
    let mut ids: HashMap<(u32, u64), u32> = HashMap::new();
    let mut states: Vec<(u32, u64)> = Vec::new();
    let mut id_of = |state: usize, spent: u64, states: &mut Vec<(u32, u64)>| {
        *ids.entry((state as u32, spent)).or_insert_with(|| {
            states.push((state as u32, spent));
            states.len() as u32 - 1
        }) as usize
    };
    let start: Vec<usize> = (0..model.states()).map(|state| id_of(state, 0, &mut states)).collect();
    // Where too much was spent.
    let lost = (u32::MAX, u64::MAX);
    let mut lost_id = None;
    let is_decisive = |state: usize, spent: u64| {
        right.contains(state) && spent >= enough && most.is_some_and(|most| to.is_none() || spent <= most)
    };
    let mut at = 0;
    while at < states.len() {
        if at % 4096 == 0 {
            effort.check()?;
            effort.reserve(states.len() * 48)?;
        }
        let (state, spent) = states[at];
        builder.state();
        at += 1;
        let state = state as usize;
        if (state as u32, spent) == lost || is_decisive(state, spent) || !left.contains(state) {
            builder.entry(at - 1, Pool::ONE);
            continue;
        }
        for choice in model.choices_of(state) {
            let paid = spent.saturating_add(units[&cost[choice]]);
            let (paid, over) = match most {
                Some(most) if paid <= most => (paid, false),
                Some(most) if to.is_none() => (most, false),
                _ => (paid, true),
            };
            builder.choice();
            if over {
                let target = *lost_id.get_or_insert_with(|| {
                    states.push(lost);
                    states.len() - 1
                });
                builder.entry(target, Pool::ONE);
            } else {
                for (target, weight) in model.entries(choice) {
                    let target = id_of(target, paid, &mut states);
                    builder.entry(target, weight);
                }
            }
        }
    }
    let initial: Vec<usize> = model.initial().map(|state| start[state]).collect();
    let model = builder.finish(initial).map_err(|error| Failure::Refused(error.to_string()))?;
    let is_state = |id: usize| states[id] != lost;
    let right = StateSet::from_fn(states.len(), |id| is_state(id) && is_decisive(states[id].0 as usize, states[id].1));
    let left = StateSet::from_fn(states.len(), |id| is_state(id) && left.contains(states[id].0 as usize));
    Ok(Unfolding { model, start, left, right })
}

/// Probability of `left U right` with so much of the reward accumulated when the decisive state is reached. Not for CTMCs.
/// Schedulers may depend on what was spent.
#[allow(clippy::too_many_arguments)]
pub fn until_spent(
    model: &Model,
    extreme: Extreme,
    left: &StateSet,
    right: &StateSet,
    reward: RewardId,
    from: &RBig,
    to: Option<&RBig>,
    effort: &Effort,
) -> Result<Answer, Failure> {
    let unfolding = unfold(model, left, right, reward, from, to, effort)?;
    let answer = until(&unfolding.model, extreme, &unfolding.left, &unfolding.right, effort)?;
    Ok(Answer { values: answer.values.select(unfolding.start.iter().copied()), scheduler: None, ..answer })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measure_divides_all() {
        let fraction = |n: i64, d: i64| RBig::from_parts_signed(n.into(), d.into());
        let numbers = [fraction(1, 2), fraction(3, 4), fraction(2, 1)];
        assert_eq!(measure(numbers.iter()), Some(fraction(1, 4)));
        let numbers = [fraction(6, 1), fraction(9, 1)];
        assert_eq!(measure(numbers.iter()), Some(fraction(3, 1)));
        assert_eq!(measure([].iter()), None);
    }
}
