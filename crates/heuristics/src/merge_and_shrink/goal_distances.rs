//! How far the states of the goal factor are from an error.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bughound_finite::cost::{Cost, INFINITE, plus};

use super::prune::Neighbours;
use super::system::Factor;

/// By state; `costs` are those of the groups. Other factors say nothing about errors: all 0.
pub fn goal_distances(factor: &Factor, costs: &[Cost]) -> Vec<Cost> {
    let Some(goal) = factor.goal else { return vec![0; factor.size as usize] };
    let before = Neighbours::new(factor, true);
    let mut best = vec![INFINITE; factor.size as usize];
    let mut open = BinaryHeap::from([Reverse((0, goal))]);
    best[goal as usize] = 0;
    while let Some(Reverse((cost, state))) = open.pop() {
        if best[state as usize] < cost {
            continue;
        }
        for (group, from) in before.of(state) {
            let through = plus(cost, costs[*group as usize]);
            if through < best[*from as usize] {
                best[*from as usize] = through;
                open.push(Reverse((through, *from)));
            }
        }
    }
    best
}
