//! A task as a factored transition system: a factor for each variable that matters (of very many, those near the errors), and the goal factor, in which
//! errors are steps.

use std::collections::{BTreeSet, HashMap, HashSet};

use bughound_finite::ground::Operator;
use bughound_finite::relation::Relation;
use bughound_finite::task::Task;

use super::cascade::Source;
use super::system::{Factor, FactorId, GroupId, Label, StateId, System, Transitions};

/// The goal factor.
pub const GOAL: FactorId = 0;

/// Its states: no error yet, and an error.
const NOT_YET: u32 = 0;
const REACHED: u32 = 1;

/// The most variables that are looked at: any two of them may be tried out together.
const MOST_VARIABLES: usize = 100;

pub fn encode(task: &Task) -> System {
    let mut encoder = Encoder {
        system: System::new(Vec::new(), Vec::new()),
        numbers: vec![None; task.variables.len()],
        groups: HashMap::new(),
        labels: HashSet::new(),
    };
    let reach = vec![(NOT_YET, REACHED)];
    encoder.factor(Source::NotYet, vec![NOT_YET], vec![NOT_YET; task.initial.len()], 2);
    if let Some(Some(goal)) = encoder.system.factors.first_mut() {
        (goal.goal, goal.groups) = (Some(REACHED), vec![reach]);
    }
    for variable in near_errors(task, MOST_VARIABLES) {
        let size = task.variables[variable].size;
        let initial = task.initial.iter().map(|values| values[variable]).collect();
        let number = encoder.factor(Source::Variable(variable), (0..size).collect(), initial, size);
        encoder.numbers[variable] = Some(number);
    }
    task.operators.iter().for_each(|operator| encoder.label(operator, vec![]));
    task.errors.iter().for_each(|error| encoder.label(error, vec![(GOAL, 0)]));
    let mut system = encoder.system;
    for factor in 0..system.factors.len() as FactorId {
        system.tidy(factor);
    }
    system
}

/// The variables that an error depends on, directly or through what changes those that it depends on, the nearest first.
/// Unlike for the task, clocks do not count.
fn near_errors(task: &Task, most: usize) -> Vec<usize> {
    let mut known = vec![false; task.variables.len()];
    let mut order = Vec::new();
    let directly = task.errors.iter().flat_map(|error| &error.relations).map(|(variable, _)| *variable as usize);
    let mut found: BTreeSet<usize> = directly.collect();
    while !found.is_empty() && order.len() < most {
        found.iter().for_each(|variable| known[*variable] = true);
        order.extend(std::mem::take(&mut found));
        for operator in task.operators.iter() {
            if operator.relations.iter().any(|(v, r)| known[*v as usize] && !r.only_tests()) {
                let needed = operator.relations.iter().filter(|(v, r)| !r.is_total(task.variables[*v as usize].size));
                found.extend(needed.map(|(variable, _)| *variable as usize).filter(|variable| !known[*variable]));
            }
        }
    }
    // What depends on others is still possible if they are not looked at, and more often.
    order.truncate(most);
    order
}

struct Encoder<'t> {
    system: System,
    /// By variable.
    numbers: Vec<Option<FactorId>>,
    /// Many operators do the same to a variable.
    groups: HashMap<(FactorId, &'t Relation), GroupId>,
    labels: HashSet<Label>,
}

impl<'t> Encoder<'t> {
    fn factor(&mut self, source: Source, table: Vec<StateId>, initial: Vec<StateId>, size: u32) -> FactorId {
        let node = self.system.cascade.add(source, table);
        self.system.factors.push(Some(Factor { size, initial, goal: None, groups: vec![], node }));
        self.system.factors.len() as FactorId - 1
    }

    fn label(&mut self, operator: &'t Operator, mut uses: Vec<(FactorId, GroupId)>) {
        for (variable, relation) in &operator.relations {
            let Some(number) = self.numbers[*variable as usize] else { continue };
            let Some(factor) = &mut self.system.factors[number as usize] else { continue };
            let group = *self.groups.entry((number, relation)).or_insert_with(|| {
                factor.groups.push(transitions(relation));
                factor.groups.len() as GroupId - 1
            });
            uses.push((number, group));
        }
        uses.sort_unstable();
        let label = Label { cost: operator.cost, uses };
        if !label.uses.is_empty() && self.labels.insert(label.clone()) {
            self.system.labels.push(label);
        }
    }
}

fn transitions(relation: &Relation) -> Transitions {
    relation.iter().flat_map(|(before, after)| after.iter().map(move |after| (before, *after))).collect()
}
