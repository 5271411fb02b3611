//! Decision processes: every memoryless deterministic scheduler is tried.

use bughound_markov::{Extended, Extreme, RBig, StateSet};

use super::chain::{self, Matrix};

/// Choices of every state: probabilities and the reward of leaving by it, state reward included.
pub struct Process {
    pub choices: Vec<Vec<(Vec<RBig>, RBig)>>,
}

impl Process {
    pub fn len(&self) -> usize {
        self.choices.len()
    }

    /// The chain and its rewards under a scheduler.
    pub fn chain(&self, scheduler: &[usize]) -> (Matrix, Vec<RBig>) {
        let rows = self.choices.iter().zip(scheduler).map(|(choices, &choice)| choices[choice].clone());
        rows.unzip()
    }

    /// The best over all schedulers, per state.
    pub fn best(&self, extreme: Extreme, value: impl Fn(&Matrix, &[RBig]) -> Vec<Extended>) -> Vec<Extended> {
        let mut best: Vec<Option<Extended>> = vec![None; self.len()];
        let mut scheduler = vec![0; self.len()];
        loop {
            let (p, c) = self.chain(&scheduler);
            for (best, value) in best.iter_mut().zip(value(&p, &c)) {
                let better = best.as_ref().is_none_or(|best| match extreme {
                    Extreme::Max => value > *best,
                    Extreme::Min => value < *best,
                });
                if better {
                    *best = Some(value);
                }
            }
            let Some(at) = (0..self.len()).find(|&state| scheduler[state] + 1 < self.choices[state].len()) else {
                break;
            };
            scheduler[at] += 1;
            scheduler[..at].iter_mut().for_each(|choice| *choice = 0);
        }
        best.into_iter().map(|best| best.expect("there is a scheduler")).collect()
    }

    /// One step backwards: the best over choices of reward + Σ p·x.
    pub fn step(&self, extreme: Extreme, with_reward: bool, x: &[RBig]) -> Vec<RBig> {
        let of = |(p, c): &(Vec<RBig>, RBig)| {
            let start = if with_reward { c.clone() } else { RBig::ZERO };
            p.iter().zip(x).fold(start, |sum, (p, x)| sum + p * x)
        };
        let best = |choices: &Vec<(Vec<RBig>, RBig)>| match extreme {
            Extreme::Max => choices.iter().map(of).max(),
            Extreme::Min => choices.iter().map(of).min(),
        };
        self.choices.iter().map(|choices| best(choices).expect("there is a choice")).collect()
    }

    /// Probability of `left U right` in from..=to steps.
    pub fn bounded(&self, extreme: Extreme, left: &StateSet, right: &StateSet, from: u64, to: u64) -> Vec<RBig> {
        let n = self.len();
        // x[s] at step k of the run, backwards from k = to.
        let mut x: Vec<RBig> = vec![RBig::ZERO; n];
        for k in (0..=to).rev() {
            let stepped = self.step(extreme, false, &x);
            x = (0..n)
                .map(|s| {
                    if k >= from && right.contains(s) {
                        RBig::ONE
                    } else if left.contains(s) && k < to {
                        stepped[s].clone()
                    } else {
                        RBig::ZERO
                    }
                })
                .collect();
        }
        x
    }

    pub fn until(&self, extreme: Extreme, left: &StateSet, right: &StateSet) -> Vec<Extended> {
        self.best(extreme, |p, _| chain::until(p, left, right).into_iter().map(Extended::Finite).collect())
    }

    pub fn average(&self, extreme: Extreme) -> Vec<Extended> {
        let time = vec![RBig::ONE; self.len()];
        self.best(extreme, |p, c| chain::average(p, c, &time).into_iter().map(Extended::Finite).collect())
    }
}
