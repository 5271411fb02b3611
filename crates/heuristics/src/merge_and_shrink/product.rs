//! Two factors become one: pairs of their states, as far as they can come up.

use std::collections::BTreeMap;

use super::cascade::Source;
use super::prune::Neighbours;
use super::system::{Factor, FactorId, GroupId, StateId, System, Transitions, UNSEEN, is_state};

/// How large a factor may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub states: usize,
    pub transitions: usize,
    /// Pairs of states, whether they come up or not.
    pub pairs: usize,
    /// How much may be done altogether, in units of [`System::work`].
    pub work: usize,
}

/// Enough for small products of many variables.
const LEAST_WORK: usize = 10_000_000;

impl Limits {
    pub fn for_states(states: usize) -> Limits {
        Limits {
            states,
            transitions: states.saturating_mul(32),
            pairs: states.saturating_mul(128),
            work: states.saturating_mul(500).max(LEAST_WORK),
        }
    }

    /// At least as strict as those for so many states.
    pub fn at_most(self, states: usize) -> Limits {
        Limits::for_states(self.states.min(states))
    }
}

/// What labels do in both factors: at least one is a group.
type Both = (Option<GroupId>, Option<GroupId>);

/// Merges `second` into `first`. False, with nothing changed, if the product is too large.
pub fn merge(system: &mut System, first: FactorId, second: FactorId, limits: Limits) -> bool {
    let (Some(a), Some(b)) = (system.factor(first), system.factor(second)) else { return false };
    let mut groups: BTreeMap<Both, GroupId> = BTreeMap::new();
    for label in &system.labels {
        let both = (label.group(first), label.group(second));
        if both != (None, None) {
            let number = groups.len() as GroupId;
            groups.entry(both).or_insert(number);
        }
    }
    let pairs = Pairs::explore(a, b, &groups, limits);
    let source = Source::Pair { first: a.node, second: b.node, size: b.size };
    system.work += pairs.work();
    if !pairs.fit {
        return false;
    }
    let node = system.cascade.add(source, pairs.numbers);
    let factor = Factor { size: pairs.size, initial: pairs.initial, goal: pairs.goal, groups: pairs.transitions, node };
    for label in &mut system.labels {
        let group = groups.get(&(label.group(first), label.group(second))).copied();
        label.set_group(second, None);
        label.set_group(first, group);
    }
    system.factors[second as usize] = None;
    system.factors[first as usize] = Some(factor);
    system.tidy(first);
    true
}

struct Pairs {
    goals: (Option<StateId>, Option<StateId>),
    second_size: usize,
    limits: Limits,
    /// By pair, the second varies fastest.
    numbers: Vec<StateId>,
    open: Vec<(StateId, StateId)>,
    size: u32,
    initial: Vec<StateId>,
    goal: Option<StateId>,
    transitions: Vec<Transitions>,
    count: usize,
    /// There are not too many.
    fit: bool,
}

impl Pairs {
    fn explore(a: &Factor, b: &Factor, groups: &BTreeMap<Both, GroupId>, limits: Limits) -> Pairs {
        let size = a.size as usize * b.size as usize;
        let transitions = vec![Vec::new(); groups.len()];
        let numbers = vec![UNSEEN; if size <= limits.pairs { size } else { 0 }];
        let mut pairs = Pairs {
            goals: (a.goal, b.goal),
            second_size: b.size as usize,
            limits,
            numbers,
            open: Vec::new(),
            size: 0,
            initial: Vec::new(),
            goal: None,
            transitions,
            count: 0,
            fit: size <= limits.pairs,
        };
        if !pairs.fit {
            return pairs;
        }
        if a.goal.is_some() || b.goal.is_some() {
            pairs.goal = Some(0);
            pairs.size = 1;
        }
        pairs.initial = a.initial.iter().zip(&b.initial).map(|(a, b)| pairs.number(*a, *b)).collect();
        pairs.fit = pairs.close(a, b, groups);
        pairs
    }

    fn work(&self) -> usize {
        self.numbers.len() + self.count
    }

    fn number(&mut self, a: StateId, b: StateId) -> StateId {
        if !is_state(a) || !is_state(b) {
            return a.min(b);
        }
        let known = &mut self.numbers[a as usize * self.second_size + b as usize];
        if *known == UNSEEN {
            *known = match self.goal {
                Some(goal) if self.goals.0 == Some(a) || self.goals.1 == Some(b) => goal,
                _ => {
                    self.open.push((a, b));
                    self.size += 1;
                    self.size - 1
                }
            };
        }
        *known
    }

    /// Follows all transitions. False if there are too many.
    fn close(&mut self, first: &Factor, second: &Factor, groups: &BTreeMap<Both, GroupId>) -> bool {
        let (after_a, after_b) = (Neighbours::new(first, false), Neighbours::new(second, false));
        let mut partners: Vec<Vec<(Option<GroupId>, GroupId)>> = vec![Vec::new(); first.groups.len()];
        let mut alone: Vec<Option<GroupId>> = vec![None; second.groups.len()];
        for ((a, b), group) in groups {
            match (a, b) {
                (Some(a), b) => partners[*a as usize].push((*b, *group)),
                (None, Some(b)) => alone[*b as usize] = Some(*group),
                (None, None) => {}
            }
        }
        let mut found = Vec::new();
        while let Some((a, b)) = self.open.pop() {
            let (of_a, of_b) = (after_a.of(a), after_b.of(b));
            found.clear();
            for (group_a, to_a) in of_a {
                for (partner, group) in &partners[*group_a as usize] {
                    match partner {
                        None => found.push((*group, *to_a, b)),
                        Some(partner) => {
                            let from = of_b.partition_point(|(other, _)| other < partner);
                            let same = of_b[from..].iter().take_while(|(other, _)| other == partner);
                            found.extend(same.map(|(_, to_b)| (*group, *to_a, *to_b)));
                        }
                    }
                }
            }
            for (group_b, to_b) in of_b {
                found.extend(alone[*group_b as usize].map(|group| (group, a, *to_b)));
            }
            let from = self.number(a, b);
            self.count += found.len();
            for (group, to_a, to_b) in &found {
                let to = self.number(*to_a, *to_b);
                self.transitions[*group as usize].push((from, to));
            }
            if self.count > self.limits.transitions || self.size as usize > self.limits.states {
                return false;
            }
        }
        true
    }
}
