//! Asks every question about a random model, exactly and approximately, and compares with brute force.

use bughound_markov::{
    Answer, Effort, ExactLimits, Extended, Extreme, Kind, Model, RBig, RewardId, Scheduler, StateSet, Steps, Values,
    long_run, long_run_reward, next, reward_at_step, reward_at_time, reward_steps, reward_time, reward_total,
    reward_until, until, until_spent, until_steps, until_time,
};

use super::chain::{self, Matrix};
use super::process::Process;
use super::raw::{Dice, Raw, fraction};
use super::series::series;

const R: RewardId = RewardId(0);

/// How often answers were compared, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub models: usize,
    pub exact: usize,
    pub between: usize,
    pub schedulers: usize,
}

pub struct Checker<'a> {
    pub count: &'a mut Count,
    name: String,
}

fn finite(values: Vec<RBig>) -> Vec<Extended> {
    values.into_iter().map(Extended::Finite).collect()
}

impl Checker<'_> {
    /// Asks with every kind of effort.
    fn ask(&mut self, what: &str, expected: &[Extended], slack: &RBig, ask: impl Fn(&Effort) -> Answer) {
        for effort in [
            Effort::default(),
            Effort { exact: ExactLimits::NONE, ..Effort::default() },
            Effort { exact: ExactLimits::NONE, relative: 1e-9, ..Effort::default() },
            Effort { exact: ExactLimits { operations: 12, ..ExactLimits::default() }, ..Effort::default() },
        ] {
            let answer = ask(&effort);
            self.compare(what, expected, slack, &answer, &effort);
        }
    }

    fn compare(&mut self, what: &str, expected: &[Extended], slack: &RBig, answer: &Answer, effort: &Effort) {
        let name = &self.name;
        assert_eq!(answer.values.len(), expected.len(), "{name} {what}");
        match &answer.values {
            Values::Exact(values) => {
                assert!(slack.is_zero() || values.iter().all(|v| v.finite().is_some()), "{name} {what}");
                for (state, (value, expected)) in values.iter().zip(expected).enumerate() {
                    let (Extended::Finite(value), Extended::Finite(expected)) = (value, expected) else {
                        assert_eq!(value, expected, "{name} {what} state {state}");
                        continue;
                    };
                    let (low, high) = (expected - slack, expected + slack);
                    assert!(low <= *value && *value <= high, "{name} {what} state {state}: {value} not {expected}");
                }
                self.count.exact += 1;
            }
            Values::Between(values) => {
                for (state, (value, expected)) in values.iter().zip(expected).enumerate() {
                    let place = || format!("{name} {what} state {state}: {value} and {expected}, {effort:?}");
                    match expected {
                        Extended::Infinite => assert!(value.is_infinite(), "{}", place()),
                        Extended::Finite(expected) => {
                            assert!(value.lower.is_finite() && value.upper.is_finite(), "{}", place());
                            let lower = RBig::try_from(value.lower).unwrap();
                            let upper = RBig::try_from(value.upper).unwrap();
                            assert!(lower <= expected + slack && expected - slack <= upper, "{}", place());
                            // Tails that were cut off do not grow with the value.
                            let close = value.is_within(effort.relative * 1.001, 1e-25);
                            assert!(close, "{}: too wide", place());
                        }
                    }
                }
                self.count.between += 1;
            }
        }
    }

    /// Does the scheduler achieve what was answered, where that is a number?
    fn scheduler(
        &mut self,
        what: &str,
        process: &Process,
        answer: &Answer,
        value: impl Fn(&Matrix, &[RBig]) -> Vec<Extended>,
    ) {
        let scheduler = answer.scheduler.as_ref().expect("an MDP has schedulers");
        let choices = choices(scheduler);
        let (p, c) = process.chain(&choices);
        for (state, achieved) in value(&p, &c).iter().enumerate() {
            let name = &self.name;
            let wanted = answer.values.interval(state);
            let Extended::Finite(achieved) = achieved else {
                assert!(wanted.is_infinite(), "{name} {what} state {state}: {choices:?} gives infinity, not {wanted}");
                continue;
            };
            if !wanted.is_infinite() {
                assert!(
                    wanted.contains(achieved),
                    "{name} {what} state {state}: {choices:?} gives {achieved}, not {wanted}"
                );
            }
        }
        self.count.schedulers += 1;
    }
}

fn choices(scheduler: &Scheduler) -> Vec<usize> {
    (0..scheduler.len()).map(|state| scheduler.choice(state).unwrap_or(0)).collect()
}

/// Every question about the model with this seed.
pub fn check(kind: Kind, seed: u64, count: &mut Count) {
    let mut dice = Dice::new(seed * 3 + kind as u64 + 1);
    let raw = Raw::random(kind, &mut dice);
    let model = raw.model();
    count.models += 1;
    let mut checker = Checker { count, name: format!("{kind:?} {seed}") };
    let choices = raw
        .dense()
        .into_iter()
        .zip(&raw.rewards)
        .map(|(rows, state)| rows.into_iter().map(|(p, c)| (p, c + state)).collect())
        .collect();
    let process = Process { choices };
    match kind {
        Kind::Ctmc => continuous(&mut checker, &raw, &model, &mut dice),
        Kind::Dtmc | Kind::Mdp => discrete(&mut checker, &raw, &model, &process, &mut dice),
    }
}

fn discrete(checker: &mut Checker, raw: &Raw, model: &Model, process: &Process, dice: &mut Dice) {
    let (n, exact) = (raw.len(), &RBig::ZERO);
    let (left, right) = (&raw.left, &raw.right);
    let all = StateSet::all(n);
    for extreme in [Extreme::Min, Extreme::Max] {
        let is_mdp = raw.kind == Kind::Mdp;
        let expected = process.until(extreme, left, right);
        checker.ask(&format!("{extreme:?} until"), &expected, exact, |effort| {
            until(model, extreme, left, right, effort).unwrap()
        });
        let value = |p: &Matrix, c: &[RBig]| chain::reward(p, c, right);
        let rewarded = process.best(extreme, value);
        checker.ask(&format!("{extreme:?} reward"), &rewarded, exact, |effort| {
            reward_until(model, extreme, R, right, effort).unwrap()
        });
        let total = process.best(extreme, chain::total);
        checker.ask(&format!("{extreme:?} total"), &total, exact, |effort| {
            reward_total(model, extreme, R, effort).unwrap()
        });
        if is_mdp {
            for effort in [Effort::default(), Effort::default().approximate(1e-6)] {
                let answer = until(model, extreme, left, right, &effort).unwrap();
                checker.scheduler("until", process, &answer, |p, _| finite(chain::until(p, left, right)));
                let answer = reward_until(model, extreme, R, right, &effort).unwrap();
                // Where the most is infinite, any scheduler is given.
                if extreme == Extreme::Min || rewarded.iter().all(|v| v.finite().is_some()) {
                    checker.scheduler("reward", process, &answer, value);
                }
            }
        }
        let (from, more) = (dice.below(4) as u64, dice.below(6) as u64);
        let steps = Steps { from, to: Some(from + more) };
        let expected = finite(process.bounded(extreme, left, right, from, from + more));
        checker.ask(&format!("{extreme:?} {steps:?}"), &expected, exact, |effort| {
            until_steps(model, extreme, left, right, steps, effort).unwrap()
        });
        let endless = Steps { from, to: None };
        let mut expected: Vec<RBig> =
            process.until(extreme, left, right).into_iter().map(|v| v.finite().unwrap().clone()).collect();
        for _ in 0..from {
            let stepped = process.step(extreme, false, &expected);
            expected = (0..n).map(|s| if left.contains(s) { stepped[s].clone() } else { RBig::ZERO }).collect();
        }
        checker.ask(&format!("{extreme:?} {endless:?}"), &finite(expected), exact, |effort| {
            until_steps(model, extreme, left, right, endless, effort).unwrap()
        });
        let ones: Vec<RBig> = (0..n).map(|s| if right.contains(s) { RBig::ONE } else { RBig::ZERO }).collect();
        let expected = finite(process.step(extreme, false, &ones));
        checker.ask("next", &expected, exact, |effort| next(model, extreme, right, effort).unwrap());
        let mut cumulated = vec![RBig::ZERO; n];
        let mut instant = raw.rewards.clone();
        for _ in 0..more {
            cumulated = process.step(extreme, true, &cumulated);
            instant = process.step(extreme, false, &instant);
        }
        checker.ask("cumulated", &finite(cumulated), exact, |effort| {
            reward_steps(model, extreme, R, more, effort).unwrap()
        });
        checker
            .ask("instant", &finite(instant), exact, |effort| reward_at_step(model, extreme, R, more, effort).unwrap());
        let expected = process.average(extreme);
        checker.ask(&format!("{extreme:?} average"), &expected, exact, |effort| {
            long_run_reward(model, extreme, R, effort).unwrap()
        });
        let inside = Process {
            choices: process
                .choices
                .iter()
                .enumerate()
                .map(|(s, choices)| choices.iter().map(|(p, _)| (p.clone(), ones[s].clone())).collect())
                .collect(),
        };
        let expected = inside.average(extreme);
        checker.ask(&format!("{extreme:?} long run"), &expected, exact, |effort| {
            long_run(model, extreme, right, effort).unwrap()
        });
        spent(checker, raw, model, process, extreme, dice);
    }
    if raw.kind == Kind::Dtmc {
        let (p, _) = process.chain(&vec![0; n]);
        let expected = finite(chain::until(&p, &all, right));
        checker.ask("chain", &expected, exact, |effort| until(model, Extreme::Min, &all, right, effort).unwrap());
    }
}

/// Bounds on rewards: the product with what was spent, built here as nested vectors. Brute force over schedulers that know what
/// was spent is possible only where levels do not repeat, or where there is nothing to choose.
fn spent(checker: &mut Checker, raw: &Raw, model: &Model, process: &Process, extreme: Extreme, dice: &mut Dice) {
    let n = raw.len();
    let (left, right) = (&raw.left, &raw.right);
    // Rewards are sixths, at most (thirds and halves weighed with probabilities are finer: those models are left out).
    let sixth = |c: &RBig| {
        let units = c * fraction(6, 1);
        (*units.denominator() == dashu_int::UBig::ONE).then(|| usize::try_from(units.numerator().clone()).unwrap())
    };
    let costs: Option<Vec<Vec<usize>>> =
        process.choices.iter().map(|choices| choices.iter().map(|(_, c)| sixth(c)).collect()).collect();
    let Some(costs) = costs else { return };
    let positive = costs.iter().flatten().all(|&cost| cost > 0);
    let single = process.choices.iter().all(|choices| choices.len() == 1);
    if !positive && !single {
        return;
    }
    let to = dice.below(20);
    let from = if dice.chance(30) { dice.below(to + 1) } else { 0 };
    let open = dice.chance(20);
    let levels = if open { from + 1 } else { to + 1 };
    let id = |s: usize, spent: usize| if open { spent.min(from) * n + s } else { spent * n + s };
    let size = levels * n + 1;
    let mut choices = vec![Vec::new(); size];
    for spent in 0..levels {
        for s in 0..n {
            for ((p, _), cost) in process.choices[s].iter().zip(&costs[s]) {
                let mut row = vec![RBig::ZERO; size];
                for (t, p) in p.iter().enumerate() {
                    let target = if open || spent + cost <= to { id(t, spent + cost) } else { size - 1 };
                    row[target] += p;
                }
                choices[id(s, spent)].push((row, RBig::ZERO));
            }
        }
    }
    choices[size - 1]
        .push(((0..size).map(|i| if i + 1 == size { RBig::ONE } else { RBig::ZERO }).collect(), RBig::ZERO));
    let product = Process { choices };
    let product_left = StateSet::from_fn(size, |i| i + 1 < size && left.contains(i % n));
    let product_right = StateSet::from_fn(size, |i| i + 1 < size && right.contains(i % n) && i / n >= from);
    let values = if single {
        let (p, _) = product.chain(&vec![0; size]);
        chain::until(&p, &product_left, &product_right)
    } else if open {
        return;
    } else {
        // Something is spent in every step: after `to` + 1 steps nothing can happen any more.
        product.bounded(extreme, &product_left, &product_right, 0, to as u64 + 1)
    };
    let unit = |k: usize| fraction(k as i64, 6);
    let (low, high) = (unit(from), unit(to));
    checker.ask(
        &format!("{extreme:?} spent {from}..{to} open {open}"),
        &finite(values[..n].to_vec()),
        &RBig::ZERO,
        |effort| until_spent(model, extreme, left, right, R, &low, (!open).then_some(&high), effort).unwrap(),
    );
}

fn continuous(checker: &mut Checker, raw: &Raw, model: &Model, dice: &mut Dice) {
    let (n, exact) = (raw.len(), &RBig::ZERO);
    let (left, right) = (&raw.left, &raw.right);
    let (rates, exits) = raw.rates();
    let jumps = raw.dense();
    let p: Matrix = jumps.iter().map(|rows| rows[0].0.clone()).collect();
    let per_visit: Vec<RBig> = (0..n).map(|s| &raw.rewards[s] / &exits[s] + &jumps[s][0].1).collect();
    let sojourn: Vec<RBig> = exits.iter().map(|exit| RBig::ONE / exit).collect();
    let any = Extreme::Max;
    checker.ask("until", &finite(chain::until(&p, left, right)), exact, |effort| {
        until(model, any, left, right, effort).unwrap()
    });
    let expected = chain::reward(&p, &per_visit, right);
    checker.ask("reward", &expected, exact, |effort| reward_until(model, any, R, right, effort).unwrap());
    let expected = chain::total(&p, &per_visit);
    checker.ask("total", &expected, exact, |effort| reward_total(model, any, R, effort).unwrap());
    let expected = finite(chain::average(&p, &per_visit, &sojourn));
    checker.ask("average", &expected, exact, |effort| long_run_reward(model, any, R, effort).unwrap());
    let inside: Vec<RBig> = (0..n).map(|s| if right.contains(s) { sojourn[s].clone() } else { RBig::ZERO }).collect();
    let expected = finite(chain::average(&p, &inside, &sojourn));
    checker.ask("long run", &expected, exact, |effort| long_run(model, any, right, effort).unwrap());
    // Generator with some states stopped.
    let generator = |moves: &dyn Fn(usize) -> bool| -> Matrix {
        (0..n)
            .map(|s| {
                let row = |t: usize| if s == t { &rates[s][t] - &exits[s] } else { rates[s][t].clone() };
                (0..n).map(|t| if moves(s) { row(t) } else { RBig::ZERO }).collect()
            })
            .collect()
    };
    let time = fraction(1 + dice.below(12) as i64, 4);
    let wait = if dice.chance(50) { RBig::ZERO } else { fraction(1 + dice.below(8) as i64, 4) };
    let ones: Vec<RBig> = (0..n).map(|s| if right.contains(s) { RBig::ONE } else { RBig::ZERO }).collect();
    let open = dice.chance(20);
    let (mut expected, mut slack) = if open {
        (chain::until(&p, left, right), RBig::ZERO)
    } else {
        series(&generator(&|s| left.contains(s) && !right.contains(s)), &time, &ones, 0)
    };
    if !wait.is_zero() {
        (0..n).filter(|&s| !left.contains(s)).for_each(|s| expected[s] = RBig::ZERO);
        let (later, more) = series(&generator(&|s| left.contains(s)), &wait, &expected, 0);
        expected = later;
        slack += more;
    }
    let end = &wait + &time;
    checker.ask(&format!("until in {wait}..{end} open {open}"), &finite(expected), &slack, |effort| {
        until_time(model, left, right, &wait, (!open).then_some(&end), effort).unwrap()
    });
    let whole = generator(&|_| true);
    let (expected, slack) = series(&whole, &time, &raw.rewards, 0);
    checker.ask("at time", &finite(expected), &slack, |effort| reward_at_time(model, R, &time, effort).unwrap());
    let earned: Vec<RBig> = (0..n).map(|s| &raw.rewards[s] + &jumps[s][0].1 * &exits[s]).collect();
    let (expected, slack) = series(&whole, &time, &earned, 1);
    checker.ask("up to time", &finite(expected), &slack, |effort| reward_time(model, R, &time, effort).unwrap());
}
