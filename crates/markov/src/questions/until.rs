//! Probability of `left U right` without bounds.
//!
//! First the graph: where is it 0, where 1 (Prob0, Prob1). Then equations for the rest. When maximising, end components among
//! the rest are made single variables that have to leave: otherwise the equations would have more than one solution and every
//! iteration from above would stop too high (Haddad and Monmege 2014; Baier et al., CAV 2017). When minimising there are none,
//! since staying in one would make the probability 0.

use super::layout::{Layout, Task, fits, open_scheduler};
use crate::answer::{Answer, Extreme};
use crate::effort::{Effort, Failure};
use crate::graph::{Predecessors, certain_choices, end_components_among, prob0_all, prob0_some, prob1_all, prob1_some};
use crate::model::{Kind, Model, embedded};
use crate::solve::Known;
use crate::states::StateSet;

/// Probability of `left U right`, for every state. CTMCs are asked about their embedded chain: time plays no part.
pub fn until(
    model: &Model,
    extreme: Extreme,
    left: &StateSet,
    right: &StateSet,
    effort: &Effort,
) -> Result<Answer, Failure> {
    fits(model, &[left, right])?;
    effort.check()?;
    if model.kind() == Kind::Ctmc {
        return until(&embedded(model), extreme, left, right, effort);
    }
    let back = Predecessors::new(model);
    let maximise = model.kind() == Kind::Mdp && extreme == Extreme::Max;
    let (zero, one) = if maximise {
        (prob0_all(model, &back, left, right), prob1_some(model, &back, left, right))
    } else {
        let zero = prob0_some(model, &back, left, right);
        let one = prob1_all(model, &back, left, right, &zero);
        (zero, one)
    };
    let unknown = zero.union(&one).complement();
    effort.check()?;
    let ends = maximise.then(|| end_components_among(model, &unknown, |_| true));
    let mut scheduler = open_scheduler(model);
    if let Some(scheduler) = &mut scheduler {
        let first = |state: usize| model.choices_of(state).start as u32;
        if maximise {
            certain_choices(model, &back, left, right, &one, |state, choice| {
                scheduler.choices[state] = choice - first(state);
            });
        } else {
            // Where it can be kept 0, it is: by a choice that stays where it can.
            for state in zero.intersection(left).iter() {
                let stays =
                    |&choice: &usize| model.targets_of(choice).iter().all(|&target| zero.contains(target as usize));
                if let Some(choice) = model.choices_of(state).find(stays) {
                    scheduler.choices[state] = choice as u32 - first(state);
                }
            }
        }
    }
    drop(back);
    let layout = Layout::new(model, &unknown, ends.as_ref(), |state| u32::from(one.contains(state)));
    let task = Task {
        model,
        extreme,
        layout,
        ends: ends.as_ref(),
        rewards: None,
        known: Known::zero_and_one(),
        may_end: Vec::new(),
    };
    Ok(task.answer(|_| true, None, scheduler, effort)?.at_most_one())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::Extended;
    use crate::{Builder, ExactLimits, Pool, RBig};

    /// Haddad and Monmege: a walk that falls back to the middle; value 0.7 in the middle.
    fn haddad_monmege(n: usize) -> Model {
        let mut builder = Builder::new(Kind::Dtmc);
        let half = builder.number(&RBig::from_parts_signed(1.into(), 2.into()));
        let (p, rest) = (crate::parse_number("0.7").unwrap(), crate::parse_number("0.3").unwrap());
        let (p, rest) = (builder.number(&p), builder.number(&rest));
        // 0 is the middle, 1..n lead to the target n, n+1..2n to the sink 2n.
        for state in 0..=2 * n {
            builder.state();
            if state == 0 {
                builder.entry(1, p);
                builder.entry(n + 1, rest);
            } else if state == n || state == 2 * n {
                builder.entry(state, Pool::ONE);
            } else {
                builder.entry(0, half);
                builder.entry(state + 1, half);
            }
        }
        builder.finish([0]).unwrap()
    }

    #[test]
    fn haddad_monmege_is_solved_exactly_and_between_bounds() {
        let n = 20;
        let model = haddad_monmege(n);
        let (left, right) = (StateSet::all(2 * n + 1), StateSet::from_states(2 * n + 1, [n]));
        let answer = until(&model, Extreme::Max, &left, &right, &Effort::default()).unwrap();
        let value = crate::parse_number("0.7").unwrap();
        assert_eq!(answer.values.exact(0), Some(&Extended::Finite(value.clone())));
        let effort = Effort { exact: ExactLimits::NONE, ..Effort::default() };
        let answer = until(&model, Extreme::Max, &left, &right, &effort).unwrap();
        let interval = answer.values.interval(0);
        assert!(!answer.values.is_exact() && answer.precise && interval.contains(&value), "{interval}");
        assert!(interval.is_within(1e-6, 0.0));
    }

    /// A walk from `n` states that goes up with this probability, ends at 0 and at `n`, and waits with probability 1/3.
    fn ruin(n: usize, up: &RBig) -> Model {
        let mut builder = Builder::new(Kind::Dtmc);
        let third = RBig::from_parts_signed(1.into(), 3.into());
        let moves = RBig::ONE - &third;
        let (up, down) = (up * &moves, (RBig::ONE - up) * &moves);
        let (up, down, stay) = (builder.number(&up), builder.number(&down), builder.number(&third));
        for state in 0..=n {
            builder.state();
            if state == 0 || state == n {
                builder.entry(state, Pool::ONE);
            } else {
                builder.entry(state - 1, down);
                builder.entry(state, stay);
                builder.entry(state + 1, up);
            }
        }
        builder.finish([1]).unwrap()
    }

    #[test]
    fn long_walks_with_a_drift_are_precise_without_fractions() {
        for (n, up) in [(150, "0.6"), (300, "0.6"), (300, "0.4"), (1500, "0.51"), (2000, "0.6"), (2000, "0.3")] {
            let up = crate::parse_number(up).unwrap();
            let model = ruin(n, &up);
            let effort = Effort { exact: ExactLimits::NONE, ..Effort::default() };
            let ratio = (RBig::ONE - &up) / &up;
            let all = ratio.clone().pow(n as isize);
            for goal in [0, n] {
                let (left, right) = (StateSet::all(n + 1), StateSet::from_states(n + 1, [goal]));
                let answer = until(&model, Extreme::Max, &left, &right, &effort).unwrap();
                for start in [1, 5, n / 2, n - 5, n - 1] {
                    let lost = (ratio.clone().pow(start as isize) - &all) / (RBig::ONE - &all);
                    let value = if goal == 0 { lost } else { RBig::ONE - lost };
                    let interval = answer.values.interval(start);
                    assert!(interval.contains(&value), "{n} {up} {start}: {interval}");
                    assert!(interval.is_within(1e-6, 1e-289), "{n} {up} {start}: {interval}");
                }
            }
        }
    }

    #[test]
    fn chances_that_no_double_can_say_count() {
        // From 0 to 1, from 1 back or on to 2 or 3; steps other than those back are next to impossible.
        let tiny = RBig::from(10).pow(-400);
        let mut builder = Builder::new(Kind::Dtmc);
        let (once, twice) = (builder.number(&tiny), builder.number(&(&tiny * RBig::from(2))));
        let rest = builder.number(&(RBig::ONE - &tiny * RBig::from(3)));
        for targets in
            [vec![(1, Pool::ONE)], vec![(0, rest), (2, once), (3, twice)], vec![(2, Pool::ONE)], vec![(3, Pool::ONE)]]
        {
            builder.state();
            targets.into_iter().for_each(|(target, weight)| builder.entry(target, weight));
        }
        let model = builder.finish([0]).unwrap();
        let (left, right) = (StateSet::all(4), StateSet::from_states(4, [2]));
        for exact in [ExactLimits::NONE, ExactLimits::default()] {
            let effort = Effort { exact, ..Effort::default() };
            let answer = until(&model, Extreme::Max, &left, &right, &effort).unwrap();
            let (interval, third) = (answer.values.interval(0), RBig::from_parts_signed(1.into(), 3.into()));
            assert!(interval.contains(&third) && interval.is_within(1e-6, 0.0), "{interval}");
        }
    }
}
