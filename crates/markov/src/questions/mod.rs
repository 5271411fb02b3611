//! The questions that can be asked about a model.

use dashu_ratio::RBig;

use crate::{Answer, Effort, Extreme, Failure, Model, RewardId, StateSet};

/// Numbers of steps, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    pub from: u64,
    /// `None`: without end.
    pub to: Option<u64>,
}

/// A model in which states know what was spent.
#[derive(Clone, Debug)]
pub struct Unfolding {
    /// States of the unfolding with nothing spent, by state of the model.
    pub start: Vec<usize>,
    pub model: Model,
    pub left: StateSet,
    pub right: StateSet,
}

/// Probability of `left U right`.
pub fn until(
    model: &Model,
    extreme: Extreme,
    left: &StateSet,
    right: &StateSet,
    effort: &Effort,
) -> Result<Answer, Failure> {
    todo!()
}
/// Probability that the next state is one of these.
pub fn next(model: &Model, extreme: Extreme, of: &StateSet, effort: &Effort) -> Result<Answer, Failure> {
    todo!()
}
/// Probability of `left U right` with the decisive state reached in so many steps. Not for CTMCs.
pub fn until_steps(
    model: &Model,
    extreme: Extreme,
    left: &StateSet,
    right: &StateSet,
    steps: Steps,
    effort: &Effort,
) -> Result<Answer, Failure> {
    todo!()
}
/// Probability of `left U right` in a CTMC with the decisive state met at a time between `from` and `to` (`None`: any later time).
pub fn until_time(
    model: &Model,
    left: &StateSet,
    right: &StateSet,
    from: &RBig,
    to: Option<&RBig>,
    effort: &Effort,
) -> Result<Answer, Failure> {
    todo!()
}
/// Probability of `left U right` with so much of the reward accumulated when the decisive state is reached. Not for CTMCs.
pub fn until_spent(
    model: &Model,
    extreme: Extreme,
    left: &StateSet,
    right: &StateSet,
    structure: RewardId,
    from: &RBig,
    to: Option<&RBig>,
    effort: &Effort,
) -> Result<Answer, Failure> {
    todo!()
}
/// The model in which states know what was spent.
pub fn unfold(
    model: &Model,
    left: &StateSet,
    right: &StateSet,
    structure: RewardId,
    from: &RBig,
    to: Option<&RBig>,
    effort: &Effort,
) -> Result<Unfolding, Failure> {
    todo!()
}
/// Expected reward until such a state is reached.
pub fn reward_until(
    model: &Model,
    extreme: Extreme,
    structure: RewardId,
    target: &StateSet,
    effort: &Effort,
) -> Result<Answer, Failure> {
    todo!()
}
/// Expected reward for ever.
pub fn reward_total(model: &Model, extreme: Extreme, structure: RewardId, effort: &Effort) -> Result<Answer, Failure> {
    todo!()
}
/// Expected reward of the first `steps` steps. Not for CTMCs.
pub fn reward_steps(
    model: &Model,
    extreme: Extreme,
    structure: RewardId,
    steps: u64,
    effort: &Effort,
) -> Result<Answer, Failure> {
    todo!()
}
/// Expected state reward after so many steps. Not for CTMCs.
pub fn reward_at_step(
    model: &Model,
    extreme: Extreme,
    structure: RewardId,
    step: u64,
    effort: &Effort,
) -> Result<Answer, Failure> {
    todo!()
}
/// Expected reward of a CTMC up to a time.
pub fn reward_time(model: &Model, structure: RewardId, time: &RBig, effort: &Effort) -> Result<Answer, Failure> {
    todo!()
}
/// Expected state reward of a CTMC at a time.
pub fn reward_at_time(model: &Model, structure: RewardId, time: &RBig, effort: &Effort) -> Result<Answer, Failure> {
    todo!()
}
/// Share of time (of steps) in such states in the long run.
pub fn long_run(model: &Model, extreme: Extreme, of: &StateSet, effort: &Effort) -> Result<Answer, Failure> {
    todo!()
}
/// Reward per unit of time (per step) in the long run.
pub fn long_run_reward(
    model: &Model,
    extreme: Extreme,
    structure: RewardId,
    effort: &Effort,
) -> Result<Answer, Failure> {
    todo!()
}
