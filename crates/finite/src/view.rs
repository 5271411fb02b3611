//! A process looks at the memory of a step: expressions become terms, places become slots.

use std::collections::BTreeMap;
use std::ops::Range;

use bughound_ir::analysis::channel_flow::{ChannelFlow, ChannelSet, Origin, origins_of};
use bughound_ir::analysis::constants::{Constants, Environment, fold, fold_pattern, fold_place};
use bughound_ir::analysis::ranges::Ranges;
use bughound_ir::analysis::{Instance, slots_of};
use bughound_ir::expr::{BinaryOp, ChannelQuery, Expr, Index, Pattern, Place, Scope, UnaryOp};
use bughound_ir::frames::{LOCATION, PROCESS_COUNT, ProcessFrame};
use bughound_ir::network::{LocationId, Network, TemplateId};
use bughound_ir::targets::Targets;

use crate::domains::{ChannelPlace, Domains, Fact, absent, channel_places};
use crate::memory::Memory;
use crate::term::Term;

/// Arrays with more elements are not told apart.
const MOST_ELEMENTS: usize = 64;

/// What is known about a model before any step.
pub struct Model<'n> {
    pub network: &'n Network,
    /// The errors that matter.
    pub targets: &'n Targets,
    pub domains: Domains,
    pub constants: Constants,
    pub flow: ChannelFlow,
    /// By declaration: the numbers of the channels that it can stand for, ascending.
    numbers: BTreeMap<Origin, Vec<i32>>,
}

impl<'n> Model<'n> {
    /// Facts begin with number `first`.
    pub fn new(network: &'n Network, targets: &'n Targets, first: Fact) -> Self {
        let domains = Domains::new(network, &Ranges::new(network), targets, first);
        let mut numbers: BTreeMap<Origin, Vec<i32>> = BTreeMap::new();
        for number in 1..network.frames.channels.len() as i32 {
            for origin in origins_of(network, number) {
                numbers.entry(origin).or_default().push(number);
            }
        }
        let (constants, flow) = (Constants::new(network), ChannelFlow::new(network));
        Model { network, targets, domains, constants, flow, numbers }
    }

    /// The numbers of all channels of a set, ascending: what [`ChannelSet::numbers`] says, without a look at all channels.
    fn numbers(&self, set: &ChannelSet) -> Vec<i32> {
        if set.any {
            return set.numbers(self.network);
        }
        let mut numbers: Vec<i32> = set.origins.iter().filter_map(|o| self.numbers.get(o)).flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

/// Who evaluates.
pub struct View<'m, 'n> {
    pub model: &'m Model<'n>,
    pub instance: Option<Instance>,
    known: Environment,
    /// Nothing moves.
    at_rest: bool,
}

impl<'m, 'n> View<'m, 'n> {
    pub fn of(model: &'m Model<'n>, instance: Instance) -> Self {
        View { model, instance: Some(instance), known: model.constants.of(instance), at_rest: false }
    }

    /// Outside of all processes.
    pub fn outside(model: &'m Model<'n>) -> Self {
        View { model, instance: None, known: model.constants.outside(), at_rest: false }
    }

    /// The same in a state in which nothing moves.
    pub fn at_rest(self) -> Self {
        View { at_rest: true, ..self }
    }

    /// First slot of the own frame.
    pub fn base(&self) -> usize {
        self.instance.map_or(0, |own| self.model.network.frames.processes[own.pid as usize].base as usize)
    }

    /// All slots of the own frame.
    pub fn slots(&self) -> Range<usize> {
        let own = self.instance.map(|own| &self.model.network.frames.processes[own.pid as usize]);
        own.map_or(0..0, |frame| frame.base as usize..(frame.base + frame.len) as usize)
    }

    pub fn template(&self) -> Option<TemplateId> {
        self.instance.map(|own| own.template)
    }

    pub fn location_slot(&self) -> usize {
        self.base() + LOCATION as usize
    }

    /// The value of an expression in this memory.
    pub fn term(&self, memory: &Memory, expr: &Expr) -> Term {
        self.folded(memory, &fold(expr, &self.known))
    }

    fn folded(&self, memory: &Memory, expr: &Expr) -> Term {
        let term = self.unbounded(memory, expr);
        match expr {
            // A formula is as long as it was written.
            Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) | Expr::Unary(UnaryOp::Not, _) => term,
            _ => term.bounded(),
        }
    }

    fn unbounded(&self, memory: &Memory, expr: &Expr) -> Term {
        let term = |e: &Expr| self.folded(memory, e);
        let domains = &self.model.domains;
        match expr {
            Expr::Const(value) => Term::Const(*value),
            Expr::Read(place) => self.read(memory, place),
            Expr::Unary(op, e) => Term::unary(*op, term(e)),
            Expr::Binary(op, a, b) => Term::binary(*op, term(a), term(b)),
            Expr::Conditional(c, a, b) => Term::choice(term(c), term(a), term(b)),
            Expr::Channel(query, channel) => match self.only_channel(channel) {
                Some((_, place)) => self.query(memory, *query, &place),
                None => Term::Unknown,
            },
            Expr::Poll { channel, patterns, .. } => match self.only_channel(channel) {
                Some((number, place)) if place.capacity > 0 => {
                    let mut all = self.query(memory, ChannelQuery::NotEmpty, &place);
                    for (field, pattern) in patterns.iter().enumerate() {
                        if let Pattern::Match(e) = pattern {
                            let here = Term::equals(memory.field(domains, number, field as u32), term(e));
                            all = Term::binary(BinaryOp::And, all, here);
                        }
                    }
                    Term::Possible(Box::new(all))
                }
                _ => Term::Unknown,
            },
            Expr::OwnPid => self.instance.map_or(Term::Unknown, |own| Term::Const(own.pid as i32)),
            Expr::ProcessCount => memory.read(domains, PROCESS_COUNT),
            Expr::At { pid, location } => self.at(memory, pid, *location),
            Expr::Holds(e) => Term::Holds(Box::new(term(e))),
            Expr::Timeout if self.at_rest => Term::Const(1),
            _ => Term::Unknown,
        }
    }

    /// Is that process at this location? One whose number is not known may be any that can get there.
    fn at(&self, memory: &Memory, pid: &Expr, location: LocationId) -> Term {
        let frames = &self.model.network.frames.processes;
        let here = |frame: &ProcessFrame| {
            let at = memory.read(&self.model.domains, (frame.base + LOCATION) as usize);
            Term::equals(at, Term::Const(location.0 as i32))
        };
        if let Some(pid) = self.process(pid) {
            return frames.get(pid).map_or(Term::Const(0), here);
        }
        let template = self.model.network.location(location).template;
        let candidates = frames.iter().filter(|frame| frame.templates.contains(&template));
        let any = candidates.fold(Term::Const(0), |any, frame| Term::binary(BinaryOp::Or, any, here(frame)));
        Term::Possible(Box::new(any))
    }

    /// The number of a process, if it is known. (That of a process that does not exist may be wrong: nobody is there.)
    fn process(&self, pid: &Expr) -> Option<usize> {
        match pid {
            Expr::Const(pid) => Some(usize::try_from(*pid).unwrap_or(usize::MAX)),
            Expr::FirstOf(template) => {
                let frames = self.model.network.frames.processes.iter().enumerate();
                let mut places = frames.filter(|(_, frame)| frame.templates.contains(template)).map(|(pid, _)| pid);
                match (places.next(), places.next()) {
                    (Some(only), None) => Some(only),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn read(&self, memory: &Memory, place: &Place) -> Term {
        if elements(&place.indices) > MOST_ELEMENTS {
            return Term::Unknown;
        }
        let element = |base: usize| self.element(memory, base + place.slot as usize, &place.indices);
        match &place.scope {
            Scope::Global => element(0),
            Scope::Own if self.instance.is_some() => element(self.base()),
            Scope::Own => Term::Unknown,
            Scope::Process { pid, template } => {
                match self.process(pid).and_then(|pid| self.model.network.frames.processes.get(pid)) {
                    // Where there is no such process its variables are 0: so are those of their places.
                    Some(frame) if frame.only_template() == Some(*template) && place.indices.is_empty() => {
                        element(frame.base as usize)
                    }
                    // Nobody looks at the indices then.
                    Some(frame) if frame.only_template() == Some(*template) => {
                        let at = memory.read(&self.model.domains, (frame.base + LOCATION) as usize);
                        let missing = Term::equals(at, Term::Const(absent(self.model.network, &frame.templates)));
                        Term::choice(missing, Term::Const(0), element(frame.base as usize))
                    }
                    _ => Term::Unknown,
                }
            }
        }
    }

    fn element(&self, memory: &Memory, slot: usize, indices: &[Index]) -> Term {
        let Some((index, rest)) = indices.split_first() else { return memory.read(&self.model.domains, slot) };
        let elements = (0..index.len).map(|at| self.element(memory, slot + (at * index.stride) as usize, rest));
        Term::Element { index: Box::new(self.folded(memory, &index.value)), elements: elements.collect() }
    }

    /// Stores a value.
    pub fn write(&self, memory: &mut Memory, place: &Place, value: Term) {
        let place = fold_place(place, &self.known);
        let base = match place.scope {
            Scope::Global => 0,
            Scope::Own => self.base(),
            Scope::Process { .. } => return self.forget(memory, &place),
        };
        if elements(&place.indices) > MOST_ELEMENTS {
            return self.forget(memory, &place);
        }
        let value = Term::converted(place.ty, value);
        let mut targets = vec![(base + place.slot as usize, Term::Const(1))];
        for index in &place.indices {
            let at = self.folded(memory, &index.value);
            let each = |(slot, condition): (usize, Term)| {
                let at = at.clone();
                (0..index.len).map(move |i| {
                    let here = Term::equals(at.clone(), Term::Const(i as i32));
                    (slot + (i * index.stride) as usize, Term::binary(BinaryOp::And, condition.clone(), here))
                })
            };
            targets = targets.into_iter().flat_map(each).collect();
        }
        for (slot, condition) in targets {
            let before = memory.read(&self.model.domains, slot);
            memory.write(slot, Term::choice(condition, value.clone(), before));
        }
    }

    /// Stores any value, or none, somewhere in the variable.
    pub fn forget(&self, memory: &mut Memory, place: &Place) {
        let place = fold_place(place, &self.known);
        let frames = &self.model.network.frames.processes;
        let bases: Vec<u32> = match &place.scope {
            Scope::Global => vec![0],
            Scope::Own => vec![self.base() as u32],
            Scope::Process { template, .. } => {
                frames.iter().filter(|frame| frame.templates.contains(template)).map(|frame| frame.base).collect()
            }
        };
        for slot in slots_of(&place).into_iter().flat_map(|slot| bases.iter().map(move |base| base + slot)) {
            memory.write(slot as usize, Term::Unknown);
        }
    }

    /// The channels that an expression can denote.
    pub fn channels(&self, channel: &Expr) -> Vec<(i32, ChannelPlace)> {
        self.channels_among(channel, |_| true)
    }

    /// Those of them whose numbers are wanted.
    pub fn channels_among(&self, channel: &Expr, wanted: impl Fn(i32) -> bool) -> Vec<(i32, ChannelPlace)> {
        let network = self.model.network;
        let mut numbers = match fold(channel, &self.known) {
            Expr::Const(number) => vec![number],
            channel => self.model.numbers(&self.model.flow.channels(network, &channel, self.template())),
        };
        numbers.retain(|number| wanted(*number));
        let places = |number: i32| channel_places(network, number).into_iter().map(move |place| (number, place));
        numbers.into_iter().flat_map(places).collect()
    }

    fn only_channel(&self, channel: &Expr) -> Option<(i32, ChannelPlace)> {
        let number = channel.as_const()?;
        let mut places = channel_places(self.model.network, number);
        if places.len() == 1 { Some((number, places.swap_remove(0))) } else { None }
    }

    pub fn query(&self, memory: &Memory, query: ChannelQuery, place: &ChannelPlace) -> Term {
        let length = match place.capacity {
            0 => Term::Const(0),
            _ => memory.read(&self.model.domains, place.slot),
        };
        // A rendezvous channel counts as one that is never full.
        let capacity = Term::Const(place.capacity.max(1) as i32);
        match query {
            ChannelQuery::Length => length,
            ChannelQuery::Empty => Term::equals(length, Term::Const(0)),
            ChannelQuery::NotEmpty => Term::binary(BinaryOp::NotEqual, length, Term::Const(0)),
            ChannelQuery::Full => Term::equals(length, capacity),
            ChannelQuery::NotFull => Term::binary(BinaryOp::NotEqual, length, capacity),
        }
    }

    pub fn pattern(&self, pattern: &Pattern) -> Pattern {
        fold_pattern(pattern, &self.known)
    }
}

/// How many elements dynamic indices choose from.
fn elements(indices: &[Index]) -> usize {
    indices.iter().map(|index| index.len as usize).product()
}
