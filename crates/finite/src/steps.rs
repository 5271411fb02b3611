//! All steps of a network, tried out symbolically: single edges, rendezvous, hand-shakes and broadcasts as joint steps.

use std::cell::Cell;
use std::collections::BTreeMap;

use bughound_ir::analysis::{Instance, edges_of, instances};
use bughound_ir::edge::{Condition as EdgeCondition, Destination, Edge, EdgeId, Sync};
use bughound_ir::expr::Expr;
use bughound_ir::frames::PROCESS_COUNT;
use bughound_ir::network::Vector;
use bughound_ir::types::SignalKind;

use crate::term::Term;
use crate::trial::{Message, Trial};
use crate::view::{Model, View};

/// With more pairs of edges than this, the two sides of a synchronisation are taken for steps of their own.
const MOST_PAIRS: usize = 20_000;

/// An edge that can be the second of a synchronisation.
struct Second {
    instance: Instance,
    edge: EdgeId,
}

/// Who acts in a step over a broadcast signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// The sender and one of those who hear it, whatever the others do: enough where changes only add up.
    Pairs,
    /// The sender and all who may hear it.
    All,
}

pub struct Steps<'m, 'n> {
    model: &'m Model<'n>,
    together: Together,
    views: BTreeMap<Instance, View<'m, 'n>>,
    /// By channel number.
    receivers: BTreeMap<i32, Vec<Second>>,
    /// By signal.
    acceptors: BTreeMap<i32, Vec<Second>>,
    /// By broadcast signal: the slots that those who hear it write.
    heard: BTreeMap<i32, Vec<usize>>,
    /// Too many pairs: both sides of a synchronisation act alone.
    apart: bool,
    /// Nobody wants to hear of more.
    stopped: Cell<bool>,
}

impl<'m, 'n> Steps<'m, 'n> {
    pub fn new(model: &'m Model<'n>, together: Together) -> Self {
        let (receivers, acceptors, heard) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let views = instances(model.network).into_iter().map(|instance| (instance, View::of(model, instance)));
        let stopped = Cell::new(false);
        let mut steps =
            Steps { model, together, views: views.collect(), receivers, acceptors, heard, apart: false, stopped };
        for instance in instances(model.network) {
            steps.add_seconds(instance);
        }
        steps.apart = steps.pairs() > MOST_PAIRS;
        steps
    }

    /// How many pairs of edges can act together.
    fn pairs(&self) -> usize {
        let count = |map: &BTreeMap<i32, Vec<Second>>, numbers: Vec<i32>| -> usize {
            numbers.iter().filter_map(|number| map.get(number)).map(Vec::len).sum()
        };
        let mut pairs = 0;
        for instance in instances(self.model.network) {
            let view = &self.views[&instance];
            for (_, edge) in edges_of(self.model.network, instance.template) {
                pairs += match &edge.sync {
                    Sync::Send { channel, .. } => {
                        count(&self.receivers, view.channels(channel).into_iter().map(|c| c.0).collect())
                    }
                    Sync::Emit { signal } => count(&self.acceptors, self.signals(view, signal)),
                    _ => 0,
                };
            }
        }
        pairs
    }

    fn add_seconds(&mut self, instance: Instance) {
        let network = self.model.network;
        let view = &self.views[&instance];
        for (id, edge) in edges_of(network, instance.template) {
            let second = || Second { instance, edge: id };
            let entry = edge.program.and_then(|id| network.program(id).nodes.first());
            let inside = entry.into_iter().flat_map(|node| &node.alternatives).map(|a| &a.sync);
            let mut channels = Vec::new();
            for sync in inside.chain([&edge.sync]) {
                if let Sync::Receive { channel, .. } = sync {
                    channels.extend(view.channels(channel).into_iter().filter(|c| c.1.capacity == 0).map(|c| c.0));
                }
            }
            channels.sort_unstable();
            channels.dedup();
            for channel in channels {
                self.receivers.entry(channel).or_default().push(second());
            }
            if let Sync::Accept { signal } = &edge.sync {
                for number in self.signals(view, signal) {
                    self.acceptors.entry(number).or_default().push(second());
                    if network.signals[number as usize].kind == SignalKind::Broadcast {
                        let played = Trial::default().play(view, edge, None);
                        let slots = played.iter().flat_map(|t| t.memory.written().map(|(slot, _)| slot));
                        self.heard.entry(number).or_default().extend(slots);
                    }
                }
            }
        }
    }

    /// The signals that an expression can denote.
    fn signals(&self, view: &View<'_, '_>, signal: &Expr) -> Vec<i32> {
        let count = self.model.network.signals.len() as i32;
        match view.term(&Default::default(), signal) {
            Term::Const(number) if (0..count).contains(&number) => vec![number],
            Term::Const(_) => Vec::new(),
            _ => (0..count).collect(),
        }
    }

    /// No more steps are to be found.
    pub fn stop(&self) {
        self.stopped.set(true);
    }

    /// Calls `emit` with every step.
    pub fn each(&self, emit: &mut dyn FnMut(Trial)) {
        self.creations(emit);
        if self.apart {
            self.seconds_alone(emit);
        }
        self.joined_apart(emit);
        for instance in instances(self.model.network) {
            let view = &self.views[&instance];
            for (id, edge) in edges_of(self.model.network, instance.template) {
                if self.stopped.get() {
                    return;
                }
                let mut trial = Trial { weight: edge.weight, ..Trial::default() };
                trial.begin(view, id, edge);
                match &edge.sync {
                    Sync::None | Sync::Receive { .. } => {
                        for trial in trial.communicate(view, &edge.sync, None) {
                            trial.play(view, edge, None).into_iter().for_each(&mut *emit);
                        }
                    }
                    Sync::Send { channel, fields, .. } => {
                        for trial in trial.clone().communicate(view, &edge.sync, None) {
                            trial.play(view, edge, None).into_iter().for_each(&mut *emit);
                        }
                        for candidate in view.channels(channel).into_iter().filter(|c| c.1.capacity == 0) {
                            let mut trial = trial.clone();
                            let denoted = view.term(&trial.memory, channel);
                            trial.require_term(&Term::equals(denoted, Term::Const(candidate.0)));
                            let fields = trial.message(view, &candidate.1, fields);
                            for first in trial.play(view, edge, None) {
                                self.rendezvous(
                                    instance,
                                    first,
                                    &Message { channel: candidate.0, fields: &fields },
                                    emit,
                                );
                            }
                        }
                    }
                    Sync::Emit { signal } => {
                        for number in self.signals(view, signal) {
                            let mut trial = trial.clone();
                            let denoted = view.term(&trial.memory, signal);
                            trial.require_term(&Term::equals(denoted, Term::Const(number)));
                            for first in trial.play(view, edge, None) {
                                self.synchronise(instance, first, number, emit);
                            }
                        }
                    }
                    Sync::Accept { .. } => {}
                    Sync::Join { action } => self.join(instance, edge, *action, trial, emit),
                }
            }
        }
    }

    /// Processes that begin at any number, where numbers are not followed.
    fn creations(&self, emit: &mut dyn FnMut(Trial)) {
        for new in instances(self.model.network) {
            if let Some(created) = self.model.domains.created(new.template) {
                let mut trial = Trial::default();
                trial.require_term(&Term::equals(self.model.domains.draw(created), Term::Const(1)));
                trial.begin_process(&View::outside(self.model), new, &[], &Term::Const(1));
                emit(trial);
            }
        }
    }

    /// The sender has acted; now the receivers are looked at.
    fn rendezvous(&self, sender: Instance, first: Trial, message: &Message<'_>, emit: &mut dyn FnMut(Trial)) {
        if self.apart {
            return emit(first);
        }
        for second in self.receivers.get(&message.channel).into_iter().flatten() {
            if second.instance.pid != sender.pid && !self.stopped.get() {
                self.receive(second, first.clone(), message, emit);
            }
        }
    }

    fn receive(&self, second: &Second, mut trial: Trial, message: &Message<'_>, emit: &mut dyn FnMut(Trial)) {
        let view = &self.views[&second.instance];
        let edge = self.model.network.edge(second.edge);
        trial.begin(view, second.edge, edge);
        // The receive is that of the edge, or the first of its program.
        let (trials, message) = match edge.sync {
            Sync::None => (vec![trial], Some(message)),
            _ => (trial.communicate(view, &edge.sync, Some(message)), None),
        };
        for trial in trials {
            trial.play(view, edge, message).into_iter().for_each(&mut *emit);
        }
    }

    /// The emitter has acted.
    fn synchronise(&self, emitter: Instance, first: Trial, signal: i32, emit: &mut dyn FnMut(Trial)) {
        if self.apart {
            return emit(first);
        }
        if self.is_broadcast(signal) {
            if self.together == Together::All {
                return emit(self.heard_by_all(emitter, first, signal));
            }
            emit(first.clone());
        }
        for second in self.acceptors.get(&signal).into_iter().flatten() {
            if second.instance.pid != emitter.pid {
                self.accept(second, first.clone(), signal, emit);
            }
        }
    }

    /// Everybody else may have heard it, and done what is to be done then, or not.
    fn heard_by_all(&self, emitter: Instance, mut trial: Trial, signal: i32) -> Trial {
        let locations: Vec<usize> = self.views.values().map(View::location_slot).collect();
        for slot in self.heard.get(&signal).into_iter().flatten().filter(|slot| !locations.contains(slot)) {
            trial.memory.write(*slot, Term::Unknown);
        }
        for second in self.acceptors.get(&signal).into_iter().flatten() {
            if second.instance.pid == emitter.pid {
                continue;
            }
            trial.heard.push(second.edge);
            let edge = self.model.network.edge(second.edge);
            let targets = edge.destinations.iter().map(|to| (edge.from.0 as i32, to.to.0 as i32));
            trial.listeners.entry(self.views[&second.instance].location_slot()).or_default().extend(targets);
        }
        trial
    }

    fn is_broadcast(&self, signal: i32) -> bool {
        self.model.network.signals[signal as usize].kind == SignalKind::Broadcast
    }

    /// Guards of those who accept are evaluated in the state before.
    fn accept(&self, second: &Second, mut trial: Trial, signal: i32, emit: &mut dyn FnMut(Trial)) {
        let view = &self.views[&second.instance];
        let edge = self.model.network.edge(second.edge);
        let mut before = Trial::default();
        before.begin(view, second.edge, edge);
        if let Sync::Accept { signal: expr } = &edge.sync {
            let denoted = view.term(&before.memory, expr);
            before.require_term(&Term::equals(denoted, Term::Const(signal)));
        }
        trial.conditions.extend(before.conditions);
        trial.parts.extend(before.parts);
        trial.chosen_before = true;
        if self.is_broadcast(signal) {
            // Others may have heard it, and acted, before.
            trial.memory.shadow(self.heard.get(&signal).into_iter().flatten().copied());
        }
        trial.play(view, edge, None).into_iter().for_each(&mut *emit);
    }

    /// Somebody has started a step, and nothing is known about it.
    fn seconds_alone(&self, emit: &mut dyn FnMut(Trial)) {
        let weight = match self.together {
            Together::Pairs => self.model.network.least_weight(),
            Together::All => 0, // the first has paid
        };
        let mut somebody = Trial { weight, ..Trial::default() };
        somebody.memory.blind = true;
        for (channel, seconds) in &self.receivers {
            let message = Message { channel: *channel, fields: &[] };
            let wanted = seconds.iter().take_while(|_| !self.stopped.get());
            wanted.for_each(|second| self.receive(second, somebody.clone(), &message, emit));
        }
        for (signal, seconds) in &self.acceptors {
            seconds.iter().for_each(|second| self.accept(second, somebody.clone(), *signal, emit));
        }
    }
}

/// A vector with more ways to pick edges and to draw destinations is taken apart: each of its processes acts alone.
const MOST_WAYS: usize = 1_000;

impl Steps<'_, '_> {
    fn is_apart(&self, vector: &Vector) -> bool {
        let ways = vector
            .parts
            .iter()
            .map(|part| self.joining(*part).map(|(_, _, edge)| edge.destinations.len()).sum::<usize>());
        ways.fold(1, usize::saturating_mul) > MOST_WAYS
    }

    /// The edges with which a process can be this part of a vector.
    fn joining(&self, (pid, action): (u16, u32)) -> impl Iterator<Item = (Instance, EdgeId, &Edge)> {
        let network = self.model.network;
        let there = self.views.keys().filter(move |instance| instance.pid == u32::from(pid));
        there.flat_map(move |instance| {
            let edges =
                edges_of(network, instance.template).filter(move |(_, edge)| edge.sync == Sync::Join { action });
            edges.map(|(id, edge)| (*instance, id, edge))
        })
    }

    /// The joint steps that an edge starts whose guards are required already.
    fn join(&self, first: Instance, edge: &Edge, action: u32, trial: Trial, emit: &mut dyn FnMut(Trial)) {
        let starts = |vector: &&Vector| vector.parts[0] == (first.pid as u16, action);
        let (apart, joint): (Vec<&Vector>, Vec<&Vector>) =
            self.model.network.vectors.iter().filter(starts).partition(|vector| self.is_apart(vector));
        let view = &self.views[&first];
        if !apart.is_empty() {
            trial.clone().play(view, edge, None).into_iter().for_each(&mut *emit);
        }
        for vector in joint {
            self.pick(&vector.parts[1..], trial.clone(), vec![(view, edge)], emit);
        }
    }

    /// Every way to pick one edge for each part that is left, and to draw destinations.
    fn pick<'s>(
        &'s self,
        parts: &[(u16, u32)],
        trial: Trial,
        team: Vec<(&'s View<'s, 's>, &'s Edge)>,
        emit: &mut dyn FnMut(Trial),
    ) {
        if self.stopped.get() {
            return;
        }
        let Some((part, others)) = parts.split_first() else { return draw(&team, trial, Vec::new(), emit) };
        for (instance, id, edge) in self.joining(*part) {
            let view = &self.views[&instance];
            let mut trial = trial.clone();
            trial.begin(view, id, edge);
            let mut team = team.clone();
            team.push((view, edge));
            self.pick(others, trial, team, emit);
        }
    }

    /// What the others do in vectors that were taken apart.
    fn joined_apart(&self, emit: &mut dyn FnMut(Trial)) {
        let weight = match self.together {
            Together::Pairs => self.model.network.least_weight(),
            Together::All => 0, // the first has paid
        };
        for vector in self.model.network.vectors.iter().filter(|vector| self.is_apart(vector)) {
            for (instance, id, edge) in vector.parts[1..].iter().flat_map(|part| self.joining(*part)) {
                let view = &self.views[&instance];
                let mut trial = Trial { weight, ..Trial::default() };
                trial.begin(view, id, edge);
                trial.play(view, edge, None).into_iter().for_each(&mut *emit);
            }
        }
    }
}

/// Every way to draw one destination for each edge that is left.
fn draw<'s>(
    team: &[(&'s View<'s, 's>, &'s Edge)],
    trial: Trial,
    drawn: Vec<(&'s View<'s, 's>, &'s Destination)>,
    emit: &mut dyn FnMut(Trial),
) {
    let Some((view, edge)) = team.get(drawn.len()) else { return emit(trial.play_together(&drawn)) };
    for destination in &edge.destinations {
        let mut drawn = drawn.clone();
        drawn.push((*view, destination));
        draw(team, trial.clone(), drawn, emit);
    }
}

impl Trial {
    /// A process takes part with an edge: it must be there, and the guards must hold.
    fn begin(&mut self, view: &View<'_, '_>, id: EdgeId, edge: &Edge) {
        let domains = &view.model.domains;
        let at = self.memory.read(domains, view.location_slot());
        self.require_term(&Term::equals(at, Term::Const(edge.from.0 as i32)));
        if let Some(own) = view.instance {
            self.parts.push((own.pid as u16, id.0));
            if edge.condition == EdgeCondition::Youngest {
                let count = self.memory.read(domains, PROCESS_COUNT);
                self.require_term(&Term::equals(count, Term::Const(own.pid as i32 + 1)));
            }
            if let Some(provided) = &view.model.network.template(own.template).provided {
                self.require(view, provided);
            }
        }
        edge.guards.iter().for_each(|guard| self.require(view, guard));
    }
}

/// The guards of a claim's edge, seen from outside.
pub fn claim_step(view: &View<'_, '_>, edge: &Edge) -> Trial {
    let mut trial = Trial::default();
    edge.guards.iter().for_each(|guard| trial.require(view, guard));
    trial
}
