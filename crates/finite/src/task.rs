//! A network as a planning task: variables with few values, operators that change them, errors to get to.
//!
//! Every path of the network to an error is a path of the task to one, at no higher cost: what a step does to a variable
//! is among what its operator can do. Only variables that matter for the errors are kept, and only values that can come up.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bughound_ir::frames::LOCATION;
use bughound_ir::network::Network;
use bughound_ir::targets::Targets;
use bughound_kernel::{Situation, SlotSet, TransitionSystem, Watch};
use bughound_semantics::DiscreteSystem;

use crate::collect::{Together, collect};
use crate::domains::Domain;
use crate::ground::{Ground, Operator};
use crate::relation::{Relation, Value};
use crate::term::Variable;
use crate::view::Model;

/// A variable of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskVariable {
    pub size: u32,
    domain: Domain,
    pub place: Place,
}

/// Where a variable lies in a situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A slot of the state.
    Slot(usize),
    /// The location of the claim.
    Claim,
    /// How many processes are known to be blocked: none, in every state.
    Stuck,
}

pub struct Task {
    pub variables: Vec<TaskVariable>,
    pub operators: Arc<Vec<Operator>>,
    /// Where one of these can be applied is an error, at its cost.
    pub errors: Vec<Operator>,
    /// The values in the initial states.
    pub initial: Vec<Vec<Value>>,
    /// Every state is as good as an error, as far as can be told: there are no variables.
    pub hopeless: bool,
}

impl Task {
    /// `watch` is told how the work goes on; where it says so, less is known of the model, and nothing is wrong.
    pub fn new(system: &DiscreteSystem, targets: &Targets, watch: &dyn Watch) -> Task {
        let network = system.network();
        let model = Model::new(network, targets, 0);
        let mut ground = Ground::new(network, &model.domains);
        let hopeless = collect(&model, Together::All, watch, &mut ground);
        let (mut operators, mut errors) = (ground.operators, ground.errors);
        let places = places(&model);
        let hopeless = hopeless || errors.iter().any(|error| error.relations.is_empty() && error.cost == 0);
        if hopeless {
            return Task { variables: vec![], operators: Arc::default(), errors: vec![], initial: vec![], hopeless };
        }
        let variable =
            |(domain, place): (&Domain, &Place)| TaskVariable { size: domain.size, domain: *domain, place: *place };
        let variables: Vec<TaskVariable> = model.domains.domains.iter().zip(&places).map(variable).collect();
        let mut task = Task { variables, operators: Arc::default(), errors: vec![], initial: vec![], hopeless };
        let claim = targets.claim.map(|claim| network.template(claim).initial.0 as i32);
        system.explorer().initial(&mut |state| {
            let value = |variable: &TaskVariable| match variable.place {
                Place::Stuck => 0,
                Place::Claim => variable.domain.place(claim).unwrap_or(0),
                Place::Slot(slot) => variable.domain.place(state.key.get(slot).copied()).unwrap_or(0),
            };
            task.initial.push(task.variables.iter().map(value).collect());
        });
        let possible = drop_unreachable(&task, &mut operators, &mut errors, watch);
        task.operators = Arc::new(operators);
        task.errors = errors;
        task.drop_irrelevant(network, &possible);
        task
    }

    /// The value of a variable in a state; `None` if the task does not know it.
    #[inline]
    pub fn value(&self, variable: usize, at: Situation<'_>) -> Option<Value> {
        let variable = &self.variables[variable];
        match variable.place {
            Place::Stuck => Some(0),
            Place::Claim => variable.domain.place(at.claim),
            Place::Slot(slot) => variable.domain.place(at.state.key.get(slot).copied()),
        }
    }

    /// The slots that decide the values of these variables; `None` if something else does, too.
    pub fn slots(&self, mut variables: impl Iterator<Item = usize>) -> Option<SlotSet> {
        variables.try_fold(SlotSet::default(), |mut slots, variable| {
            match self.variables[variable].place {
                Place::Slot(slot) => slots.insert(slot as u32),
                Place::Stuck => {}
                Place::Claim => return None,
            }
            Some(slots)
        })
    }

    /// The same task with one of its errors.
    pub fn for_error(&self, number: usize) -> Task {
        Task {
            variables: self.variables.clone(),
            operators: self.operators.clone(),
            errors: vec![self.errors[number].clone()],
            initial: self.initial.clone(),
            ..*self
        }
    }

    /// Keeps the variables that errors depend on, directly or through what changes those that they depend on.
    fn drop_irrelevant(&mut self, network: &Network, possible: &[Vec<bool>]) {
        let mut relevant = vec![false; self.variables.len()];
        for (variable, _) in self.errors.iter().flat_map(|error| &error.relations) {
            relevant[*variable as usize] = true;
        }
        self.mark_timing(network, &mut relevant);
        self.mark_needed(network, &mut relevant);
        // What never changes tells nothing.
        for (relevant, possible) in relevant.iter_mut().zip(possible) {
            *relevant &= possible.iter().filter(|possible| **possible).count() > 1;
        }
        let mut number = 0;
        let numbers: Vec<Option<u32>> = relevant
            .iter()
            .map(|r| {
                r.then(|| {
                    number += 1;
                    number - 1
                })
            })
            .collect();
        let renumber = |operator: &mut Operator| {
            let relations = std::mem::take(&mut operator.relations).into_iter();
            operator.relations = relations.filter_map(|(v, r)| Some((numbers[v as usize]?, r))).collect();
        };
        let operators = Arc::make_mut(&mut self.operators);
        operators.iter_mut().for_each(renumber);
        operators.retain(|operator| operator.changes_something() || operator.sets_clocks(network));
        self.errors.iter_mut().for_each(renumber);
        let mut keep = relevant.iter();
        self.variables.retain(|_| *keep.next().unwrap_or(&false));
        for values in &mut self.initial {
            let mut keep = relevant.iter();
            values.retain(|_| *keep.next().unwrap_or(&false));
        }
    }

    /// Marks what operators need that change variables which are marked, or set clocks, as long as there are such: each
    /// operator is looked at once.
    fn mark_needed(&self, network: &Network, relevant: &mut [bool]) {
        let mut changing: Vec<Vec<usize>> = vec![Vec::new(); self.variables.len()];
        let mut open: Vec<usize> = Vec::new();
        for (at, operator) in self.operators.iter().enumerate() {
            for (variable, relation) in &operator.relations {
                if !relation.only_tests() {
                    changing[*variable as usize].push(at);
                }
            }
            if operator.sets_clocks(network) {
                open.push(at);
            }
        }
        for variable in (0..relevant.len()).filter(|variable| relevant[*variable]) {
            open.append(&mut changing[variable]);
        }
        let mut done = vec![false; self.operators.len()];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut done[at], true) {
                continue;
            }
            for (variable, relation) in &self.operators[at].relations {
                let variable = *variable as usize;
                if !relevant[variable] && !relation.is_total(self.variables[variable].size) {
                    relevant[variable] = true;
                    open.append(&mut changing[variable]);
                }
            }
        }
    }

    /// Where time cannot pass, or not for ever, matters to everything that clocks are compared with.
    fn mark_timing(&self, network: &Network, relevant: &mut [bool]) {
        if network.clocks.is_empty() {
            return;
        }
        for (at, variable) in self.variables.iter().enumerate() {
            let Some(pid) = variable.process(network) else { continue };
            let templates = &network.frames.processes[pid].templates;
            let locations = templates.iter().flat_map(|template| &network.template(*template).locations);
            relevant[at] |= locations
                .map(|location| network.location(*location))
                .any(|location| !location.invariant.is_empty() || location.flags.urgent || location.flags.committed);
        }
    }

    pub fn memory(&self) -> u64 {
        let operators = || self.operators.iter().chain(&self.errors);
        // Relations are shared.
        let mut seen = HashSet::new();
        let relations = operators().flat_map(|operator| &operator.relations).map(|(_, relation)| relation);
        let relations: u64 = relations.filter(|r| seen.insert(r.identity())).map(Relation::memory).sum();
        let initial: usize = self.initial.iter().map(|values| values.len() * size_of::<Value>()).sum();
        let variables = self.variables.len() * size_of::<TaskVariable>() + initial;
        relations + operators().map(Operator::memory).sum::<u64>() + variables as u64
    }
}

impl TaskVariable {
    /// The value as the model stores it.
    pub fn stored(&self, value: Value) -> i32 {
        self.domain.low + value as i32
    }

    /// Is it the location of a process? Then its number.
    pub fn process(&self, network: &Network) -> Option<usize> {
        let Place::Slot(slot) = self.place else { return None };
        network.frames.processes.iter().position(|frame| (frame.base + LOCATION) as usize == slot)
    }
}

/// By variable of the domains: most are slots.
fn places(model: &Model<'_>) -> Vec<Place> {
    let mut places = vec![Place::Claim; model.domains.domains.len()];
    let frames = &model.network.frames;
    for slot in 0..frames.key_len(frames.processes.len()) {
        if let Some(variable) = model.domains.of_slot(slot) {
            places[variable as usize] = Place::Slot(slot);
        }
    }
    if let Some(stuck) = model.domains.stuck {
        places[stuck as usize] = Place::Stuck;
    }
    places
}

/// Removes values, and operators that need them, that no sequence of operators brings about even if variables never lose
/// a value. By variable and value: can it come up?
fn drop_unreachable(
    task: &Task,
    operators: &mut Vec<Operator>,
    errors: &mut Vec<Operator>,
    watch: &dyn Watch,
) -> Vec<Vec<bool>> {
    let mut possible: Vec<Vec<bool>> = task.variables.iter().map(|v| vec![false; v.size as usize]).collect();
    for values in &task.initial {
        values.iter().enumerate().for_each(|(variable, value)| possible[variable][*value as usize] = true);
    }
    let mut done = vec![0usize; operators.len()];
    loop {
        let mut more = false;
        for (operator, done) in operators.iter().zip(&mut done) {
            let counts = operator.relations.iter().map(|(variable, relation)| {
                relation.iter().filter(|(before, _)| possible[*variable as usize][*before as usize]).count()
            });
            let (mut total, mut applicable) = (0, true);
            for count in counts {
                total += count;
                applicable &= count > 0;
            }
            if !watch.go_on(1 + total as u64 / 64, 0) {
                // Too early to tell.
                possible.iter_mut().for_each(|values| values.fill(true));
                return possible;
            }
            if !applicable || total == *done {
                continue;
            }
            *done = total;
            for (variable, relation) in &operator.relations {
                more |= relation.spread(&mut possible[*variable as usize]);
            }
        }
        if !more {
            break;
        }
    }
    // Relations that were shared stay so.
    let mut known: HashMap<(Variable, *const ()), (Relation, Relation)> = HashMap::new();
    for list in [operators, errors] {
        for operator in list.iter_mut() {
            for (variable, relation) in &mut operator.relations {
                let (_, restricted) = known
                    .entry((*variable, relation.identity()))
                    .or_insert_with(|| (relation.clone(), relation.restricted(&possible[*variable as usize])));
                *relation = restricted.clone();
            }
        }
        list.retain(|operator| !operator.relations.iter().any(|(_, relation)| relation.is_impossible()));
    }
    possible
}
