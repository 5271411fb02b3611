//! States of a factor are merged.

use super::bisimulation::classes;
use super::goal_distances::goal_distances;
use super::system::{FactorId, StateId, System};

/// Merges bisimilar states, and if there is a limit, others until at most so many are left.
pub fn shrink(system: &mut System, id: FactorId, most: Option<u32>) {
    let costs = system.costs(id);
    let Some(factor) = system.factor(id) else { return };
    let distances = goal_distances(factor, &costs);
    let mut work = 0;
    let new = classes(factor, &distances, most, &mut work);
    let fewer = |new: &Vec<StateId>| new.iter().max().is_some_and(|last| last + 1 < factor.size);
    let new = new.filter(fewer);
    system.work += work;
    if let Some(new) = new {
        system.apply(id, &new);
    }
}
