//! Plans of a task in which variables collect values instead of changing them, from the initial states.
//!
//! Good enough to tell what a pattern should keep: which operators take part in getting to an error, and whether an error
//! looks nearer once something is forgotten. Costs of facts add up over preconditions (Bonet, Geffner 2001), plans are
//! put together from the cheapest suppliers (Hoffmann, Nebel 2001).

use crate::cost::{Cost, INFINITE, plus};
use crate::finite::ground::Operator;
use crate::finite::relation::{Relation, Value};
use crate::finite::task::Task;

pub struct RelaxedPlan {
    /// All operators together; infinite if there is no plan.
    pub cost: Cost,
    /// Each once.
    pub operators: Vec<usize>,
    /// The error that it gets to.
    pub error: Option<usize>,
}

/// By variable and value: the cost of getting it, and the operator and the value before that do.
type Costs = Vec<Vec<(Cost, Option<(usize, Value)>)>>;

/// A plan over those variables of the task that are kept.
pub fn relaxed_plan(task: &Task, kept: &dyn Fn(usize) -> bool) -> RelaxedPlan {
    let relations = |operator: &'_ Operator| -> Vec<(usize, Relation)> {
        let of = |(variable, relation): &(u32, Relation)| {
            kept(*variable as usize).then(|| (*variable as usize, relation.clone()))
        };
        operator.relations.iter().filter_map(of).collect()
    };
    let operators: Vec<_> = task.operators.iter().map(relations).collect();
    let costs = costs(task, &operators);
    let errors = task.errors.iter().map(relations).enumerate();
    let priced = errors.map(|(number, error)| (plus(needs(&costs, &error), task.errors[number].cost), number, error));
    let nearest = priced.min_by_key(|(cost, number, _)| (*cost, *number));
    let Some((cost, number, error)) = nearest.filter(|(cost, _, _)| *cost != INFINITE) else {
        return RelaxedPlan { cost: INFINITE, operators: Vec::new(), error: None };
    };
    debug_assert!(cost != INFINITE);
    let operators = extract(&costs, &operators, &error);
    let total = operators.iter().fold(task.errors[number].cost, |sum, op| plus(sum, task.operators[*op].cost));
    RelaxedPlan { cost: total, operators, error: Some(number) }
}

/// The cheapest value that a relation can start from.
fn cheapest(costs: &Costs, variable: usize, relation: &Relation) -> (Cost, Value) {
    let of = |(before, _): (Value, _)| (costs[variable][before as usize].0, before);
    relation.iter().map(of).min().unwrap_or((INFINITE, 0))
}

fn needs(costs: &Costs, relations: &[(usize, Relation)]) -> Cost {
    relations.iter().fold(0, |sum, (variable, relation)| plus(sum, cheapest(costs, *variable, relation).0))
}

fn costs(task: &Task, operators: &[Vec<(usize, Relation)>]) -> Costs {
    let mut costs: Costs = task.variables.iter().map(|v| vec![(INFINITE, None); v.size as usize]).collect();
    for initial in &task.initial {
        initial.iter().enumerate().for_each(|(variable, value)| costs[variable][*value as usize] = (0, None));
    }
    loop {
        let mut changed = false;
        for (number, relations) in operators.iter().enumerate() {
            let all = needs(&costs, relations);
            if all == INFINITE {
                continue;
            }
            for (variable, relation) in relations {
                let others = all - cheapest(&costs, *variable, relation).0;
                for (before, after) in relation.iter() {
                    let start = costs[*variable][before as usize].0;
                    let cost = plus(plus(others, start), task.operators[number].cost);
                    for value in after.iter().filter(|value| **value != before) {
                        if cost < costs[*variable][*value as usize].0 {
                            costs[*variable][*value as usize] = (cost, Some((number, before)));
                            changed = true;
                        }
                    }
                }
            }
        }
        if !changed {
            return costs;
        }
    }
}

fn extract(costs: &Costs, operators: &[Vec<(usize, Relation)>], error: &[(usize, Relation)]) -> Vec<usize> {
    let mut open: Vec<(usize, Value)> = Vec::new();
    let starts = |relations: &[(usize, Relation)], except: Option<usize>, open: &mut Vec<(usize, Value)>| {
        for (variable, relation) in relations.iter().filter(|(variable, _)| Some(*variable) != except) {
            open.push((*variable, cheapest(costs, *variable, relation).1));
        }
    };
    starts(error, None, &mut open);
    let mut seen = std::collections::HashSet::new();
    let mut chosen = Vec::new();
    while let Some((variable, value)) = open.pop() {
        if !seen.insert((variable, value)) {
            continue;
        }
        if let Some((operator, before)) = costs[variable][value as usize].1 {
            open.push((variable, before));
            starts(&operators[operator], Some(variable), &mut open);
            chosen.push(operator);
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}
