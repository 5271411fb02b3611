//! Collects the slots that expressions, communications and actions of one instance touch.

use bughound_kernel::{Access, SlotSet};

use crate::analysis::access::Facts;
use crate::analysis::constants::{Environment, fold, fold_place};
use crate::analysis::{Instance, slots_of};
use crate::edge::{Action, Edge, Sync};
use crate::expr::{Expr, Pattern, Place, Scope};
use crate::frames::{ChannelHome, LOCATION, PRIORITY, PROCESS_COUNT};
use crate::network::{Initialiser, TemplateId};
use crate::types::Channel;

/// Slots of one buffered channel.
struct ChannelSlots {
    length: u32,
    cells: Vec<u32>,
}

/// What slots are too coarse for: kept apart for those who ask which steps commute.
#[derive(Default)]
pub(crate) struct Finer {
    /// So many processes exist. As long as one of them does, no new process has its number: whoever creates one does not touch
    /// its frame.
    pub existing: u32,
    /// Numbers of processes of which only that matters whether they exist, and of which template they are.
    pub existence: SlotSet,
    /// Plain sends add at one end of a queue and plain receives take from the other. If told apart, these are the lengths
    /// of the channels concerned, and the channels are not in the access.
    pub ends: Option<Ends>,
}

/// Channels by the slots of their lengths.
#[derive(Default)]
pub(crate) struct Ends {
    pub sent_to: SlotSet,
    pub received_from: SlotSet,
    pub looked_into: SlotSet,
}

/// What an instance does, slot by slot.
pub(crate) struct Footprint<'a> {
    pub facts: &'a Facts<'a>,
    pub instance: Instance,
    pub known: Environment,
    pub access: Access,
    pub finer: Option<Finer>,
    /// Slots that are written otherwise than by the birth or the end of their process.
    plain: SlotSet,
}

impl<'a> Footprint<'a> {
    pub fn new(facts: &'a Facts<'a>, instance: Instance) -> Self {
        Footprint {
            facts,
            instance,
            known: facts.constants.of(instance),
            access: Access::default(),
            finer: None,
            plain: SlotSet::default(),
        }
    }

    /// One that tells apart what commutes, where this is known besides the constants.
    pub fn finer(
        facts: &'a Facts<'a>,
        instance: Instance,
        known: Environment,
        existing: u32,
        tells_ends: bool,
    ) -> Self {
        let finer = Finer { existing, ends: tells_ends.then(Ends::default), ..Finer::default() };
        Footprint { facts, instance, known, access: Access::default(), finer: Some(finer), plain: SlotSet::default() }
    }

    /// For expressions that no process evaluates.
    pub fn outside(facts: &'a Facts<'a>) -> Self {
        let nobody = Instance { pid: 0, template: TemplateId(0) };
        Footprint {
            facts,
            instance: nobody,
            known: facts.constants.outside(),
            access: Access::default(),
            finer: None,
            plain: SlotSet::default(),
        }
    }

    /// Slot of a process's frame, in the key.
    pub fn frame_slot(&self, pid: u32, slot: u32) -> u32 {
        self.facts.network.frames.processes[pid as usize].base + slot
    }

    pub fn may(&mut self, slots: impl IntoIterator<Item = u32>) {
        for slot in slots {
            self.plain.insert(slot);
            self.access.may_write.insert(slot);
        }
    }

    /// What is found so far, with what is written only because processes come and go.
    pub fn finished(mut self) -> Access {
        let plain = &self.plain;
        self.access.created = self.access.created.iter().filter(|slot| !plain.contains(*slot)).collect();
        self.access
    }

    /// A write that certainly happens.
    pub fn must(&mut self, slot: u32) {
        self.plain.insert(slot);
        self.access.may_write.insert(slot);
        self.access.must_write.insert(slot);
    }

    pub fn read_slot(&mut self, slot: u32) {
        self.access.reads.insert(slot);
    }

    /// Reads which processes exist and of which templates (or at which locations) these are.
    fn read_locations(&mut self, pids: impl IntoIterator<Item = u32>) {
        self.read_slot(PROCESS_COUNT as u32);
        for pid in pids {
            let slot = self.frame_slot(pid, LOCATION);
            self.read_slot(slot);
        }
    }

    /// Reads which processes exist and of which templates these are, wherever they are.
    fn read_existence(&mut self, pids: Vec<u32>) {
        match &mut self.finer {
            Some(finer) => finer.existence.extend(pids),
            None => self.read_locations(pids),
        }
    }

    /// The process numbers that an expression can denote.
    fn pids(&self, pid: &Expr) -> Vec<u32> {
        let all = 0..self.facts.network.frames.processes.len() as u32;
        match fold(pid, &self.known) {
            Expr::Const(pid) => all.filter(|p| *p as i32 == pid).collect(),
            _ => all.collect(),
        }
    }

    pub fn read(&mut self, expr: &Expr) {
        let expr = fold(expr, &self.known);
        match &expr {
            Expr::Const(_) | Expr::OwnPid => {}
            Expr::Read(place) => {
                self.read_address(place);
                let slots = self.slots(place);
                self.access.reads.extend(slots);
            }
            Expr::Unary(_, e) | Expr::Holds(e) => self.read(e),
            Expr::Binary(_, a, b) => {
                self.read(a);
                self.read(b);
            }
            Expr::Conditional(a, b, c) => {
                self.read(a);
                self.read(b);
                self.read(c);
            }
            Expr::Channel(_, channel) => {
                for slots in self.channels(channel) {
                    self.read_slot(slots.length);
                }
            }
            Expr::Poll { channel, patterns, .. } => {
                for slots in self.channels(channel) {
                    self.read_slot(slots.length);
                    self.access.reads.extend(slots.cells);
                }
                self.read_patterns(patterns);
            }
            Expr::FirstOf(_) => {
                let all = 0..self.facts.network.frames.processes.len() as u32;
                self.read_existence(all.collect());
            }
            Expr::ProcessCount => self.read_slot(PROCESS_COUNT as u32),
            Expr::LastProcess => self.read_slot(crate::frames::LAST_PROCESS as u32),
            Expr::At { pid, .. } | Expr::LocationNumber(pid) => {
                self.read(pid);
                self.read_locations(self.pids(pid));
            }
            Expr::Priority(pid) => {
                self.read(pid);
                self.read_slot(PROCESS_COUNT as u32);
                for pid in self.pids(pid) {
                    let slot = self.frame_slot(pid, PRIORITY);
                    self.read_slot(slot);
                }
            }
            Expr::Timeout
            | Expr::Enabled(_)
            | Expr::NonProgress
            | Expr::AtAcceptLabel
            | Expr::Deadlock
            | Expr::UnspecifiedReception
            | Expr::ChannelOverflow => self.access.reads_everything = true,
            Expr::Clock(constraint) => self.read(&constraint.bound),
            Expr::Exact(exact) => exact.leaves(&mut |leaf| self.read(leaf)),
        }
    }

    /// Reads what tells where a place lies.
    fn read_address(&mut self, place: &Place) {
        if let Scope::Process { pid, .. } = &place.scope {
            self.read(pid);
            self.read_existence(self.pids(pid));
        }
        place.indices.iter().for_each(|index| self.read(&index.value));
    }

    /// The slots of the key that a place can denote.
    fn slots(&self, place: &Place) -> Vec<u32> {
        let place = fold_place(place, &self.known);
        let slots = slots_of(&place);
        match &place.scope {
            Scope::Global => slots,
            Scope::Own => slots.into_iter().map(|s| self.frame_slot(self.instance.pid, s)).collect(),
            Scope::Process { pid, template } => {
                let frames = &self.facts.network.frames.processes;
                let pids = self.pids(pid).into_iter().filter(|p| frames[*p as usize].templates.contains(template));
                pids.flat_map(|p| slots.iter().map(move |s| (p, *s))).map(|(p, s)| self.frame_slot(p, s)).collect()
            }
        }
    }

    pub fn write(&mut self, place: &Place) {
        self.read_address(place);
        match &self.slots(place)[..] {
            [slot] => self.must(*slot),
            slots => self.may(slots.iter().copied()),
        }
    }

    fn read_patterns(&mut self, patterns: &[Pattern]) {
        for pattern in patterns {
            if let Pattern::Match(expr) = pattern {
                self.read(expr);
            }
        }
    }

    /// The numbers of the channels that an expression can denote.
    pub fn channel_numbers(&self, channel: &Expr) -> Vec<i32> {
        let channel = fold(channel, &self.known);
        if let Expr::Const(number) = channel {
            // That one, and not those of all processes that declare it alike.
            return self.facts.network.frames.channel_home(number).map(|_| number).into_iter().collect();
        }
        self.facts.flow.channels(self.facts.network, &channel, Some(self.instance.template)).numbers(self.facts.network)
    }

    /// The buffered channels that an expression can denote; reads what tells which it is, and whether it exists.
    fn channels(&mut self, channel: &Expr) -> Vec<ChannelSlots> {
        self.read(channel);
        let network = self.facts.network;
        let mut found = Vec::new();
        let mut add = |base: u32, channel: &Channel| {
            if channel.capacity > 0 {
                let length = base + channel.slot;
                found.push(ChannelSlots { length, cells: (length + 1..length + channel.slots()).collect() });
            }
        };
        let mut owners = Vec::new();
        for number in self.channel_numbers(channel) {
            match network.frames.channel_home(number) {
                None => {}
                Some(ChannelHome::Global(index)) => add(0, &network.channels[index as usize]),
                Some(ChannelHome::Process { pid, index }) => {
                    owners.extend((pid != self.instance.pid).then_some(pid));
                    for template in &network.frames.processes[pid as usize].templates {
                        if let Some(channel) = network.template(*template).channels.get(index as usize) {
                            add(network.frames.processes[pid as usize].base, channel);
                        }
                    }
                }
            }
        }
        if !owners.is_empty() {
            self.read_existence(owners);
        }
        found
    }

    /// Notes at which end of which queues a plain communication works, if ends are told apart; false otherwise.
    fn touch_ends(&mut self, sync: &Sync) -> bool {
        if self.finer.as_ref().is_none_or(|finer| finer.ends.is_none()) {
            return false;
        }
        let channel = match sync {
            Sync::Send { channel, sorted: false, .. } | Sync::Receive { channel, anywhere: false, .. } => channel,
            _ => return false,
        };
        let lengths: Vec<u32> = self.channels(channel).into_iter().map(|slots| slots.length).collect();
        let Some(ends) = self.finer.as_mut().and_then(|finer| finer.ends.as_mut()) else { return false };
        match sync {
            Sync::Send { .. } => ends.sent_to.extend(lengths),
            Sync::Receive { keep: true, .. } => ends.looked_into.extend(lengths),
            _ => ends.received_from.extend(lengths),
        }
        true
    }

    /// Everything that decides whether a communication is possible.
    pub fn read_sync(&mut self, sync: &Sync) {
        if self.touch_ends(sync) {
            match sync {
                Sync::Send { fields, .. } => fields.iter().for_each(|field| self.read(field)),
                Sync::Receive { patterns, .. } => self.read_patterns(patterns),
                _ => {}
            }
            return;
        }
        match sync {
            Sync::None | Sync::Join { .. } => {}
            Sync::Send { channel, fields, sorted } => {
                for slots in self.channels(channel) {
                    self.read_slot(slots.length);
                    if *sorted {
                        self.access.reads.extend(slots.cells);
                    }
                }
                fields.iter().for_each(|field| self.read(field));
            }
            Sync::Receive { channel, patterns, .. } => {
                for slots in self.channels(channel) {
                    self.read_slot(slots.length);
                    self.access.reads.extend(slots.cells);
                }
                self.read_patterns(patterns);
            }
            Sync::Emit { signal } | Sync::Accept { signal } => self.read(signal),
        }
    }

    /// What a communication changes.
    pub fn write_sync(&mut self, sync: &Sync) {
        let (channel, removes_or_adds) = match sync {
            Sync::Send { channel, .. } => (channel, true),
            Sync::Receive { channel, keep, patterns, .. } => {
                for pattern in patterns {
                    if let Pattern::Bind(place) = pattern {
                        self.write(place);
                    }
                }
                (channel, !keep)
            }
            Sync::None | Sync::Emit { .. } | Sync::Accept { .. } | Sync::Join { .. } => return,
        };
        if removes_or_adds && !self.touch_ends(sync) {
            let certain = self.channel_numbers(channel).len() == 1;
            let channels = self.channels(channel);
            let certain = certain && channels.len() == 1;
            for slots in channels {
                if certain {
                    self.must(slots.length);
                }
                self.may(slots.cells.into_iter().chain([slots.length]));
            }
        }
    }

    /// What an action reads and writes. `before`: how many processes the edge has started already; `None` inside
    /// programs, where this is not known.
    pub fn act(&mut self, action: &Action, edge: &Edge, before: Option<usize>) {
        match action {
            Action::Assign { target, value } => {
                self.read(value);
                self.write(target);
            }
            Action::Together(assignments) => {
                assignments.iter().for_each(|(_, value)| self.read(value));
                assignments.iter().for_each(|(target, _)| self.write(target));
            }
            Action::Assert { condition, .. } => self.read(condition),
            Action::Print { arguments, .. } => arguments.iter().for_each(|a| self.read(a)),
            Action::Run { template, arguments, priority, result } => {
                arguments.iter().chain(priority).for_each(|a| self.read(a));
                let numbers = match before {
                    Some(before) => self.facts.creation.numbers(self.instance, edge, before),
                    None => self.facts.creation.numbers_in_program(self.instance, edge),
                };
                self.read_slot(PROCESS_COUNT as u32);
                self.must(PROCESS_COUNT as u32);
                for pid in numbers {
                    self.create(Instance { pid: pid as u32, template: *template });
                }
                if let Some(place) = result {
                    self.write(place);
                }
            }
            Action::End => {
                self.read_slot(PROCESS_COUNT as u32);
                self.must(PROCESS_COUNT as u32);
                let frame: Vec<u32> = self.whole_frame(self.instance.pid).collect();
                self.access.created.extend(frame.iter().copied());
                self.access.may_write.extend(frame);
            }
            Action::SetPriority { pid, priority } => {
                self.read(pid);
                self.read(priority);
                self.read_slot(PROCESS_COUNT as u32);
                let slots: SlotSet = self.pids(pid).iter().map(|p| self.frame_slot(*p, PRIORITY)).collect();
                self.may(slots.iter());
            }
            Action::ResetClock { value, .. } => self.read(value),
        }
    }

    fn whole_frame(&self, pid: u32) -> std::ops::Range<u32> {
        let frame = &self.facts.network.frames.processes[pid as usize];
        frame.base..frame.base + frame.len
    }

    /// A new process: its frame, and what its initialisers touch. Nothing of it is certain.
    fn create(&mut self, new: Instance) {
        let network = self.facts.network;
        if !network.frames.processes[new.pid as usize].templates.contains(&new.template) {
            return;
        }
        let mut inside = Footprint::new(self.facts, new);
        inside.may(self.whole_frame(new.pid));
        for initialiser in &network.template(new.template).initialisers {
            if let Initialiser::Assign(Action::Assign { target, value }) = initialiser {
                inside.read(value);
                inside.write(target);
            }
        }
        let own = self.whole_frame(new.pid);
        self.access.reads.extend(inside.access.reads.iter().filter(|slot| !own.contains(slot)));
        let taken = self.finer.as_ref().is_some_and(|finer| new.pid < finer.existing);
        self.access.created.extend(own.clone().filter(|_| !taken));
        self.access.may_write.extend(inside.access.may_write.iter().filter(|slot| !(taken && own.contains(slot))));
        self.access.reads_everything |= inside.access.reads_everything;
    }

    /// The instances at other process numbers.
    pub fn others(&self) -> Vec<(u32, TemplateId)> {
        let frames = self.facts.network.frames.processes.iter().enumerate();
        frames
            .filter(|(pid, _)| *pid as u32 != self.instance.pid)
            .flat_map(|(pid, frame)| frame.templates.iter().map(move |t| (pid as u32, *t)))
            .collect()
    }
}
