//! Decision processes: schedulers are made better until none of their choices can be, or all of them are tried.

use dashu_ratio::RBig;

use crate::chances::chain::{self, Extended, Next};
use crate::chances::space::Row;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    Min,
    Max,
}

impl Extreme {
    pub fn opposite(self) -> Extreme {
        match self {
            Extreme::Min => Extreme::Max,
            Extreme::Max => Extreme::Min,
        }
    }

    pub fn is_better<T: PartialOrd>(self, a: &T, b: &T) -> bool {
        match self {
            Extreme::Min => a < b,
            Extreme::Max => a > b,
        }
    }
}

pub struct Process<'r> {
    pub rows: &'r [Vec<Row>],
}

impl<'r> Process<'r> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn chain(&self, scheduler: &[usize]) -> Vec<Next<'r>> {
        self.rows.iter().zip(scheduler).map(|(rows, choice)| &rows[*choice].to).collect()
    }

    /// How many schedulers there are that look at the state only; `None` if more than this.
    pub fn schedulers(&self, most: usize) -> Option<Vec<Vec<usize>>> {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for rows in self.rows {
            if all.len() * rows.len() > most {
                return None;
            }
            all = all.iter().flat_map(|s| (0..rows.len()).map(|choice| [&s[..], &[choice]].concat())).collect();
        }
        Some(all)
    }

    /// The best that schedulers achieve, state by state; infinite is the most.
    pub fn best_of_all(
        &self,
        extreme: Extreme,
        schedulers: &[Vec<usize>],
        value: impl Fn(&[Next<'r>], &[usize]) -> Vec<Extended>,
    ) -> Vec<Extended> {
        let mut best: Option<Vec<Extended>> = None;
        for scheduler in schedulers {
            let values = value(&self.chain(scheduler), scheduler);
            best = Some(match best {
                None => values,
                Some(best) => best.into_iter().zip(values).map(|(a, b)| better(extreme, a, b)).collect(),
            });
        }
        best.unwrap_or_default()
    }

    /// One step: the best expectation of `values`, and what the step earns, if that counts.
    pub fn step(&self, extreme: Extreme, values: &[RBig], earned: Option<&dyn Fn(usize, usize) -> RBig>) -> Vec<RBig> {
        let choice = |state: usize, choice: usize| {
            let own = earned.map_or(RBig::ZERO, |earned| earned(state, choice));
            self.rows[state][choice].to.iter().fold(own, |sum, (target, p)| sum + p * &values[*target])
        };
        let best = |state: usize| {
            let all = (0..self.rows[state].len()).map(|at| choice(state, at));
            all.reduce(|a, b| if extreme.is_better(&b, &a) { b } else { a }).unwrap_or_default()
        };
        (0..self.len()).map(best).collect()
    }

    /// The most or least probability of `left U right`.
    pub fn until(&self, extreme: Extreme, left: &[bool], right: &[bool]) -> Vec<RBig> {
        self.scheduled_until(extreme, left, right).0
    }

    /// The same with a scheduler that achieves it.
    ///
    /// The probability under a scheduler that no single change makes better solves the equations of the best ones; the wanted
    /// probabilities are their least solution. For the most that is proof: nobody achieves more than the least solution.
    /// For the least, states from which the target can be avoided for ever are known to have 0, and then there is one solution.
    fn scheduled_until(&self, extreme: Extreme, left: &[bool], right: &[bool]) -> (Vec<RBig>, Vec<usize>) {
        let n = self.len();
        let mut never: Vec<bool> = match extreme {
            Extreme::Max => vec![false; n],
            Extreme::Min => right.iter().map(|right| !right).collect(),
        };
        let safe = |never: &[bool], s: usize| self.rows[s].iter().position(|row| row.to.keys().all(|t| never[*t]));
        while let Some(state) = (0..n).find(|s| never[*s] && left[*s] && safe(&never, *s).is_none()) {
            never[state] = false;
        }
        let left: Vec<bool> = (0..n).map(|s| left[s] && !never[s]).collect();
        let mut scheduler = vec![0; n];
        loop {
            let values = chain::until(&self.chain(&scheduler), &left, right);
            let mut changed = false;
            for state in (0..n).filter(|s| left[*s] && !right[*s]) {
                let value = |choice: usize| {
                    let to = &self.rows[state][choice].to;
                    to.iter().fold(RBig::ZERO, |sum, (target, p)| sum + p * &values[*target])
                };
                for choice in 0..self.rows[state].len() {
                    if extreme.is_better(&value(choice), &value(scheduler[state])) {
                        scheduler[state] = choice;
                        changed = true;
                    }
                }
            }
            if !changed {
                return (values, scheduler);
            }
        }
    }

    /// The most or least that is expected to be earned until a target is reached.
    pub fn reward(&self, extreme: Extreme, earned: &dyn Fn(usize, usize) -> RBig, target: &[bool]) -> Vec<Extended> {
        let n = self.len();
        let everywhere = vec![true; n];
        // Infinite if the target may be missed: by somebody who wants the most, by everybody who wants the least.
        let (reached, mut scheduler) = self.scheduled_until(extreme.opposite(), &everywhere, target);
        let certain: Vec<bool> = reached.iter().map(|p| *p == RBig::ONE).collect();
        loop {
            let own: Vec<RBig> = (0..n).map(|s| earned(s, scheduler[s])).collect();
            let values = chain::reward(&self.chain(&scheduler), &own, target);
            let mut changed = false;
            for state in (0..n).filter(|s| certain[*s] && !target[*s]) {
                let value = |choice: usize| {
                    let to = &self.rows[state][choice].to;
                    let own = earned(state, choice);
                    to.iter().try_fold(own, |sum, (target, p)| Some(sum + p * values[*target].as_ref()?))
                };
                for choice in 0..self.rows[state].len() {
                    if let (Some(new), Some(old)) = (value(choice), value(scheduler[state]))
                        && extreme.is_better(&new, &old)
                    {
                        scheduler[state] = choice;
                        changed = true;
                    }
                }
            }
            if !changed {
                return (0..n).map(|s| if certain[s] { values[s].clone() } else { None }).collect();
            }
        }
    }
}

fn better(extreme: Extreme, a: Extended, b: Extended) -> Extended {
    match (a, b, extreme) {
        (Some(a), Some(b), _) => Some(if extreme.is_better(&b, &a) { b } else { a }),
        (None, _, Extreme::Max) | (_, None, Extreme::Max) => None,
        (Some(one), None, Extreme::Min) | (None, Some(one), Extreme::Min) => Some(one),
        (None, None, Extreme::Min) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chances::meaning::fraction;
    use crate::random_promela::Rng;

    fn random(rng: &mut Rng) -> Vec<Vec<Row>> {
        let n = rng.range(2, 5);
        let row = |rng: &mut Rng| {
            let mut to = std::collections::BTreeMap::new();
            let parts = rng.range(1, 3) as i64;
            for _ in 0..parts {
                *to.entry(rng.below(n)).or_insert(RBig::ZERO) += fraction(1, parts);
            }
            Row { to, earned: vec![RBig::from(rng.below(3) as i64)] }
        };
        (0..n).map(|_| (0..rng.range(1, 3)).map(|_| row(rng)).collect()).collect()
    }

    #[test]
    fn improving_schedulers_finds_what_trying_all_of_them_finds() {
        for seed in 0..400 {
            let mut rng = Rng::new(seed);
            let rows = random(&mut rng);
            let n = rows.len();
            let process = Process { rows: &rows };
            let all = process.schedulers(1000).unwrap();
            let set = |rng: &mut Rng, percent: usize| (0..n).map(|_| rng.chance(percent)).collect::<Vec<bool>>();
            let (left, right) = (set(&mut rng, 80), set(&mut rng, 25));
            let earned = |s: usize, choice: usize| rows[s][choice].earned[0].clone();
            for extreme in [Extreme::Min, Extreme::Max] {
                let by_all = process.best_of_all(extreme, &all, |next, _| {
                    chain::until(next, &left, &right).into_iter().map(Some).collect()
                });
                let improved: Vec<Extended> = process.until(extreme, &left, &right).into_iter().map(Some).collect();
                assert_eq!(by_all, improved, "{seed} {extreme:?}");
                let by_all = process.best_of_all(extreme, &all, |next, scheduler| {
                    let own: Vec<RBig> = (0..n).map(|s| earned(s, scheduler[s])).collect();
                    chain::reward(next, &own, &right)
                });
                assert_eq!(by_all, process.reward(extreme, &earned, &right), "{seed} {extreme:?} reward");
            }
        }
    }
}
