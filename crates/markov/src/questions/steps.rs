//! Questions with a number of steps: a vector is carried backwards, one step at a time.
//!
//! Exact while the fractions fit the limits, otherwise with every sum rounded outward. Schedulers may depend on the step here.
//! If a step changes nothing, no further step does, and the rest is left out. Answers are as precise as rounding allows.

use dashu_ratio::RBig;

use super::layout::{finite, fits, structure};
use super::until::until;
use crate::answer::{Answer, Extreme, Values, Work};
use crate::effort::{Effort, Failure};
use crate::model::{Kind, Model, Pool, RewardId, Rewards};
use crate::numbers::{Extended, Interval, Scalar, bits};
use crate::solve::{Budget, grown, shrunk};
use crate::states::StateSet;

/// Numbers of steps, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    pub from: u64,
    /// `None`: without end.
    pub to: Option<u64>,
}

/// Some steps backwards.
struct Phase<'a> {
    steps: u64,
    /// These states are worth 1, whatever comes.
    one: Option<&'a StateSet>,
    /// States that are neither in here nor worth 1 are worth 0.
    through: Option<&'a StateSet>,
    rewards: Option<&'a Rewards>,
}

enum Place {
    Zero,
    One,
    Steps,
}

impl Phase<'_> {
    fn place(&self, state: usize) -> Place {
        if self.one.is_some_and(|set| set.contains(state)) {
            Place::One
        } else if self.through.is_some_and(|set| !set.contains(state)) {
            Place::Zero
        } else {
            Place::Steps
        }
    }
}

fn not_continuous(model: &Model) -> Result<(), Failure> {
    match model.kind() {
        Kind::Ctmc => Err(Failure::Refused("steps of a continuous-time chain are not counted".into())),
        Kind::Dtmc | Kind::Mdp => Ok(()),
    }
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
    fits(model, &[left, right])?;
    not_continuous(model)?;
    if steps.to.is_some_and(|to| to < steps.from) {
        return Ok(Answer::exact(vec![Extended::Finite(RBig::ZERO); model.states()]));
    }
    let before = Phase { steps: steps.from, one: None, through: Some(left), rewards: None };
    let Some(to) = steps.to else {
        let answer = until(model, extreme, left, right, effort)?;
        if steps.from == 0 {
            return Ok(answer);
        }
        return Ok(run(model, extreme, answer.values, &[before], effort)?.at_most_one());
    };
    let within = Phase { steps: to - steps.from, one: Some(right), through: Some(left), rewards: None };
    let start = indicator(model, right);
    Ok(run(model, extreme, start, &[within, before], effort)?.at_most_one())
}

/// Probability that the next state is one of these. In a CTMC: the state after the next jump.
pub fn next(model: &Model, extreme: Extreme, of: &StateSet, effort: &Effort) -> Result<Answer, Failure> {
    fits(model, &[of])?;
    if model.kind() == Kind::Ctmc {
        return next(&crate::model::embedded(model), extreme, of, effort);
    }
    let step = Phase { steps: 1, one: None, through: None, rewards: None };
    Ok(run(model, extreme, indicator(model, of), &[step], effort)?.at_most_one())
}

/// Expected reward of the first `steps` steps. Not for CTMCs.
pub fn reward_steps(
    model: &Model,
    extreme: Extreme,
    reward: RewardId,
    steps: u64,
    effort: &Effort,
) -> Result<Answer, Failure> {
    not_continuous(model)?;
    let rewards = structure(model, reward)?;
    let phase = Phase { steps, one: None, through: None, rewards: Some(rewards) };
    run(model, extreme, finite(vec![RBig::ZERO; model.states()]), &[phase], effort)
}

/// Expected state reward after so many steps. Not for CTMCs.
pub fn reward_at_step(
    model: &Model,
    extreme: Extreme,
    reward: RewardId,
    step: u64,
    effort: &Effort,
) -> Result<Answer, Failure> {
    not_continuous(model)?;
    let rewards = structure(model, reward)?;
    let start = (0..model.states()).map(|state| model.exact(rewards.of_state(state)).clone()).collect();
    let phase = Phase { steps: step, one: None, through: None, rewards: None };
    run(model, extreme, finite(start), &[phase], effort)
}

fn indicator(model: &Model, of: &StateSet) -> Values {
    finite((0..model.states()).map(|state| if of.contains(state) { RBig::ONE } else { RBig::ZERO }).collect())
}

fn run(model: &Model, extreme: Extreme, start: Values, phases: &[Phase], effort: &Effort) -> Result<Answer, Failure> {
    effort.reserve(model.states() * 32)?;
    let maximise = extreme == Extreme::Max;
    let mut work = Work { unknowns: model.states(), ..Work::default() };
    if let Values::Exact(values) = &start
        && model.states() <= effort.exact.states
        && effort.exact.operations > 0
    {
        let values = values.iter().map(|value| value.finite().cloned().unwrap_or(RBig::ZERO)).collect();
        let stop = || (effort.stop)();
        let limits = effort.exact;
        let mut budget = Budget { operations: limits.operations, bits: limits.bits, stop: &stop, used: 0 };
        let found = exact(model, maximise, values, phases, &mut budget);
        work.operations = budget.used;
        effort.check()?;
        if let Some(values) = found {
            return Ok(Answer { values: finite(values), scheduler: None, precise: true, work });
        }
    }
    let mut values = start.intervals();
    let mut after = values.clone();
    let every = (1_000_000 / (model.transitions() as u64 + 1)).max(1);
    for phase in phases {
        for step in 0..phase.steps {
            if step % every == 0 {
                effort.check()?;
            }
            step_between(model, maximise, phase, &values, &mut after);
            work.sweeps += 1;
            let same = values == after;
            std::mem::swap(&mut values, &mut after);
            if same {
                break;
            }
        }
    }
    let mut answer = Answer::between(values, effort.relative, effort.absolute);
    answer.work = work;
    Ok(answer)
}

fn exact(
    model: &Model,
    maximise: bool,
    mut values: Vec<RBig>,
    phases: &[Phase],
    budget: &mut Budget,
) -> Option<Vec<RBig>> {
    for phase in phases {
        for _ in 0..phase.steps {
            let mut after = Vec::with_capacity(values.len());
            for state in 0..model.states() {
                after.push(match phase.place(state) {
                    Place::Zero => RBig::ZERO,
                    Place::One => RBig::ONE,
                    Place::Steps => {
                        let mut best: Option<RBig> = None;
                        for choice in model.choices_of(state) {
                            let mut sum = match phase.rewards {
                                None => RBig::ZERO,
                                Some(rewards) => {
                                    model.exact(rewards.of_state(state)) + model.exact(rewards.of_choice(choice))
                                }
                            };
                            for (target, weight) in model.entries(choice) {
                                if !values[target].is_zero() {
                                    sum += Scalar::times(model.exact(weight), &values[target]);
                                }
                            }
                            if !budget.spend(model.entry_range(choice).len() + 1) || bits(&sum) > budget.bits {
                                return None;
                            }
                            if best.as_ref().is_none_or(|best| if maximise { sum > *best } else { sum < *best }) {
                                best = Some(sum);
                            }
                        }
                        best?
                    }
                });
            }
            let same = after == values;
            values = after;
            if same {
                break;
            }
        }
    }
    Some(values)
}

fn step_between(model: &Model, maximise: bool, phase: &Phase, values: &[Interval], after: &mut [Interval]) {
    for (state, result) in after.iter_mut().enumerate() {
        *result = match phase.place(state) {
            Place::Zero => Interval::ZERO,
            Place::One => Interval::ONE,
            Place::Steps => {
                let mut best: Option<Interval> = None;
                for choice in model.choices_of(state) {
                    let rewards = match phase.rewards {
                        None => [Pool::ZERO; 2],
                        Some(rewards) => [rewards.of_state(state), rewards.of_choice(choice)],
                    };
                    let value = row_between(model, choice, rewards, values);
                    best = Some(match best {
                        None => value,
                        Some(best) if maximise => {
                            Interval { lower: best.lower.max(value.lower), upper: best.upper.max(value.upper) }
                        }
                        Some(best) => {
                            Interval { lower: best.lower.min(value.lower), upper: best.upper.min(value.upper) }
                        }
                    });
                }
                best.unwrap_or(Interval::ZERO)
            }
        };
    }
}

fn row_between(model: &Model, choice: usize, rewards: [crate::NumberId; 2], values: &[Interval]) -> Interval {
    let (mut low, mut high, mut zero) = (0.0, 0.0, true);
    for reward in rewards {
        if reward != Pool::ZERO {
            let reward = model.around(reward);
            (low, high, zero) = (low + reward.lower, high + reward.upper, false);
        }
    }
    let range = model.entry_range(choice);
    for (&target, &weight) in model.targets[range.clone()].iter().zip(&model.weights[range.clone()]) {
        let (weight, value) = (model.pool.around(weight), values[target as usize]);
        low += weight.lower * value.lower;
        high += weight.upper * value.upper;
        zero &= value.upper == 0.0;
    }
    if zero {
        return Interval::ZERO;
    }
    Interval { lower: shrunk(low, range.len() + 2), upper: grown(high, range.len() + 2) }
}
