//! Builds a model state by state: normalises, merges, adds self-loops to deadlocks, folds rewards.
//!
//! States are added in the order of their ids; targets may be states that come later. Semantics of PRISM and Storm: in a DTMC
//! the weights of all choices of a state are divided by their sum, in an MDP those of each choice, in a CTMC rates of all
//! choices race. Entries of one choice to the same state are added. A state without entries gets a self-loop of weight 1.
//! Fails on negative numbers, targets that never came, and more than 2³² entries.

use std::fmt;
use std::ops::Range;

use dashu_ratio::RBig;

use super::{Kind, Model, NumberId, Numbers, Pool, RewardId, Rewards};

/// What is wrong with what was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    Negative {
        state: usize,
        what: &'static str,
    },
    /// An entry or an initial state that is no state.
    NoSuchState {
        state: usize,
        target: usize,
    },
    NoSuchReward {
        reward: u32,
    },
    NoState,
    TooLarge,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Negative { state, what } => write!(f, "state {state} has a negative {what}"),
            BuildError::NoSuchState { state, target } => {
                write!(f, "state {state} leads to {target}, which is no state")
            }
            BuildError::NoSuchReward { reward } => write!(f, "there is no reward structure {reward}"),
            BuildError::NoState => write!(f, "the model has no state"),
            BuildError::TooLarge => write!(f, "more than 2³² states, choices or entries"),
        }
    }
}

impl std::error::Error for BuildError {}

/// Entries and rewards of one choice of the state that is being built.
#[derive(Clone, Debug, Default)]
struct OpenChoice {
    entries: Vec<(u32, NumberId)>,
    /// (structure, reward) of the choice.
    rewards: Vec<(u32, NumberId)>,
    /// (structure, weight of the entry, reward) of single entries.
    entry_rewards: Vec<(u32, NumberId, NumberId)>,
}

/// A model that is being built.
#[derive(Clone, Debug)]
pub struct Builder {
    kind: Kind,
    numbers: Numbers,
    choice_start: Vec<u32>,
    entry_start: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<NumberId>,
    deadlocks: Vec<u32>,
    rewards: Vec<Rewards>,
    states: usize,
    /// Choices of the state that was begun last.
    open: Vec<OpenChoice>,
    used: usize,
    is_open: bool,
    /// The current state was said to be a deadlock.
    said_deadlock: bool,
    highest: u32,
    highest_from: usize,
    error: Option<BuildError>,
    merged: Vec<(u32, NumberId)>,
}

impl Builder {
    pub fn new(kind: Kind) -> Builder {
        Builder::with_numbers(kind, Numbers::new())
    }

    pub(crate) fn with_numbers(kind: Kind, numbers: Numbers) -> Builder {
        Builder {
            kind,
            numbers,
            choice_start: vec![0],
            entry_start: vec![0],
            targets: Vec::new(),
            weights: Vec::new(),
            deadlocks: Vec::new(),
            rewards: Vec::new(),
            states: 0,
            open: Vec::new(),
            used: 0,
            is_open: false,
            said_deadlock: false,
            highest: 0,
            highest_from: 0,
            error: None,
            merged: Vec::new(),
        }
    }

    /// Declares a reward structure. Structures are declared before states.
    pub fn reward_structure(&mut self, name: &str) -> RewardId {
        self.rewards.push(Rewards { name: name.to_string(), states: Vec::new(), choices: Vec::new() });
        RewardId(self.rewards.len() as u32 - 1)
    }

    /// The id of a number, to be used in this model. Ask once per number, not once per entry.
    pub fn number(&mut self, number: &RBig) -> NumberId {
        if *number < RBig::ZERO {
            self.fail(BuildError::Negative { state: self.states, what: "number" });
            return Pool::ZERO;
        }
        self.numbers.id(number)
    }

    /// The bytes of the arrays that grow with the model.
    pub fn memory(&self) -> usize {
        let arrays = [&self.choice_start, &self.entry_start, &self.targets, &self.deadlocks];
        let rewards = self.rewards.iter().map(|rewards| rewards.states.capacity() + rewards.choices.capacity());
        4 * (arrays.iter().map(|array| array.capacity()).sum::<usize>()
            + self.weights.capacity()
            + rewards.sum::<usize>())
    }

    /// The sum of two numbers. It is remembered.
    pub fn sum(&mut self, a: NumberId, b: NumberId) -> NumberId {
        self.numbers.sum(a, b)
    }

    /// The product of two numbers. It is remembered.
    pub fn product(&mut self, a: NumberId, b: NumberId) -> NumberId {
        self.numbers.product(a, b)
    }

    pub fn exact(&self, number: NumberId) -> &RBig {
        self.numbers.get(number)
    }

    fn fail(&mut self, error: BuildError) {
        self.error.get_or_insert(error);
    }

    /// What went wrong so far.
    pub fn error(&self) -> Option<&BuildError> {
        self.error.as_ref()
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn pool(&self) -> &Pool {
        self.numbers.pool()
    }

    /// The choices of a state that is stored, as indices over all choices.
    pub(crate) fn stored_choices(&self, row: usize) -> Range<usize> {
        self.choice_start[row] as usize..self.choice_start[row + 1] as usize
    }

    /// Where the entries of a stored choice are.
    pub(crate) fn stored_range(&self, choice: usize) -> Range<usize> {
        self.entry_start[choice] as usize..self.entry_start[choice + 1] as usize
    }

    pub(crate) fn stored_targets(&self) -> &[u32] {
        &self.targets
    }

    pub(crate) fn stored_weights(&self) -> &[NumberId] {
        &self.weights
    }

    /// Begins the next state and returns its id. What follows is about it.
    pub fn state(&mut self) -> usize {
        self.close();
        self.is_open = true;
        self.states += 1;
        self.states - 1
    }

    /// Adds to the reward of the current state (per unit of time in continuous time).
    pub fn state_reward(&mut self, structure: RewardId, reward: NumberId) {
        let Some(state) = self.states.checked_sub(1) else { return self.fail(BuildError::NoState) };
        let Some(rewards) = self.rewards.get_mut(structure.0 as usize) else {
            return self.fail(BuildError::NoSuchReward { reward: structure.0 });
        };
        if reward == Pool::ZERO {
            return;
        }
        rewards.states.resize(state + 1, Pool::ZERO);
        rewards.states[state] = self.numbers.sum(rewards.states[state], reward);
    }

    /// Begins another choice of the current state.
    pub fn choice(&mut self) {
        if self.used == self.open.len() {
            self.open.push(OpenChoice::default());
        }
        let choice = &mut self.open[self.used];
        choice.entries.clear();
        choice.rewards.clear();
        choice.entry_rewards.clear();
        self.used += 1;
    }

    /// Adds to the reward of the current choice.
    pub fn choice_reward(&mut self, structure: RewardId, reward: NumberId) {
        if structure.0 as usize >= self.rewards.len() {
            return self.fail(BuildError::NoSuchReward { reward: structure.0 });
        }
        if reward != Pool::ZERO
            && let Some(choice) = self.current()
        {
            choice.rewards.push((structure.0, reward));
        }
    }

    /// An entry of the current choice: a probability, or a rate.
    pub fn entry(&mut self, target: usize, weight: NumberId) {
        if weight == Pool::ZERO {
            return;
        }
        let Ok(target) = u32::try_from(target) else { return self.fail(BuildError::TooLarge) };
        if target > self.highest {
            self.highest = target;
            self.highest_from = self.states.saturating_sub(1);
        }
        if let Some(choice) = self.current() {
            choice.entries.push((target, weight));
        }
    }

    /// Adds a reward to the entry added last, which has this weight.
    pub fn entry_reward(&mut self, structure: RewardId, weight: NumberId, reward: NumberId) {
        if structure.0 as usize >= self.rewards.len() {
            return self.fail(BuildError::NoSuchReward { reward: structure.0 });
        }
        if reward != Pool::ZERO
            && weight != Pool::ZERO
            && let Some(choice) = self.current()
        {
            choice.entry_rewards.push((structure.0, weight, reward));
        }
    }

    /// Says that nothing can happen in the current state, although it has its self-loop already.
    pub fn deadlock(&mut self) {
        self.said_deadlock = true;
    }

    fn current(&mut self) -> Option<&mut OpenChoice> {
        if !self.is_open {
            self.error.get_or_insert(BuildError::NoState);
            return None;
        }
        if self.used == 0 {
            self.choice();
        }
        self.open.get_mut(self.used - 1)
    }

    /// Normalises and stores the current state.
    pub(crate) fn close(&mut self) {
        self.close_as((self.states as u32).saturating_sub(1));
    }

    /// The same, for a state that entries call by this number: what it loops to if nothing else can happen.
    pub(crate) fn close_as(&mut self, number: u32) {
        if !self.is_open {
            return;
        }
        self.is_open = false;
        let choices = std::mem::take(&mut self.open);
        let filled = choices[..self.used].iter().filter(|choice| !choice.entries.is_empty());
        if filled.clone().next().is_none() {
            self.deadlocks.push(number);
            self.targets.push(number);
            self.weights.push(Pool::ONE);
            self.entry_start.push(self.targets.len() as u32);
        } else if self.kind == Kind::Mdp {
            if self.said_deadlock {
                self.deadlocks.push(self.states as u32 - 1);
            }
            filled.for_each(|choice| self.row(std::slice::from_ref(choice)));
        } else {
            if self.said_deadlock {
                self.deadlocks.push(self.states as u32 - 1);
            }
            self.row(&choices[..self.used]);
        }
        self.said_deadlock = false;
        self.choice_start.push(self.entry_start.len() as u32 - 1);
        if self.targets.len() >= u32::MAX as usize || self.states >= u32::MAX as usize - 16 {
            self.fail(BuildError::TooLarge);
            self.targets.clear();
            self.weights.clear();
        }
        self.open = choices;
        self.used = 0;
    }

    /// Stores these choices as one row: weights divided by their sum (not rates), targets merged, rewards weighed.
    fn row(&mut self, choices: &[OpenChoice]) {
        let mut total = Pool::ZERO;
        for (_, weight) in choices.iter().flat_map(|choice| &choice.entries) {
            total = self.numbers.sum(total, *weight);
        }
        let scale = if self.kind == Kind::Ctmc { Pool::ONE } else { total };
        let mut merged = std::mem::take(&mut self.merged);
        merged.clear();
        for &(target, weight) in choices.iter().flat_map(|choice| &choice.entries) {
            let weight = self.numbers.share(weight, scale);
            merged.push((target, weight));
        }
        merged.sort_by_key(|&(target, _)| target);
        let start = self.targets.len();
        for &(target, weight) in &merged {
            if self.targets.len() > start && self.targets.last() == Some(&target) {
                if let Some(last) = self.weights.last_mut() {
                    *last = self.numbers.sum(*last, weight);
                }
            } else {
                self.targets.push(target);
                self.weights.push(weight);
            }
        }
        self.merged = merged;
        self.entry_start.push(self.targets.len() as u32);
        let row = self.entry_start.len() - 2;
        for choice in choices {
            if choice.rewards.is_empty() && choice.entry_rewards.is_empty() {
                continue;
            }
            let mut part = Pool::ZERO;
            for (_, weight) in &choice.entries {
                part = self.numbers.sum(part, *weight);
            }
            let share = self.numbers.share(part, total);
            for &(structure, reward) in &choice.rewards {
                let reward = self.numbers.product(share, reward);
                self.add_row_reward(structure, row, reward);
            }
            for &(structure, weight, reward) in &choice.entry_rewards {
                let share = self.numbers.share(weight, total);
                let reward = self.numbers.product(share, reward);
                self.add_row_reward(structure, row, reward);
            }
        }
    }

    fn add_row_reward(&mut self, structure: u32, row: usize, reward: NumberId) {
        let rewards = &mut self.rewards[structure as usize].choices;
        rewards.resize(row + 1, Pool::ZERO);
        rewards[row] = self.numbers.sum(rewards[row], reward);
    }

    /// The model, with its initial states.
    pub fn finish(mut self, initial: impl IntoIterator<Item = usize>) -> Result<Model, BuildError> {
        self.close();
        if let Some(error) = self.error {
            return Err(error);
        }
        if self.states == 0 {
            return Err(BuildError::NoState);
        }
        if self.highest as usize >= self.states {
            return Err(BuildError::NoSuchState { state: self.highest_from, target: self.highest as usize });
        }
        let mut first: Vec<u32> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for state in initial {
            if state >= self.states {
                return Err(BuildError::NoSuchState { state, target: state });
            }
            if seen.insert(state) {
                first.push(state as u32);
            }
        }
        let choices = self.entry_start.len() - 1;
        for rewards in &mut self.rewards {
            if !rewards.states.is_empty() {
                rewards.states.resize(self.states, Pool::ZERO);
            }
            if !rewards.choices.is_empty() {
                rewards.choices.resize(choices, Pool::ZERO);
            }
        }
        let choice_start = if self.kind == Kind::Mdp { self.choice_start } else { Vec::new() };
        Ok(Model {
            kind: self.kind,
            states: self.states,
            choice_start,
            entry_start: self.entry_start,
            targets: self.targets,
            weights: self.weights,
            pool: self.numbers.finish(),
            initial: first,
            deadlocks: self.deadlocks,
            rewards: self.rewards,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(n: i64, d: i64) -> RBig {
        RBig::from_parts_signed(n.into(), d.into())
    }

    #[test]
    fn a_dtmc_shares_its_commands_and_merges() {
        let mut builder = Builder::new(Kind::Dtmc);
        let steps = builder.reward_structure("steps");
        let (half, two) = (builder.number(&fraction(1, 2)), builder.number(&fraction(2, 1)));
        builder.state();
        builder.state_reward(steps, two);
        builder.choice();
        builder.entry(0, half);
        builder.entry(1, half);
        builder.choice_reward(steps, two);
        builder.choice();
        builder.entry(1, Pool::ONE);
        builder.entry_reward(steps, Pool::ONE, half);
        builder.state();
        let model = builder.finish([0, 0]).unwrap();
        assert_eq!((model.states(), model.choices(), model.transitions()), (2, 2, 3));
        assert_eq!((model.initial().count(), model.deadlocks().collect::<Vec<_>>()), (1, vec![1]));
        let row: Vec<_> = model.entries(0).map(|(t, w)| (t, model.exact(w).clone())).collect();
        assert_eq!(row, [(0, fraction(1, 4)), (1, fraction(3, 4))]);
        // Half of the time 2, half of the time 1/2.
        assert_eq!(*model.exact(model.rewards()[0].of_choice(0)), fraction(5, 4));
        assert_eq!(*model.exact(model.rewards()[0].of_state(0)), fraction(2, 1));
    }

    #[test]
    fn an_mdp_keeps_equal_choices_and_a_ctmc_adds_rates() {
        for (kind, choices, transitions) in [(Kind::Mdp, 2, 2), (Kind::Ctmc, 1, 1)] {
            let mut builder = Builder::new(kind);
            builder.state();
            for _ in 0..2 {
                builder.choice();
                builder.entry(0, Pool::ONE);
            }
            let model = builder.finish([0]).unwrap();
            assert_eq!((model.choices(), model.transitions()), (choices, transitions));
            assert_eq!(model.deadlocks().count(), 0);
            assert_eq!(model.exit_rate(0), RBig::from(if kind == Kind::Ctmc { 2 } else { 1 }));
        }
    }

    #[test]
    fn mistakes_are_named() {
        let mut builder = Builder::new(Kind::Dtmc);
        builder.state();
        builder.entry(3, Pool::ONE);
        assert_eq!(builder.finish([0]).unwrap_err(), BuildError::NoSuchState { state: 0, target: 3 });
        assert_eq!(Builder::new(Kind::Dtmc).finish([]).unwrap_err(), BuildError::NoState);
        let mut builder = Builder::new(Kind::Dtmc);
        builder.state();
        let minus = builder.number(&fraction(-1, 2));
        builder.entry(0, minus);
        assert!(matches!(builder.finish([0]).unwrap_err(), BuildError::Negative { .. }));
    }
}
