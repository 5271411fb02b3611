//! Maximal end components: sets of states and choices in which one can stay for ever and go everywhere.
//!
//! de Alfaro, *Formal Verification of Probabilistic Systems* (1997): take components, drop choices that leave their component
//! and states without choices, repeat with what was touched. Quadratic at worst; few rounds in practice.

use super::components_of;
use crate::model::Model;
use crate::states::StateSet;

/// The maximal end components of a part of a model.
#[derive(Clone, Debug)]
pub struct EndComponents {
    /// Component of each state; [`EndComponents::NONE`] where there is none.
    of: Vec<u32>,
    start: Vec<u32>,
    members: Vec<u32>,
    /// Choices that stay inside.
    inner: StateSet,
}

impl EndComponents {
    const NONE: u32 = u32::MAX;

    pub fn count(&self) -> usize {
        self.start.len() - 1
    }

    pub fn of(&self, state: usize) -> Option<usize> {
        let component = self.of[state];
        (component != Self::NONE).then_some(component as usize)
    }

    pub fn members(&self, component: usize) -> &[u32] {
        &self.members[self.start[component] as usize..self.start[component + 1] as usize]
    }

    /// Does this choice stay in the component of its state?
    pub fn is_inner(&self, choice: usize) -> bool {
        self.inner.contains(choice)
    }
}

/// Maximal end components of the whole model.
pub fn maximal_end_components(model: &Model) -> EndComponents {
    end_components_among(model, &StateSet::all(model.states()), |_| true)
}

/// Maximal end components that consist of these states and these choices only.
pub(crate) fn end_components_among(
    model: &Model,
    states: &StateSet,
    mut allowed: impl FnMut(usize) -> bool,
) -> EndComponents {
    let mut alive = states.clone();
    let mut inner = StateSet::none(model.choices());
    for state in states.iter() {
        for choice in model.choices_of(state) {
            if allowed(choice) && model.targets_of(choice).iter().all(|&target| states.contains(target as usize)) {
                inner.insert(choice);
            }
        }
    }
    let mut of = vec![EndComponents::NONE; model.states()];
    let mut done_members: Vec<Vec<u32>> = Vec::new();
    // Only what is not yet known to be an end component is looked at again.
    let mut pending: Vec<u32> = states.iter().map(|state| state as u32).collect();
    let mut local = vec![u32::MAX; model.states()];
    while !pending.is_empty() {
        pending.retain(|&state| alive.contains(state as usize));
        for (index, &state) in pending.iter().enumerate() {
            local[state as usize] = index as u32;
        }
        let mut start = Vec::with_capacity(pending.len() + 1);
        let mut targets = Vec::new();
        start.push(0u32);
        for &state in &pending {
            for choice in model.choices_of(state as usize).filter(|&choice| inner.contains(choice)) {
                targets.extend(model.targets_of(choice).iter().map(|&target| local[target as usize]));
            }
            start.push(targets.len() as u32);
        }
        let found = components_of(pending.len(), |vertex| start[vertex], &targets);
        let mut next = Vec::new();
        for component in 0..found.count() {
            let members = found.members(component);
            let mut whole = true;
            for &member in members {
                let state = pending[member as usize] as usize;
                let mut choices = 0;
                for choice in model.choices_of(state).filter(|choice| inner.contains(*choice)).collect::<Vec<_>>() {
                    let stays = model.targets_of(choice).iter().all(|&target| {
                        let vertex = local[target as usize];
                        vertex != u32::MAX && found.of(vertex as usize) == component
                    });
                    if stays {
                        choices += 1;
                    } else {
                        inner.remove(choice);
                        whole = false;
                    }
                }
                if choices == 0 {
                    alive.remove(state);
                    whole = false;
                }
            }
            let states = members.iter().map(|&member| pending[member as usize]);
            if whole {
                let id = done_members.len() as u32;
                states.clone().for_each(|state| of[state as usize] = id);
                done_members.push(states.collect());
            } else {
                next.extend(states);
            }
        }
        // What is done is no target for the others any more: a choice that leads there leaves its component.
        pending.iter().for_each(|&state| local[state as usize] = u32::MAX);
        pending = next;
        for &state in &pending {
            for choice in model.choices_of(state as usize).collect::<Vec<_>>() {
                let lost =
                    |&target: &u32| !alive.contains(target as usize) || of[target as usize] != EndComponents::NONE;
                if inner.contains(choice) && model.targets_of(choice).iter().any(lost) {
                    inner.remove(choice);
                }
            }
        }
        // Most single states fall out here, without another search for components.
        pending.retain(|&state| {
            let stays = model.choices_of(state as usize).any(|choice| inner.contains(choice));
            if !stays {
                alive.remove(state as usize);
            }
            stays
        });
    }
    for state in states.iter().filter(|&state| of[state] == EndComponents::NONE) {
        model.choices_of(state).for_each(|choice| inner.remove(choice));
    }
    let mut start = vec![0u32];
    let mut members = Vec::new();
    for part in done_members {
        members.extend(part);
        start.push(members.len() as u32);
    }
    EndComponents { of, start, members, inner }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Builder, Kind, Pool};

    #[test]
    fn an_end_component_is_found_and_a_leak_is_not() {
        let mut builder = Builder::new(Kind::Mdp);
        let half = builder.number(&crate::RBig::from_parts_signed(1.into(), 2.into()));
        // 0 ⇄ 1 is one; 2 ⇄ 3 leaks to 4 by its only way back; 4 is a sink.
        for choices in [
            vec![vec![(1, Pool::ONE)], vec![(4, Pool::ONE)]],
            vec![vec![(0, half), (1, half)]],
            vec![vec![(3, Pool::ONE)]],
            vec![vec![(2, half), (4, half)]],
            vec![],
        ] {
            builder.state();
            for choice in choices {
                builder.choice();
                choice.into_iter().for_each(|(target, weight)| builder.entry(target, weight));
            }
        }
        let model = builder.finish([0]).unwrap();
        let found = maximal_end_components(&model);
        assert_eq!(found.count(), 2);
        assert!(found.of(0).is_some() && found.of(0) == found.of(1));
        assert!(found.of(2).is_none() && found.of(3).is_none() && found.of(4).is_some());
        assert!(found.is_inner(0) && !found.is_inner(1) && found.is_inner(2) && !found.is_inner(3));
        let without = end_components_among(&model, &StateSet::from_states(5, [0, 1]), |choice| choice != 0);
        // Without the way from 0 to 1 neither can go everywhere.
        assert_eq!(without.count(), 0);
        assert!(without.of(1).is_none() && !without.is_inner(2));
    }
}
