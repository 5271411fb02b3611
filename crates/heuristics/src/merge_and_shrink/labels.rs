//! Exact label reduction: labels that cost the same and do the same everywhere but in one factor become one, which can do
//! there what any of them could.
//!
//! Nothing is lost by that (Sievers, Wehrle, Helmert 2014), and states of that factor become bisimilar that were not
//! before. Labels that concern no other factor become one for each cost; for those it does not matter where they lead
//! nowhere.

use std::collections::{BTreeSet, HashMap};

use super::system::{FactorId, GroupId, Label, System, mix};

/// With more labels for all factors together than this, they are reduced only for the factor that has changed.
const MOST_EVERYWHERE: usize = 5_000_000;

/// Reduces labels, those of one factor at first, until nothing can be reduced any more.
pub fn reduce(system: &mut System, first: FactorId) {
    reduce_for(system, first);
    while system.labels.len() * system.factors.len() <= MOST_EVERYWHERE {
        let before = system.labels.len();
        for factor in 0..system.factors.len() as FactorId {
            reduce_for(system, factor);
        }
        if system.labels.len() == before {
            return;
        }
    }
}

/// Labels that become one, by what they do in the factor.
struct Class {
    first: usize,
    groups: BTreeSet<Option<GroupId>>,
    members: usize,
    /// They concern no other factor.
    local: bool,
}

/// Reduces labels for one factor.
pub fn reduce_for(system: &mut System, id: FactorId) {
    if system.factor(id).is_none() {
        return;
    }
    system.work += system.labels.len();
    let labels = &system.labels;
    let mut classes: Vec<Class> = Vec::new();
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut class_of = vec![usize::MAX; labels.len()];
    // Of labels that are alike elsewhere, at least one concerns this factor: those first.
    for concerned in [true, false] {
        for (at, label) in labels.iter().enumerate().filter(|(_, label)| label.group(id).is_some() == concerned) {
            let hash = label
                .besides(id)
                .fold(u64::from(label.cost), |sum, (f, g)| mix(sum, u64::from(f) << 32 | u64::from(g)));
            let alike = |class: &&usize| {
                let first: &Label = &labels[classes[**class].first];
                first.cost == label.cost && first.besides(id).eq(label.besides(id))
            };
            let known = places.get(&hash).and_then(|alike_hash| alike_hash.iter().find(alike).copied());
            let class = match known {
                Some(class) => class,
                None if concerned => {
                    places.entry(hash).or_default().push(classes.len());
                    classes.push(Class {
                        first: at,
                        groups: BTreeSet::new(),
                        members: 0,
                        local: label.besides(id).next().is_none(),
                    });
                    classes.len() - 1
                }
                None => continue,
            };
            classes[class].groups.insert(label.group(id));
            classes[class].members += 1;
            class_of[at] = class;
        }
    }
    join(system, id, &classes, &class_of);
}

/// Replaces each class of labels by one.
fn join(system: &mut System, id: FactorId, classes: &[Class], class_of: &[usize]) {
    let Some(factor) = &mut system.factors[id as usize] else { return };
    let loops = |group: &Option<GroupId>| {
        group.is_some_and(|group| factor.groups[group as usize].iter().any(|(from, to)| from == to))
    };
    let touched = |class: &Class| class.members > 1 || class.local && class.groups.iter().any(loops);
    let touched: Vec<bool> = classes.iter().map(touched).collect();
    if !touched.contains(&true) {
        return;
    }
    let mut known: HashMap<(&BTreeSet<Option<GroupId>>, bool), GroupId> = HashMap::new();
    for (class, _) in classes.iter().zip(&touched).filter(|(_, touched)| **touched) {
        let local = class.local;
        let group = *known.entry((&class.groups, local)).or_insert_with(|| {
            let mut all = Vec::new();
            for group in &class.groups {
                match group {
                    Some(group) => all.extend_from_slice(&factor.groups[*group as usize]),
                    None => all.extend((0..factor.size).map(|state| (state, state))),
                }
            }
            all.retain(|(from, to)| !local || from != to);
            factor.groups.push(all);
            factor.groups.len() as GroupId - 1
        });
        system.labels[class.first].set_group(id, Some(group));
    }
    let mut at = 0;
    system.labels.retain(|_| {
        at += 1;
        class_of.get(at - 1).and_then(|class| classes.get(*class)).is_none_or(|class| class.first == at - 1)
    });
    system.tidy(id);
}
