//! Questions with real time about CTMCs, by uniformisation.
//!
//! Jensen (1953); Baier, Haverkort, Hermanns and Katoen, *Model-checking algorithms for continuous-time Markov chains* (2003).
//! With q the largest exit rate and P = I + Q/q, the state at time t is that of P after N steps, N Poisson with rate q·t. A
//! vector is carried backwards (`transient.rs`) and summed with the weights of `poisson.rs`.

use dashu_ratio::RBig;

use super::layout::{finite, fits, structure};
use super::poisson::{Poisson, Precision};
use super::transient::{Limit, Shares, Uniform, transient};
use super::until::until;
use crate::answer::{Answer, Extreme, Work};
use crate::effort::{Effort, Failure};
use crate::graph::{Predecessors, prob0_some, prob1_all};
use crate::model::{Kind, Model, RewardId, uniform_rewards};
use crate::numbers::{Interval, up};
use crate::states::StateSet;

/// Models up to this size are computed twice if some value is not precise.
const SMALL: usize = 10_000;

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
    (time, precision): (&RBig, Precision),
    limit: Limit<'_>,
    effort: &Effort,
    work: &mut Work,
) -> Result<Vec<Interval>, Failure> {
    if time.is_zero() || uniform.rate.is_zero() {
        return Ok(values);
    }
    let rate = Interval::around(&(&uniform.rate * time));
    Poisson::reserve(rate.upper, precision, effort)?;
    let poisson = Poisson::new(rate, precision)?;
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
    in_time(model, left, right, (from, to), false, effort)
}

/// The probability that it does not happen: 1 less the other, but computed as a sum of what is left, so that it is as precise
/// where hardly anything is.
pub fn not_until_time(
    model: &Model,
    left: &StateSet,
    right: &StateSet,
    from: &RBig,
    to: Option<&RBig>,
    effort: &Effort,
) -> Result<Answer, Failure> {
    in_time(model, left, right, (from, to), true, effort)
}

fn in_time(
    model: &Model,
    left: &StateSet,
    right: &StateSet,
    (from, to): (&RBig, Option<&RBig>),
    is_not: bool,
    effort: &Effort,
) -> Result<Answer, Failure> {
    fits(model, &[left, right])?;
    continuous(model, &[from, to.unwrap_or(from)])?;
    let turned = |answer: Answer| if is_not { answer.complement() } else { answer };
    if to.is_some_and(|to| to < from) {
        return Ok(turned(Answer::exact(vec![crate::Extended::Finite(RBig::ZERO); model.states()])));
    }
    let any_time = until(model, Extreme::Max, left, right, &Effort { relative: effort.relative * 0.05, ..*effort })?;
    let any_time = turned(any_time);
    if to.is_none() && from.is_zero() {
        return Ok(any_time);
    }
    let mut work = any_time.work;
    let (zero, one) = certain_in_time(model, left, right, from, to)?;
    // What is never met is worth nothing, or everything.
    let worth = |is_met: bool| if is_met != is_not { Interval::ONE } else { Interval::ZERO };
    let limit = any_time.values.intervals();
    let mut answer = Answer::exact(Vec::new());
    // Terms that hardly count are left out at first; they are all there is to a value that is tiny.
    for precision in [Precision::Usual, Precision::Finest] {
        let mut values = match to {
            None => limit.clone(),
            Some(to) => {
                let zero = prob0_some(model, &Predecessors::new(model), left, right);
                let moves = |state: usize| left.contains(state) && !right.contains(state) && !zero.contains(state);
                let uniform = Uniform::new(model, moves);
                let start = (0..model.states()).map(|state| worth(right.contains(state))).collect();
                let limit = if is_not { Limit::Below(&limit) } else { Limit::Above(&limit) };
                after_time(&uniform, start, (&(to - from), precision), limit, effort, &mut work)?
            }
        };
        if !from.is_zero() {
            for (state, value) in values.iter_mut().enumerate() {
                if !left.contains(state) {
                    *value = worth(false);
                }
            }
            let uniform = Uniform::new(model, |state| left.contains(state));
            values = after_time(&uniform, values, (from, precision), Limit::None, effort, &mut work)?;
        }
        zero.iter().for_each(|state| values[state] = worth(false));
        one.iter().for_each(|state| values[state] = worth(true));
        answer = Answer::between(values, effort.relative, effort.absolute).at_most_one();
        // In large models this would cost as much again for states that nobody may have asked about.
        let is_good = |state: usize| answer.values.interval(state).is_within(effort.relative, effort.absolute);
        if answer.precise || model.states() > SMALL && model.initial().all(is_good) {
            break;
        }
    }
    answer.work = work;
    Ok(answer)
}

/// Where the probability of `left U right` in this time is 0 and where it is 1, for certain. The graph decides: a state may be
/// left at any time, however soon, or not at all in a time that ends.
pub fn certain_in_time(
    model: &Model,
    left: &StateSet,
    right: &StateSet,
    from: &RBig,
    to: Option<&RBig>,
) -> Result<(StateSet, StateSet), Failure> {
    fits(model, &[left, right])?;
    continuous(model, &[from, to.unwrap_or(from)])?;
    let back = Predecessors::new(model);
    let (zero, one) = match to {
        Some(to) if to < from => (StateSet::all(model.states()), StateSet::none(model.states())),
        Some(to) if to == from => (right.complement(), right.clone()),
        Some(_) => (prob0_some(model, &back, left, right), right.clone()),
        None => {
            let zero = prob0_some(model, &back, left, right);
            let one = prob1_all(model, &back, left, right, &zero);
            (zero, one)
        }
    };
    if from.is_zero() {
        return Ok((zero, one));
    }
    // What is before that time happens in `left`; at that time all states that can be reached in it are possible.
    let (worth, less) = (left.without(&zero), left.intersection(&one).complement());
    Ok((prob0_some(model, &back, left, &worth), prob0_some(model, &back, left, &less).intersection(left)))
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
    let mut values = after_time(&uniform, start, (time, Precision::Usual), Limit::None, effort, &mut work)?;
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
    let steps = Interval::around(&(&uniform.rate * time));
    Poisson::reserve(steps.upper, Precision::Usual, effort)?;
    let poisson = Poisson::new(steps, Precision::Usual)?;
    let (more, rate) = (poisson.more_than(), Interval::around(&uniform.rate));
    let of = |i| more(i).over(rate);
    let beyond = up(poisson.right_sum / rate.lower);
    let shares = Shares { of: &of, last: poisson.last(), before: 0.0, beyond, total: Interval::around(time) };
    let start = earned.iter().map(Interval::around).collect();
    let mut work = Work::default();
    let mut values = transient(&uniform, start, &shares, Limit::None, effort, &mut work)?;
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
        assert!(value.lower <= least.to_f64_fast() * 2.0 && value.upper < 1e-25, "{value} {}", least.to_f64_fast());
        // They are counted in a second attempt.
        assert!(answer.precise && value.lower > least.to_f64_fast(), "{value}");
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
    fn what_is_left_of_one_is_as_precise() {
        // One jump from 0 to 1 with rate 1: it has not happened until t with probability e^−t.
        let mut builder = Builder::new(Kind::Ctmc);
        for target in [1, 1] {
            builder.state();
            builder.entry(target, Pool::ONE);
        }
        let model = builder.finish([0]).unwrap();
        let (all, right) = (StateSet::all(2), StateSet::from_states(2, [1]));
        let effort = Effort::default();
        for (time, expected) in [(1, (-1.0f64).exp()), (40, (-40.0f64).exp()), (300, (-300.0f64).exp())] {
            let time = RBig::from(time);
            let answer = not_until_time(&model, &all, &right, &RBig::ZERO, Some(&time), &effort).unwrap();
            let value = answer.values.interval(0);
            let is_near = |end: f64| (end / expected - 1.0).abs() < 1e-6;
            assert!(is_near(value.lower) && is_near(value.upper) && answer.precise, "{time}: {value}");
            assert_eq!(answer.values.interval(1), Interval::ZERO);
        }
        // A time that is hardly any.
        let time = RBig::from(10).pow(-300);
        let answer = until_time(&model, &all, &right, &RBig::ZERO, Some(&time), &effort).unwrap();
        let value = answer.values.interval(0);
        assert!(value.contains(&time) && value.is_within(1e-6, 0.0), "{value}");
        // Long after it has happened nothing is left, and that is seen before all jumps are made.
        let answer = not_until_time(&model, &all, &right, &RBig::ZERO, Some(&RBig::from(10).pow(9)), &effort).unwrap();
        assert!(answer.values.interval(0).upper < 1e-280 && answer.work.sweeps < 1_000_000);
    }

    #[test]
    fn the_graph_decides_about_none_and_all() {
        // 0 goes to 1 or 2; 1 goes on to 3.
        let mut builder = Builder::new(Kind::Ctmc);
        for targets in [vec![1, 2], vec![3], vec![2], vec![3]] {
            builder.state();
            targets.into_iter().for_each(|target| builder.entry(target, Pool::ONE));
        }
        let model = builder.finish([0]).unwrap();
        let all = StateSet::all(4);
        let certain = |left: &StateSet, right: &[usize], from: u32, to: Option<u32>| {
            let (from, to) = (RBig::from(from), to.map(RBig::from));
            let right = StateSet::from_states(4, right.iter().copied());
            let (zero, one) = certain_in_time(&model, left, &right, &from, to.as_ref()).unwrap();
            (zero.iter().collect::<Vec<_>>(), one.iter().collect::<Vec<_>>())
        };
        assert_eq!(certain(&all, &[3], 0, Some(5)), (vec![2], vec![3]));
        assert_eq!(certain(&all, &[3], 0, None), (vec![2], vec![1, 3]));
        assert_eq!(certain(&all, &[1, 3], 5, Some(6)), (vec![2], vec![1, 3]));
        assert_eq!(certain(&all, &[1], 5, Some(6)), (vec![2, 3], vec![]));
        assert_eq!(certain(&all, &[1], 5, Some(5)), (vec![2, 3], vec![]));
        assert_eq!(certain(&all, &[3], 5, None), (vec![2], vec![1, 3]));
        let left = StateSet::from_states(4, [0, 1]);
        assert_eq!(certain(&left, &[3], 5, Some(6)), (vec![2, 3], vec![]));
        assert_eq!(certain(&all, &[3], 6, Some(5)), (vec![0, 1, 2, 3], vec![]));
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
