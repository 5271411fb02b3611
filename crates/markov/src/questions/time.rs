//! Questions with real time about CTMCs, by uniformisation.
//!
//! Jensen (1953); Baier, Haverkort, Hermanns and Katoen, *Model-checking algorithms for continuous-time Markov chains* (2003).
//! With q the largest exit rate and P = I + Q/q, the state at time t is that of P after N steps, N Poisson with rate q·t. A
//! vector is carried backwards (`transient.rs`) and summed with the weights of `poisson.rs`.

use dashu_ratio::RBig;

use super::layout::{finite, fits, structure};
use super::poisson::Poisson;
use super::transient::{Shares, Uniform, transient};
use super::until::until;
use crate::answer::{Answer, Extreme, Work};
use crate::effort::{Effort, Failure};
use crate::graph::{Predecessors, prob0_some};
use crate::model::{Kind, Model, RewardId, uniform_rewards};
use crate::numbers::{Interval, up};
use crate::states::StateSet;

fn continuous(model: &Model, times: &[&RBig]) -> Result<(), Failure> {
    if model.kind() != Kind::Ctmc {
        return Err(Failure::Refused("only continuous-time chains have real time".into()));
    }
    if times.iter().any(|time| **time < RBig::ZERO) {
        return Err(Failure::Refused("a time is negative".into()));
    }
    Ok(())
}

/// The distribution of the state after this time, applied to `values`.
fn after_time(
    uniform: &Uniform,
    values: Vec<Interval>,
    time: &RBig,
    limit: Option<&[Interval]>,
    effort: &Effort,
    work: &mut Work,
) -> Result<Vec<Interval>, Failure> {
    if time.is_zero() || uniform.rate.is_zero() {
        return Ok(values);
    }
    let poisson = Poisson::new(Interval::around(&(&uniform.rate * time)))?;
    let of = |i| poisson.weight(i);
    let (before, beyond) = (poisson.left, poisson.right);
    let shares = Shares { of: &of, last: poisson.last(), before, beyond, total: Interval::ONE };
    let start = values.clone();
    let mut after = transient(uniform, values, &shares, limit, effort, work)?;
    for state in (0..after.len()).filter(|&state| uniform.rests(state)) {
        after[state] = start[state];
    }
    Ok(after)
}

/// What is 0 for certain, however long it takes: where no state that is worth something can be reached. Sums of rounded numbers
/// would not say so.
fn with_zeros(model: &Model, left: &StateSet, worth: &dyn Fn(usize) -> bool, after: &mut [Interval]) {
    let right = StateSet::from_fn(model.states(), worth);
    let zero = prob0_some(model, &Predecessors::new(model), left, &right);
    zero.iter().for_each(|state| after[state] = Interval::ZERO);
}

/// What is 1 for certain after a time in which states outside of `left` are worth nothing: where only states that are worth 1 can
/// be reached.
fn with_ones(model: &Model, left: &StateSet, before: &[Interval], after: &mut [Interval]) {
    let less = StateSet::from_fn(model.states(), |state| before[state].lower < 1.0);
    let one = prob0_some(model, &Predecessors::new(model), left, &less);
    one.iter().for_each(|state| after[state] = Interval::ONE);
}

/// Probability of `left U right` in a CTMC with the decisive state met at a time between `from` and `to` (`None`: any later
/// time). Whether the ends are included makes no difference, but for time 0, which is.
pub fn until_time(
    model: &Model,
    left: &StateSet,
    right: &StateSet,
    from: &RBig,
    to: Option<&RBig>,
    effort: &Effort,
) -> Result<Answer, Failure> {
    fits(model, &[left, right])?;
    continuous(model, &[from, to.unwrap_or(from)])?;
    if to.is_some_and(|to| to < from) {
        return Ok(Answer::exact(vec![crate::Extended::Finite(RBig::ZERO); model.states()]));
    }
    let any_time = until(model, Extreme::Max, left, right, &Effort { relative: effort.relative * 0.05, ..*effort })?;
    let mut work = any_time.work;
    let mut values = match to {
        None if from.is_zero() => return Ok(any_time),
        None => any_time.values.intervals(),
        Some(to) => {
            let zero = prob0_some(model, &Predecessors::new(model), left, right);
            let moves = |state: usize| left.contains(state) && !right.contains(state) && !zero.contains(state);
            let uniform = Uniform::new(model, moves);
            let limit = any_time.values.intervals();
            let start = indicator(model, right);
            after_time(&uniform, start, &(to - from), Some(&limit), effort, &mut work)?
        }
    };
    if !from.is_zero() {
        for (state, value) in values.iter_mut().enumerate() {
            if !left.contains(state) {
                *value = Interval::ZERO;
            }
        }
        let uniform = Uniform::new(model, |state| left.contains(state));
        let before = values.clone();
        values = after_time(&uniform, values, from, None, effort, &mut work)?;
        with_zeros(model, left, &|state| before[state].upper > 0.0, &mut values);
        with_ones(model, left, &before, &mut values);
    }
    let mut answer = Answer::between(values, effort.relative, effort.absolute).at_most_one();
    answer.work = work;
    Ok(answer)
}

fn indicator(model: &Model, of: &StateSet) -> Vec<Interval> {
    (0..model.states()).map(|state| if of.contains(state) { Interval::ONE } else { Interval::ZERO }).collect()
}

/// Expected state reward of a CTMC at a time.
pub fn reward_at_time(model: &Model, reward: RewardId, time: &RBig, effort: &Effort) -> Result<Answer, Failure> {
    continuous(model, &[time])?;
    let rewards = structure(model, reward)?;
    let uniform = Uniform::new(model, |_| true);
    if uniform.rate.is_zero() || time.is_zero() {
        let values = (0..model.states()).map(|state| model.exact(rewards.of_state(state)).clone()).collect();
        return Ok(Answer { values: finite(values), ..Answer::exact(Vec::new()) });
    }
    let start = (0..model.states()).map(|state| model.around(rewards.of_state(state))).collect();
    let mut work = Work::default();
    let mut values = after_time(&uniform, start, time, None, effort, &mut work)?;
    let all = StateSet::all(model.states());
    with_zeros(model, &all, &|state| !model.exact(rewards.of_state(state)).is_zero(), &mut values);
    Ok(Answer { work, ..Answer::between(values, effort.relative, effort.absolute) })
}

/// Expected reward of a CTMC up to a time: state rewards times time, and rewards of jumps.
pub fn reward_time(model: &Model, reward: RewardId, time: &RBig, effort: &Effort) -> Result<Answer, Failure> {
    continuous(model, &[time])?;
    structure(model, reward)?;
    let earned = uniform_rewards(model, reward);
    let uniform = Uniform::new(model, |_| true);
    if uniform.rate.is_zero() || time.is_zero() {
        return Ok(Answer {
            values: finite(earned.iter().map(|rate| rate * time).collect()),
            ..Answer::exact(Vec::new())
        });
    }
    let poisson = Poisson::new(Interval::around(&(&uniform.rate * time)))?;
    let (more, rate) = (poisson.more_than(), Interval::around(&uniform.rate));
    let of = |i| more(i).over(rate);
    let beyond = up(poisson.right_sum / rate.lower);
    let shares = Shares { of: &of, last: poisson.last(), before: 0.0, beyond, total: Interval::around(time) };
    let start = earned.iter().map(Interval::around).collect();
    let mut work = Work::default();
    let mut values = transient(&uniform, start, &shares, None, effort, &mut work)?;
    for state in (0..values.len()).filter(|&state| uniform.rests(state)) {
        values[state] = Interval::around(&(&earned[state] * time));
    }
    with_zeros(model, &StateSet::all(model.states()), &|state| !earned[state].is_zero(), &mut values);
    Ok(Answer { work, ..Answer::between(values, effort.relative, effort.absolute) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Pool};

    #[test]
    fn what_is_cut_off_still_counts() {
        // Forty jumps in a tenth of the mean time of one: less than the terms that are cut off, but not nothing.
        let n = 41;
        let mut builder = Builder::new(Kind::Ctmc);
        for state in 0..n {
            builder.state();
            builder.entry((state + 1).min(n - 1), Pool::ONE);
        }
        let model = builder.finish([0]).unwrap();
        let (all, right) = (StateSet::all(n), StateSet::from_states(n, [n - 1]));
        let time = crate::parse_number("0.1").unwrap();
        let effort = Effort::default();
        let answer = until_time(&model, &all, &right, &RBig::ZERO, Some(&time), &effort).unwrap();
        // At least e^-0.1 · 0.1^40 / 40!, and e^-0.1 is more than 1/2.
        let least = (1..n as u32).fold(RBig::ONE / RBig::from(2), |product, i| product * &time / RBig::from(i));
        let value = answer.values.interval(0);
        assert!(RBig::try_from(value.upper).unwrap() > least, "{value}");
        assert!(value.lower <= least.to_f64_fast() * 2.0 && value.upper < 1e-25);
        assert!(!answer.precise);
    }

    #[test]
    fn long_times_end_early_at_the_value_without_time() {
        let mut builder = Builder::new(Kind::Ctmc);
        let fast = builder.number(&RBig::from(1000));
        for targets in [vec![(1, Pool::ONE), (2, fast)], vec![], vec![(0, fast)]] {
            builder.state();
            targets.into_iter().for_each(|(target, rate)| builder.entry(target, rate));
        }
        let model = builder.finish([0]).unwrap();
        let (all, right) = (StateSet::all(3), StateSet::from_states(3, [1]));
        let time = RBig::from(1_000_000);
        let answer = until_time(&model, &all, &right, &RBig::ZERO, Some(&time), &Effort::default()).unwrap();
        let value = answer.values.interval(0);
        // The rest is less than e^-400000; 10⁹ jumps are not made.
        assert!(value.lower > 1.0 - 1e-6 && value.upper <= 1.0 && answer.work.sweeps < 1_000_000, "{value}");
    }

    #[test]
    fn what_is_certain_is_certain() {
        // 0 goes to 1 or 2; nothing leaves those.
        let mut builder = Builder::new(Kind::Ctmc);
        for targets in [vec![1, 2], vec![1], vec![2]] {
            builder.state();
            targets.into_iter().for_each(|target| builder.entry(target, Pool::ONE));
        }
        let model = builder.finish([0]).unwrap();
        let all = StateSet::all(3);
        let (time, effort) = (RBig::from(1), Effort::default());
        let between = |right: &StateSet, from: &RBig, to: Option<&RBig>| {
            let answer = until_time(&model, &all, right, from, to, &effort).unwrap();
            (0..3).map(|state| answer.values.interval(state)).collect::<Vec<_>>()
        };
        let right = StateSet::from_states(3, [1]);
        let now = between(&right, &RBig::ZERO, Some(&RBig::ZERO));
        assert_eq!(now, [Interval::ZERO, Interval::ONE, Interval::ZERO]);
        let soon = between(&right, &RBig::ZERO, Some(&time));
        assert_eq!(soon[1..], [Interval::ONE, Interval::ZERO]);
        assert!(soon[0].lower > 0.3 && soon[0].upper < 0.5);
        for to in [None, Some(RBig::from(2))] {
            assert_eq!(between(&all, &time, to.as_ref()), [Interval::ONE; 3]);
            assert_eq!(between(&right, &time, to.as_ref())[1..], [Interval::ONE, Interval::ZERO]);
        }
        let mut builder = Builder::new(Kind::Ctmc);
        let reward = builder.reward_structure("r");
        for (target, earned) in [(1, Pool::ONE), (2, Pool::ZERO), (1, Pool::ZERO)] {
            builder.state();
            builder.state_reward(reward, earned);
            builder.choice();
            builder.entry(target, Pool::ONE);
        }
        let model = builder.finish([0]).unwrap();
        for answer in [reward_at_time, reward_time].map(|ask| ask(&model, reward, &time, &effort).unwrap()) {
            assert_eq!([1, 2].map(|state| answer.values.interval(state)), [Interval::ZERO; 2]);
            assert!(answer.values.interval(0).lower > 0.3);
        }
    }
}
