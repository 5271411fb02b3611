//! Which states of a factor to merge: bisimilar ones, and if too many are left, states far from an error.
//!
//! States begin in classes by their distance to an error. A class is split where its states differ in the classes that
//! their transitions lead to, the classes nearest to an error first. When nothing is left to split, states of a class are
//! bisimilar, and merging them loses nothing. If splitting stops before because there are as many classes as allowed, what
//! is lost is precision far from the error.

use std::collections::{BTreeMap, BTreeSet};

use bughound_finite::cost::Cost;

use super::prune::Neighbours;
use super::system::{Factor, StateId, mix};

type ClassId = u32;

/// Splitting stops after it has looked at every transition so many times on average.
const MOST_LOOKS: usize = 100;

/// By state: the class of states to be merged that it belongs to. With a limit, at most so many classes; without one,
/// states of a class are bisimilar, or it takes too long to find out which are: `None`.
pub fn classes(factor: &Factor, distances: &[Cost], most: Option<u32>, work: &mut usize) -> Option<Vec<StateId>> {
    let mut partition = Partition::new(factor, distances, most.map(|most| most.max(2)));
    let most_looks = MOST_LOOKS * (factor.transitions() + factor.size as usize);
    let mut settled = true;
    while let Some((turn, class)) = partition.unsettled.pop_first() {
        if partition.members.len() >= partition.most || partition.looks > most_looks {
            settled = false;
            break;
        }
        partition.turn = turn;
        partition.split(class);
    }
    *work += partition.looks + factor.transitions();
    (settled || most.is_some()).then_some(partition.class_of)
}

struct Partition {
    after: Neighbours,
    before: Neighbours,
    most: usize,
    class_of: Vec<ClassId>,
    /// By class; the order does not matter.
    members: Vec<Vec<StateId>>,
    /// By state: where it is among the members.
    position: Vec<u32>,
    /// By class: how far its states are from an error.
    distance: Vec<Cost>,
    /// By class: what the states agree on that are not listed as changed.
    signature: Vec<u64>,
    /// By class: states some of whose transitions may lead to other classes than before.
    changed: Vec<Vec<StateId>>,
    is_changed: Vec<bool>,
    /// Classes with changed states, by the turn in which they are looked at. With a limit, their distance; without one,
    /// they are looked at one after the other, which is less work.
    unsettled: BTreeSet<(Cost, ClassId)>,
    limited: bool,
    turn: Cost,
    /// At transitions and states.
    looks: usize,
}

impl Partition {
    fn new(factor: &Factor, distances: &[Cost], limit: Option<u32>) -> Partition {
        let most = limit.unwrap_or(ClassId::MAX);
        let size = factor.size as usize;
        // The goal state is kept apart: there may be states that get there for nothing.
        let key = |state: StateId| (distances[state as usize], Some(state) != factor.goal);
        let keys: BTreeSet<(Cost, bool)> = (0..factor.size).map(key).collect();
        let numbers: BTreeMap<(Cost, bool), ClassId> =
            keys.iter().enumerate().map(|(at, key)| (*key, (at as u32).min(most - 1))).collect();
        let class_of: Vec<ClassId> = (0..factor.size).map(|state| numbers[&key(state)]).collect();
        let classes = keys.len().min(most as usize);
        let mut members = vec![Vec::new(); classes];
        let mut position = Vec::with_capacity(size);
        for (state, class) in class_of.iter().enumerate() {
            position.push(members[*class as usize].len() as u32);
            members[*class as usize].push(state as StateId);
        }
        let distance: Vec<Cost> = keys.iter().take(classes).map(|(distance, _)| *distance).collect();
        Partition {
            after: Neighbours::new(factor, false),
            before: Neighbours::new(factor, true),
            most: most as usize,
            class_of,
            changed: members.clone(),
            members,
            position,
            signature: vec![u64::MAX; classes],
            is_changed: vec![true; size],
            unsettled: distance.iter().enumerate().map(|(class, distance)| (*distance, class as ClassId)).collect(),
            limited: limit.is_some(),
            turn: 0,
            looks: 0,
            distance,
        }
    }

    /// Should two different states ever have equal signatures, they are merged though not bisimilar: a loss of precision.
    fn signature_of(&self, state: StateId, buffer: &mut Vec<u64>) -> u64 {
        buffer.clear();
        let class = |to: &StateId| u64::from(self.class_of[*to as usize]);
        buffer.extend(self.after.of(state).iter().map(|(group, to)| u64::from(*group) << 32 | class(to)));
        buffer.sort_unstable();
        buffer.dedup();
        buffer.iter().fold(buffer.len() as u64, |sum, part| mix(sum, *part))
    }

    /// Splits a class by the signatures of its states, as far as there may be more classes.
    fn split(&mut self, class: ClassId) {
        let at = class as usize;
        let changed = std::mem::take(&mut self.changed[at]);
        if changed.is_empty() {
            return;
        }
        let mut buffer = Vec::new();
        let mut parts: BTreeMap<u64, Vec<StateId>> = BTreeMap::new();
        for state in &changed {
            self.is_changed[*state as usize] = false;
            self.looks += 1 + self.after.of(*state).len();
            parts.entry(self.signature_of(*state, &mut buffer)).or_default().push(*state);
        }
        let all_changed = changed.len() == self.members[at].len();
        if all_changed {
            // The largest part stays: it is the others that make more work.
            let largest = parts.iter().max_by_key(|(_, states)| states.len()).map(|(signature, _)| *signature);
            self.signature[at] = largest.unwrap_or_default();
        }
        parts.remove(&self.signature[at]);
        let mut parts: Vec<(u64, Vec<StateId>)> = parts.into_iter().collect();
        parts.sort_by_key(|(_, states)| std::cmp::Reverse(states.len()));
        parts.truncate(self.most - self.members.len());
        let first_new = self.members.len();
        for (signature, states) in parts {
            self.separate(class, signature, states);
        }
        // Only now: a state that is marked must not move any more.
        for new in first_new..self.members.len() {
            self.mark_predecessors(new);
        }
    }

    /// Makes states of a class a class of their own.
    fn separate(&mut self, class: ClassId, signature: u64, states: Vec<StateId>) {
        let new = self.members.len() as ClassId;
        for (at, state) in states.iter().enumerate() {
            let old = &mut self.members[class as usize];
            let place = self.position[*state as usize];
            old.swap_remove(place as usize);
            if let Some(moved) = old.get(place as usize) {
                self.position[*moved as usize] = place;
            }
            self.position[*state as usize] = at as u32;
            self.class_of[*state as usize] = new;
        }
        self.members.push(states);
        self.distance.push(self.distance[class as usize]);
        self.signature.push(signature);
        self.changed.push(Vec::new());
    }

    /// States with transitions to this class have to be looked at again.
    fn mark_predecessors(&mut self, class: usize) {
        let states = &self.members[class];
        for (_, from) in states.iter().flat_map(|state| self.before.of(*state)) {
            if !std::mem::replace(&mut self.is_changed[*from as usize], true) {
                let class = self.class_of[*from as usize];
                self.changed[class as usize].push(*from);
                let turn = if self.limited { self.distance[class as usize] } else { self.turn.saturating_add(1) };
                self.unsettled.insert((turn, class));
            }
        }
    }
}
