//! Expected rewards without bounds: until a state is reached, and for ever.
//!
//! Until: infinite where the target is not reached for certain (max: by some scheduler, min: by all). When minimising, end
//! components that cost nothing are made single variables that have to leave: only schedulers that reach the target count,
//! and waiting for free would look better (de Alfaro, CONCUR 1999; Baier et al., *Ensuring the reliability of your model
//! checker*, CAV 2017). For ever: the same with end components that cost nothing as places where one may end.

use super::layout::{Layout, Task, fits, open_scheduler, structure};
use crate::answer::{Answer, Extreme};
use crate::effort::{Effort, Failure};
use crate::graph::{Predecessors, end_components_among, prob0_some, prob1_all, prob1_some};
use crate::model::{Kind, Model, Pool, RewardId, embedded};
use crate::solve::Known;
use crate::states::StateSet;

/// Expected reward until one of these states is reached; what that state itself gives does not count.
pub fn reward_until(
    model: &Model,
    extreme: Extreme,
    reward: RewardId,
    target: &StateSet,
    effort: &Effort,
) -> Result<Answer, Failure> {
    fits(model, &[target])?;
    let rewards = structure(model, reward)?;
    effort.check()?;
    if model.kind() == Kind::Ctmc {
        return reward_until(&embedded(model), extreme, reward, target, effort);
    }
    let back = Predecessors::new(model);
    let all = StateSet::all(model.states());
    let minimise = model.kind() == Kind::Mdp && extreme == Extreme::Min;
    let certain = if minimise {
        prob1_some(model, &back, &all, target)
    } else {
        let zero = prob0_some(model, &back, &all, target);
        prob1_all(model, &back, &all, target, &zero)
    };
    drop(back);
    let unknown = certain.without(target);
    let stays = |choice: usize| model.targets_of(choice).iter().all(|&target| certain.contains(target as usize));
    let ends = minimise.then(|| {
        let free = free_choices(model, reward, &unknown);
        end_components_among(model, &unknown, |choice| free.contains(choice))
    });
    let infinite = certain.complement();
    let task = Task {
        model,
        extreme,
        layout: Layout::new(model, &unknown, ends.as_ref(), |_| 0),
        ends: ends.as_ref(),
        rewards: Some(rewards),
        known: Known::zero_and_one(),
        may_end: Vec::new(),
    };
    task.answer(stays, Some(&infinite), open_scheduler(model), effort)
}

/// Choices of these states that give nothing, neither themselves nor the state.
fn free_choices(model: &Model, reward: RewardId, states: &StateSet) -> StateSet {
    let mut free = StateSet::none(model.choices());
    let Some(rewards) = model.reward(reward) else { return free };
    for state in states.iter().filter(|&state| rewards.of_state(state) == Pool::ZERO) {
        model.choices_of(state).filter(|&choice| rewards.of_choice(choice) == Pool::ZERO).for_each(|c| free.insert(c));
    }
    free
}

/// Expected reward of the whole run. Infinite where rewards go on for ever.
pub fn reward_total(model: &Model, extreme: Extreme, reward: RewardId, effort: &Effort) -> Result<Answer, Failure> {
    let rewards = structure(model, reward)?;
    effort.check()?;
    if model.kind() == Kind::Ctmc {
        return reward_total(&embedded(model), extreme, reward, effort);
    }
    let all = StateSet::all(model.states());
    let free = free_choices(model, reward, &all);
    if model.kind() != Kind::Mdp || extreme == Extreme::Min {
        // A finite sum ends where nothing more is given: in an end component that is free.
        let ends = end_components_among(model, &all, |choice| free.contains(choice));
        let target = StateSet::from_fn(model.states(), |state| ends.of(state).is_some());
        let mut answer = reward_until(model, extreme, reward, &target, effort)?;
        if let Some(scheduler) = &mut answer.scheduler {
            for state in target.iter() {
                let choices = model.choices_of(state);
                if let Some(choice) = choices.clone().find(|&choice| ends.is_inner(choice)) {
                    scheduler.choices[state] = (choice - choices.start) as u32;
                }
            }
        }
        return Ok(answer);
    }
    // Maximising: infinite where an end component with a reward can be reached; the others are free and may be an end.
    let ends = end_components_among(model, &all, |_| true);
    let mut rich = StateSet::none(model.states());
    for component in 0..ends.count() {
        let gives = |&state: &u32| {
            model.choices_of(state as usize).any(|choice| ends.is_inner(choice) && !free.contains(choice))
        };
        if ends.members(component).iter().any(gives) {
            ends.members(component).iter().for_each(|&state| rich.insert(state as usize));
        }
    }
    let back = Predecessors::new(model);
    let infinite = crate::graph::prob0_all(model, &back, &all, &rich).complement();
    let unknown = infinite.complement();
    let layout = Layout::new(model, &unknown, Some(&ends), |_| 0);
    let may_end = (0..layout.variables() as u32)
        .filter(|&variable| ends.of(layout.members(variable as usize)[0] as usize).is_some())
        .map(|variable| (variable, 0))
        .collect();
    let known = Known::zero_and_one();
    let task = Task { model, extreme, layout, ends: Some(&ends), rewards: Some(rewards), known, may_end };
    task.answer(|_| true, Some(&infinite), open_scheduler(model), effort)
}
