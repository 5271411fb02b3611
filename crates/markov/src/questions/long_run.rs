//! Long-run averages: the share of time in some states, or reward per unit of time.
//!
//! Chains: in a bottom component the average is (reward of a round) / (time of a round) for rounds from a state back to itself
//! (renewal theorem), two systems of equations; elsewhere the averages are weighed with the probabilities to end there. CTMCs
//! are asked about their embedded chain, where a visit takes the mean sojourn time. MDPs: the average of an end component is
//! found by policy iteration or bounded by value iteration (`gain.rs`); then every end component is a place where one may stay for its average (de Alfaro
//! 1997; Ashok et al., *Value iteration for long-run average reward in Markov decision processes*, CAV 2017).

use dashu_ratio::RBig;

use super::gain::{Average, gain};
use super::layout::{Layout, Task, fits, structure};
use crate::answer::{Answer, Extreme, Work};
use crate::effort::{Effort, Failure};
use crate::graph::{Components, bottom_components, components, maximal_end_components};
use crate::model::{Kind, Model, Pool, RewardId, Rewards, embedded_with};
use crate::numbers::Extended;
use crate::solve::{Equations, Known, Role, Solved, solve};
use crate::states::StateSet;

/// Share of time (of steps, in discrete time) in such states in the long run.
pub fn long_run(model: &Model, extreme: Extreme, of: &StateSet, effort: &Effort) -> Result<Answer, Failure> {
    fits(model, &[of])?;
    if model.kind() == Kind::Ctmc {
        let (chain, time) = embedded_with(model);
        let inside = (0..model.states()).map(|s| if of.contains(s) { time.of_state(s) } else { Pool::ZERO }).collect();
        let inside = Rewards { name: String::new(), states: inside, choices: Vec::new() };
        return Ok(of_chain(&chain, &inside, &time, effort)?.at_most_one());
    }
    let inside = (0..model.states()).map(|s| if of.contains(s) { Pool::ONE } else { Pool::ZERO }).collect();
    let inside = Rewards { name: String::new(), states: inside, choices: Vec::new() };
    Ok(discrete(model, extreme, &inside, effort)?.at_most_one())
}

/// Reward per unit of time (per step, in discrete time) in the long run.
pub fn long_run_reward(model: &Model, extreme: Extreme, reward: RewardId, effort: &Effort) -> Result<Answer, Failure> {
    let rewards = structure(model, reward)?;
    if model.kind() == Kind::Ctmc {
        let (chain, time) = embedded_with(model);
        let rewards = structure(&chain, reward)?;
        return of_chain(&chain, rewards, &time, effort);
    }
    discrete(model, extreme, rewards, effort)
}

fn discrete(model: &Model, extreme: Extreme, rewards: &Rewards, effort: &Effort) -> Result<Answer, Failure> {
    if model.kind() == Kind::Mdp {
        return of_process(model, extreme, rewards, effort);
    }
    let time = Rewards { name: String::new(), states: vec![Pool::ONE; model.states()], choices: Vec::new() };
    of_chain(model, rewards, &time, effort)
}

fn of_chain(model: &Model, rewards: &Rewards, time: &Rewards, effort: &Effort) -> Result<Answer, Failure> {
    let parts = components(model);
    let bottoms = bottom_components(model, &parts);
    let mut work = Work::default();
    let mut averages = Vec::with_capacity(bottoms.len());
    let mut index = vec![u32::MAX; parts.count()];
    // Both sums of a quotient are inexact, and the probabilities to get there are, too.
    let inner = Effort { relative: effort.relative * 0.2, ..*effort };
    for (number, &bottom) in bottoms.iter().enumerate() {
        index[bottom] = number as u32;
        averages.push(of_bottom(model, rewards, time, &parts, bottom, &inner, &mut work)?);
    }
    let exact: Option<Vec<RBig>> = averages.iter().map(|average| average.exact().cloned()).collect();
    // All runs end in one of them: if it makes no difference in which, there is nothing to compute.
    if let Some([first, others @ ..]) = exact.as_deref()
        && others.iter().all(|other| other == first)
    {
        return Ok(Answer { work, ..Answer::exact(vec![Extended::Finite(first.clone()); model.states()]) });
    }
    let around = averages.iter().map(Average::interval).collect();
    let unknown = StateSet::from_fn(model.states(), |state| index[parts.of(state)] == u32::MAX);
    let task = Task {
        model,
        extreme: Extreme::Max,
        layout: Layout::new(model, &unknown, None, |state| index[parts.of(state)]),
        ends: None,
        rewards: None,
        known: Known { exact, around },
        may_end: Vec::new(),
    };
    let mut answer = task.answer(|_| true, None, None, effort)?;
    answer.work.components += work.components;
    answer.work.sweeps += work.sweeps;
    answer.work.operations += work.operations;
    Ok(answer)
}

/// The average in a bottom component.
fn of_bottom(
    model: &Model,
    rewards: &Rewards,
    time: &Rewards,
    parts: &Components,
    bottom: usize,
    effort: &Effort,
    work: &mut Work,
) -> Result<Average, Failure> {
    let members = parts.members(bottom);
    let gives = |&state: &u32| {
        rewards.of_state(state as usize) != Pool::ZERO || rewards.of_choice(state as usize) != Pool::ZERO
    };
    if !members.iter().any(gives) {
        return Ok(Average::Exact(RBig::ZERO));
    }
    let home = busiest(model, members);
    let earned = round(model, rewards, members, home, effort, work)?;
    let taken = round(model, time, members, home, effort, work)?;
    Ok(match (earned, taken) {
        (Average::Exact(earned), Average::Exact(taken)) => Average::Exact(earned / taken),
        (earned, taken) => Average::Between(earned.interval().over(taken.interval())),
    })
}

/// A state that is visited often: rounds from it are short. A guess is enough.
fn busiest(model: &Model, members: &[u32]) -> usize {
    let mut mass: std::collections::HashMap<u32, f64> = members.iter().map(|&state| (state, 1.0)).collect();
    let rounds = (2_000_000 / (members.len() + 1)).clamp(2, 64);
    for _ in 0..rounds {
        // Half of the mass stays, so that periodic chains settle, too.
        let mut next: std::collections::HashMap<u32, f64> = mass.iter().map(|(&s, &m)| (s, 0.5 * m)).collect();
        for (&state, &amount) in &mass {
            for (target, weight) in model.entries(state as usize) {
                *next.entry(target as u32).or_insert(0.0) += 0.5 * amount * model.around(weight).lower;
            }
        }
        mass = next;
    }
    let most = members.iter().max_by(|a, b| mass[a].total_cmp(&mass[b]).then(b.cmp(a)));
    most.map_or(0, |&state| state as usize)
}

/// Expected reward of a round from `home` to `home`.
fn round(
    model: &Model,
    rewards: &Rewards,
    members: &[u32],
    home: usize,
    effort: &Effort,
    work: &mut Work,
) -> Result<Average, Failure> {
    // The round as one more variable: it starts at home and ends there.
    let mut place = std::collections::HashMap::new();
    for &state in members.iter().filter(|&&state| state as usize != home) {
        place.insert(state, place.len() as u32);
    }
    let variables = place.len() + 1;
    let role = |target: usize| match place.get(&(target as u32)) {
        Some(&variable) => Role::Variable(variable),
        None => Role::Known(0),
    };
    let mut equations = Equations::new(model, Extreme::Max, Known::zero_and_one());
    let others = members.iter().map(|&state| state as usize).filter(|&state| state != home);
    for state in others.chain([home]) {
        equations.add_choice(model, state, variables, Some((rewards, state)), role);
        equations.end_variable();
    }
    Ok(match solve(&equations, effort, work)? {
        Solved::Exact(solution) => Average::Exact(solution.values[variables - 1].clone()),
        Solved::Between(solution) => Average::Between(solution.values[variables - 1]),
    })
}

fn of_process(model: &Model, extreme: Extreme, rewards: &Rewards, effort: &Effort) -> Result<Answer, Failure> {
    let ends = maximal_end_components(model);
    let mut work = Work::default();
    let mut averages = Vec::with_capacity(ends.count());
    let inner = Effort { relative: effort.relative * 0.4, ..*effort };
    for component in 0..ends.count() {
        averages.push(gain(model, &ends, component, extreme, rewards, &inner, &mut work)?);
    }
    let exact = averages.iter().map(|average| average.exact().cloned()).collect();
    let around = averages.iter().map(Average::interval).collect();
    let all = StateSet::all(model.states());
    let layout = Layout::new(model, &all, Some(&ends), |_| 0);
    let may_end = (0..layout.variables() as u32)
        .filter_map(|variable| {
            let first = layout.members(variable as usize)[0] as usize;
            ends.of(first).map(|component| (variable, component as u32))
        })
        .collect();
    let known = Known { exact, around };
    let task = Task { model, extreme, layout, ends: Some(&ends), rewards: None, known, may_end };
    let mut answer = task.answer(|_| true, None, None, effort)?;
    answer.work.sweeps += work.sweeps;
    answer.work.operations += work.operations;
    Ok(answer)
}
