//! The operators of a task, seen through a pattern.

use bughound_dbm::{ZoneBuf, ZoneMut};
use bughound_finite::cost::{Cost, INFINITE};
use bughound_finite::ground::Operator;
use bughound_finite::relation::{Relation, Value};
use bughound_finite::task::Task;
use bughound_ir::edge::EdgeId;
use bughound_ir::network::Network;

use super::pattern::Pattern;
use super::timing::{OperatorTiming, Timing};

#[derive(Clone, Debug, PartialEq)]
pub struct Projected {
    /// By place in the pattern.
    pub relations: Vec<(usize, Relation)>,
    pub cost: Cost,
    timing: OperatorTiming,
    /// Somebody who takes part comes from a location that must be left at once.
    pub from_committed: bool,
}

/// Operators, found by the values that they need.
struct Operators {
    list: Vec<Projected>,
    /// Operators by a place that they need a value at, and that value.
    by_value: Vec<Vec<Vec<u32>>>,
    /// Those that need nothing.
    always: Vec<u32>,
    /// By place and value: a location that must be left at once.
    committed: Vec<Vec<bool>>,
}

pub struct Projection {
    operators: Operators,
    /// By operator: those of the task that look like it.
    pub origins: Vec<Vec<u32>>,
    errors: Vec<(Vec<(usize, Relation)>, Cost)>,
    pub timing: Timing,
    before: ZoneBuf,
    zone: ZoneBuf,
    values: Vec<u16>,
}

/// What a step leads to.
pub struct Outcome<'z> {
    pub values: &'z [u16],
    pub zone: &'z [i32],
    pub cost: Cost,
    /// The operator of the projection.
    pub operator: u32,
}

/// Is told about every step; false if it has enough.
pub type Emit<'e> = dyn FnMut(&Outcome<'_>) -> bool + 'e;

impl Projection {
    pub fn new(network: &Network, task: &Task, pattern: &Pattern) -> Projection {
        let timing = Timing::new(network, task, pattern);
        let mut operators: Vec<Projected> = Vec::new();
        let mut known: std::collections::HashMap<Vec<(usize, Relation)>, Vec<usize>> = Default::default();
        let mut origins: Vec<Vec<u32>> = Vec::new();
        for (number, operator) in task.operators.iter().enumerate() {
            let projected = Projected {
                relations: relations(operator, pattern),
                cost: operator.cost,
                timing: timing.operator(network, operator),
                from_committed: operator.edges().any(|edge| is_committed(network, edge)),
            };
            let changes = projected.relations.iter().any(|(_, relation)| !relation.only_tests());
            if !changes && projected.timing == OperatorTiming::default() {
                continue;
            }
            let alike = known.entry(projected.relations.clone()).or_default();
            let same = |at: &&usize| {
                let other = &operators[**at];
                other.timing == projected.timing && other.from_committed == projected.from_committed
            };
            match alike.iter().find(same) {
                Some(at) => {
                    operators[*at].cost = operators[*at].cost.min(projected.cost);
                    origins[*at].push(number as u32);
                }
                None => {
                    alike.push(operators.len());
                    origins.push(vec![number as u32]);
                    operators.push(projected);
                }
            }
        }
        let sizes: Vec<usize> = pattern.variables.iter().map(|v| task.variables[*v].size as usize).collect();
        let mut by_value: Vec<Vec<Vec<u32>>> = sizes.iter().map(|size| vec![Vec::new(); *size]).collect();
        let mut always = Vec::new();
        for (number, operator) in operators.iter().enumerate() {
            let selective = operator.relations.iter().min_by_key(|(_, relation)| relation.iter().len());
            match selective {
                Some((place, relation)) => {
                    relation.iter().for_each(|(value, _)| by_value[*place][value as usize].push(number as u32));
                }
                None => always.push(number as u32),
            }
        }
        let committed = pattern.variables.iter().map(|variable| {
            let declared = &task.variables[*variable];
            let is_location = declared.process(network).is_some();
            let here = |value: u32| {
                let location = network.locations.get(declared.stored(value) as usize);
                is_location && value > 0 && location.is_some_and(|location| location.flags.committed)
            };
            (0..declared.size).map(here).collect()
        });
        let zone = ZoneBuf::zero(timing.dimension());
        Projection {
            operators: Operators { list: operators, by_value, always, committed: committed.collect() },
            errors: task.errors.iter().map(|error| (relations(error, pattern), error.cost)).collect(),
            origins,
            before: zone.clone(),
            zone,
            timing,
            values: Vec::new(),
        }
    }

    /// The operators, as the pattern sees them.
    pub fn steps(&self) -> impl Iterator<Item = &Projected> {
        self.operators.list.iter()
    }

    /// What must hold for errors, and their costs.
    pub fn errors(&self) -> impl Iterator<Item = (&[(usize, Relation)], Cost)> {
        self.errors.iter().map(|(relations, cost)| (&relations[..], *cost))
    }

    /// By place: the locations that must be left at once, where there are such.
    pub fn committed(&self) -> impl Iterator<Item = (usize, Vec<Value>)> {
        let values = |committed: &Vec<bool>| {
            let here = committed.iter().enumerate().filter(|(_, committed)| **committed);
            here.map(|(value, _)| value as Value).collect::<Vec<_>>()
        };
        let places = self.operators.committed.iter().enumerate().map(move |(place, here)| (place, values(here)));
        places.filter(|(_, values)| !values.is_empty())
    }

    /// The zone of a state in which nothing has happened yet, if there is one.
    pub fn initial(&mut self, values: &[u16], emit: &mut dyn FnMut(&[u16], &[i32])) {
        self.zone.as_mut().zero();
        if self.timing.dimension() == 1 || self.timing.settle(values, &mut self.zone.as_mut()) {
            emit(values, self.zone.as_zone().words());
        }
    }

    /// The least cost of an error here.
    pub fn error(&self, values: &[u16]) -> Cost {
        let applies = |relations: &[(usize, Relation)]| {
            relations.iter().all(|(place, relation)| !relation.after(values[*place].into()).is_empty())
        };
        let costs = self.errors.iter().filter(|(relations, _)| applies(relations)).map(|(_, cost)| *cost);
        costs.min().unwrap_or(INFINITE)
    }

    /// All steps from a state.
    pub fn successors(&mut self, values: &[u16], zone: &[i32], emit: &mut Emit<'_>) {
        let dimension = self.timing.dimension();
        self.before.as_mut().assign(bughound_dbm::Zone::new(zone, dimension));
        for (number, operator) in self.operators.applicable(values) {
            self.values.clear();
            self.values.extend_from_slice(values);
            let mut step =
                Step { number, operator, timing: &mut self.timing, before: &self.before, zone: &mut self.zone, values };
            if !step.outcomes(0, &mut self.values, emit) {
                return;
            }
        }
    }

    /// Takes one step, whatever the clocks, where `choose` says which of so many; `false` if there is none.
    pub fn step(&self, values: &mut [u16], choose: &mut dyn FnMut(usize) -> usize) -> bool {
        let applicable: Vec<&Projected> = self.operators.applicable(values).map(|(_, operator)| operator).collect();
        if applicable.is_empty() {
            return false;
        }
        for (place, relation) in &applicable[choose(applicable.len())].relations {
            let after = relation.after(values[*place].into());
            values[*place] = after[choose(after.len())] as u16;
        }
        true
    }
}

impl Operators {
    fn applicable<'o>(&'o self, values: &[u16]) -> impl Iterator<Item = (u32, &'o Projected)> {
        let must_leave = self.committed.iter().zip(values).any(|(committed, value)| committed[usize::from(*value)]);
        let here = self.by_value.iter().zip(values).flat_map(|(by_value, value)| &by_value[usize::from(*value)]);
        let all = here.chain(&self.always).map(|number| (*number, &self.list[*number as usize]));
        let possible = |operator: &Projected| {
            operator.relations.iter().all(|(place, relation)| !relation.after(values[*place].into()).is_empty())
        };
        all.filter(move |(_, operator)| (!must_leave || operator.from_committed) && possible(operator))
    }
}

/// An operator that is being taken.
struct Step<'a> {
    number: u32,
    operator: &'a Projected,
    timing: &'a mut Timing,
    before: &'a ZoneBuf,
    zone: &'a mut ZoneBuf,
    values: &'a [u16],
}

impl Step<'_> {
    /// All values that the relations from number `at` on can give; false if those are enough.
    fn outcomes(&mut self, at: usize, after: &mut Vec<u16>, emit: &mut Emit<'_>) -> bool {
        let operator = self.operator;
        let Some((place, relation)) = operator.relations.get(at) else {
            let mut view: ZoneMut<'_> = self.zone.as_mut();
            view.assign(self.before.as_zone());
            if self.timing.dimension() > 1 && !self.timing.follow(&operator.timing, after, &mut view) {
                return true;
            }
            let zone = self.zone.as_zone().words();
            return emit(&Outcome { values: after, zone, cost: operator.cost, operator: self.number });
        };
        relation.after(self.values[*place].into()).iter().all(|value| {
            after[*place] = *value as u16;
            self.outcomes(at + 1, after, emit)
        })
    }
}

fn relations(operator: &Operator, pattern: &Pattern) -> Vec<(usize, Relation)> {
    let kept = |(variable, relation): &(u32, Relation)| {
        let place = pattern.variables.binary_search(&(*variable as usize)).ok()?;
        Some((place, relation.clone()))
    };
    operator.relations.iter().filter_map(kept).collect()
}

fn is_committed(network: &Network, edge: EdgeId) -> bool {
    network.location(network.edge(edge).from).flags.committed
}
