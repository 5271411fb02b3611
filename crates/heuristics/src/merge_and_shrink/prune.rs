//! States that no way leads to from the start, and states that lead to no error, are left out.

use super::system::{DEAD, Factor, FactorId, StateId, System, Transitions, UNSEEN, is_state};

/// Prunes all factors until nothing is left to be pruned: a label that has become impossible in one factor is so in all.
pub fn prune(system: &mut System) {
    loop {
        let before = system.labels.len();
        for factor in 0..system.factors.len() as FactorId {
            prune_factor(system, factor);
        }
        if system.labels.len() == before {
            return;
        }
    }
}

pub fn prune_factor(system: &mut System, id: FactorId) {
    system.work += system.factor(id).map_or(0, Factor::transitions);
    let Some(new) = system.factor(id).and_then(survivors) else { return };
    system.apply(id, &new);
}

/// New numbers for the states that are left; `None` if all are.
fn survivors(factor: &Factor) -> Option<Vec<StateId>> {
    let starts = factor.initial.iter().copied().filter(|state| is_state(*state));
    let seen = closure(factor, starts, false);
    let live = factor.goal.map(|goal| closure(factor, [goal].into_iter(), true));
    let mut number = 0;
    let new = (0..factor.size as usize).map(|state| {
        let is_goal = factor.goal == Some(state as StateId);
        if !is_goal && !seen[state] {
            UNSEEN
        } else if live.as_ref().is_some_and(|live| !live[state]) {
            DEAD
        } else {
            number += 1;
            number - 1
        }
    });
    let new: Vec<StateId> = new.collect();
    (number < factor.size).then_some(new)
}

/// The states that can be reached from some, or, backwards, that can reach some.
fn closure(factor: &Factor, from: impl Iterator<Item = StateId>, backwards: bool) -> Vec<bool> {
    let next = Neighbours::new(factor, backwards);
    let mut reached = vec![false; factor.size as usize];
    let mut open: Vec<StateId> = from.collect();
    open.iter().for_each(|state| reached[*state as usize] = true);
    while let Some(state) = open.pop() {
        for (_, to) in next.of(state) {
            if !std::mem::replace(&mut reached[*to as usize], true) {
                open.push(*to);
            }
        }
    }
    reached
}

/// By state: the transitions that leave it (or, backwards, that lead to it), with their groups.
pub struct Neighbours {
    starts: Vec<u32>,
    all: Vec<(u32, StateId)>,
}

impl Neighbours {
    pub fn new(factor: &Factor, backwards: bool) -> Neighbours {
        let ends = |(from, to): (StateId, StateId)| if backwards { (to, from) } else { (from, to) };
        let mut starts = vec![0u32; factor.size as usize + 1];
        factor.groups.iter().flatten().for_each(|pair| starts[ends(*pair).0 as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut all = vec![(0, 0); factor.transitions()];
        let add = |(group, transitions): (usize, &Transitions)| {
            for pair in transitions {
                let (from, to) = ends(*pair);
                all[next[from as usize] as usize] = (group as u32, to);
                next[from as usize] += 1;
            }
        };
        factor.groups.iter().enumerate().for_each(add);
        Neighbours { starts, all }
    }

    /// By group, ascending.
    pub fn of(&self, state: StateId) -> &[(u32, StateId)] {
        &self.all[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }
}
