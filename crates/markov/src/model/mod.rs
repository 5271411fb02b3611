//! Explicit models: states, choices, distributions, rewards, in few flat arrays.
//!
//! The entries of a choice are contiguous, so are the choices of a state (compressed sparse rows, 32-bit indices). Chains have
//! one choice per state and no array for it. Made by a [`Builder`], never changed afterwards.

mod builder;
mod derived;
mod pool;

use std::ops::Range;

pub use builder::{BuildError, Builder};
use dashu_ratio::RBig;
pub(crate) use derived::{embedded, embedded_with, uniform_rewards};
pub(crate) use pool::Numbers;
pub use pool::{NumberId, Pool};

use crate::numbers::Interval;

/// What kind of process it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Discrete-time Markov chain: one distribution per state.
    Dtmc,
    /// Continuous-time Markov chain: one row of rates per state.
    Ctmc,
    /// Markov decision process: somebody chooses among distributions.
    Mdp,
}

/// Index of a reward structure of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RewardId(pub u32);

/// Rewards of states and choices. Empty arrays are all zeros.
#[derive(Clone, Debug)]
pub struct Rewards {
    pub(crate) name: String,
    /// Per state; in continuous time per unit of time.
    pub(crate) states: Vec<NumberId>,
    /// Per choice: what is expected when it is taken, rewards of single entries included.
    pub(crate) choices: Vec<NumberId>,
}

impl Rewards {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reward of being in the state (per unit of time, in continuous time).
    pub fn of_state(&self, state: usize) -> NumberId {
        self.states.get(state).copied().unwrap_or(Pool::ZERO)
    }

    /// Expected reward of leaving a state by this choice.
    pub fn of_choice(&self, choice: usize) -> NumberId {
        self.choices.get(choice).copied().unwrap_or(Pool::ZERO)
    }
}

/// An explicit chain or decision process.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) kind: Kind,
    pub(crate) states: usize,
    /// First choice of each state, and the end. Empty for chains: choice = state.
    pub(crate) choice_start: Vec<u32>,
    /// First entry of each choice, and the end.
    pub(crate) entry_start: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    pub(crate) weights: Vec<NumberId>,
    pub(crate) pool: Pool,
    pub(crate) initial: Vec<u32>,
    pub(crate) deadlocks: Vec<u32>,
    pub(crate) rewards: Vec<Rewards>,
}

impl Model {
    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn states(&self) -> usize {
        self.states
    }

    pub fn choices(&self) -> usize {
        self.entry_start.len() - 1
    }

    /// Entries after merging, self-loops of deadlocks included.
    pub fn transitions(&self) -> usize {
        self.targets.len()
    }

    /// In the order given, each once.
    pub fn initial(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.initial.iter().map(|&state| state as usize)
    }

    /// States that had no choice and were given a self-loop.
    pub fn deadlocks(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.deadlocks.iter().map(|&state| state as usize)
    }

    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    pub fn rewards(&self) -> &[Rewards] {
        &self.rewards
    }

    pub fn reward(&self, id: RewardId) -> Option<&Rewards> {
        self.rewards.get(id.0 as usize)
    }

    pub fn reward_named(&self, name: &str) -> Option<RewardId> {
        self.rewards.iter().position(|rewards| rewards.name == name).map(|index| RewardId(index as u32))
    }

    /// The choices of a state, as indices over all choices of the model.
    pub fn choices_of(&self, state: usize) -> Range<usize> {
        if self.choice_start.is_empty() {
            state..state + 1
        } else {
            self.choice_start[state] as usize..self.choice_start[state + 1] as usize
        }
    }

    pub(crate) fn entry_range(&self, choice: usize) -> Range<usize> {
        self.entry_start[choice] as usize..self.entry_start[choice + 1] as usize
    }

    /// All entries of all choices of a state.
    pub(crate) fn entries_of_state(&self, state: usize) -> Range<usize> {
        let choices = self.choices_of(state);
        self.entry_start[choices.start] as usize..self.entry_start[choices.end] as usize
    }

    /// Targets and weights (probabilities, or rates) of a choice; targets are distinct and ascend.
    pub fn entries(&self, choice: usize) -> impl ExactSizeIterator<Item = (usize, NumberId)> + '_ {
        let range = self.entry_range(choice);
        self.targets[range.clone()].iter().zip(&self.weights[range]).map(|(&target, &weight)| (target as usize, weight))
    }

    pub(crate) fn targets_of(&self, choice: usize) -> &[u32] {
        &self.targets[self.entry_range(choice)]
    }

    pub fn exact(&self, id: NumberId) -> &RBig {
        self.pool.exact(id)
    }

    pub fn around(&self, id: NumberId) -> Interval {
        self.pool.around(id)
    }

    /// Sum of the rates of a state of a CTMC, its self-loop included; 1 in discrete time.
    pub fn exit_rate(&self, state: usize) -> RBig {
        match self.kind {
            Kind::Ctmc => self.entries(state).map(|(_, rate)| self.exact(rate)).fold(RBig::ZERO, |a, b| a + b),
            Kind::Dtmc | Kind::Mdp => RBig::ONE,
        }
    }

    /// Bytes of the arrays.
    pub fn memory(&self) -> usize {
        let words = self.choice_start.len()
            + self.entry_start.len()
            + 2 * self.targets.len()
            + self.initial.len()
            + self.deadlocks.len()
            + self.rewards.iter().map(|rewards| rewards.states.len() + rewards.choices.len()).sum::<usize>();
        4 * words + self.pool.len() * 80
    }
}
