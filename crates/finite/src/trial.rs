//! A step that is tried out symbolically: what it needs, what it changes, how it can fail.

use std::collections::BTreeMap;

use bughound_ir::analysis::Instance;
use bughound_ir::edge::{Action, Alternative, Destination, Edge, EdgeId, Program, Sync};
use bughound_ir::expr::{BinaryOp, ChannelQuery, Expr, Pattern, Place, Scope};
use bughound_ir::frames::PROCESS_COUNT;
use bughound_ir::network::{Initialiser, TemplateId};
use bughound_ir::types::ValueType;

use crate::domains::ChannelPlace;
use crate::memory::Memory;
use crate::term::{Condition, Term};
use crate::view::View;

/// Programs with more paths are taken as a whole.
const MOST_PATHS: usize = 64;

/// One process and one edge that take part in a step.
pub type Part = (u16, u32);

#[derive(Clone, Default)]
pub struct Trial {
    /// All must hold before the step.
    pub conditions: Vec<Condition>,
    pub memory: Memory,
    pub parts: Vec<Part>,
    pub weight: u64,
    /// The entry of the program that comes next was chosen before anything changed.
    pub chosen_before: bool,
    /// By slot of a location: from where to where a broadcast may take its process, if it does not stay.
    pub listeners: BTreeMap<usize, Vec<(i32, i32)>>,
    /// Edges with which others may have heard a broadcast.
    pub heard: Vec<EdgeId>,
    /// For every assertion on the way: all that holds before the step if it is false.
    pub failures: Vec<Vec<Condition>>,
}

/// A message under way.
pub struct Message<'a> {
    pub channel: i32,
    pub fields: &'a [Term],
}

impl Trial {
    pub fn require(&mut self, view: &View<'_, '_>, condition: &Expr) {
        let term = view.term(&self.memory, condition);
        self.require_term(&term);
    }

    pub fn require_term(&mut self, term: &Term) {
        match Condition::of(term, true) {
            Condition::Always => {}
            condition => self.conditions.push(condition),
        }
    }

    /// The program of the edge, if it has one, and each of its destinations: all ways to do the edge's part of the step. What
    /// the edge itself needs was required before.
    pub fn play(self, view: &View<'_, '_>, edge: &Edge, message: Option<&Message<'_>>) -> Vec<Trial> {
        let after_program = match edge.program {
            None => vec![self],
            Some(id) => self.run(view, view.model.network.program(id), message),
        };
        let mut played = Vec::new();
        for trial in after_program {
            for destination in &edge.destinations {
                let mut trial = trial.clone();
                trial.weight = trial.weight.saturating_add(destination.weight);
                destination.actions.iter().for_each(|action| trial.act(view, action));
                if !destination.actions.contains(&Action::End) {
                    trial.memory.write(view.location_slot(), Term::Const(destination.to.0 as i32));
                }
                played.push(trial);
            }
        }
        played
    }

    /// The edges of a joint step, one destination each, at once.
    pub fn play_together(mut self, parts: &[(&View<'_, '_>, &Destination)]) -> Trial {
        let phases = parts.iter().map(|(_, destination)| destination.actions.len()).max().unwrap_or(0);
        for phase in 0..phases {
            let before = self.memory.clone();
            for (view, destination) in parts {
                if let Some(Action::Together(assignments)) = destination.actions.get(phase) {
                    self.assign(view, &before, assignments);
                }
            }
        }
        for (view, destination) in parts {
            self.weight = self.weight.saturating_add(destination.weight);
            self.memory.write(view.location_slot(), Term::Const(destination.to.0 as i32));
        }
        self
    }

    /// Assignments of values that were there before.
    fn assign(&mut self, view: &View<'_, '_>, before: &Memory, assignments: &[(Place, Expr)]) {
        for (target, value) in assignments {
            let value = view.term(before, value);
            // Where it is written may depend on what was written just now.
            match target.indices.iter().all(|index| index.value.as_const().is_some()) {
                true => view.write(&mut self.memory, target, value),
                false => view.forget(&mut self.memory, target),
            }
        }
    }

    fn act(&mut self, view: &View<'_, '_>, action: &Action) {
        match action {
            Action::Together(assignments) => {
                let before = self.memory.clone();
                self.assign(view, &before, assignments);
            }
            Action::Assign { target, value } => {
                let value = view.term(&self.memory, value);
                view.write(&mut self.memory, target, value);
            }
            Action::Assert { condition, .. } => {
                let condition = Condition::of(&view.term(&self.memory, condition), false);
                let mut all = self.conditions.clone();
                all.push(condition);
                self.failures.push(all);
            }
            Action::Run { template, arguments, result, .. } => {
                let number = self.memory.read(&view.model.domains, PROCESS_COUNT);
                let arguments: Vec<Term> = arguments.iter().map(|argument| view.term(&self.memory, argument)).collect();
                self.create(view, *template, &arguments, &number);
                if let Some(place) = result {
                    view.write(&mut self.memory, place, number);
                }
            }
            Action::End => {
                for slot in view.slots() {
                    self.memory.write(slot, Term::Const(view.model.domains.vacant(slot)));
                }
                self.count(view, -1);
            }
            Action::Print { .. } | Action::SetPriority { .. } | Action::ResetClock { .. } => {}
        }
    }

    fn count(&mut self, view: &View<'_, '_>, by: i32) {
        let number = self.memory.read(&view.model.domains, PROCESS_COUNT);
        let most = view.model.network.frames.processes.len() as i32;
        let changed = Term::binary(BinaryOp::Add, number, Term::Const(by));
        self.memory.write(PROCESS_COUNT, Term::converted(ValueType::Range { lo: 0, hi: most }, changed));
    }

    /// A new process, at every number that it can get.
    fn create(&mut self, view: &View<'_, '_>, template: TemplateId, arguments: &[Term], number: &Term) {
        if let Some(created) = view.model.domains.created(template) {
            self.memory.sent.push((created, Term::Const(1)));
            return;
        }
        for (pid, frame) in view.model.network.frames.processes.iter().enumerate() {
            let here = Term::equals(number.clone(), Term::Const(pid as i32));
            if frame.templates.contains(&template) && here != Term::Const(0) {
                self.begin_process(view, Instance { pid: pid as u32, template }, arguments, &here);
            }
        }
        self.count(view, 1);
    }

    /// A process begins if the condition holds. Arguments that are not given are not known.
    pub fn begin_process(&mut self, view: &View<'_, '_>, new: Instance, arguments: &[Term], condition: &Term) {
        let declared = view.model.network.template(new.template);
        let frame = &view.model.network.frames.processes[new.pid as usize];
        let domains = &view.model.domains;
        let new = View::of(view.model, new);
        let slots = frame.base as usize..(frame.base + frame.len) as usize;
        let before: Vec<Term> = slots.clone().map(|slot| self.memory.read(domains, slot)).collect();
        slots.clone().for_each(|slot| self.memory.write(slot, Term::Const(0)));
        for (at, parameter) in declared.variables.iter().take(declared.parameters as usize).enumerate() {
            let argument = arguments.get(at).cloned().unwrap_or(Term::Unknown);
            self.memory.write(new.base() + parameter.slot as usize, Term::converted(parameter.ty, argument));
        }
        for initialiser in &declared.initialisers {
            match initialiser {
                Initialiser::Assign(Action::Assign { target, .. }) if target.scope != Scope::Own => {
                    new.forget(&mut self.memory, target);
                }
                Initialiser::Assign(action) => self.act(&new, action),
                Initialiser::Channel { slot, index } => {
                    let channel = Term::Const((frame.first_channel + index) as i32);
                    self.memory.write(new.base() + *slot as usize, channel);
                }
            }
        }
        self.memory.write(new.location_slot(), Term::Const(declared.initial.0 as i32));
        for (slot, before) in slots.zip(before) {
            let created = self.memory.read(domains, slot);
            self.memory.write(slot, Term::choice(condition.clone(), created, before));
        }
    }

    /// A message is put into a buffered channel.
    pub fn send(&mut self, view: &View<'_, '_>, (number, place): &(i32, ChannelPlace), fields: &[Expr]) {
        if !view.model.network.uses.lossy_sends {
            self.require_term(&view.query(&self.memory, ChannelQuery::NotFull, place));
        }
        let domains = &view.model.domains;
        for (at, field) in self.message(view, place, fields).into_iter().enumerate() {
            if let Some(collection) = domains.of_field(*number, at as u32) {
                self.memory.sent.push((collection, field));
            }
        }
        self.memory.touched.push(*number);
        let before = self.memory.read(domains, place.slot);
        self.lengthen(view, place, 1);
        if view.model.network.uses.lossy_sends {
            let full = Term::equals(before.clone(), Term::Const(place.capacity as i32));
            let after = self.memory.read(domains, place.slot);
            self.memory.write(place.slot, Term::choice(full, before, after));
        }
    }

    fn lengthen(&mut self, view: &View<'_, '_>, place: &ChannelPlace, by: i32) {
        let length = self.memory.read(&view.model.domains, place.slot);
        let changed = Term::binary(BinaryOp::Add, length, Term::Const(by));
        let range = ValueType::Range { lo: 0, hi: place.capacity as i32 };
        self.memory.write(place.slot, Term::converted(range, changed));
    }

    /// The fields of a message as the channel stores them; those that are not given are 0.
    pub fn message(&self, view: &View<'_, '_>, place: &ChannelPlace, fields: &[Expr]) -> Vec<Term> {
        let field = |(at, ty): (usize, &ValueType)| match fields.get(at) {
            Some(field) => Term::converted(*ty, view.term(&self.memory, field)),
            None => Term::Const(0),
        };
        place.fields.iter().enumerate().map(field).collect()
    }

    /// A message is taken out of a buffered channel, or looked at there.
    pub fn receive(
        &mut self,
        view: &View<'_, '_>,
        (number, place): &(i32, ChannelPlace),
        keep: bool,
        patterns: &[Pattern],
    ) {
        self.require_term(&view.query(&self.memory, ChannelQuery::NotEmpty, place));
        let field = |at: usize| self.memory.field(&view.model.domains, *number, at as u32);
        let fields: Vec<Term> = (0..patterns.len()).map(field).collect();
        self.take(view, &fields, patterns);
        if !keep {
            self.lengthen(view, place, -1);
        }
    }

    /// A message with these fields is compared with patterns and stored.
    pub fn take(&mut self, view: &View<'_, '_>, fields: &[Term], patterns: &[Pattern]) {
        let patterns: Vec<Pattern> = patterns.iter().map(|pattern| view.pattern(pattern)).collect();
        let field = |at: usize| fields.get(at).cloned().unwrap_or(Term::Unknown);
        for (at, pattern) in patterns.iter().enumerate() {
            if let Pattern::Match(wanted) = pattern {
                let wanted = view.term(&self.memory, wanted);
                self.require_term(&Term::equals(field(at), wanted));
            }
        }
        for (at, pattern) in patterns.iter().enumerate() {
            if let Pattern::Bind(place) = pattern {
                view.write(&mut self.memory, place, field(at));
            }
        }
    }

    /// All paths through a program, or its effects without order if there are too many.
    fn run(self, view: &View<'_, '_>, program: &Program, message: Option<&Message<'_>>) -> Vec<Trial> {
        let mut paths = Vec::new();
        let mut nodes = Vec::new();
        if self.clone().follow(view, program, 0, message, &mut nodes, &mut paths) {
            return paths;
        }
        vec![self.blur(view, program)]
    }

    /// False if there is no end to it.
    fn follow(
        self,
        view: &View<'_, '_>,
        program: &Program,
        node: u32,
        message: Option<&Message<'_>>,
        nodes: &mut Vec<u32>,
        paths: &mut Vec<Trial>,
    ) -> bool {
        if nodes.contains(&node) || paths.len() > MOST_PATHS {
            return false;
        }
        nodes.push(node);
        for alternative in &program.nodes[node as usize].alternatives {
            for trial in self.alternative(view, alternative, message) {
                match alternative.next {
                    None => paths.push(trial),
                    Some(next) if trial.follow(view, program, next, None, nodes, paths) => {}
                    Some(_) => return false,
                }
            }
        }
        nodes.pop();
        true
    }

    fn alternative(&self, view: &View<'_, '_>, alternative: &Alternative, message: Option<&Message<'_>>) -> Vec<Trial> {
        let mut trial = Trial { chosen_before: false, ..self.clone() };
        for guard in &alternative.guards {
            if self.chosen_before {
                trial.require_term(&view.term(&Memory::default(), guard));
            } else {
                trial.require(view, guard);
            }
        }
        let mut trials = trial.communicate(view, &alternative.sync, message);
        for trial in &mut trials {
            alternative.actions.iter().for_each(|action| trial.act(view, action));
        }
        trials
    }

    /// Communication over message channels: one trial for each channel. A rendezvous needs a message that is under way.
    pub fn communicate(self, view: &View<'_, '_>, sync: &Sync, message: Option<&Message<'_>>) -> Vec<Trial> {
        let (channel, candidates) = match sync {
            Sync::Send { channel, .. } | Sync::Receive { channel, .. } => {
                // A message is in one channel only.
                let wanted = |number: i32| message.is_none_or(|message| message.channel == number);
                (channel, view.channels_among(channel, wanted))
            }
            _ if message.is_some() => return Vec::new(),
            _ => return vec![self],
        };
        let mut trials = Vec::new();
        for candidate in candidates {
            let mut trial = self.clone();
            let denoted = view.term(&trial.memory, channel);
            trial.require_term(&Term::equals(denoted, Term::Const(candidate.0)));
            match (sync, message) {
                (Sync::Send { fields, .. }, None) if candidate.1.capacity > 0 => trial.send(view, &candidate, fields),
                (Sync::Receive { patterns, keep, .. }, None) if candidate.1.capacity > 0 => {
                    trial.receive(view, &candidate, *keep, patterns);
                }
                (Sync::Receive { patterns, .. }, Some(message)) if message.channel == candidate.0 => {
                    trial.take(view, message.fields, patterns);
                }
                _ => continue,
            }
            trials.push(trial);
        }
        trials
    }

    /// Everything that the program could do, in any order, with any values.
    fn blur(mut self, view: &View<'_, '_>, program: &Program) -> Trial {
        for alternative in program.nodes.iter().flat_map(|node| &node.alternatives) {
            match &alternative.sync {
                Sync::Send { channel, .. } | Sync::Receive { channel, .. } => {
                    for (number, place) in view.channels(channel).into_iter().filter(|(_, place)| place.capacity > 0) {
                        self.memory.touched.push(number);
                        self.memory.write(place.slot, Term::Unknown);
                        for field in 0..place.fields.len() as u32 {
                            let collection = view.model.domains.of_field(number, field);
                            self.memory.sent.extend(collection.map(|collection| (collection, Term::Unknown)));
                        }
                    }
                }
                _ => {}
            }
            if let Sync::Receive { patterns, .. } = &alternative.sync {
                for pattern in patterns {
                    if let Pattern::Bind(place) = pattern {
                        view.forget(&mut self.memory, place);
                    }
                }
            }
            for action in &alternative.actions {
                match action {
                    Action::Assign { target, .. } => view.forget(&mut self.memory, target),
                    Action::Together(assignments) => {
                        assignments.iter().for_each(|(target, _)| view.forget(&mut self.memory, target));
                    }
                    Action::Assert { .. } => self.failures.push(self.conditions.clone()),
                    // Programs do not start or end processes.
                    Action::Run { .. } | Action::End => {}
                    Action::Print { .. } | Action::SetPriority { .. } | Action::ResetClock { .. } => {}
                }
            }
        }
        self
    }
}
