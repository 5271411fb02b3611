//! Verdicts about bounds, compared with the exact values.

use bughound_markov::directed::{By, Decision, Exploration, Objective, Threshold, When};
use bughound_markov::{Answer, Effort, ExactLimits, Extreme, Kind, RBig};

use super::counterexamples::{Case, Count, SpaceUser, either};
use super::known::Truth;
use super::raw::{Dice, fraction};
use super::shapes::Shape;
use super::spaces::{Original, Promise};

/// What can be asked about a model, each with the extremes that make a difference.
pub fn objectives(case: &Case, dice: &mut Dice) -> Vec<Objective> {
    let most = if case.shape == Shape::Large { 40 } else { 9 };
    let bounded = match case.raw.kind {
        // Powers of numbers like 1e-200 are too long for the series.
        Kind::Ctmc if case.shape == Shape::Tiny => None,
        Kind::Ctmc => Some(When::Time(fraction(1 + dice.below(10) as i64, 4))),
        Kind::Dtmc | Kind::Mdp => Some(When::Steps(dice.below(most) as u64)),
    };
    let mut objectives = Vec::new();
    for when in [Some(When::Ever), bounded].into_iter().flatten() {
        let extremes: &[Extreme] =
            if case.raw.kind == Kind::Mdp { &[Extreme::Min, Extreme::Max] } else { &[Extreme::Max] };
        objectives.extend(extremes.iter().map(|&extreme| Objective { extreme, when: when.clone() }));
    }
    objectives
}

pub fn check(case: &Case, dice: &mut Dice, count: &mut Count) {
    for objective in objectives(case, dice) {
        let truth = case.world.truth(objective.extreme, &objective.when);
        for bound in bounds(case, &truth, dice) {
            let threshold = Threshold { bound, is_upper: dice.chance(60), is_strict: dice.chance(50) };
            case.with_space(dice, Verdict { case, objective: &objective, threshold: &threshold, truth: &truth, count });
        }
    }
}

/// What a bound means.
fn holds(threshold: &Threshold, value: &RBig) -> bool {
    let bound = &threshold.bound;
    match (threshold.is_upper, threshold.is_strict) {
        (true, false) => value <= bound,
        (true, true) => value < bound,
        (false, false) => bound <= value,
        (false, true) => bound < value,
    }
}

/// At the value of an initial state, next to it, and elsewhere.
fn bounds(case: &Case, truth: &Truth, dice: &mut Dice) -> Vec<RBig> {
    let value = &truth.values[case.raw.initial[dice.below(case.raw.initial.len())]];
    let near = [RBig::from_parts(1.into(), 1_000_000_000u64.into()), fraction(1, 1 << 44)][dice.below(2)].clone();
    let mut bounds = vec![
        value.clone(),
        value * (RBig::ONE - &near),
        value * (RBig::ONE + &near),
        value / RBig::from(2),
        fraction(dice.below(1000) as i64, 1000),
    ];
    bounds.push(if dice.chance(50) { RBig::ZERO } else { RBig::ONE });
    // It costs less to ask for some of them only.
    bounds.into_iter().filter(|bound| *bound <= RBig::ONE && dice.chance(70)).collect()
}

struct Verdict<'a> {
    case: &'a Case,
    objective: &'a Objective,
    threshold: &'a Threshold,
    truth: &'a Truth,
    count: &'a mut Count,
}

impl SpaceUser<()> for Verdict<'_> {
    fn call<S: Original>(self, space: &mut S, promise: Promise, dice: &mut Dice) {
        let Verdict { case, objective, threshold, truth, count } = self;
        let by = either(dice);
        let name = format!("{} {objective:?} {threshold:?} {promise:?} {by:?}", case.name);
        let effort = match dice.below(3) {
            0 => Effort::default(),
            1 => Effort { exact: ExactLimits::NONE, ..Effort::default() },
            _ => Effort { relative: 1e-3, ..Effort::default() },
        };
        let mut exploration = Exploration::new(space, by).unwrap();
        let decision = exploration.decide(objective, threshold, &effort, &mut |_, _| Ok(())).unwrap();
        let (space, part) = (&*exploration.space, &exploration.part);
        let value = |state: u32| &truth.values[space.original(state as usize)];
        // Wrong only if it is wrong wherever the value may lie.
        let in_state = |state: u32| {
            let (low, high) = (value(state) - &truth.slack, value(state) + &truth.slack);
            (holds(threshold, &low), holds(threshold, &high))
        };
        match &decision {
            Decision::Holds(_) => {
                for &state in part.initial() {
                    assert_ne!(in_state(state), (false, false), "{name}: does not hold in {state}");
                }
                count.holds += 1;
            }
            Decision::Violated(state, _) => {
                assert!(part.initial().contains(state), "{name}: {state} is not initial");
                assert_ne!(in_state(*state), (true, true), "{name}: holds in {state}");
                count.violated += 1;
            }
            Decision::Open(_) => {
                let is_near = |state: &u32| {
                    let difference = value(*state) - &threshold.bound;
                    let difference = if difference < RBig::ZERO { -difference } else { difference };
                    difference <= &threshold.bound * fraction(1, 1_000_000_000) + &truth.slack
                };
                assert!(matches!(objective.when, When::Time(_)), "{name}: left open");
                assert!(part.initial().iter().any(is_near), "{name}: left open far from the value");
                count.open += 1;
            }
        }
        let bounds = decision.bounds();
        for &state in part.initial() {
            contains(&name, &bounds.lower, &bounds.upper, state as usize, value(state), &truth.slack);
        }
        count.in_time += usize::from(matches!(objective.when, When::Time(_)));
        let frontier = part.frontier();
        count.early += usize::from(!frontier.is_empty());
        let is_mdp = part.kind() == Kind::Mdp;
        assert!(by == By::Path || is_mdp || exploration.order.arrived() <= 1.0 + part.initial().len() as f64);
    }
}

/// The value lies between the bounds of a state.
pub fn contains(name: &str, lower: &Answer, upper: &Answer, state: usize, value: &RBig, slack: &RBig) {
    let low = match lower.values.exact(state) {
        Some(exact) => exact.finite().expect("a probability").clone(),
        None => RBig::try_from(lower.values.interval(state).lower).unwrap(),
    };
    let high = match upper.values.exact(state) {
        Some(exact) => exact.finite().expect("a probability").clone(),
        None => RBig::try_from(upper.values.interval(state).upper).unwrap(),
    };
    assert!(low <= value + slack, "{name}: lower bound {low} of {state} is above {value}");
    assert!(value - slack <= high, "{name}: upper bound {high} of {state} is below {value}");
}
