//! Answers by brute force.

use dashu_ratio::RBig;

use crate::chances::chain::{self, Extended};
use crate::chances::decisions::{Extreme, Process};
use crate::chances::meaning::{Meaning, fraction};
use crate::chances::queries::{
    Asked, Combine, Compare, Filter, Formula, Measure, Path, Quantity, Query, Reward, Structure, Time,
};
use crate::chances::space::Space;
use crate::chances::syntax::Kind;
use crate::chances::{earning, series};

/// So many schedulers are tried where nothing better is known.
const MOST_SCHEDULERS: usize = 150;

pub struct Oracle<'o> {
    pub meaning: &'o Meaning<'o>,
    pub space: &'o Space,
}

/// A value for every state; each may miss the true one by `slack`.
#[derive(Clone, Debug)]
pub struct Values {
    pub values: Vec<Extended>,
    pub slack: RBig,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    Number(Extended, RBig),
    Range(Extended, Extended),
    Truth(bool),
    /// There is no answer.
    Refused(&'static str),
}

/// The oracle does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown;

fn finite(values: Vec<RBig>) -> Values {
    Values { values: values.into_iter().map(Some).collect(), slack: RBig::ZERO }
}

fn both(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| *a && *b).collect()
}

fn neither(a: &[bool]) -> Vec<bool> {
    a.iter().map(|a| !a).collect()
}

fn ones(set: &[bool]) -> Vec<RBig> {
    set.iter().map(|is| if *is { RBig::ONE } else { RBig::ZERO }).collect()
}

fn rest(values: Values) -> Values {
    let values_left = values.values.into_iter().map(|value| value.map(|value| RBig::ONE - value)).collect();
    Values { values: values_left, slack: values.slack }
}

/// The steps from which and to which something counts; nothing if there are none.
fn steps(time: &Time) -> Option<(u64, Option<u64>)> {
    let whole = |value: &RBig| -> i64 { value.clone().try_into().expect("steps are whole") };
    let from = time.lower.as_ref().map_or(0, |(value, strict)| whole(value) + i64::from(*strict));
    let to = time.upper.as_ref().map(|(value, strict)| whole(value) - i64::from(*strict));
    (to.is_none_or(|to| to >= from)).then_some((from as u64, to.map(|to| to as u64)))
}

impl Oracle<'_> {
    fn len(&self) -> usize {
        self.space.len()
    }

    fn process(&self) -> Process<'_> {
        Process { rows: &self.space.rows }
    }

    fn is_continuous(&self) -> bool {
        self.space.kind == Kind::Ctmc
    }

    /// Where a formula holds; `None` where that is not known.
    pub fn holds(&self, formula: &Formula) -> Result<Vec<Option<bool>>, Unknown> {
        let pairs = |a: &Formula, b: &Formula, of: fn(bool, bool) -> bool| {
            let (a, b) = (self.holds(a)?, self.holds(b)?);
            Ok(a.into_iter().zip(b).map(|(a, b)| Some(of(a?, b?))).collect())
        };
        match formula {
            Formula::Expr(expr) => {
                let states = self.space.states.iter();
                states.map(|s| self.meaning.truth(expr, s, None).map(Some).map_err(|_| Unknown)).collect()
            }
            Formula::Label(name) => {
                let label = self.meaning.model.labels.iter().find(|(known, _)| known == name).ok_or(Unknown)?;
                self.holds(&Formula::Expr(label.1.clone()))
            }
            Formula::Init => Ok((0..self.len()).map(|s| Some(self.space.initial.contains(&s))).collect()),
            Formula::Deadlock => Ok(self.space.deadlocks.iter().copied().map(Some).collect()),
            Formula::Not(part) => Ok(self.holds(part)?.into_iter().map(|holds| holds.map(|holds| !holds)).collect()),
            Formula::And(a, b) => pairs(a, b, |a, b| a && b),
            Formula::Or(a, b) => pairs(a, b, |a, b| a || b),
            Formula::Implies(a, b) => pairs(a, b, |a, b| !a || b),
            Formula::Bound(quantity, compare, bound) => {
                let extreme = match quantity.extreme {
                    Some(extreme) => extreme,
                    // The worst case.
                    None if compare.is_upper() => Extreme::Max,
                    None => Extreme::Min,
                };
                let Values { values, slack } = self.values(quantity, extreme)?;
                Ok(values.iter().map(|value| decided(value, &slack, *compare, bound)).collect())
            }
        }
    }

    /// Where a formula holds, if that is known everywhere.
    pub fn set(&self, formula: &Formula) -> Result<Vec<bool>, Unknown> {
        self.holds(formula)?.into_iter().collect::<Option<_>>().ok_or(Unknown)
    }

    pub fn values(&self, quantity: &Quantity, extreme: Extreme) -> Result<Values, Unknown> {
        match &quantity.measure {
            Measure::Probability(path) => self.path(path, extreme),
            Measure::Reward(structure, reward) => self.reward(structure, reward, extreme),
            Measure::LongRun(states) => {
                let inside = ones(&self.set(states)?);
                self.average(extreme, &|state, _| &inside[state] * self.stays(state))
            }
        }
    }

    /// How long a visit of a state takes.
    fn stays(&self, state: usize) -> RBig {
        RBig::ONE / &self.space.exits[state]
    }

    fn average(&self, extreme: Extreme, earned: &dyn Fn(usize, usize) -> RBig) -> Result<Values, Unknown> {
        let takes: Vec<RBig> = (0..self.len()).map(|s| self.stays(s)).collect();
        let schedulers = self.process().schedulers(MOST_SCHEDULERS).ok_or(Unknown)?;
        let values = self.process().best_of_all(extreme, &schedulers, |next, scheduler| {
            let own: Vec<RBig> = (0..self.len()).map(|s| earned(s, scheduler[s])).collect();
            chain::average(next, &own, &takes).into_iter().map(Some).collect()
        });
        Ok(Values { values, slack: RBig::ZERO })
    }

    fn reward(&self, structure: &Structure, reward: &Reward, extreme: Extreme) -> Result<Values, Unknown> {
        let (n, process) = (self.len(), self.process());
        let of_state = &self.space.rewards[structure.index];
        let of_step = |state: usize, choice: usize| &self.space.rows[state][choice].earned[structure.index];
        // Per visit: being there, and leaving.
        let earned = |state: usize, choice: usize| &of_state[state] * self.stays(state) + of_step(state, choice);
        Ok(match reward {
            Reward::Reach(target) => {
                let values = process.reward(extreme, &earned, &self.set(target)?);
                Values { values, slack: RBig::ZERO }
            }
            Reward::Total => {
                let schedulers = process.schedulers(MOST_SCHEDULERS).ok_or(Unknown)?;
                let values = process.best_of_all(extreme, &schedulers, |next, scheduler| {
                    let own: Vec<RBig> = (0..n).map(|s| earned(s, scheduler[s])).collect();
                    chain::total(next, &own)
                });
                Values { values, slack: RBig::ZERO }
            }
            Reward::LongRun => self.average(extreme, &earned)?,
            Reward::Cumulated(time) if self.is_continuous() => {
                let rate = |s: usize| &of_state[s] + of_step(s, 0) * &self.space.exits[s];
                let rates: Vec<RBig> = (0..n).map(rate).collect();
                self.after(&|_| true, time, &rates, true)
            }
            Reward::Instant(time) if self.is_continuous() => self.after(&|_| true, time, of_state, false),
            Reward::Cumulated(steps) => {
                let steps: i64 = steps.clone().try_into().map_err(|_| Unknown)?;
                let none = vec![RBig::ZERO; n];
                finite((0..steps).fold(none, |values, _| process.step(extreme, &values, Some(&earned))))
            }
            Reward::Instant(step) => {
                let steps: i64 = step.clone().try_into().map_err(|_| Unknown)?;
                finite((0..steps).fold(of_state.clone(), |values, _| process.step(extreme, &values, None)))
            }
        })
    }

    fn after(&self, moves: &dyn Fn(usize) -> bool, time: &RBig, values: &[RBig], integral: bool) -> Values {
        let (values, slack) = series::after(self.space, moves, time, values, integral);
        Values { slack, ..finite(values) }
    }

    fn path(&self, path: &Path, extreme: Extreme) -> Result<Values, Unknown> {
        let everywhere = vec![true; self.len()];
        let opposite = extreme.opposite();
        Ok(match path {
            Path::Not(path) => rest(self.path(path, opposite)?),
            Path::Now(now) => finite(ones(&self.set(now)?)),
            Path::Next(next) => finite(self.process().step(extreme, &ones(&self.set(next)?), None)),
            Path::Finally(end, time) => self.until(&everywhere, &self.set(end)?, time, extreme)?,
            Path::Until(left, right, time) => self.until(&self.set(left)?, &self.set(right)?, time, extreme)?,
            Path::Globally(always, time) if time.is_any() || time.earned.is_some() || self.is_continuous() => {
                rest(self.until(&everywhere, &neither(&self.set(always)?), time, opposite)?)
            }
            Path::WeakUntil(left, right, time) if time.is_any() || self.is_continuous() => {
                let (left, right) = (self.set(left)?, neither(&self.set(right)?));
                rest(self.until(&both(&left, &right), &both(&neither(&left), &right), time, opposite)?)
            }
            Path::Release(left, right, time) if time.is_any() || self.is_continuous() => {
                rest(self.until(&neither(&self.set(left)?), &neither(&self.set(right)?), time, opposite)?)
            }
            Path::Globally(always, time) => {
                let always = self.set(always)?;
                match steps(time) {
                    None => finite(ones(&everywhere)),
                    Some((from, to)) => {
                        let endless = match to {
                            None => self.path(&Path::Globally(formula_of(path), Time::default()), extreme)?,
                            Some(_) => finite(Vec::new()),
                        };
                        let decide = |step: u64, state: usize| match step >= from && !always[state] {
                            true => Some(false),
                            false => (Some(step) == to).then_some(true),
                        };
                        self.backwards(extreme, from, to, endless, &decide)
                    }
                }
            }
            Path::WeakUntil(left, right, time) => {
                let (left, right) = (self.set(left)?, self.set(right)?);
                let (_, to) = steps(time).filter(|(from, _)| *from == 0).ok_or(Unknown)?;
                let decide = |step: u64, state: usize| match (right[state], left[state]) {
                    (true, _) => Some(true),
                    (false, false) => Some(false),
                    (false, true) => (Some(step) == to).then_some(true),
                };
                self.backwards(extreme, 0, Some(to.ok_or(Unknown)?), finite(Vec::new()), &decide)
            }
            Path::Release(left, right, time) => {
                let (left, right) = (self.set(left)?, self.set(right)?);
                let (_, to) = steps(time).filter(|(from, _)| *from == 0).ok_or(Unknown)?;
                let decide = |step: u64, state: usize| match (left[state], right[state]) {
                    (_, false) => Some(false),
                    (true, true) => Some(true),
                    (false, true) => (Some(step) == to).then_some(true),
                };
                self.backwards(extreme, 0, Some(to.ok_or(Unknown)?), finite(Vec::new()), &decide)
            }
        })
    }

    /// Step by step from the last one that counts (or from `endless`, in the first one) to the beginning. `decide` says what a
    /// state in a step means, if that is clear.
    fn backwards(
        &self,
        extreme: Extreme,
        from: u64,
        to: Option<u64>,
        endless: Values,
        decide: &dyn Fn(u64, usize) -> Option<bool>,
    ) -> Values {
        let n = self.len();
        let (mut step, mut values): (u64, Vec<RBig>) = match to {
            Some(to) => (to + 1, vec![RBig::ZERO; n]),
            None => (from, endless.values.into_iter().flatten().collect()),
        };
        while step > 0 {
            step -= 1;
            let later = self.process().step(extreme, &values, None);
            let value = |(state, later): (usize, RBig)| match decide(step, state) {
                Some(true) => RBig::ONE,
                Some(false) => RBig::ZERO,
                None => later,
            };
            values = later.into_iter().enumerate().map(value).collect();
        }
        finite(values)
    }

    fn until(&self, left: &[bool], right: &[bool], time: &Time, extreme: Extreme) -> Result<Values, Unknown> {
        let unbounded = || finite(self.process().until(extreme, left, right));
        if time.is_any() {
            return Ok(unbounded());
        }
        if let Some(structure) = &time.earned {
            return earning::until(self, left, right, structure.index, time, extreme).map(finite);
        }
        if self.is_continuous() {
            return Ok(self.until_time(left, right, time, unbounded()));
        }
        let Some((from, to)) = steps(time) else { return Ok(finite(vec![RBig::ZERO; self.len()])) };
        let decide = |step: u64, state: usize| match () {
            () if step >= from && right[state] => Some(true),
            () if !left[state] || Some(step) == to => Some(false),
            () => None,
        };
        Ok(self.backwards(extreme, from, to, unbounded(), &decide))
    }

    fn until_time(&self, left: &[bool], right: &[bool], time: &Time, unbounded: Values) -> Values {
        let from = time.lower.as_ref().map_or(RBig::ZERO, |(from, _)| from.clone());
        let mut values = match &time.upper {
            None => unbounded,
            Some((to, _)) => self.after(&|s| left[s] && !right[s], &(to - &from), &ones(right), false),
        };
        if !from.is_zero() {
            let start = values.values.iter().zip(left);
            let start: Vec<RBig> = start.map(|(v, left)| v.clone().filter(|_| *left).unwrap_or_default()).collect();
            let later = self.after(&|s| left[s], &from, &start, false);
            values = Values { slack: &values.slack + &later.slack, ..later };
        }
        values
    }

    /// What the answer to a query has to be.
    pub fn answer(&self, query: &Query) -> Result<Expected, Unknown> {
        let (combine, states) = match &query.filter {
            Filter::None => (Combine::State, self.set(&Formula::Init)?),
            Filter::New(combine, None) => (*combine, vec![true; self.len()]),
            Filter::New(combine, Some(states)) | Filter::Old(combine, states) => (*combine, self.set(states)?),
        };
        let chosen: Vec<usize> = (0..self.len()).filter(|s| states[*s]).collect();
        if chosen.is_empty() {
            return Ok(Expected::Refused("no state"));
        }
        match &query.asked {
            Asked::Truth(formula) => {
                let holds = self.holds(formula)?;
                let holds: Vec<bool> = chosen.iter().map(|s| holds[*s].ok_or(Unknown)).collect::<Result<_, _>>()?;
                let count = holds.iter().filter(|holds| **holds).count();
                Ok(match combine {
                    Combine::Count => Expected::Number(Some(RBig::from(count as i64)), RBig::ZERO),
                    Combine::Exists => Expected::Truth(count > 0),
                    _ => Expected::Truth(count == holds.len()),
                })
            }
            Asked::Value(quantity) => {
                let Values { values, slack } = self.values(quantity, quantity.extreme.unwrap_or(Extreme::Max))?;
                let values: Vec<Extended> = chosen.iter().map(|s| values[*s].clone()).collect();
                combined(combine, values, slack)
            }
        }
    }
}

/// The formula of `G`.
fn formula_of(path: &Path) -> Formula {
    match path {
        Path::Globally(formula, _) => formula.clone(),
        _ => unreachable!("asked for `G` only"),
    }
}

fn decided(value: &Extended, slack: &RBig, compare: Compare, bound: &RBig) -> Option<bool> {
    if let (Some(value), false) = (value, slack.is_zero()) {
        let distance = if value > bound { value - bound } else { bound - value };
        if distance < fraction(1, 10_000) {
            return None;
        }
    }
    Some(compare.holds(value.as_ref(), bound))
}

fn combined(combine: Combine, values: Vec<Extended>, slack: RBig) -> Result<Expected, Unknown> {
    let least = || {
        let finite = values.iter().flatten().min().cloned();
        Expected::Number(finite, slack.clone())
    };
    let greatest = || match values.iter().any(Option::is_none) {
        true => None,
        false => values.iter().flatten().max().cloned(),
    };
    let count = RBig::from(values.len() as i64);
    let sum = || values.iter().try_fold(RBig::ZERO, |sum, value| Some(sum + value.as_ref()?));
    Ok(match combine {
        Combine::Min => least(),
        Combine::Max => Expected::Number(greatest(), slack),
        Combine::Range if slack.is_zero() => match least() {
            Expected::Number(least, _) => Expected::Range(least, greatest()),
            _ => return Err(Unknown),
        },
        Combine::Sum => Expected::Number(sum(), slack * count),
        Combine::Average => Expected::Number(sum().map(|sum| sum / count), slack),
        Combine::State if values.iter().all(|value| *value == values[0]) && (slack.is_zero() || values.len() == 1) => {
            Expected::Number(values[0].clone(), slack)
        }
        Combine::State if slack.is_zero() => Expected::Refused("different values"),
        _ => return Err(Unknown),
    })
}
