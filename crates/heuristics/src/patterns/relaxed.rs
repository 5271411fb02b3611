//! Plans of a task in which variables collect values instead of changing them, from the initial states.
//!
//! Good enough to tell what a pattern should keep: which operators take part in getting to an error, and whether an error
//! looks nearer once something is forgotten. Costs of facts add up over preconditions (Bonet, Geffner 2001), plans are
//! put together from the cheapest suppliers (Hoffmann, Nebel 2001).

use std::collections::{HashSet, VecDeque};

use bughound_kernel::Watch;

use bughound_finite::cost::{Cost, INFINITE, plus};
use bughound_finite::ground::Operator;
use bughound_finite::relation::{Relation, Value};
use bughound_finite::task::Task;

pub struct RelaxedPlan {
    /// All operators together; infinite if there is no plan.
    pub cost: Cost,
    /// Each once.
    pub operators: Vec<usize>,
    /// The error that it gets to.
    pub error: Option<usize>,
}

impl RelaxedPlan {
    const NONE: RelaxedPlan = RelaxedPlan { cost: INFINITE, operators: Vec::new(), error: None };
}

/// By variable and value: the cost of getting it, and the operator and the value before that do.
type Costs = Vec<Vec<(Cost, Option<(usize, Value)>)>>;

/// The task as far as some variables are concerned.
struct Relaxation<'t> {
    task: &'t Task,
    kept: &'t dyn Fn(usize) -> bool,
    costs: Costs,
}

/// A plan over those variables of the task that are kept; none if there is no time for it.
pub fn relaxed_plan(task: &Task, kept: &dyn Fn(usize) -> bool, watch: &dyn Watch) -> RelaxedPlan {
    let mut relaxation = Relaxation { task, kept, costs: Vec::new() };
    if !relaxation.spread(watch) {
        return RelaxedPlan::NONE;
    }
    let price = |error: &Operator| plus(relaxation.needs(error), error.cost);
    let nearest = task.errors.iter().map(price).enumerate().min_by_key(|(number, cost)| (*cost, *number));
    let Some((number, _)) = nearest.filter(|(_, cost)| *cost != INFINITE) else {
        return RelaxedPlan::NONE;
    };
    let operators = relaxation.extract(&task.errors[number]);
    let cost = operators.iter().fold(task.errors[number].cost, |sum, op| plus(sum, task.operators[*op].cost));
    RelaxedPlan { cost, operators, error: Some(number) }
}

impl<'t> Relaxation<'t> {
    fn relations<'o>(&self, operator: &'o Operator) -> impl Iterator<Item = (usize, &'o Relation)> + use<'o, 't> {
        let kept = self.kept;
        operator.relations.iter().map(|(variable, relation)| (*variable as usize, relation)).filter(|(v, _)| kept(*v))
    }

    /// The cheapest value that a relation can start from.
    fn cheapest(&self, variable: usize, relation: &Relation) -> (Cost, Value) {
        let of = |(before, _): (Value, _)| (self.costs[variable][before as usize].0, before);
        relation.iter().map(of).min().unwrap_or((INFINITE, 0))
    }

    fn needs(&self, operator: &Operator) -> Cost {
        self.relations(operator).fold(0, |sum, (variable, relation)| plus(sum, self.cheapest(variable, relation).0))
    }

    /// The costs of all values; false if there is no time.
    fn spread(&mut self, watch: &dyn Watch) -> bool {
        let task = self.task;
        self.costs = task.variables.iter().map(|v| vec![(INFINITE, None); v.size as usize]).collect();
        for initial in &task.initial {
            initial.iter().enumerate().for_each(|(variable, value)| self.costs[variable][*value as usize] = (0, None));
        }
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); task.variables.len()];
        for (number, operator) in task.operators.iter().enumerate() {
            self.relations(operator).for_each(|(variable, _)| users[variable].push(number));
        }
        if !watch.go_on(1 + task.operators.len() as u64 / 16, 0) {
            return false;
        }
        let mut waiting = vec![true; task.operators.len()];
        let mut open: VecDeque<usize> = (0..task.operators.len()).collect();
        while let Some(number) = open.pop_front() {
            if !watch.go_on(1, 0) {
                return false;
            }
            waiting[number] = false;
            for variable in self.apply(number) {
                for user in &users[variable] {
                    if !std::mem::replace(&mut waiting[*user], true) {
                        open.push_back(*user);
                    }
                }
            }
        }
        true
    }

    /// The variables with a value that the operator makes cheaper.
    fn apply(&mut self, number: usize) -> Vec<usize> {
        let task = self.task;
        let operator = &task.operators[number];
        let (all, mut changed) = (self.needs(operator), Vec::new());
        if all == INFINITE {
            return changed;
        }
        for (variable, relation) in self.relations(operator) {
            if relation.only_tests() {
                continue;
            }
            let others = all - self.cheapest(variable, relation).0;
            for (before, after) in relation.iter() {
                let start = self.costs[variable][before as usize].0;
                let cost = plus(plus(others, start), operator.cost);
                for value in after.iter().filter(|value| **value != before) {
                    let known = &mut self.costs[variable][*value as usize];
                    if cost < known.0 {
                        *known = (cost, Some((number, before)));
                        changed.push(variable);
                    }
                }
            }
        }
        changed.dedup();
        changed
    }

    /// The operators that bring about what the error needs.
    fn extract(&self, error: &Operator) -> Vec<usize> {
        let starts = |operator: &Operator, except: Option<usize>| -> Vec<(usize, Value)> {
            let others = self.relations(operator).filter(|(variable, _)| Some(*variable) != except);
            others.map(|(variable, relation)| (variable, self.cheapest(variable, relation).1)).collect()
        };
        let mut open = starts(error, None);
        let (mut seen, mut chosen) = (HashSet::new(), Vec::new());
        while let Some((variable, value)) = open.pop() {
            if !seen.insert((variable, value)) {
                continue;
            }
            if let Some((operator, before)) = self.costs[variable][value as usize].1 {
                open.push((variable, before));
                open.extend(starts(&self.task.operators[operator], Some(variable)));
                chosen.push(operator);
            }
        }
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }
}
