//! A factored transition system: small systems, the factors, whose steps have labels; all factors take a step together.
//!
//! Labels that do the same in a factor share a group of transitions there, and a label that leaves a factor alone has no
//! group in it: tasks have many operators, and most of them leave most variables alone.
//!
//! One factor, the goal factor, knows whether an error has been reached. Nothing matters afterwards: no step leaves its
//! goal state.

use std::collections::HashMap;

use bughound_finite::cost::{Cost, INFINITE};

use super::cascade::{Cascade, NodeId};

pub type StateId = u32;
pub type FactorId = u32;
pub type GroupId = u32;
pub type Transitions = Vec<(StateId, StateId)>;

/// In place of a state: nothing that can come up is mapped here.
pub const UNSEEN: StateId = StateId::MAX;
/// In place of a state: no way leads to an error.
pub const DEAD: StateId = StateId::MAX - 1;

pub fn is_state(state: StateId) -> bool {
    state < DEAD
}

/// What happens in a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    pub cost: Cost,
    /// Its group in each factor that it does not leave alone, by factor.
    pub uses: Vec<(FactorId, GroupId)>,
}

impl Label {
    pub fn group(&self, factor: FactorId) -> Option<GroupId> {
        self.uses.binary_search_by_key(&factor, |(factor, _)| *factor).ok().map(|at| self.uses[at].1)
    }

    /// Its groups elsewhere.
    pub fn besides(&self, factor: FactorId) -> impl Iterator<Item = (FactorId, GroupId)> + Clone {
        self.uses.iter().copied().filter(move |(other, _)| *other != factor)
    }

    pub fn set_group(&mut self, factor: FactorId, group: Option<GroupId>) {
        self.uses.retain(|(other, _)| *other != factor);
        if let Some(group) = group {
            let at = self.uses.partition_point(|(other, _)| *other < factor);
            self.uses.insert(at, (factor, group));
        }
    }
}

#[derive(Clone, Debug)]
pub struct Factor {
    pub size: u32,
    /// By initial state of the task.
    pub initial: Vec<StateId>,
    /// Of the goal factor only.
    pub goal: Option<StateId>,
    /// By group: sorted, without duplicates.
    pub groups: Vec<Transitions>,
    /// Where its states are looked up.
    pub node: NodeId,
}

impl Factor {
    pub fn transitions(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }

    /// Do these transitions leave everything as it is? (What they do in the goal state does not matter.)
    fn is_identity(&self, transitions: &[(StateId, StateId)]) -> bool {
        let counted = self.size as usize - usize::from(self.goal.is_some());
        transitions.len() == counted && transitions.iter().all(|(from, to)| from == to)
    }
}

pub struct System {
    pub labels: Vec<Label>,
    pub factors: Vec<Option<Factor>>,
    pub cascade: Cascade,
    /// How many labels, states and transitions have been looked at. Time is bounded by this rather than by a clock: the
    /// same model gives the same estimates.
    pub work: usize,
}

impl System {
    pub fn new(labels: Vec<Label>, factors: Vec<Option<Factor>>) -> System {
        System { labels, factors, cascade: Cascade::default(), work: 0 }
    }

    pub fn factor(&self, factor: FactorId) -> Option<&Factor> {
        self.factors[factor as usize].as_ref()
    }

    /// Those that have not been merged into others.
    pub fn living(&self) -> impl Iterator<Item = (FactorId, &Factor)> {
        self.factors.iter().enumerate().filter_map(|(at, factor)| Some((at as FactorId, factor.as_ref()?)))
    }

    /// Held by the transitions, more or less.
    pub fn bytes(&self) -> usize {
        self.living().map(|(_, factor)| factor.transitions() * size_of::<(StateId, StateId)>()).sum()
    }

    /// By group: the least cost of its labels.
    pub fn costs(&self, factor: FactorId) -> Vec<Cost> {
        let mut costs = vec![INFINITE; self.factor(factor).map_or(0, |factor| factor.groups.len())];
        for label in &self.labels {
            if let Some(group) = label.group(factor) {
                let least = &mut costs[group as usize];
                *least = (*least).min(label.cost);
            }
        }
        costs
    }

    /// Replaces the states of a factor; several can become one.
    pub fn apply(&mut self, id: FactorId, new: &[StateId]) {
        let Some(factor) = &mut self.factors[id as usize] else { return };
        let replaced = |state: StateId| if is_state(state) { new[state as usize] } else { state };
        factor.size = new.iter().filter(|state| is_state(**state)).max().map_or(0, |last| last + 1);
        factor.initial.iter_mut().for_each(|state| *state = replaced(*state));
        factor.goal = factor.goal.map(replaced).filter(|goal| is_state(*goal));
        for transitions in &mut factor.groups {
            transitions.iter_mut().for_each(|(from, to)| (*from, *to) = (replaced(*from), replaced(*to)));
            transitions.retain(|(from, to)| is_state(*from) && is_state(*to));
        }
        self.cascade.replace(factor.node, replaced);
        self.tidy(id);
    }

    /// Puts the groups of a factor in order: equal ones become one, and labels that have become impossible, or do nothing
    /// anywhere, vanish.
    pub fn tidy(&mut self, id: FactorId) {
        let Some(mut factor) = self.factors[id as usize].take() else { return };
        self.work += self.labels.len() + factor.transitions();
        let old = std::mem::take(&mut factor.groups);
        let mut used = vec![false; old.len()];
        self.labels.iter().filter_map(|label| label.group(id)).for_each(|group| used[group as usize] = true);
        let mut places: HashMap<u64, Vec<GroupId>> = HashMap::new();
        let mut fates = Vec::with_capacity(old.len());
        for (mut transitions, used) in old.into_iter().zip(used) {
            transitions.retain(|(from, _)| Some(*from) != factor.goal);
            transitions.sort_unstable();
            transitions.dedup();
            fates.push(if !used || transitions.is_empty() {
                Fate::Impossible
            } else if factor.is_identity(&transitions) {
                Fate::Alone
            } else {
                let equal = places.entry(fingerprint(&transitions)).or_default();
                let known = equal.iter().find(|group| factor.groups[**group as usize] == transitions);
                Fate::Group(known.copied().unwrap_or_else(|| {
                    let group = factor.groups.len() as GroupId;
                    equal.push(group);
                    factor.groups.push(transitions);
                    group
                }))
            });
        }
        self.labels.retain_mut(|label| {
            let Some(group) = label.group(id) else { return true };
            match fates[group as usize] {
                Fate::Impossible => return false,
                Fate::Alone => label.set_group(id, None),
                Fate::Group(group) => label.set_group(id, Some(group)),
            }
            !label.uses.is_empty()
        });
        self.factors[id as usize] = Some(factor);
    }
}

/// What becomes of a group.
#[derive(Clone, Copy)]
enum Fate {
    Impossible,
    Alone,
    Group(GroupId),
}

/// Equal for equal transitions, and nearly always different for different ones.
fn fingerprint(transitions: &[(StateId, StateId)]) -> u64 {
    transitions
        .iter()
        .fold(transitions.len() as u64, |sum, (from, to)| mix(sum, u64::from(*from) << 32 | u64::from(*to)))
}

/// Makes one number of two.
pub fn mix(a: u64, b: u64) -> u64 {
    let mixed = (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ mixed >> 32
}
