//! What is constant in each process, and constant folding.
//!
//! A variable that nothing ever assigns keeps its initial value; a parameter that nothing assigns keeps its argument. If
//! every `run` that can create an instance gives the same constant argument, the parameter is that constant there: a
//! philosopher knows which forks are his. Computed as a greatest fixpoint: arguments may depend on constants of the
//! process that starts.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::creation::Creation;
use crate::analysis::{Instance, actions_of, edges_of, instances, slots_of};
use crate::edge::{Action, Edge, Sync};
use crate::expr::{BinaryOp, Expr, Index, Pattern, Place, Scope, UnaryOp, apply_binary, apply_unary};
use crate::network::{Initialiser, Network, TemplateId};

/// What is known where an expression is evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    pub own_pid: Option<i32>,
    /// Values of slots of the own frame.
    pub locals: BTreeMap<u32, i32>,
    /// Values of global slots.
    pub globals: BTreeMap<u32, i32>,
}

/// The constants of every instance.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    globals: BTreeMap<u32, i32>,
    environments: BTreeMap<Instance, Environment>,
    /// By template: slots of variables that nothing assigns once the process exists.
    frozen: Vec<Vec<u32>>,
}

impl Constants {
    pub fn new(network: &Network) -> Constants {
        let assigned = Assigned::new(network);
        let mut work = Work {
            network,
            creation: Creation::new(network),
            globals: constant_globals(network, &assigned),
            assigned,
            arguments: BTreeMap::new(),
        };
        work.solve();
        let environments = instances(network).into_iter().map(|i| (i, work.environment(i))).collect();
        let frozen = work.assigned.all_frozen(network);
        Constants { globals: work.globals, environments, frozen }
    }

    /// Slots of the frame of a process that keep, for as long as it exists, the value they got when it was created.
    pub fn frozen(&self, template: TemplateId) -> &[u32] {
        &self.frozen[template.0 as usize]
    }

    /// What is known inside this instance.
    pub fn of(&self, instance: Instance) -> Environment {
        self.environments.get(&instance).cloned().unwrap_or_default()
    }

    /// What is known everywhere.
    pub fn outside(&self) -> Environment {
        Environment { globals: self.globals.clone(), ..Environment::default() }
    }
}

/// What nothing ever assigns, whatever its value is.
#[derive(Clone, Debug)]
pub struct Unassigned {
    /// Global slots of variables.
    pub globals: BTreeSet<u32>,
    /// By template, see [`Constants::frozen`].
    pub frozen: Vec<Vec<u32>>,
}

impl Unassigned {
    pub fn new(network: &Network) -> Unassigned {
        let assigned = Assigned::new(network);
        let globals = network.variables.iter().flat_map(|v| v.elements()).map(|(slot, _)| slot);
        let globals = globals.filter(|slot| !assigned.globals.contains(slot)).collect();
        Unassigned { globals, frozen: assigned.all_frozen(network) }
    }
}

/// Slots that something assigns after the initial state was made (or the process was created).
struct Assigned {
    globals: BTreeSet<u32>,
    locals: BTreeSet<(TemplateId, u32)>,
}

impl Assigned {
    fn new(network: &Network) -> Assigned {
        let mut assigned = Assigned { globals: BTreeSet::new(), locals: BTreeSet::new() };
        // Hints are set from outside, before each step.
        let hints = network.pricing.iter().flat_map(|pricing| [pricing.remaining, pricing.heur]).flatten();
        assigned.globals.extend(hints.map(|hint| hint.slot));
        for template in (0..network.templates.len()).map(|t| TemplateId(t as u32)) {
            for (_, edge) in edges_of(network, template) {
                each_target(network, edge, &mut |place| assigned.add(template, place));
            }
            for initialiser in &network.template(template).initialisers {
                // What a new process does to others; its own variables are followed one by one.
                if let Initialiser::Assign(action) = initialiser {
                    each_target_of(action, &mut |place| {
                        if place.scope != Scope::Own {
                            assigned.add(template, place);
                        }
                    });
                }
            }
        }
        assigned
    }

    fn all_frozen(&self, network: &Network) -> Vec<Vec<u32>> {
        (0..network.templates.len()).map(|t| self.frozen(network, TemplateId(t as u32))).collect()
    }

    fn frozen(&self, network: &Network, template: TemplateId) -> Vec<u32> {
        let elements = network.template(template).variables.iter().flat_map(|v| v.elements());
        elements.map(|(slot, _)| slot).filter(|slot| !self.locals.contains(&(template, *slot))).collect()
    }

    fn add(&mut self, own: TemplateId, place: &Place) {
        match &place.scope {
            Scope::Global => self.globals.extend(slots_of(place)),
            Scope::Own => self.locals.extend(slots_of(place).into_iter().map(|s| (own, s))),
            Scope::Process { template, .. } => {
                self.locals.extend(slots_of(place).into_iter().map(|s| (*template, s)));
            }
        }
    }
}

/// Visits every place that an edge can write.
pub(super) fn each_target(network: &Network, edge: &Edge, visit: &mut dyn FnMut(&Place)) {
    actions_of(network, edge).for_each(|action| each_target_of(action, visit));
    let inside = edge.program.into_iter().flat_map(|id| &network.program(id).nodes).flat_map(|n| &n.alternatives);
    for sync in inside.map(|a| &a.sync).chain([&edge.sync]) {
        if let Sync::Receive { patterns, .. } = sync {
            for pattern in patterns {
                if let Pattern::Bind(place) = pattern {
                    visit(place);
                }
            }
        }
    }
}

pub(super) fn each_target_of(action: &Action, visit: &mut dyn FnMut(&Place)) {
    match action {
        Action::Assign { target, .. } => visit(target),
        Action::Together(assignments) => assignments.iter().for_each(|(target, _)| visit(target)),
        Action::Run { result: Some(place), .. } => visit(place),
        _ => {}
    }
}

/// Globals that keep their initial value.
fn constant_globals(network: &Network, assigned: &Assigned) -> BTreeMap<u32, i32> {
    let globals = network.variables.iter().flat_map(|v| v.elements()).map(|(slot, _)| (slot, 0)).collect();
    let mut known = Environment { globals, ..Environment::default() };
    initialise(&network.initialisers, &mut known, None);
    // Hidden ones are forgotten, which means 0, whenever nobody has control.
    let hidden = network.hidden_slots();
    let keeps =
        |(slot, value): &(u32, i32)| !assigned.globals.contains(slot) && (*value == 0 || !hidden.contains(slot));
    known.globals.into_iter().filter(keeps).collect()
}

/// Follows initialisers one by one; what is not known afterwards is removed.
fn initialise(initialisers: &[Initialiser], known: &mut Environment, first_channel: Option<u32>) {
    for initialiser in initialisers {
        match initialiser {
            Initialiser::Channel { slot, index } => {
                match first_channel {
                    None => known.globals.insert(*slot, *index as i32 + 1),
                    Some(first) => known.locals.insert(*slot, (first + index) as i32),
                };
            }
            Initialiser::Assign(Action::Assign { target, value }) => {
                let target = fold_place(target, known);
                let value = fold(value, known).as_const().and_then(|v| target.ty.convert(v));
                let slots = slots_of(&target);
                let scope = match target.scope {
                    Scope::Global => &mut known.globals,
                    Scope::Own => &mut known.locals,
                    Scope::Process { .. } => continue, // counted as assigned
                };
                match (value, &slots[..]) {
                    (Some(value), [slot]) => {
                        scope.insert(*slot, value);
                    }
                    _ => slots.iter().for_each(|slot| {
                        scope.remove(slot);
                    }),
                }
            }
            Initialiser::Assign(action) => each_target_of(action, &mut |place| {
                for slot in slots_of(place) {
                    known.globals.remove(&slot);
                    known.locals.remove(&slot);
                }
            }),
        }
    }
}

struct Work<'n> {
    network: &'n Network,
    creation: Creation,
    assigned: Assigned,
    globals: BTreeMap<u32, i32>,
    /// Arguments met so far; `None` for one that is not constant. Absent: nobody creates the instance.
    arguments: BTreeMap<Instance, Vec<Option<i32>>>,
}

impl Work<'_> {
    fn solve(&mut self) {
        for (pid, start) in self.network.start.iter().enumerate() {
            let instance = Instance { pid: pid as u32, template: start.template };
            let arguments = start.arguments.iter().map(|a| Some(*a)).collect();
            self.meet(instance, arguments);
        }
        loop {
            let mut changed = false;
            for creator in self.arguments.keys().copied().collect::<Vec<_>>() {
                for (instance, arguments) in self.created_by(creator) {
                    changed |= self.meet(instance, arguments);
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The instances that one can start, with their arguments.
    fn created_by(&self, creator: Instance) -> Vec<(Instance, Vec<Option<i32>>)> {
        let environment = self.environment(creator);
        let mut created = Vec::new();
        let mut add = |action: &Action, numbers: std::ops::RangeInclusive<usize>| {
            if let Action::Run { template, arguments, .. } = action {
                let values: Vec<_> = arguments.iter().map(|a| fold(a, &environment).as_const()).collect();
                for pid in numbers.filter(|pid| self.network.frames.processes[*pid].templates.contains(template)) {
                    created.push((Instance { pid: pid as u32, template: *template }, values.clone()));
                }
            }
        };
        for (_, edge) in edges_of(self.network, creator.template) {
            for destination in &edge.destinations {
                let mut before = 0;
                for action in &destination.actions {
                    match edge.program {
                        None => add(action, self.creation.numbers(creator, edge, before)),
                        Some(_) => add(action, self.creation.numbers_in_program(creator, edge)),
                    }
                    before += matches!(action, Action::Run { .. }) as usize;
                }
            }
            let nodes = edge.program.into_iter().flat_map(|id| &self.network.program(id).nodes);
            for action in nodes.flat_map(|n| &n.alternatives).flat_map(|a| &a.actions) {
                add(action, self.creation.numbers_in_program(creator, edge));
            }
        }
        created
    }

    /// Takes note of arguments; tells whether they brought anything new.
    fn meet(&mut self, instance: Instance, arguments: Vec<Option<i32>>) -> bool {
        let parameters = &self.network.template(instance.template).variables;
        let converted: Vec<_> =
            parameters.iter().zip(arguments).map(|(p, value)| value.and_then(|v| p.ty.convert(v))).collect();
        match self.arguments.get_mut(&instance) {
            None => {
                self.arguments.insert(instance, converted);
                true
            }
            Some(known) => {
                let before = known.clone();
                for (known, new) in known.iter_mut().zip(converted) {
                    if *known != new {
                        *known = None;
                    }
                }
                *known != before
            }
        }
    }

    fn environment(&self, instance: Instance) -> Environment {
        let template = self.network.template(instance.template);
        let mut known = Environment { own_pid: Some(instance.pid as i32), ..Environment::default() };
        known.globals = self.globals.clone();
        let elements = template.variables.iter().flat_map(|v| v.elements());
        known.locals = elements.map(|(slot, _)| (slot, 0)).collect();
        let arguments = self.arguments.get(&instance);
        for (i, parameter) in template.variables.iter().take(template.parameters as usize).enumerate() {
            match arguments.and_then(|a| a[i]) {
                Some(value) => known.locals.insert(parameter.slot, value),
                None => known.locals.remove(&parameter.slot),
            };
        }
        let first_channel = self.network.frames.processes[instance.pid as usize].first_channel;
        initialise(&template.initialisers, &mut known, Some(first_channel));
        known.locals.retain(|slot, _| !self.assigned.locals.contains(&(instance.template, *slot)));
        known.globals = self.globals.clone();
        known
    }
}

/// Replaces what is known by constants. The result has the same value, and fails exactly where the original does.
pub fn fold(expr: &Expr, known: &Environment) -> Expr {
    let sub = |e: &Expr| Box::new(fold(e, known));
    match expr {
        Expr::OwnPid => known.own_pid.map_or(Expr::OwnPid, Expr::Const),
        Expr::Read(place) => {
            let place = fold_place(place, known);
            let value = match place.scope {
                Scope::Global if place.indices.is_empty() => known.globals.get(&place.slot),
                Scope::Own if place.indices.is_empty() => known.locals.get(&place.slot),
                _ => None,
            };
            value.map_or_else(|| Expr::read(place), |value| Expr::Const(*value))
        }
        Expr::Unary(op, operand) => match fold(operand, known) {
            Expr::Const(value) => Expr::Const(apply_unary(*op, value)),
            operand => Expr::Unary(*op, Box::new(operand)),
        },
        Expr::Binary(op, left, right) => fold_binary(*op, fold(left, known), fold(right, known)),
        Expr::Conditional(condition, then, otherwise) => match fold(condition, known) {
            Expr::Const(0) => fold(otherwise, known),
            Expr::Const(_) => fold(then, known),
            condition => Expr::Conditional(Box::new(condition), sub(then), sub(otherwise)),
        },
        Expr::Channel(query, channel) => Expr::Channel(*query, sub(channel)),
        Expr::Poll { channel, anywhere, patterns } => {
            let patterns = patterns.iter().map(|p| fold_pattern(p, known)).collect();
            Expr::Poll { channel: sub(channel), anywhere: *anywhere, patterns }
        }
        Expr::At { pid, location } => Expr::At { pid: sub(pid), location: *location },
        Expr::LocationNumber(pid) => Expr::LocationNumber(sub(pid)),
        Expr::Enabled(pid) => Expr::Enabled(sub(pid)),
        Expr::Holds(e) => Expr::Holds(sub(e)),
        Expr::Priority(pid) => Expr::Priority(sub(pid)),
        Expr::Exact(exact) => Expr::Exact(Box::new(exact.map(&mut |leaf| fold(leaf, known)))),
        other => other.clone(),
    }
}

fn fold_binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let truth = |e: Expr| Expr::Unary(UnaryOp::Not, Box::new(e.not()));
    match (op, left.as_const(), right.as_const()) {
        (BinaryOp::And, Some(0), _) => Expr::Const(0),
        (BinaryOp::Or, Some(l), _) if l != 0 => Expr::Const(1),
        (BinaryOp::And | BinaryOp::Or, Some(_), None) => truth(right),
        (_, Some(l), Some(r)) => match apply_binary(op, l, r) {
            Some(value) => Expr::Const(value),
            None => Expr::binary(op, left, right),
        },
        _ => Expr::binary(op, left, right),
    }
}

/// Folds the indices of a place; those that are constant and in range become part of its slot.
pub fn fold_place(place: &Place, known: &Environment) -> Place {
    let scope = match &place.scope {
        Scope::Process { pid, template } => Scope::Process { pid: Box::new(fold(pid, known)), template: *template },
        other => other.clone(),
    };
    let mut folded = Place { scope, slot: place.slot, indices: Vec::new(), ty: place.ty };
    for index in &place.indices {
        match fold(&index.value, known) {
            Expr::Const(value) if value >= 0 && (value as u32) < index.len => {
                folded.slot += value as u32 * index.stride;
            }
            value => folded.indices.push(Index { value, ..*index }),
        }
    }
    folded
}

/// Folds what a pattern compares with, or where it binds.
pub fn fold_pattern(pattern: &Pattern, known: &Environment) -> Pattern {
    match pattern {
        Pattern::Any => Pattern::Any,
        Pattern::Match(expr) => Pattern::Match(fold(expr, known)),
        Pattern::Bind(place) => Pattern::Bind(fold_place(place, known)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
    use crate::types::ValueType;

    fn add(left: Expr, right: Expr) -> Expr {
        Expr::binary(BinaryOp::Add, left, right)
    }

    #[test]
    fn folding_keeps_errors_and_short_circuits() {
        let known = Environment { own_pid: Some(3), ..Environment::default() };
        let quotient = Expr::binary(BinaryOp::Divide, Expr::Const(1), Expr::Const(0));
        assert_eq!(fold(&add(Expr::OwnPid, Expr::Const(1)), &known), Expr::Const(4));
        assert_eq!(fold(&quotient, &known), quotient);
        assert_eq!(fold(&Expr::binary(BinaryOp::And, Expr::Const(0), quotient.clone()), &known), Expr::Const(0));
        assert_ne!(fold(&Expr::binary(BinaryOp::And, quotient, Expr::Const(0)), &known), Expr::Const(0));
    }

    #[test]
    fn arguments_reach_the_instances_that_they_create() {
        let mut net = NetworkBuilder::new("arguments");
        let n = net.global("n", ValueType::Byte);
        net.initialise(Initialiser::Assign(Action::Assign { target: n.clone(), value: Expr::Const(5) }));
        let mut child = TemplateBuilder::new("child");
        let here = child.location("here");
        let fixed = child.parameter("fixed", ValueType::Byte);
        let changed = child.parameter("changed", ValueType::Byte);
        child.edge(EdgeSpec::new(here, here).assign(changed, Expr::Const(1)));
        let child = net.template(child, here);
        let run = |value: Expr| Action::Run {
            template: child,
            arguments: vec![value, Expr::Const(9)],
            priority: None,
            result: None,
        };
        let mut init = TemplateBuilder::new("init");
        let (a, b) = (init.location("a"), init.location("b"));
        init.edge(EdgeSpec::new(a, b).action(run(Expr::Const(7))).action(run(add(Expr::read(n), Expr::Const(256)))));
        let init = net.template(init, a);
        net.start(init, vec![]);
        let network = net.finish().unwrap();
        let constants = Constants::new(&network);
        let of = |pid| constants.of(Instance { pid, template: child }).locals;
        assert_eq!(of(1), BTreeMap::from([(fixed.slot, 7)]));
        assert_eq!(of(2), BTreeMap::from([(fixed.slot, 5)]), "261 as a byte");
    }

    #[test]
    fn indices_become_slots() {
        let ty = ValueType::Byte;
        let index = |value| Index { value, len: 3, stride: 2 };
        let place = Place { indices: vec![index(Expr::OwnPid)], ..Place::global(10, ty) };
        let known = Environment { own_pid: Some(2), ..Environment::default() };
        assert_eq!(fold_place(&place, &known), Place::global(14, ty));
        let known = Environment { own_pid: Some(3), ..Environment::default() };
        assert_eq!(fold_place(&place, &known).indices.len(), 1, "out of range: left to fail");
    }
}
