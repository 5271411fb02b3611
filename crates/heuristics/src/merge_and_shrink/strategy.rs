//! Which factors to merge, in which order, and how far to shrink them before.
//!
//! While products are small, trials say which two factors belong together. After that, the goal factor grows: it is the one
//! that knows distances, so shrinking it loses precision far from the error first, while what other factors would lose is
//! arbitrary.

use bughound_finite::cost::{Cost, INFINITE};
use bughound_kernel::Watch;

use super::encoding::GOAL;
use super::goal_distances::goal_distances;
use super::labels;
use super::product::{Limits, merge};
use super::prune::prune;
use super::shrink::shrink;
use super::system::{FactorId, System};
use super::trial::Trials;

/// In which order factors are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As trials say, then as below.
    Trial,
    /// The goal factor with one that takes part in its steps, nearest to the error (Dräger et al. 2006).
    Nearest,
}

/// So many factors are tried before one is merged that does not fit without loss.
const CANDIDATES: usize = 4;

/// [`System::work`] that takes about a microsecond.
pub const WORK_OF_A_UNIT: usize = 50;

/// Merges the goal factor with all that it depends on, as far as the limits allow.
pub fn run(system: &mut System, order: Order, limits: Limits, watch: &dyn Watch) {
    prune(system);
    for factor in 0..system.factors.len() as FactorId {
        labels::reduce_for(system, factor);
        shrink(system, factor, None);
    }
    labels::reduce(system, GOAL);
    let mut trials = (order == Order::Trial).then(Trials::default);
    let mut told = 0;
    loop {
        let pair = trials.as_mut().and_then(|trials| trials.best(system, limits, limits.work / 2, watch));
        let Some((first, second)) = pair.or_else(|| nearest(system, limits)) else { return };
        let tried = trials.as_ref().map_or(0, |trials| trials.work);
        let spent = system.work + tried;
        if spent > limits.work
            || !watch.go_on(((spent - told) / WORK_OF_A_UNIT) as u64 + 1, system.bytes() as u64)
            || !merge_shrunk(system, first, second, limits)
        {
            return;
        }
        told = spent;
        prune(system);
        labels::reduce(system, first);
        shrink(system, first, None);
        labels::reduce(system, first);
        if let Some(trials) = &mut trials {
            trials.forget(first);
            trials.forget(second);
        }
    }
}

/// Merges, if need be after shrinking the larger of the two, the goal factor rather than one of equal size.
fn merge_shrunk(system: &mut System, first: FactorId, second: FactorId, limits: Limits) -> bool {
    let size = |system: &System, id| system.factor(id).map_or(0, |factor| factor.size);
    while !merge(system, first, second, limits) {
        let larger = if size(system, first) >= size(system, second) { first } else { second };
        let most = size(system, larger) / 2;
        if most < 2 {
            return false;
        }
        shrink(system, larger, Some(most));
    }
    true
}

/// The goal factor and one that takes part in steps of it near the error; of those a small one.
fn nearest(system: &System, limits: Limits) -> Option<(FactorId, FactorId)> {
    let goal = system.factor(GOAL)?;
    let distances = goal_distances(goal, &system.costs(GOAL));
    let nearest = |transitions: &Vec<(u32, u32)>| {
        transitions.iter().map(|(_, to)| distances[*to as usize]).min().unwrap_or(INFINITE)
    };
    let ranks: Vec<Cost> = goal.groups.iter().map(nearest).collect();
    let mut best: Vec<Option<Cost>> = vec![None; system.factors.len()];
    for label in &system.labels {
        let Some(rank) = label.group(GOAL).map(|group| ranks[group as usize]) else { continue };
        for (other, _) in label.besides(GOAL) {
            let best = &mut best[other as usize];
            *best = Some(best.map_or(rank, |known| known.min(rank)));
        }
    }
    // Factors that share no label with the goal factor make no difference to it.
    let others = system.living().filter_map(|(id, factor)| Some((best[id as usize]?, factor.size, id)));
    let mut others: Vec<(Cost, u32, FactorId)> = others.collect();
    others.sort_unstable();
    let fits = |size: u32| goal.size as usize * size as usize <= limits.states;
    let fitting = others.iter().take(CANDIDATES).find(|(_, size, _)| fits(*size));
    fitting.or(others.first()).map(|(_, _, id)| (GOAL, *id))
}
