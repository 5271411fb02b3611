//! Operators between products: as these treat every variable by itself, so does every question about them.

use std::collections::HashMap;

use bughound_finite::cost::Cost;
use bughound_finite::ground::Operator;
use bughound_finite::relation::{Relation, Value};

use super::sets::{Layout, Products, contains, insert, overlap, set_of};

/// What happens to a variable.
enum Change {
    /// It stays, if it is in the set.
    Test(Box<[u64]>),
    /// Values of the first set all become any of the second.
    Jump(Box<[u64]>, Box<[u64]>),
    /// By value before: the values after.
    Each(Vec<(Value, Box<[u64]>)>),
}

impl Change {
    fn new(size: u32, relation: &Relation) -> Change {
        let before = set_of(size, relation.iter().map(|(before, _)| before));
        let mut outcomes = relation.iter().map(|(_, after)| after);
        let first = outcomes.next().unwrap_or(&[]);
        if relation.only_tests() {
            Change::Test(before)
        } else if outcomes.all(|after| after == first) {
            Change::Jump(before, set_of(size, first.iter().copied()))
        } else {
            let each = relation.iter().map(|(before, after)| (before, set_of(size, after.iter().copied())));
            Change::Each(each.collect())
        }
    }

    /// From some value of one set to some value of the other?
    fn leads(&self, from: &[u64], to: &[u64]) -> bool {
        match self {
            Change::Test(set) => set.iter().zip(from).zip(to).any(|((set, from), to)| set & from & to != 0),
            Change::Jump(before, after) => overlap(before, from) && overlap(after, to),
            Change::Each(pairs) => pairs.iter().any(|(value, after)| contains(from, *value) && overlap(after, to)),
        }
    }

    /// Adds the values that those of the set can become.
    fn image(&self, from: &[u64], into: &mut [u64]) {
        let mut add = |after: &[u64]| into.iter_mut().zip(after).for_each(|(word, after)| *word |= after);
        match self {
            Change::Test(set) => into.iter_mut().zip(set).zip(from).for_each(|((word, set), from)| *word |= set & from),
            Change::Jump(before, after) if overlap(before, from) => add(after),
            Change::Jump(..) => {}
            Change::Each(pairs) => {
                pairs.iter().filter(|(value, _)| contains(from, *value)).for_each(|(_, after)| add(after));
            }
        }
    }

    /// Adds the values that can become one of the set.
    fn preimage(&self, to: &[u64], into: &mut [u64]) {
        match self {
            Change::Test(set) => into.iter_mut().zip(set).zip(to).for_each(|((word, set), to)| *word |= set & to),
            Change::Jump(before, after) if overlap(after, to) => {
                into.iter_mut().zip(before).for_each(|(word, before)| *word |= before);
            }
            Change::Jump(..) => {}
            Change::Each(pairs) => {
                pairs.iter().filter(|(_, after)| overlap(after, to)).for_each(|(value, _)| insert(into, *value));
            }
        }
    }
}

struct Step {
    cost: Cost,
    /// Variable and number of the change.
    changes: Vec<(u32, u32)>,
}

/// All operators or all errors, each of them once: those that do the same count as the cheapest.
pub struct Steps {
    steps: Vec<Step>,
    changes: Vec<Change>,
    /// By variable: those that mention it.
    mentioning: Vec<Vec<u32>>,
}

impl Steps {
    pub fn new(layout: &Layout, operators: &[Operator]) -> Steps {
        let mut numbers: HashMap<(u32, &Relation), u32> = HashMap::new();
        let mut known: HashMap<Vec<(u32, u32)>, usize> = HashMap::new();
        let mut all =
            Steps { steps: Vec::new(), changes: Vec::new(), mentioning: vec![Vec::new(); layout.sizes.len()] };
        for operator in operators {
            let mut changes = Vec::with_capacity(operator.relations.len());
            for (variable, relation) in &operator.relations {
                let number = *numbers.entry((layout.sizes[*variable as usize], relation)).or_insert_with(|| {
                    all.changes.push(Change::new(layout.sizes[*variable as usize], relation));
                    all.changes.len() as u32 - 1
                });
                changes.push((*variable, number));
            }
            match known.get(&changes) {
                Some(same) => all.steps[*same].cost = all.steps[*same].cost.min(operator.cost),
                None => {
                    let step = all.steps.len();
                    changes.iter().for_each(|(variable, _)| all.mentioning[*variable as usize].push(step as u32));
                    known.insert(changes.clone(), step);
                    all.steps.push(Step { cost: operator.cost, changes });
                }
            }
        }
        all
    }

    pub fn cost(&self, step: u32) -> Cost {
        self.steps[step as usize].cost
    }

    pub fn numbers(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.steps.len() as u32
    }

    pub fn mentioning(&self, variable: u32) -> &[u32] {
        &self.mentioning[variable as usize]
    }

    fn change(&self, step: u32, variable: u32) -> Option<&Change> {
        let changes = &self.steps[step as usize].changes;
        let at = changes.binary_search_by_key(&variable, |(variable, _)| *variable).ok()?;
        Some(&self.changes[changes[at].1 as usize])
    }

    /// May it lead from one product to the other, as far as this variable is concerned?
    pub fn leads_in(&self, products: &Products, variable: u32, step: u32, from: u32, to: u32) -> bool {
        let (from, to) = (products.set(from, variable), products.set(to, variable));
        self.change(step, variable).map_or_else(|| overlap(from, to), |change| change.leads(from, to))
    }

    /// The same for all variables that it mentions.
    pub fn leads_in_mentioned(&self, products: &Products, step: u32, from: u32, to: u32) -> bool {
        self.steps[step as usize].changes.iter().all(|(variable, change)| {
            self.changes[*change as usize].leads(products.set(from, *variable), products.set(to, *variable))
        })
    }

    /// The values that a variable can have afterwards.
    pub fn image(&self, step: u32, variable: u32, from: &[u64], into: &mut [u64]) {
        into.fill(0);
        match self.change(step, variable) {
            Some(change) => change.image(from, into),
            None => into.copy_from_slice(from),
        }
    }

    /// The values with which a variable can become one of the set.
    pub fn preimage(&self, step: u32, variable: u32, to: &[u64], into: &mut [u64]) {
        into.fill(0);
        match self.change(step, variable) {
            Some(change) => change.preimage(to, into),
            None => into.copy_from_slice(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causal::graphs::tests::{choose, operator, set, test};
    use bughound_finite::relation::After;

    #[test]
    fn images_and_preimages() {
        let layout = Layout::new(&[5]);
        let count = Relation::new((0..4).map(|value| (value, After::One(value + 1))).collect());
        let relations = [test(&[1, 2]), set(&[1, 2], 4), choose(1, &[0, 3]), count];
        let steps = Steps::new(&layout, &relations.map(|relation| operator(1, [(0, relation)])));
        let values = |set: &[u64]| (0..5).filter(|value| contains(set, *value)).collect::<Vec<Value>>();
        let image = |step: u32, from: &[Value]| {
            let mut into = [0];
            steps.image(step, 0, &set_of(5, from.iter().copied()), &mut into);
            values(&into)
        };
        let preimage = |step: u32, to: &[Value]| {
            let mut into = [0];
            steps.preimage(step, 0, &set_of(5, to.iter().copied()), &mut into);
            values(&into)
        };
        assert_eq!(
            [image(0, &[0, 1]), image(1, &[0, 1]), image(2, &[0, 1]), image(3, &[0, 1])],
            [vec![1], vec![4], vec![0, 3], vec![1, 2]]
        );
        assert_eq!(
            [preimage(0, &[1, 4]), preimage(1, &[1, 4]), preimage(2, &[1, 3]), preimage(3, &[1, 4])],
            [vec![1], vec![1, 2], vec![1], vec![0, 3]]
        );
        for step in 0..4 {
            for (from, to) in (0..5).flat_map(|from| (0..5).map(move |to| (from, to))) {
                let change = steps.change(step, 0).unwrap();
                let leads = change.leads(&set_of(5, [from]), &set_of(5, [to]));
                assert_eq!(leads, image(step, &[from]).contains(&to), "{step}: {from} to {to}");
            }
        }
    }

    #[test]
    fn operators_that_do_the_same_count_as_the_cheapest() {
        let same = |cost| operator(cost, [(0, set(&[0], 1))]);
        let steps = Steps::new(&Layout::new(&[2]), &[same(3), same(2), operator(1, [(0, set(&[1], 0))])]);
        assert_eq!(steps.numbers().map(|step| steps.cost(step)).collect::<Vec<_>>(), [2, 1]);
    }
}
