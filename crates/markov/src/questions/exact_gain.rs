//! The best long-run average of an end component as a fraction, by policy iteration.
//!
//! Howard (1960); Puterman, *Markov Decision Processes* (1994), §8.6. Every policy is made to have one recurrent class: if it has
//! several, the best of them is kept and all other states go there, which is possible inside of an end component. With a state
//! `home` in that class, R(s) and T(s), what is earned and how many steps it takes until `home` is reached, give the average
//! g = R(home)/T(home) of a round and the bias h(s) = R(s) − g·T(s). A choice with r − g + Σ p·h > h(s) is better. If none is, g is
//! the greatest average of all policies. If some are, either g grows, or the recurrent class is the same as before and h
//! grows, so no policy comes twice. Several classes appear only with a greater g: where a class has none of the better choices, it was
//! there before, and it was the only one.

use std::collections::HashMap;

use dashu_ratio::RBig;

use crate::answer::{Extreme, Work};
use crate::effort::{Effort, Failure};
use crate::graph::{EndComponents, components_of};
use crate::model::{Model, NumberId, Rewards};
use crate::numbers::bits;
use crate::solve::{Budget, Chain, eliminate};

/// A choice inside of the component.
struct Row {
    entries: Vec<(u32, NumberId)>,
    reward: RBig,
}

struct Component<'m> {
    model: &'m Model,
    /// By state: its choices.
    rows: Vec<Vec<Row>>,
    extreme: Extreme,
}

/// A policy with one recurrent class: its average and its bias.
struct Evaluation {
    gain: RBig,
    bias: Vec<RBig>,
}

/// Nothing if it would cost more than is allowed.
pub(crate) fn exact_gain(
    model: &Model,
    ends: &EndComponents,
    members: &[u32],
    extreme: Extreme,
    rewards: &Rewards,
    effort: &Effort,
    work: &mut Work,
) -> Result<Option<RBig>, Failure> {
    let limits = effort.exact;
    if members.len() > limits.states || limits.operations == 0 {
        return Ok(None);
    }
    let place: HashMap<u32, u32> = members.iter().enumerate().map(|(at, &state)| (state, at as u32)).collect();
    let row = |state: usize, choice: usize| Row {
        entries: model.entries(choice).map(|(target, weight)| (place[&(target as u32)], weight)).collect(),
        reward: model.exact(rewards.of_state(state)) + model.exact(rewards.of_choice(choice)),
    };
    let rows = members.iter().map(|&state| {
        let state = state as usize;
        model.choices_of(state).filter(|&choice| ends.is_inner(choice)).map(|choice| row(state, choice)).collect()
    });
    let component = Component { model, rows: rows.collect(), extreme };
    let mut budget = Budget { operations: limits.operations, bits: limits.bits, stop: &|| (effort.stop)(), used: 0 };
    let gain = component.iterate(&mut budget);
    work.operations += budget.used;
    effort.check()?;
    Ok(gain)
}

impl Component<'_> {
    fn iterate(&self, budget: &mut Budget) -> Option<RBig> {
        let mut policy = vec![0; self.rows.len()];
        loop {
            let home = self.settle(&mut policy, budget)?;
            let Evaluation { gain, bias } = self.evaluate(&policy, home, None, budget)?;
            if !self.improve(&mut policy, &gain, &bias, budget)? {
                return Some(gain);
            }
        }
    }

    fn is_better(&self, new: &RBig, old: &RBig) -> bool {
        match self.extreme {
            Extreme::Max => new > old,
            Extreme::Min => new < old,
        }
    }

    /// Changes a policy with several recurrent classes to one that ends in the best of them. Returns a state of that class.
    fn settle(&self, policy: &mut [usize], budget: &mut Budget) -> Option<usize> {
        let (mut start, mut targets) = (vec![0u32], Vec::new());
        for (state, &choice) in policy.iter().enumerate() {
            targets.extend(self.rows[state][choice].entries.iter().map(|(target, _)| *target));
            start.push(targets.len() as u32);
        }
        let parts = components_of(policy.len(), |state| start[state], &targets);
        let stays = |&component: &usize| {
            let leads_back = |&state: &u32| {
                let range = start[state as usize] as usize..start[state as usize + 1] as usize;
                targets[range].iter().all(|&target| parts.of(target as usize) == component)
            };
            parts.members(component).iter().all(leads_back)
        };
        let classes: Vec<usize> = (0..parts.count()).filter(stays).collect();
        let home_of = |class: usize| parts.members(class)[0] as usize;
        if let [only] = classes[..] {
            return Some(home_of(only));
        }
        let mut best: Option<(RBig, usize)> = None;
        for &class in &classes {
            let gain = self.evaluate(policy, home_of(class), Some(parts.members(class)), budget)?.gain;
            if best.as_ref().is_none_or(|(old, _)| self.is_better(&gain, old)) {
                best = Some((gain, class));
            }
        }
        let (_, class) = best?;
        let mut arrives: Vec<bool> = (0..policy.len()).map(|state| parts.of(state) == class).collect();
        // Each state takes a choice that may lead nearer; all of them do so in the end.
        loop {
            let mut found = Vec::new();
            for state in (0..policy.len()).filter(|&state| !arrives[state]) {
                let leads = |row: &Row| row.entries.iter().any(|(target, _)| arrives[*target as usize]);
                found.extend(self.rows[state].iter().position(leads).map(|choice| (state, choice)));
            }
            if found.is_empty() {
                return Some(home_of(class));
            }
            for (state, choice) in found {
                (arrives[state], policy[state]) = (true, choice);
            }
        }
    }

    /// Of a policy under which all of these states (or all that there are) reach `home`.
    fn evaluate(
        &self,
        policy: &[usize],
        home: usize,
        among: Option<&[u32]>,
        budget: &mut Budget,
    ) -> Option<Evaluation> {
        let states: Vec<usize> = match among {
            None => (0..policy.len()).collect(),
            Some(states) => states.iter().map(|&state| state as usize).collect(),
        };
        let mut place = vec![u32::MAX; policy.len()];
        let others = states.iter().copied().filter(|&state| state != home);
        others.clone().enumerate().for_each(|(at, state)| place[state] = at as u32);
        let row = |state: usize| &self.rows[state][policy[state]];
        let until_home = |earned: &dyn Fn(usize) -> RBig, budget: &mut Budget| -> Option<Vec<RBig>> {
            let mut chain = Chain { rows: Vec::new(), constant: Vec::new(), leak: Vec::new() };
            for state in others.clone() {
                let (mut entries, mut leak) = (Vec::new(), RBig::ZERO);
                for &(target, weight) in row(state).entries.iter().filter(|(target, _)| *target as usize != state) {
                    match target as usize == home {
                        true => leak = self.model.exact(weight).clone(),
                        false => entries.push((place[target as usize], self.model.exact(weight).clone())),
                    }
                }
                entries.sort_unstable_by_key(|(target, _)| *target);
                chain.rows.push(entries);
                chain.constant.push(earned(state));
                chain.leak.push(leak);
            }
            let values = eliminate(chain, budget)?;
            let of_home = row(home).entries.iter().filter(|(target, _)| *target as usize != home);
            let round = of_home.fold(earned(home), |sum, &(target, weight)| {
                sum + self.model.exact(weight) * &values[place[target as usize] as usize]
            });
            let value =
                |&state: &usize| if state == home { round.clone() } else { values[place[state] as usize].clone() };
            Some(states.iter().map(value).collect())
        };
        let earned = until_home(&|state| row(state).reward.clone(), budget)?;
        let steps = until_home(&|_| RBig::ONE, budget)?;
        let at_home = states.iter().position(|&state| state == home)?;
        let gain = &earned[at_home] / &steps[at_home];
        let bias = earned.iter().zip(&steps).map(|(earned, steps)| earned - &gain * steps).collect();
        Some(Evaluation { gain, bias })
    }

    /// Takes better choices wherever there are any; false if there are none.
    fn improve(&self, policy: &mut [usize], gain: &RBig, bias: &[RBig], budget: &mut Budget) -> Option<bool> {
        let mut changed = false;
        for (state, rows) in self.rows.iter().enumerate().filter(|(_, rows)| rows.len() > 1) {
            let mut best = bias[state].clone();
            for (choice, row) in rows.iter().enumerate() {
                let value = row.entries.iter().fold(&row.reward - gain, |sum, &(target, weight)| {
                    sum + self.model.exact(weight) * &bias[target as usize]
                });
                if !budget.spend((row.entries.len() + 1) * (1 + bits(&value) / 64)) || bits(&value) > budget.bits {
                    return None;
                }
                if self.is_better(&value, &best) {
                    (best, policy[state], changed) = (value, choice, true);
                }
            }
        }
        Some(changed)
    }
}
