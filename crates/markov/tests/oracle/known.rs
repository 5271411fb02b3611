//! What is true: probabilities of reaching a goal, in fractions, in a whole model and in a part of it.

use bughound_markov::directed::When;
use bughound_markov::{Extreme, Kind, RBig, StateSet};

use super::chain::Matrix;
use super::raw::Raw;
use super::series::series;
use super::walks::Ground;

/// A step leads to a state with a probability.
pub type Row = Vec<(usize, RBig)>;

/// A model with what its states are to the question.
#[derive(Clone)]
pub struct World {
    pub kind: Kind,
    /// By state and choice; in continuous time, which step is the next one.
    pub choices: Vec<Vec<Row>>,
    /// In continuous time: how fast a state is left.
    pub exits: Vec<RBig>,
    pub goals: StateSet,
    /// Neither goals nor lost.
    pub open: StateSet,
}

/// Values by state, and how far off they may be.
pub struct Truth {
    pub values: Vec<RBig>,
    pub slack: RBig,
}

impl World {
    pub fn of(raw: &Raw) -> World {
        let sparse = |row: Vec<RBig>| row.into_iter().enumerate().filter(|(_, p)| !p.is_zero()).collect::<Row>();
        let choices =
            raw.dense().into_iter().map(|choices| choices.into_iter().map(|(row, _)| sparse(row)).collect()).collect();
        World {
            kind: raw.kind,
            choices,
            exits: raw.rates().1,
            goals: raw.right.clone(),
            open: raw.left.without(&raw.right),
        }
    }

    pub fn len(&self) -> usize {
        self.choices.len()
    }

    /// Only these states move; whoever gets to one of the others has lost, or won if it is a goal.
    pub fn within(&self, moving: &StateSet, goals: &StateSet) -> World {
        World { goals: goals.clone(), open: self.open.intersection(moving).without(goals), ..self.clone() }
    }

    /// Only one choice of each state.
    pub fn under(&self, scheduler: &dyn Fn(usize) -> usize) -> World {
        let choices = self.choices.iter().enumerate().map(|(state, choices)| vec![choices[scheduler(state)].clone()]);
        World { choices: choices.collect(), ..self.clone() }
    }

    /// What walks may do.
    pub fn ground(&self) -> Ground {
        let usable = |to: usize| self.open.contains(to) || self.goals.contains(to);
        let of_state = |state: usize| {
            let mut steps = Vec::new();
            for (choice, row) in self.choices[state].iter().enumerate().filter(|_| self.open.contains(state)) {
                steps.extend(row.iter().filter(|(to, _)| usable(*to)).map(|(to, p)| (choice, *to, p.clone())));
            }
            steps
        };
        Ground { steps: (0..self.len()).map(of_state).collect(), goals: self.goals.clone() }
    }

    pub fn truth(&self, extreme: Extreme, when: &When) -> Truth {
        let exactly = |values| Truth { values, slack: RBig::ZERO };
        match when {
            When::Ever => exactly(self.ever(extreme)),
            When::Steps(most) => exactly(self.steps(extreme, *most)),
            When::Time(most) => self.time(most),
        }
    }

    /// Every memoryless scheduler is tried; only states from which a goal can be reached have something to choose.
    pub fn ever(&self, extreme: Extreme) -> Vec<RBig> {
        let hopeful = self.ground().hopeful();
        let choosing: Vec<usize> = (0..self.len())
            .filter(|&s| self.open.contains(s) && hopeful.contains(s) && self.choices[s].len() > 1)
            .collect();
        let mut best: Option<Vec<RBig>> = None;
        let mut scheduler = vec![0; self.len()];
        loop {
            let rows: Vec<&Row> = (0..self.len()).map(|s| &self.choices[s][scheduler[s]]).collect();
            let values = reach(&rows, &self.open, &self.goals);
            best = Some(match (best, extreme) {
                (None, _) => values,
                (Some(best), Extreme::Max) => best.into_iter().zip(values).map(|(a, b)| a.max(b)).collect(),
                (Some(best), Extreme::Min) => best.into_iter().zip(values).map(|(a, b)| a.min(b)).collect(),
            });
            let Some(at) = choosing.iter().position(|&s| scheduler[s] + 1 < self.choices[s].len()) else { break };
            scheduler[choosing[at]] += 1;
            choosing[..at].iter().for_each(|&s| scheduler[s] = 0);
        }
        best.expect("there is a scheduler")
    }

    /// Backwards, a step at a time.
    fn steps(&self, extreme: Extreme, most: u64) -> Vec<RBig> {
        let at_once = |s: usize| if self.goals.contains(s) { RBig::ONE } else { RBig::ZERO };
        let mut values: Vec<RBig> = (0..self.len()).map(at_once).collect();
        for _ in 0..most {
            let stepped = |s: usize| {
                let sums = self.choices[s]
                    .iter()
                    .map(|row| row.iter().fold(RBig::ZERO, |sum, (to, p)| sum + p * &values[*to]));
                let best = if extreme == Extreme::Max { sums.max() } else { sums.min() };
                best.expect("there is a choice")
            };
            values = (0..self.len()).map(|s| if self.open.contains(s) { stepped(s) } else { at_once(s) }).collect();
        }
        values
    }

    /// Transient analysis: open states move, all others stay.
    fn time(&self, most: &RBig) -> Truth {
        let n = self.len();
        let mut generator: Matrix = vec![vec![RBig::ZERO; n]; n];
        for state in self.open.iter() {
            for (to, p) in &self.choices[state][0] {
                generator[state][*to] += p * &self.exits[state];
            }
            generator[state][state] -= &self.exits[state];
        }
        let at_once: Vec<RBig> = (0..n).map(|s| if self.goals.contains(s) { RBig::ONE } else { RBig::ZERO }).collect();
        let (values, slack) = series(&generator, most, &at_once, 0);
        Truth { values, slack }
    }
}

/// The probability of reaching a goal through open states of a chain: states are eliminated one after the other, then their values
/// are put together backwards.
fn reach(rows: &[&Row], open: &StateSet, goals: &StateSet) -> Vec<RBig> {
    let n = rows.len();
    let mut hopeful = goals.clone();
    while let Some(more) = open
        .iter()
        .find(|&s| !hopeful.contains(s) && rows[s].iter().any(|(to, p)| hopeful.contains(*to) && !p.is_zero()))
    {
        hopeful.insert(more);
    }
    let unknown: Vec<usize> = open.intersection(&hopeful).without(goals).iter().collect();
    // By state: where its probability goes among those that are left, and how much of it goes to goals.
    let mut left: Vec<Vec<RBig>> = vec![vec![RBig::ZERO; n]; n];
    let mut won = vec![RBig::ZERO; n];
    for &state in &unknown {
        for (to, p) in rows[state] {
            if goals.contains(*to) {
                won[state] += p;
            } else if unknown.contains(to) {
                left[state][*to] += p;
            }
        }
    }
    for (at, &gone) in unknown.iter().enumerate() {
        let leaves = RBig::ONE / (RBig::ONE - std::mem::replace(&mut left[gone][gone], RBig::ZERO));
        left[gone].iter_mut().filter(|p| !p.is_zero()).for_each(|p| *p *= &leaves);
        won[gone] *= &leaves;
        let row = left[gone].clone();
        for &state in &unknown[at + 1..] {
            let share = std::mem::replace(&mut left[state][gone], RBig::ZERO);
            if share.is_zero() {
                continue;
            }
            row.iter().enumerate().filter(|(_, p)| !p.is_zero()).for_each(|(to, p)| left[state][to] += &share * p);
            let more = &share * &won[gone];
            won[state] += more;
        }
    }
    let mut values: Vec<RBig> = (0..n).map(|s| if goals.contains(s) { RBig::ONE } else { RBig::ZERO }).collect();
    for &state in unknown.iter().rev() {
        let later = left[state].iter().enumerate().filter(|(_, p)| !p.is_zero());
        values[state] = later.fold(won[state].clone(), |sum, (to, p)| sum + p * &values[to]);
    }
    values
}
