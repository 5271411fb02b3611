//! Until with a bound on a reward, by unfolding: states know what was spent.
//!
//! Andova, Hermanns and Katoen, *Discrete-time rewards model-checked* (FORMATS 2003). Rewards may be any fractions:
//! what was spent is an exact sum of them, and each state is copied for those sums that can be reached up to the bound.

use std::collections::HashMap;

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

/// Exact sums of what was spent, each with a number: nothing is 0.
struct Levels {
    values: Vec<RBig>,
    numbers: HashMap<RBig, u32>,
    /// By level and cost: the level after that, none if it is too much.
    after: HashMap<(u32, u32), Option<u32>>,
    /// The different costs of a step.
    costs: Vec<RBig>,
    from: RBig,
    to: Option<RBig>,
}

impl Levels {
    fn new(costs: Vec<RBig>, from: &RBig, to: Option<&RBig>) -> Levels {
        let from = from.clone().max(RBig::ZERO);
        let numbers = HashMap::from([(RBig::ZERO, 0)]);
        Levels { values: vec![RBig::ZERO], numbers, after: HashMap::new(), costs, from, to: to.cloned() }
    }

    fn pay(&mut self, level: u32, cost: u32) -> Option<u32> {
        if let Some(known) = self.after.get(&(level, cost)) {
            return *known;
        }
        let mut sum = &self.values[level as usize] + &self.costs[cost as usize];
        let next = match &self.to {
            Some(most) if sum > *most => None,
            Some(_) => Some(sum),
            None => {
                // Beyond what is enough all is the same.
                if sum > self.from {
                    sum = self.from.clone();
                }
                Some(sum)
            }
        };
        let next = next.map(|sum| {
            let new = self.values.len() as u32;
            *self.numbers.entry(sum.clone()).or_insert_with(|| {
                self.values.push(sum);
                new
            })
        });
        self.after.insert((level, cost), next);
        next
    }

    /// Is so much spent that it counts?
    fn is_right(&self, level: u32) -> bool {
        let spent = &self.values[level as usize];
        *spent >= self.from && self.to.as_ref().is_none_or(|most| spent <= most)
    }
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
    let (mut costs, mut known) = (Vec::new(), HashMap::new());
    for state in 0..model.states() {
        for choice in model.choices_of(state) {
            let (a, b) = (rewards.of_state(state), rewards.of_choice(choice));
            cost.push(*known.entry((a, b)).or_insert_with(|| {
                costs.push(model.exact(a) + model.exact(b));
                costs.len() as u32 - 1
            }));
        }
    }
    let mut levels = Levels::new(costs, from, to);
    let mut builder = Builder::with_numbers(model.kind(), Numbers::from_pool(model.pool().clone()));
    let mut ids: HashMap<(u32, u32), u32> = HashMap::new();
    let mut states: Vec<(u32, u32)> = Vec::new();
    let mut id_of = |state: usize, spent: u32, states: &mut Vec<(u32, u32)>| {
        *ids.entry((state as u32, spent)).or_insert_with(|| {
            states.push((state as u32, spent));
            states.len() as u32 - 1
        }) as usize
    };
    let start: Vec<usize> = (0..model.states()).map(|state| id_of(state, 0, &mut states)).collect();
    // Where too much was spent.
    let lost = (u32::MAX, u32::MAX);
    let mut lost_id = None;
    let mut at = 0;
    while at < states.len() {
        if at % 4096 == 0 {
            effort.check()?;
            effort.reserve(states.len() * 48 + levels.values.len() * 200)?;
        }
        let (state, spent) = states[at];
        builder.state();
        at += 1;
        let state = state as usize;
        let is_over = (state as u32, spent) == lost;
        if is_over || !left.contains(state) || (right.contains(state) && levels.is_right(spent)) {
            builder.entry(at - 1, Pool::ONE);
            continue;
        }
        for choice in model.choices_of(state) {
            let paid = levels.pay(spent, cost[choice]);
            builder.choice();
            match paid {
                None => {
                    let target = *lost_id.get_or_insert_with(|| {
                        states.push(lost);
                        states.len() - 1
                    });
                    builder.entry(target, Pool::ONE);
                }
                Some(paid) => {
                    for (target, weight) in model.entries(choice) {
                        let target = id_of(target, paid, &mut states);
                        builder.entry(target, weight);
                    }
                }
            }
        }
    }
    let initial: Vec<usize> = model.initial().map(|state| start[state]).collect();
    let model = builder.finish(initial).map_err(|error| Failure::Refused(error.to_string()))?;
    let is_state = |id: usize| states[id] != lost;
    let right = StateSet::from_fn(states.len(), |id| {
        is_state(id) && right.contains(states[id].0 as usize) && levels.is_right(states[id].1)
    });
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
    fn levels_are_exact_sums() {
        let fraction = |n: i64, d: u64| RBig::from_parts(n.into(), d.into());
        let mut levels = Levels::new(vec![fraction(1, 3), fraction(1, 2)], &fraction(1, 2), Some(&fraction(1, 1)));
        let third = levels.pay(0, 0).unwrap();
        let both = levels.pay(third, 1).unwrap();
        let half = levels.pay(0, 1).unwrap();
        assert_eq!(levels.pay(half, 0), Some(both));
        assert_eq!(levels.pay(both, 0), None);
        assert_eq!([0, third, half, both].map(|level| levels.is_right(level)), [false, false, true, true]);
        // Without an upper bound there is no more than enough.
        let mut levels = Levels::new(vec![fraction(1, 3)], &fraction(1, 2), None);
        let third = levels.pay(0, 0).unwrap();
        let enough = levels.pay(third, 0).unwrap();
        assert_eq!(levels.pay(enough, 0), Some(enough));
        assert!(levels.is_right(enough) && !levels.is_right(third));
    }
}
