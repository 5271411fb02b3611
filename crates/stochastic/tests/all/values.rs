//! Probabilities and expected rewards of enumerated models, in floating point: enough to see that rewards, bounds and
//! conditions were understood as other tools understand them. Not for verdicts.

use bughound_ir::chance::{
    Asked, Bounded, ChanceQuestion, Extreme, Kind, Measure, Number, PathFormula, Quantity, RewardFormula, RewardId,
    StateFormula,
};
use bughound_stochastic::tree::{Expr, Model, Rewarded};

use crate::enumerate::{Enumerated, Layout};

/// Chains with at most this many states are solved by elimination.
const MAX_DENSE: usize = 1500;

pub struct Evaluator<'m> {
    model: &'m Model,
    layout: Layout<'m>,
    found: &'m Enumerated,
}

impl<'m> Evaluator<'m> {
    pub fn new(model: &'m Model, found: &'m Enumerated) -> Evaluator<'m> {
        Evaluator { model, layout: Layout::new(model), found }
    }

    /// The value in the first initial state; nothing for questions that this cannot answer.
    pub fn value(&self, question: &ChanceQuestion<Expr>) -> Option<f64> {
        let Asked::Value(quantity) = &question.asked else { return None };
        let values = self.quantity(quantity)?;
        Some(values[self.found.initial[0]])
    }

    fn holds(&self, formula: &StateFormula<Expr>) -> Option<Vec<bool>> {
        let both = |a: Vec<bool>, b: Vec<bool>, join: fn(bool, bool) -> bool| {
            a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect()
        };
        Some(match formula {
            StateFormula::Atom(atom) => self.found.states.iter().map(|state| self.layout.holds(atom, state)).collect(),
            StateFormula::Initial => (0..self.found.states.len()).map(|id| self.found.initial.contains(&id)).collect(),
            StateFormula::Not(inner) => self.holds(inner)?.into_iter().map(|holds| !holds).collect(),
            StateFormula::And(a, b) => both(self.holds(a)?, self.holds(b)?, |a, b| a && b),
            StateFormula::Or(a, b) => both(self.holds(a)?, self.holds(b)?, |a, b| a || b),
            StateFormula::Deadlock | StateFormula::Bound(..) => return None,
        })
    }

    fn quantity(&self, quantity: &Quantity<Expr>) -> Option<Vec<f64>> {
        let extreme = quantity.extreme;
        match &quantity.measure {
            Measure::Probability(path) => self.probability(path, extreme),
            Measure::Reward { structure, of } => self.reward(*structure, of, extreme),
            Measure::LongRun(formula) => {
                let weights: Vec<f64> =
                    self.holds(formula)?.into_iter().map(|holds| f64::from(u8::from(holds))).collect();
                self.average(&weights)
            }
        }
    }

    fn probability(&self, path: &PathFormula<Expr>, extreme: Extreme) -> Option<Vec<f64>> {
        let (stay, goal, bounds) = match path {
            PathFormula::Finally(goal, bounds) => (vec![true; self.found.states.len()], self.holds(goal)?, bounds),
            PathFormula::Until(stay, goal, bounds) => (self.holds(stay)?, self.holds(goal)?, bounds),
            _ => return None,
        };
        let is_open = |id: usize| !goal[id] && stay[id];
        let at_goal: Vec<f64> = goal.iter().map(|holds| f64::from(u8::from(*holds))).collect();
        match (bounds.as_slice(), self.model.kind) {
            ([], Kind::Dtmc | Kind::Mdp) => Some(self.solve(&at_goal, &is_open, None, extreme)),
            ([bound], Kind::Dtmc | Kind::Mdp) if bound.of != Bounded::Time && bound.lower.is_none() => {
                let Bounded::Steps = bound.of else { return None };
                Some(self.steps(&at_goal, &is_open, float(&bound.upper.as_ref()?.value) as usize, extreme))
            }
            ([bound], Kind::Ctmc) if bound.of == Bounded::Time => match (&bound.lower, &bound.upper) {
                (None, Some(upper)) => Some(self.transient(&at_goal, &is_open, float(&upper.value))),
                (Some(lower), Some(upper)) if lower.value == upper.value && stay.iter().all(|stay| *stay) => {
                    Some(self.transient(&at_goal, &|_| true, float(&upper.value)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Of each state: the reward of being there (in a CTMC per unit of time).
    fn of_states(&self, structure: RewardId) -> Vec<f64> {
        let items = || self.model.rewards[structure.0 as usize].items.iter().filter(|item| item.of == Rewarded::State);
        let of_state = |state| {
            let earned = items().filter(|item| self.layout.holds(&item.guard, state));
            earned.map(|item| float(&self.layout.eval(&item.value, state).expect("a value").number())).sum()
        };
        self.found.states.iter().map(of_state).collect()
    }

    /// Of each state of a CTMC: what it earns per unit of time, steps included.
    fn per_time(&self, structure: RewardId) -> Vec<f64> {
        let of_states = self.of_states(structure);
        let steps = self.found.choices.iter().map(|choices| choices[0].earns[structure.0 as usize]);
        of_states.into_iter().zip(steps).map(|(state, steps)| state + steps).collect()
    }

    fn reward(&self, structure: RewardId, of: &RewardFormula<Expr>, extreme: Extreme) -> Option<Vec<f64>> {
        match (of, self.model.kind) {
            (RewardFormula::Reach(goal), Kind::Dtmc | Kind::Mdp) => {
                let goal = self.holds(goal)?;
                let nothing = vec![0.0; goal.len()];
                Some(self.solve(&nothing, &|id| !goal[id], Some(structure), extreme))
            }
            (RewardFormula::Instant(time), Kind::Ctmc) => {
                Some(self.transient(&self.of_states(structure), &|_| true, float(time)))
            }
            (RewardFormula::Cumulated(time), Kind::Ctmc) => {
                Some(self.cumulated(&self.per_time(structure), float(time)))
            }
            (RewardFormula::LongRun, Kind::Ctmc) => self.average(&self.per_time(structure)),
            _ => None,
        }
    }

    fn best(&self, id: usize, values: &[f64], reward: Option<RewardId>, extreme: Extreme) -> f64 {
        let of_choice = |choice: &crate::enumerate::Choice| {
            let earned = reward.map_or(0.0, |reward| choice.earns[reward.0 as usize]);
            earned + choice.entries.iter().map(|(target, chance)| chance * values[*target]).sum::<f64>()
        };
        let values = self.found.choices[id].iter().map(of_choice);
        match extreme {
            Extreme::Min => values.fold(f64::INFINITY, f64::min),
            _ => values.fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// The least solution: states that are not open keep their values.
    fn solve(
        &self,
        start: &[f64],
        is_open: &dyn Fn(usize) -> bool,
        reward: Option<RewardId>,
        extreme: Extreme,
    ) -> Vec<f64> {
        if self.model.kind == Kind::Dtmc && start.len() <= MAX_DENSE {
            return self.eliminate(start, is_open, reward);
        }
        let mut values = start.to_vec();
        for _ in 0..1_000_000 {
            let mut change: f64 = 0.0;
            for id in (0..values.len()).rev().filter(|id| is_open(*id)) {
                let value = self.best(id, &values, reward, extreme);
                change = change.max((value - values[id]).abs() / value.abs().max(1e-12));
                values[id] = value;
            }
            if change < 1e-14 {
                break;
            }
        }
        values
    }

    fn eliminate(&self, start: &[f64], is_open: &dyn Fn(usize) -> bool, reward: Option<RewardId>) -> Vec<f64> {
        // States that cannot leave the open ones never reach anything: their value is 0.
        let mut reaching: Vec<bool> = (0..start.len()).map(|id| !is_open(id)).collect();
        loop {
            let before = reaching.iter().filter(|reaches| **reaches).count();
            for id in 0..start.len() {
                reaching[id] |= self.found.choices[id][0].entries.iter().any(|(target, _)| reaching[*target]);
            }
            if reaching.iter().filter(|reaches| **reaches).count() == before {
                break;
            }
        }
        let size = start.len();
        let mut rows = vec![vec![0.0; size + 1]; size];
        for (id, row) in rows.iter_mut().enumerate() {
            row[id] = 1.0;
            if !is_open(id) {
                row[size] = start[id];
            } else if reaching[id] {
                let choice = &self.found.choices[id][0];
                choice.entries.iter().for_each(|(target, chance)| row[*target] -= chance);
                row[size] = reward.map_or(0.0, |reward| choice.earns[reward.0 as usize]);
            }
        }
        gauss(rows)
    }

    fn steps(&self, start: &[f64], is_open: &dyn Fn(usize) -> bool, steps: usize, extreme: Extreme) -> Vec<f64> {
        let mut values = start.to_vec();
        for _ in 0..steps {
            let next = |id: usize| if is_open(id) { self.best(id, &values, None, extreme) } else { start[id] };
            values = (0..start.len()).map(next).collect();
        }
        values
    }

    fn exit_rate(&self) -> f64 {
        let rate = |id: usize| self.found.choices[id][0].entries.iter().map(|(_, rate)| rate).sum::<f64>();
        1.02 * (0..self.found.states.len()).map(rate).fold(0.0, f64::max)
    }

    /// One step of the uniformised chain.
    fn uniformised(&self, values: &[f64], is_open: &dyn Fn(usize) -> bool, rate: f64) -> Vec<f64> {
        let next = |id: usize| {
            if !is_open(id) {
                return values[id];
            }
            let moved =
                self.found.choices[id][0].entries.iter().map(|(target, r)| r / rate * (values[*target] - values[id]));
            values[id] + moved.sum::<f64>()
        };
        (0..values.len()).map(next).collect()
    }

    /// Expected values after some time, with closed states absorbing.
    fn transient(&self, start: &[f64], is_open: &dyn Fn(usize) -> bool, time: f64) -> Vec<f64> {
        let rate = self.exit_rate();
        let mut values = start.to_vec();
        let mut result = vec![0.0; start.len()];
        for weight in poisson(rate * time) {
            result.iter_mut().zip(&values).for_each(|(sum, value)| *sum += weight * value);
            values = self.uniformised(&values, is_open, rate);
        }
        result
    }

    fn cumulated(&self, per_time: &[f64], time: f64) -> Vec<f64> {
        let rate = self.exit_rate();
        let mut values = per_time.to_vec();
        let mut result = vec![0.0; per_time.len()];
        let weights = poisson(rate * time);
        let mut later: f64 = weights.iter().sum();
        for weight in weights {
            later -= weight;
            result.iter_mut().zip(&values).for_each(|(sum, value)| *sum += later.max(0.0) * value / rate);
            values = self.uniformised(&values, &|_| true, rate);
        }
        result
    }

    /// The long-run average of a CTMC in which every state can be reached from every other.
    fn average(&self, per_time: &[f64]) -> Option<Vec<f64>> {
        let size = per_time.len();
        if self.model.kind != Kind::Ctmc || size > MAX_DENSE {
            return None;
        }
        let mut rows = vec![vec![0.0; size + 1]; size];
        for (id, choices) in self.found.choices.iter().enumerate() {
            for (target, rate) in &choices[0].entries {
                rows[*target][id] += rate;
                rows[id][id] -= rate;
            }
        }
        rows[0] = vec![1.0; size + 1];
        let stationary = gauss(rows);
        let average = stationary.iter().zip(per_time).map(|(share, value)| share * value).sum();
        Some(vec![average; size])
    }
}

fn float(number: &Number) -> f64 {
    number.to_f64().value()
}

/// Solves a system of linear equations; the last column is the right side.
fn gauss(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let size = rows.len();
    for column in 0..size {
        let pivot =
            (column..size).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs())).expect("a row");
        rows.swap(column, pivot);
        let (done, rest) = rows.split_at_mut(column + 1);
        let pivot = &done[column];
        for row in rest.iter_mut().filter(|row| row[column] != 0.0) {
            let factor = row[column] / pivot[column];
            (column..=size).for_each(|at| row[at] -= factor * pivot[at]);
        }
    }
    let mut solution = vec![0.0; size];
    for id in (0..size).rev() {
        let known: f64 = (id + 1..size).map(|at| rows[id][at] * solution[at]).sum();
        solution[id] = (rows[id][size] - known) / rows[id][id];
    }
    solution
}

/// Weights of 0, 1, 2 … jumps, until what is left is negligible.
fn poisson(mean: f64) -> Vec<f64> {
    let last = (mean + 12.0 * mean.sqrt() + 50.0) as usize;
    let mut logarithm = -mean;
    let mut weights = vec![logarithm.exp()];
    for jumps in 1..=last {
        logarithm += (mean / jumps as f64).ln();
        weights.push(logarithm.exp());
    }
    weights
}
