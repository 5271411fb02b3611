//! Code for one process: absolute addresses, and what is known folded.

use bughound_ir::analysis::constants::Unassigned;
use bughound_ir::expr::{BinaryOp, ChannelQuery, apply_binary, apply_unary};
use bughound_ir::frames::ChannelHome;
use bughound_ir::types::Channel;

use crate::code::{
    ActionCode, ChanceCode, Code, DestinationCode, EdgeCode, IndexCode, PatternCode, PlaceCode, PollCode, ScopeCode,
    SyncCode,
};
use crate::instance::is_plain;
use crate::instance::quick::Quick;
use crate::machine::Machine;

pub(super) struct Specialiser<'m> {
    pub(super) machine: &'m Machine,
    unassigned: &'m Unassigned,
    key: &'m [i32],
    pub(super) pid: usize,
    pub(super) base: u32,
    template: usize,
    /// Absolute slots whose values were used.
    used: Vec<u32>,
}

/// A channel that is there whenever the process is.
pub(super) struct KnownChannel<'m> {
    pub decl: &'m Channel,
    /// Slot of its length.
    pub at: u32,
}

impl<'m> Specialiser<'m> {
    pub(super) fn new(
        machine: &'m Machine,
        unassigned: &'m Unassigned,
        key: &'m [i32],
        pid: usize,
        template: usize,
    ) -> Specialiser<'m> {
        Specialiser { machine, unassigned, key, pid, base: machine.base(pid) as u32, template, used: Vec::new() }
    }

    /// What must hold in a state for the code to be right there.
    pub(super) fn assumptions(mut self) -> Box<[(u32, i32)]> {
        self.used.sort_unstable();
        self.used.dedup();
        self.used.iter().map(|slot| (*slot, self.key[*slot as usize])).collect()
    }

    pub(super) fn edge(&mut self, edge: &EdgeCode) -> EdgeCode {
        let guards: Vec<Code> = edge.guards.iter().map(|guard| self.code(guard)).collect();
        let mut made = EdgeCode {
            id: edge.id,
            condition: edge.condition,
            plain_guards: guards.iter().all(is_plain),
            guards,
            clock_bounds: edge.clock_bounds.clone(),
            sync: self.sync(&edge.sync),
            program: edge.program,
            destinations: edge.destinations.iter().map(|d| self.destination(d)).collect(),
            keeps_control: edge.keeps_control,
            escape: edge.escape,
            weight: edge.weight,
            does_something: edge.does_something,
            quick: None,
        };
        made.quick = Quick::new(self, &made);
        made
    }

    /// The channel with a constant number, if it is global or the process's own.
    pub(super) fn known_channel(&self, number: &Code) -> Option<KnownChannel<'m>> {
        let Code::Const(number) = number else { return None };
        let network = &self.machine.network;
        match network.frames.channel_home(*number)? {
            ChannelHome::Global(index) => {
                let decl = &network.channels[index as usize];
                Some(KnownChannel { decl, at: decl.slot })
            }
            ChannelHome::Process { pid, index } if pid as usize == self.pid => {
                let decl = network.templates[self.template].channels.get(index as usize)?;
                Some(KnownChannel { decl, at: self.base + decl.slot })
            }
            ChannelHome::Process { .. } => None,
        }
    }

    pub(super) fn code(&mut self, code: &Code) -> Code {
        match code {
            Code::Own(slot) => self.own(*slot),
            Code::OwnPid => Code::Const(self.pid as i32),
            Code::Element(place) => self.element(place),
            Code::GlobalElement(index, slot, len, stride) => {
                let index = self.code(index);
                self.element_at(index, *slot, *len, *stride)
            }
            Code::Unary(op, e) => match self.code(e) {
                Code::Const(value) => Code::Const(apply_unary(*op, value)),
                e => Code::Unary(*op, Box::new(e)),
            },
            Code::BinaryConst(op, a, b) => binary(*op, self.code(a), Code::Const(*b)),
            Code::Binary(op, a, b) => binary(*op, self.code(a), self.code(b)),
            // The right side is not evaluated where the left one decides.
            Code::And(a, b) => match self.code(a) {
                Code::Const(0) => Code::Const(0),
                a => Code::And(Box::new(a), self.boxed(b)),
            },
            Code::Or(a, b) => match self.code(a) {
                Code::Const(value) if value != 0 => Code::Const(1),
                a => Code::Or(Box::new(a), self.boxed(b)),
            },
            Code::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                match self.code(condition) {
                    Code::Const(value) => self.code(if value != 0 { then } else { otherwise }),
                    condition => Code::Conditional(Box::new([condition, self.code(then), self.code(otherwise)])),
                }
            }
            Code::Channel(query, channel) => {
                let channel = self.code(channel);
                match self.known_channel(&channel) {
                    Some(known) => question(*query, &known),
                    None => Code::Channel(*query, Box::new(channel)),
                }
            }
            Code::Poll(poll) => Code::Poll(Box::new(PollCode {
                channel: self.code(&poll.channel),
                anywhere: poll.anywhere,
                patterns: poll.patterns.iter().map(|pattern| self.pattern(pattern)).collect(),
            })),
            Code::At(pid, location) => Code::At(self.boxed(pid), *location),
            Code::LocationNumber(pid) => Code::LocationNumber(self.boxed(pid)),
            Code::Enabled(pid) => Code::Enabled(self.boxed(pid)),
            Code::Holds(e) => Code::Holds(self.boxed(e)),
            Code::Exact(exact) => Code::Exact(Box::new(exact.map(&mut |leaf| self.code(leaf)))),
            Code::Priority(pid) => Code::Priority(self.boxed(pid)),
            Code::Global(slot) => self.global(*slot),
            Code::GlobalEquals(slot, value) => binary(BinaryOp::Equal, self.global(*slot), Code::Const(*value)),
            Code::GlobalConst(op, slot, value) => binary(*op, self.global(*slot), Code::Const(*value)),
            Code::GlobalGlobal(op, a, b) => binary(*op, self.global(*a), self.global(*b)),
            Code::Const(_)
            | Code::FirstOf(_)
            | Code::ProcessCount
            | Code::LastProcess
            | Code::Timeout
            | Code::NonProgress
            | Code::AtAcceptLabel
            | Code::UnspecifiedReception
            | Code::ChannelOverflow
            | Code::Clock => code.clone(),
        }
    }

    fn boxed(&mut self, code: &Code) -> Box<Code> {
        Box::new(self.code(code))
    }

    /// A variable of the process, or its value if that never changes.
    fn own(&mut self, slot: u32) -> Code {
        self.variable(self.base + slot, self.unassigned.frozen[self.template].contains(&slot))
    }

    /// The same for a global variable.
    fn global(&mut self, slot: u32) -> Code {
        self.variable(slot, self.unassigned.globals.contains(&slot))
    }

    fn variable(&mut self, slot: u32, is_unassigned: bool) -> Code {
        if !is_unassigned {
            return Code::Global(slot);
        }
        self.used.push(slot);
        Code::Const(self.key[slot as usize])
    }

    /// An element of an array; a variable if its index is constant and within bounds. `slot` is absolute.
    fn element_at(&mut self, index: Code, slot: u32, len: u32, stride: u32) -> Code {
        match index {
            Code::Const(value) if value >= 0 && (value as u32) < len => {
                let slot = slot + value as u32 * stride;
                if slot >= self.base { self.own(slot - self.base) } else { self.global(slot) }
            }
            index => Code::GlobalElement(Box::new(index), slot, len, stride),
        }
    }

    fn element(&mut self, place: &PlaceCode) -> Code {
        let place = self.place(place);
        match (&place.scope, &place.indices[..]) {
            (ScopeCode::Global, []) if place.slot >= self.base => self.own(place.slot - self.base),
            (ScopeCode::Global, []) => self.global(place.slot),
            (ScopeCode::Global, [index]) => self.element_at(index.value.clone(), place.slot, index.len, index.stride),
            _ => Code::Element(Box::new(place)),
        }
    }

    /// A place with an absolute slot; constant indices become part of it.
    fn place(&mut self, place: &PlaceCode) -> PlaceCode {
        let (scope, mut slot) = match &place.scope {
            ScopeCode::Global => (ScopeCode::Global, place.slot),
            ScopeCode::Own => (ScopeCode::Global, self.base + place.slot),
            ScopeCode::Process { pid, template } => {
                (ScopeCode::Process { pid: self.code(pid), template: *template }, place.slot)
            }
        };
        let mut indices = Vec::new();
        for index in &place.indices {
            match self.code(&index.value) {
                Code::Const(value) if value >= 0 && (value as u32) < index.len => slot += value as u32 * index.stride,
                value => indices.push(IndexCode { value, len: index.len, stride: index.stride }),
            }
        }
        PlaceCode { scope, slot, indices, ty: place.ty }
    }

    fn pattern(&mut self, pattern: &PatternCode) -> PatternCode {
        match pattern {
            PatternCode::Any => PatternCode::Any,
            PatternCode::Match(e) => PatternCode::Match(self.code(e)),
            PatternCode::Bind(place) => PatternCode::Bind(self.place(place)),
        }
    }

    fn sync(&mut self, sync: &SyncCode) -> SyncCode {
        match sync {
            SyncCode::None => SyncCode::None,
            SyncCode::Send { channel, sorted, fields } => {
                SyncCode::Send { channel: self.code(channel), sorted: *sorted, fields: self.codes(fields) }
            }
            SyncCode::Receive { channel, anywhere, keep, patterns } => SyncCode::Receive {
                channel: self.code(channel),
                anywhere: *anywhere,
                keep: *keep,
                patterns: patterns.iter().map(|pattern| self.pattern(pattern)).collect(),
            },
            SyncCode::Emit { signal } => SyncCode::Emit { signal: self.code(signal) },
            SyncCode::Accept { signal } => SyncCode::Accept { signal: self.code(signal) },
            SyncCode::Join { action } => SyncCode::Join { action: *action },
        }
    }

    fn codes(&mut self, codes: &[Code]) -> Vec<Code> {
        codes.iter().map(|code| self.code(code)).collect()
    }

    fn destination(&mut self, destination: &DestinationCode) -> DestinationCode {
        DestinationCode {
            chance: match &destination.chance {
                ChanceCode::Certain(chance) => ChanceCode::Certain(*chance),
                ChanceCode::Computed(real) => ChanceCode::Computed(Box::new(real.map(&mut |leaf| self.code(leaf)))),
            },
            actions: destination.actions.iter().map(|action| self.action(action)).collect(),
            to: destination.to,
        }
    }

    fn action(&mut self, action: &ActionCode) -> ActionCode {
        match action {
            ActionCode::Assign { target, value } => {
                ActionCode::Assign { target: self.place(target), value: self.code(value) }
            }
            ActionCode::Together(assignments) => {
                let code = |(target, value): &(PlaceCode, Code)| (self.place(target), self.code(value));
                ActionCode::Together(assignments.iter().map(code).collect())
            }
            ActionCode::Assert(condition) => ActionCode::Assert(self.code(condition)),
            ActionCode::Run { template, arguments, priority, result } => ActionCode::Run {
                template: *template,
                arguments: self.codes(arguments),
                priority: priority.as_ref().map(|priority| self.code(priority)),
                result: result.as_ref().map(|place| self.place(place)),
            },
            ActionCode::End => ActionCode::End,
            ActionCode::SetPriority { pid, priority } => {
                ActionCode::SetPriority { pid: self.code(pid), priority: self.code(priority) }
            }
            ActionCode::Print(arguments) => ActionCode::Print(self.codes(arguments)),
            ActionCode::ResetClock { clock, value } => {
                ActionCode::ResetClock { clock: *clock, value: self.code(value) }
            }
        }
    }
}

fn binary(op: BinaryOp, a: Code, b: Code) -> Code {
    match (a, b) {
        (Code::Const(a), Code::Const(b)) => match apply_binary(op, a, b) {
            Some(value) => Code::Const(value),
            None => Code::BinaryConst(op, Box::new(Code::Const(a)), b),
        },
        (Code::Global(slot), Code::Const(value)) if op == BinaryOp::Equal => Code::GlobalEquals(slot, value),
        (Code::Global(slot), Code::Const(value)) => Code::GlobalConst(op, slot, value),
        (Code::Global(a), Code::Global(b)) => Code::GlobalGlobal(op, a, b),
        (a, Code::Const(value)) => Code::BinaryConst(op, Box::new(a), value),
        (a, b) => Code::Binary(op, Box::new(a), Box::new(b)),
    }
}

/// A question about a channel that exists.
fn question(query: ChannelQuery, channel: &KnownChannel<'_>) -> Code {
    let capacity = channel.decl.capacity as i32;
    // SPIN's rendezvous channels have room for the message under way, and are always empty.
    let length = if capacity == 0 { Code::Const(0) } else { Code::Global(channel.at) };
    match query {
        ChannelQuery::Length => length,
        ChannelQuery::Full => binary(BinaryOp::Equal, length, Code::Const(capacity.max(1))),
        ChannelQuery::NotFull => binary(BinaryOp::NotEqual, length, Code::Const(capacity.max(1))),
        ChannelQuery::Empty => binary(BinaryOp::Equal, length, Code::Const(0)),
        ChannelQuery::NotEmpty => binary(BinaryOp::Greater, length, Code::Const(0)),
    }
}
