//! Which two factors to merge: those whose product, once everything is left out and merged that can be without loss, is
//! smallest compared with all pairs of their states.
//!
//! Such factors belong together, such as a process and the flags that it alone sets; merging them early keeps everything
//! small. What a product will be like is found out by building it, as long as it is small enough.

use std::collections::HashMap;

use bughound_kernel::Watch;

use super::labels;
use super::product::{Limits, merge};
use super::prune::prune_factor;
use super::shrink::shrink;
use super::strategy::WORK_OF_A_UNIT;
use super::system::{Factor, FactorId, System};

/// A pair of factors, the better the smaller.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Score {
    /// How much of the product is left.
    ratio: f64,
    size: u32,
}

/// The most states of a product that is built to see what it is like.
const MOST_STATES: usize = 20_000;
/// Scores that are known already.
#[derive(Default)]
pub struct Trials {
    known: HashMap<(FactorId, FactorId), Option<Score>>,
    pub work: usize,
}

impl Trials {
    /// The pair with the best score; `None` if all are too large, or not tried because that would be too much work.
    pub fn best(
        &mut self,
        system: &System,
        limits: Limits,
        most_work: usize,
        watch: &dyn Watch,
    ) -> Option<(FactorId, FactorId)> {
        let mut of_factor: Vec<Vec<usize>> = vec![Vec::new(); system.factors.len()];
        for (at, label) in system.labels.iter().enumerate() {
            label.uses.iter().for_each(|(factor, _)| of_factor[*factor as usize].push(at));
        }
        let limits = limits.at_most(MOST_STATES);
        let mut best: Option<(Score, FactorId, FactorId)> = None;
        let living: Vec<FactorId> = system.living().map(|(id, _)| id).collect();
        for (at, first) in living.iter().enumerate() {
            for second in &living[at + 1..] {
                let work = &mut self.work;
                let before = *work;
                let score = *self.known.entry((*first, *second)).or_insert_with(|| {
                    let concerned = merged(&of_factor[*first as usize], &of_factor[*second as usize])?;
                    *work += concerned.len();
                    if *work > most_work { None } else { attempt(system, *first, *second, &concerned, limits, work) }
                });
                if let Some(score) = score
                    && best.is_none_or(|best| (score, *first, *second) < best)
                {
                    best = Some((score, *first, *second));
                }
                if !watch.go_on(((*work - before) / WORK_OF_A_UNIT) as u64, 0) {
                    return None;
                }
            }
        }
        best.map(|(_, first, second)| (first, second))
    }

    /// A factor has become another one.
    pub fn forget(&mut self, factor: FactorId) {
        self.known.retain(|(first, second), _| *first != factor && *second != factor);
    }
}

/// The union of two sorted lists; `None` if they have nothing in common.
fn merged(first: &[usize], second: &[usize]) -> Option<Vec<usize>> {
    let mut all = [first, second].concat();
    all.sort_unstable();
    all.dedup();
    (all.len() < first.len() + second.len()).then_some(all)
}

/// Builds the product, from the labels that concern it.
fn attempt(
    system: &System,
    first: FactorId,
    second: FactorId,
    concerned: &[usize],
    limits: Limits,
    work: &mut usize,
) -> Option<Score> {
    let mut factors = vec![None; system.factors.len()];
    let (a, b) = (system.factor(first)?, system.factor(second)?);
    factors[first as usize] = Some(a.clone());
    factors[second as usize] = Some(b.clone());
    let labels = concerned.iter().map(|at| system.labels[*at].clone()).collect();
    let mut trial = System::new(labels, factors);
    let fits = merge(&mut trial, first, second, limits);
    if fits {
        prune_factor(&mut trial, first);
        labels::reduce_for(&mut trial, first);
        shrink(&mut trial, first, None);
    }
    *work += trial.work;
    let size = trial.factor(first).filter(|_| fits)?.size;
    // Goal states are no pairs.
    let goals = |factor: &Factor| u32::from(factor.goal.is_some());
    let pairs = f64::from(a.size - goals(a)) * f64::from(b.size - goals(b));
    Some(Score { ratio: f64::from(size - goals(a) - goals(b)) / pairs, size })
}
