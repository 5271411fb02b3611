//! Explores one process on its own.
//!
//! Its local state is its location with the values of the variables that only it writes. Variables that others write have
//! any value; so has whatever is computed from them, and guards that depend on them may hold. Clocks are known by what they
//! can have reached at most when a location is entered: the value that they were set to on the way, or what the invariant
//! and the guards before allow. So every run of the network is, seen from one process, a path of this graph, and time that
//! the graph asks for passes in the run, too.

use std::collections::HashMap;

use bughound_ir::analysis::constants::{Environment, fold, fold_place};
use bughound_ir::analysis::{Instance, actions_of};
use bughound_ir::edge::{Action, Destination, Edge, Sync};
use bughound_ir::expr::{BinaryOp, Expr, Place, Scope};
use bughound_ir::frames::LOCATION;
use bughound_ir::network::{LocationId, Network};
use bughound_ir::types::{Relation, UNBOUNDED, is_clock_constant};
use bughound_kernel::Watch;

use super::goal::{Counter, Goal, Whereabouts};
use super::graph::{Exit, Graph, LocalState, LowerBound, Node, UpperBounds};
use super::ownership::{Ownership, key_slots};
use super::resources::Resource;

/// Local states of a process; with more, it is looked at with fewer variables.
const MOST_STATES: usize = 20_000;

/// Why a process cannot be explored like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The value of this slot does not follow from what the process knows.
    Unknown(u32),
    TooLarge,
    /// The number of a counter, or of a resource, that is none.
    NoCounter(usize),
    NoResource(usize),
    /// There is no time for more.
    Stopped,
}

/// A process that is to be explored.
pub struct Projection<'a> {
    pub network: &'a Network,
    pub instance: Instance,
    pub ownership: &'a Ownership,
    pub goal: &'a Goal<'a>,
    pub counters: &'a [Counter],
    pub resources: &'a [Resource],
    /// Slots of the key that are followed, without the location.
    pub slots: Vec<u32>,
    pub watch: &'a dyn Watch,
}

/// What an edge does to what is known.
struct Effects {
    /// What was known before, to be restored.
    before: Vec<(bool, u32, Option<i32>)>,
    /// Clocks that are set, with the value if it is known.
    set: Vec<(usize, Option<i64>)>,
    gains: Vec<u64>,
    /// Resources that are written, with the value if it is known.
    written: Vec<(usize, Option<i32>)>,
}

impl Projection<'_> {
    fn frame(&self) -> u32 {
        self.network.frames.processes[self.instance.pid as usize].base
    }

    /// Is a slot of the key global, and its number there or in the frame.
    fn in_scope(&self, slot: u32) -> (bool, u32) {
        if slot < self.network.frames.globals { (true, slot) } else { (false, slot - self.frame()) }
    }

    /// Explores everything from an initial state on.
    pub fn explore(&self, constants: &Environment, initial: &[i32]) -> Result<Graph, Trouble> {
        let mut graph = Graph::default();
        graph.slots.push(self.frame() + LOCATION);
        graph.slots.extend(&self.slots);
        let mut known = constants.clone();
        let mut nodes = HashMap::new();
        let first: Vec<i32> = graph.slots.iter().map(|slot| initial[*slot as usize]).collect();
        let own_clocks =
            (1..=self.network.clocks.len()).filter(|c| self.ownership.owns_clock(self.instance.pid, c - 1));
        let at_start = own_clocks.map(|clock| (clock, 0)).collect();
        let mut open = vec![self.state(&mut graph, first.clone(), 0)?];
        let location = LocationId(first[0] as u32);
        node(&mut graph, &mut nodes, 0, self.tested(at_start, location));
        let mut values = vec![first];
        while let Some(state) = open.pop() {
            self.set_values(&values[state], &mut known);
            let holds = graph.states[state].holds;
            let location = self.network.location(LocationId(values[state][0] as u32));
            let at = Whereabouts { pid: self.instance.pid, location: LocationId(values[state][0] as u32) };
            let stops = location.flags.urgent || location.flags.committed;
            let rate = location.rate.as_ref().map_or(Some(0), |rate| fold(rate, &known).as_const());
            graph.states[state].rate = (!stops).then(|| rate.unwrap_or(0).max(0) as u64);
            graph.states[state].at_goal = self.goal.is_possible(at, &known);
            for edge in location.edges.iter().map(|id| self.network.edge(*id)) {
                if edge.guards.iter().any(|guard| fold(guard, &known).as_const() == Some(0)) {
                    continue;
                }
                for destination in &edge.destinations {
                    let work = 5 + 5 * destination.actions.len() as u64;
                    if !self.watch.go_on(work, 200 * graph.nodes.len() as u64) {
                        return Err(Trouble::Stopped);
                    }
                    let mut effects = self.effects_of(edge);
                    let waits_for = self.waits_for(edge, &known);
                    let at_most = self.upper_bounds(edge, location, &known);
                    let free = self.needs_free(edge, &mut known);
                    let possible = self.perform(edge, destination, &mut known, &mut effects)?;
                    let after = possible.then(|| self.values(destination.to, &known)).transpose()?;
                    let impulse = self.impulse(edge, &known);
                    undo(&mut known, &mut effects);
                    let Some(after) = after else { continue };
                    let (holds, takes) = self.holds_after(edge, holds, free, &effects)?;
                    let at_most = self.tested(at_most_after(at_most, &effects), destination.to);
                    let is_new = !graph.index.contains_key(&after);
                    let to = self.state(&mut graph, after.clone(), holds)?;
                    if is_new {
                        values.push(after);
                        open.push(to);
                    }
                    let to = node(&mut graph, &mut nodes, to, at_most);
                    graph.states[state].exits.push(Exit { waits_for, to, impulse, gains: effects.gains, takes });
                }
            }
        }
        Ok(graph)
    }

    /// The number of a local state, which has the same resources whenever it is entered.
    fn state(&self, graph: &mut Graph, values: Vec<i32>, holds: u64) -> Result<usize, Trouble> {
        if let Some(number) = graph.index.get(&values) {
            let differing = graph.states[*number].holds ^ holds;
            let unclear = (0..self.resources.len()).find(|resource| differing >> resource & 1 == 1);
            return unclear.map_or(Ok(*number), |resource| Err(Trouble::NoResource(resource)));
        }
        if graph.states.len() == MOST_STATES {
            return Err(Trouble::TooLarge);
        }
        let number = graph.states.len();
        graph.index.insert(values, number);
        graph.states.push(LocalState { exits: Vec::new(), rate: None, holds, at_goal: true });
        Ok(number)
    }

    fn set_values(&self, values: &[i32], known: &mut Environment) {
        for (slot, value) in self.slots.iter().zip(&values[1..]) {
            let (global, slot) = self.in_scope(*slot);
            if global {
                known.globals.insert(slot, *value)
            } else {
                known.locals.insert(slot, *value)
            };
        }
    }

    fn values(&self, location: LocationId, known: &Environment) -> Result<Vec<i32>, Trouble> {
        let mut values = vec![location.0 as i32];
        for key_slot in &self.slots {
            let (global, slot) = self.in_scope(*key_slot);
            let value = if global { known.globals.get(&slot) } else { known.locals.get(&slot) };
            values.push(*value.ok_or(Trouble::Unknown(*key_slot))?);
        }
        Ok(values)
    }

    /// Lower bounds of clocks that only this process sets.
    fn waits_for(&self, edge: &Edge, known: &Environment) -> Vec<LowerBound> {
        let mut found = Vec::new();
        for guard in &edge.clock_guards {
            let is_lower = matches!(guard.relation, Relation::GreaterEqual | Relation::Greater | Relation::Equal);
            let clock = guard.left.0 as usize;
            if is_lower && guard.minus.is_none() && self.ownership.owns_clock(self.instance.pid, clock) {
                let bound = fold(&guard.bound, known).as_const();
                let bound = bound.filter(|bound| *bound != UNBOUNDED && is_clock_constant(i64::from(*bound)));
                found.extend(bound.map(|bound| LowerBound { clock: clock + 1, constant: i64::from(bound) }));
            }
        }
        found
    }

    /// What clocks can be at most when the edge is taken.
    fn upper_bounds(&self, edge: &Edge, location: &bughound_ir::network::Location, known: &Environment) -> UpperBounds {
        let mut found = UpperBounds::new();
        for constraint in edge.clock_guards.iter().chain(&location.invariant) {
            let is_upper = matches!(constraint.relation, Relation::LessEqual | Relation::Less | Relation::Equal);
            let Some(bound) = fold(&constraint.bound, known).as_const() else { continue };
            if is_upper && constraint.minus.is_none() && bound != UNBOUNDED {
                let clock = constraint.left.0 as usize + 1;
                match found.iter_mut().find(|(c, _)| *c == clock) {
                    Some((_, most)) => *most = (*most).min(i64::from(bound)),
                    None => found.push((clock, i64::from(bound))),
                }
            }
        }
        found
    }

    /// Bounds of clocks that this process owns and that ways out of the location wait for.
    fn tested(&self, mut at_most: UpperBounds, location: LocationId) -> UpperBounds {
        let guards = || {
            let edges = self.network.location(location).edges.iter().map(|id| self.network.edge(*id));
            edges.flat_map(|edge| &edge.clock_guards)
        };
        let waits = |clock: usize| guards().any(|guard| guard.left.0 as usize + 1 == clock);
        at_most.retain(|(clock, _)| self.ownership.owns_clock(self.instance.pid, clock - 1) && waits(*clock));
        at_most.sort_unstable();
        at_most
    }

    /// What is not known about an edge with a program, before its own actions.
    fn effects_of(&self, edge: &Edge) -> Effects {
        let gains = vec![0; self.counters.len()];
        let mut effects = Effects { before: Vec::new(), set: Vec::new(), gains, written: Vec::new() };
        if edge.program.is_some() {
            for action in actions_of(self.network, edge) {
                if let Action::ResetClock { clock, .. } = action {
                    effects.set.push((clock.0 as usize + 1, None));
                }
            }
        }
        effects
    }

    /// Which resources must be free for the guards to hold, as a set.
    fn needs_free(&self, edge: &Edge, known: &mut Environment) -> u64 {
        let mut found = 0;
        for (number, resource) in self.resources.iter().enumerate() {
            let before = known.globals.get(&resource.slot).copied();
            let never = |value: i32, known: &mut Environment| {
                known.globals.insert(resource.slot, value);
                edge.guards.iter().any(|guard| fold(guard, known).as_const() == Some(0))
            };
            // Most edges have to do with few resources; an element of an array lies behind its first slot.
            let mentions = edge.guards.iter().any(|guard| {
                guard.any(
                    |e| matches!(e, Expr::Read(place) if place.scope == Scope::Global && place.slot <= resource.slot),
                )
            });
            if mentions && resource.taken().all(|value| never(value, known)) {
                found |= 1 << number;
            }
            restore(known, true, resource.slot, before);
        }
        found
    }

    /// Performs the actions of an edge on what is known. False: the step fails.
    fn perform(
        &self,
        edge: &Edge,
        destination: &Destination,
        known: &mut Environment,
        effects: &mut Effects,
    ) -> Result<bool, Trouble> {
        if let Some(pricing) = &self.network.pricing {
            // What others pay in the same step does not count here.
            self.note(known, effects, true, pricing.impulse, Some(0));
        }
        if edge.program.is_some() {
            for action in actions_of(self.network, edge) {
                for (target, _) in action.assignments() {
                    self.write(&fold_place(target, known), None, known, effects)?;
                }
            }
        }
        for action in &destination.actions {
            match action {
                Action::Assign { target, value } => {
                    let (target, value) = (fold_place(target, known), fold(value, known));
                    if !self.assign(&target, &value, known, effects)? {
                        return Ok(false);
                    }
                }
                Action::Together(assignments) => {
                    let all: Vec<(Place, Expr)> = assignments
                        .iter()
                        .map(|(target, value)| (fold_place(target, known), fold(value, known)))
                        .collect();
                    for (target, value) in &all {
                        if !self.assign(target, value, known, effects)? {
                            return Ok(false);
                        }
                    }
                }
                Action::ResetClock { clock, value } => {
                    let value = fold(value, known).as_const().map(i64::from);
                    effects.set.push((clock.0 as usize + 1, value));
                }
                _ => {}
            }
        }
        Ok(true)
    }

    /// False: the value does not fit, so the step fails.
    fn assign(
        &self,
        target: &Place,
        value: &Expr,
        known: &mut Environment,
        effects: &mut Effects,
    ) -> Result<bool, Trouble> {
        if let Some(counter) = self.counter_at(target) {
            let gain = gain(target.slot, value).ok_or(Trouble::NoCounter(counter))?;
            effects.gains[counter] += gain;
            return Ok(true);
        }
        let value = match value.as_const() {
            None => None,
            Some(value) => match target.ty.convert(value) {
                None => return Ok(false),
                value => value,
            },
        };
        self.write(target, value, known, effects)?;
        Ok(true)
    }

    fn counter_at(&self, place: &Place) -> Option<usize> {
        let is_single = place.scope == Scope::Global && place.indices.is_empty();
        self.counters.iter().position(|counter| is_single && counter.slot == place.slot)
    }

    /// Writes a value, if it is known, into one place, if that is known.
    fn write(
        &self,
        target: &Place,
        value: Option<i32>,
        known: &mut Environment,
        effects: &mut Effects,
    ) -> Result<(), Trouble> {
        let Some(slots) = key_slots(self.network, self.instance.pid, target) else { return Err(Trouble::Stopped) };
        let value = if target.indices.is_empty() { value } else { None };
        for slot in slots {
            if let Some(counter) = self.counters.iter().position(|counter| counter.slot == slot) {
                return Err(Trouble::NoCounter(counter));
            }
            if let Some(resource) = self.resources.iter().position(|resource| resource.slot == slot) {
                effects.written.push((resource, value));
            }
            if value.is_none() && self.slots.contains(&slot) {
                return Err(Trouble::Unknown(slot));
            }
            let (global, slot) = self.in_scope(slot);
            self.note(known, effects, global, slot, value);
        }
        Ok(())
    }

    fn note(&self, known: &mut Environment, effects: &mut Effects, global: bool, slot: u32, value: Option<i32>) {
        let scope = if global { &mut known.globals } else { &mut known.locals };
        let before = match value {
            Some(value) => scope.insert(slot, value),
            None => scope.remove(&slot),
        };
        effects.before.push((global, slot, before));
    }

    /// What the process pays itself; 0 if that is not known.
    fn impulse(&self, edge: &Edge, known: &Environment) -> u64 {
        let paid = self.network.pricing.as_ref().and_then(|pricing| known.globals.get(&pricing.impulse));
        if edge.program.is_some() { 0 } else { paid.copied().unwrap_or(0).max(0) as u64 }
    }

    /// The resources that are held behind an edge, and those that it takes.
    fn holds_after(&self, edge: &Edge, before: u64, free: u64, effects: &Effects) -> Result<(u64, u64), Trouble> {
        let mut after = before;
        for (resource, _) in &effects.written {
            let bit = 1 << resource;
            let last = effects.written.iter().rfind(|(other, _)| other == resource).and_then(|(_, value)| *value);
            let is_free = last.map(|value| value == self.resources[*resource].free);
            match is_free {
                // Two that move together could both find it free.
                _ if edge.sync != Sync::None || edge.program.is_some() => return Err(Trouble::NoResource(*resource)),
                Some(true) if before & bit != 0 => after &= !bit,
                Some(false) if before & bit != 0 || free & bit != 0 => after |= bit,
                _ => return Err(Trouble::NoResource(*resource)),
            }
        }
        Ok((after, after & !before))
    }
}

/// By how much an assignment to this slot increases it.
fn gain(slot: u32, value: &Expr) -> Option<u64> {
    let Expr::Binary(BinaryOp::Add, left, right) = value else { return None };
    let (variable, amount) = if left.as_const().is_some() { (right, left) } else { (left, right) };
    let Expr::Read(place) = &**variable else { return None };
    let is_itself = place.scope == Scope::Global && place.indices.is_empty() && place.slot == slot;
    amount.as_const().and_then(|amount| u64::try_from(amount).ok()).filter(|_| is_itself)
}

fn node(
    graph: &mut Graph,
    nodes: &mut HashMap<(usize, UpperBounds), usize>,
    state: usize,
    at_most: UpperBounds,
) -> usize {
    *nodes.entry((state, at_most)).or_insert_with_key(|(state, at_most)| {
        graph.nodes.push(Node { state: *state, at_most: at_most.clone() });
        graph.nodes.len() - 1
    })
}

/// Bounds behind an edge from those before it.
fn at_most_after(mut at_most: UpperBounds, effects: &Effects) -> UpperBounds {
    for (clock, value) in &effects.set {
        at_most.retain(|(other, _)| other != clock);
        at_most.extend(value.map(|value| (*clock, value)));
    }
    at_most
}

fn restore(known: &mut Environment, global: bool, slot: u32, value: Option<i32>) {
    let scope = if global { &mut known.globals } else { &mut known.locals };
    match value {
        Some(value) => scope.insert(slot, value),
        None => scope.remove(&slot),
    };
}

fn undo(known: &mut Environment, effects: &mut Effects) {
    while let Some((global, slot, value)) = effects.before.pop() {
        restore(known, global, slot, value);
    }
}
