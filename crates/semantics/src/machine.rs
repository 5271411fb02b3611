//! The compiled model and the evaluation of expressions in a state.

use std::sync::Arc;

use bughound_ir::expr::{BinaryOp, ChannelQuery, apply_binary, apply_unary};
use bughound_ir::frames::{ChannelHome, LAST_PROCESS, LOCATION, PRIORITY, PROCESS_COUNT};
use bughound_ir::network::{Location, Network};
use bughound_ir::reference::error::EvalError;
use bughound_ir::types::{Channel, ValueType};

use crate::clock_bound::ClockBound;
use crate::code::{self, Code, EdgeCode, InitialiserCode, PatternCode, PlaceCode, ProgramCode, ScopeCode};
use crate::instance::Instances;
use crate::joint::Vectors;

/// A model ready to run.
pub struct Machine {
    pub network: Arc<Network>,
    /// Compiled edges by location, in the order in which they are tried.
    pub edges: Vec<Vec<EdgeCode>>,
    pub programs: Vec<ProgramCode>,
    pub provided: Vec<Option<Code>>,
    /// By location: what must be true after every step; empty if no location of the model asks for anything.
    pub conditions: Vec<LocationConditions>,
    /// By location: what it costs per unit of time that a process is there; empty if the model has no prices.
    pub rates: Vec<Option<Code>>,
    pub initialisers: Vec<InitialiserCode>,
    pub template_initialisers: Vec<Vec<InitialiserCode>>,
    /// Template of each location.
    pub template_of: Vec<u32>,
    /// May a process rest there for ever?
    pub is_end: Vec<bool>,
    pub atoms: Vec<Code>,
    /// Slots that are 0 whenever nobody has control.
    pub hidden: Vec<usize>,
    /// Edges as each process takes them.
    pub instances: Instances,
    pub vectors: Vectors,
}

/// Number of the evaluating process where there is none: in claims and properties.
pub const NOBODY: usize = usize::MAX;

/// Where an expression is evaluated: a state and a process in it.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub key: &'a [i32],
    pub pid: usize,
    /// First slot of the process's frame.
    pub base: usize,
    pub timeout: bool,
    /// Who waits for the answer to `enabled()`, while one is looked for.
    pub asking: Option<&'a Asking<'a>>,
}

/// A process whose `enabled()` is being answered, and the one whose question led to it.
pub struct Asking<'a> {
    pid: usize,
    before: Option<&'a Asking<'a>>,
}

impl Context<'_> {
    /// Does the answer to some `enabled()` that is being looked for depend on this process?
    fn is_asking(&self, pid: usize) -> bool {
        let mut next = self.asking;
        std::iter::from_fn(|| {
            let one = next?;
            next = one.before;
            Some(one.pid)
        })
        .any(|asking| asking == pid)
    }
}

/// A channel in a state.
#[derive(Clone, Copy)]
pub struct ChannelAt<'m> {
    pub number: i32,
    pub decl: &'m Channel,
    /// Slot of its length; the cells follow. Meaningless for a rendezvous channel.
    pub at: usize,
}

impl ChannelAt<'_> {
    pub fn is_rendezvous(&self) -> bool {
        self.decl.capacity == 0
    }

    pub fn len(&self, key: &[i32]) -> usize {
        if self.is_rendezvous() { 0 } else { key[self.at] as usize }
    }

    /// Slots of one message.
    pub fn message(&self, index: usize) -> std::ops::Range<usize> {
        let width = self.decl.fields.len();
        let start = self.at + 1 + index * width;
        start..start + width
    }
}

/// What must be true of the variables while a process is at a location.
pub struct LocationConditions {
    conditions: Vec<Code>,
    /// What its invariant compares clocks with, where that may have no value.
    clock_bounds: Vec<ClockBound>,
    /// Its rate, where that may have no value or be below 0.
    rate: Option<Code>,
}

/// The conditions of all locations, or nothing if there are none.
fn conditions(network: &Network) -> Vec<LocationConditions> {
    let of = |location: &Location| LocationConditions {
        conditions: location.conditions.iter().map(code::expr).collect(),
        clock_bounds: location.invariant.iter().filter_map(|part| ClockBound::uncertain(&part.bound)).collect(),
        rate: location.rate.as_ref().filter(|_| location.has_uncertain_rate()).map(code::expr),
    };
    let all: Vec<LocationConditions> = network.locations.iter().map(of).collect();
    let any = all.iter().any(|l| !l.conditions.is_empty() || !l.clock_bounds.is_empty() || l.rate.is_some());
    if any { all } else { Vec::new() }
}

type Value = Result<i32, EvalError>;

impl Machine {
    pub fn new(network: Arc<Network>, atoms: &[bughound_ir::expr::Expr]) -> Machine {
        let edges = network
            .locations
            .iter()
            .map(|l| l.edges.iter().map(|e| code::edge(e.0, network.edge(*e))).collect())
            .collect();
        Machine {
            edges,
            programs: network.programs.iter().map(code::program).collect(),
            conditions: conditions(&network),
            rates: match network.pricing {
                Some(_) => network.locations.iter().map(|l| l.rate.as_ref().map(code::expr)).collect(),
                None => Vec::new(),
            },
            provided: network.templates.iter().map(|t| t.provided.as_ref().map(code::expr)).collect(),
            initialisers: network.initialisers.iter().map(code::initialiser).collect(),
            template_initialisers: network
                .templates
                .iter()
                .map(|t| t.initialisers.iter().map(code::initialiser).collect())
                .collect(),
            template_of: network.locations.iter().map(|l| l.template.0).collect(),
            is_end: network.locations.iter().map(|l| l.flags.end).collect(),
            atoms: atoms.iter().map(code::expr).collect(),
            hidden: network.hidden_slots().into_iter().map(|s| s as usize).collect(),
            instances: Instances::new(&network),
            vectors: Vectors::of(&network),
            network,
        }
    }

    #[inline]
    pub fn base(&self, pid: usize) -> usize {
        self.network.frames.processes[pid].base as usize
    }

    #[inline]
    pub fn location(&self, key: &[i32], pid: usize) -> usize {
        key[self.base(pid) + LOCATION as usize] as usize
    }

    /// For expressions that belong to no process.
    pub fn outside<'a>(&self, key: &'a [i32]) -> Context<'a> {
        Context { key, pid: NOBODY, base: 0, timeout: false, asking: None }
    }

    pub fn context<'a>(&self, key: &'a [i32], pid: usize, timeout: bool) -> Context<'a> {
        Context { key, pid, base: self.base(pid), timeout, asking: None }
    }

    /// Do the conditions of the locations of all processes hold? The first that has no value is an error.
    pub fn conditions_hold(&self, key: &[i32]) -> Result<bool, EvalError> {
        for pid in 0..key[PROCESS_COUNT] as usize {
            let (cx, here) = (self.context(key, pid, false), &self.conditions[self.location(key, pid)]);
            if !self.guards_hold(cx, &here.conditions)? {
                return Ok(false);
            }
            self.check_clock_bounds(cx, &here.clock_bounds)?;
            here.rate.as_ref().map_or(Ok(0), |rate| self.rate_at(cx, rate))?;
        }
        Ok(true)
    }

    /// What it costs per unit of time to be in a state: the sum over the locations of all processes.
    pub fn rate(&self, key: &[i32]) -> Result<u64, EvalError> {
        let of = |pid: usize| match &self.rates[self.location(key, pid)] {
            Some(rate) => self.rate_at(self.context(key, pid, false), rate),
            None => Ok(0),
        };
        if self.rates.is_empty() { Ok(0) } else { (0..key[PROCESS_COUNT] as usize).map(of).sum() }
    }

    fn rate_at(&self, cx: Context<'_>, rate: &Code) -> Result<u64, EvalError> {
        u64::try_from(self.eval(cx, rate)?).map_err(|_| EvalError::NegativeRate)
    }

    /// Can clocks be compared with all of these?
    pub fn check_clock_bounds(&self, cx: Context<'_>, bounds: &[ClockBound]) -> Result<(), EvalError> {
        bounds.iter().try_for_each(|bound| bound.value(self, cx).map(|_| ()))
    }

    /// The process with this number, if it exists.
    fn process(&self, key: &[i32], pid: i32) -> Option<usize> {
        (pid >= 0 && pid < key[PROCESS_COUNT]).then_some(pid as usize)
    }

    pub fn channel(&self, key: &[i32], number: i32) -> Result<ChannelAt<'_>, EvalError> {
        match self.network.frames.channel_home(number) {
            None => Err(EvalError::NoChannel),
            Some(ChannelHome::Global(index)) => {
                let decl = &self.network.channels[index as usize];
                Ok(ChannelAt { number, decl, at: decl.slot as usize })
            }
            Some(ChannelHome::Process { pid, index }) => {
                let Some(pid) = self.process(key, pid as i32) else { return Err(EvalError::ChannelDead) };
                let template = &self.network.templates[self.template_of[self.location(key, pid)] as usize];
                let Some(decl) = template.channels.get(index as usize) else { return Err(EvalError::ChannelDead) };
                Ok(ChannelAt { number, decl, at: self.base(pid) + decl.slot as usize })
            }
        }
    }

    /// Slot of a place. `None`: the process does not exist or is of another kind; it reads as 0.
    pub fn slot(&self, cx: Context<'_>, place: &PlaceCode) -> Result<Option<usize>, EvalError> {
        let base = match &place.scope {
            ScopeCode::Global => 0,
            ScopeCode::Own => cx.base,
            ScopeCode::Process { pid, template } => {
                let pid = self.eval(cx, pid)?;
                match self.process(cx.key, pid) {
                    Some(pid) if self.template_of[self.location(cx.key, pid)] == *template => self.base(pid),
                    _ => return Ok(None),
                }
            }
        };
        let mut slot = base + place.slot as usize;
        for index in &place.indices {
            let value = self.eval(cx, &index.value)?;
            if value < 0 || value as u32 >= index.len {
                return Err(EvalError::IndexOutOfRange);
            }
            slot += value as usize * index.stride as usize;
        }
        Ok(Some(slot))
    }

    pub fn truth(&self, cx: Context<'_>, code: &Code) -> Result<bool, EvalError> {
        self.eval(cx, code).map(|value| value != 0)
    }

    pub fn eval(&self, cx: Context<'_>, code: &Code) -> Value {
        Ok(match code {
            Code::Const(value) => *value,
            Code::Global(slot) => cx.key[*slot as usize],
            Code::Own(slot) => cx.key[cx.base + *slot as usize],
            Code::GlobalEquals(slot, value) => (cx.key[*slot as usize] == *value) as i32,
            Code::GlobalConst(op, slot, value) => self.binary(*op, cx.key[*slot as usize], *value)?,
            Code::GlobalGlobal(op, a, b) => self.binary(*op, cx.key[*a as usize], cx.key[*b as usize])?,
            Code::Element(place) => match self.slot(cx, place)? {
                Some(slot) => cx.key[slot],
                None => 0,
            },
            Code::GlobalElement(index, slot, len, stride) => {
                let index = self.eval(cx, index)?;
                if index < 0 || index as u32 >= *len {
                    return Err(EvalError::IndexOutOfRange);
                }
                cx.key[(slot + index as u32 * stride) as usize]
            }
            Code::BinaryConst(op, a, b) => self.binary(*op, self.eval(cx, a)?, *b)?,
            Code::Unary(op, e) => apply_unary(*op, self.eval(cx, e)?),
            Code::Binary(op, a, b) => self.binary(*op, self.eval(cx, a)?, self.eval(cx, b)?)?,
            Code::And(a, b) => (self.truth(cx, a)? && self.truth(cx, b)?) as i32,
            Code::Or(a, b) => (self.truth(cx, a)? || self.truth(cx, b)?) as i32,
            Code::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                if self.truth(cx, condition)? { self.eval(cx, then)? } else { self.eval(cx, otherwise)? }
            }
            Code::Channel(query, channel) => {
                let channel = self.channel(cx.key, self.eval(cx, channel)?)?;
                let len = channel.len(cx.key) as i32;
                let capacity = channel.decl.capacity as i32;
                match query {
                    ChannelQuery::Length => len,
                    // SPIN's rendezvous channels have room for the message under way.
                    ChannelQuery::Full => (len == capacity.max(1)) as i32,
                    ChannelQuery::NotFull => (len != capacity.max(1)) as i32,
                    ChannelQuery::Empty => (len == 0) as i32,
                    ChannelQuery::NotEmpty => (len > 0) as i32,
                }
            }
            Code::Poll(poll) => {
                let channel = self.channel(cx.key, self.eval(cx, &poll.channel)?)?;
                if channel.is_rendezvous() {
                    return Err(EvalError::PollRendezvous);
                }
                self.find_message(cx, channel, poll.anywhere, &poll.patterns)?.is_some() as i32
            }
            Code::OwnPid => cx.pid as i32,
            Code::FirstOf(template) => (0..cx.key[PROCESS_COUNT])
                .find(|pid| self.template_of[self.location(cx.key, *pid as usize)] == *template)
                .unwrap_or(-1),
            Code::ProcessCount => cx.key[PROCESS_COUNT],
            Code::LastProcess => cx.key[LAST_PROCESS],
            Code::Timeout => cx.timeout as i32,
            Code::At(pid, location) => {
                let pid = self.eval(cx, pid)?;
                self.process(cx.key, pid).is_some_and(|p| self.location(cx.key, p) == *location as usize) as i32
            }
            Code::LocationNumber(pid) => {
                let pid = self.eval(cx, pid)?;
                self.process(cx.key, pid).map_or(0, |p| self.network.locations[self.location(cx.key, p)].number as i32)
            }
            Code::Enabled(pid) => {
                let pid = self.eval(cx, pid)?;
                match self.process(cx.key, pid) {
                    Some(p) if p == cx.pid || cx.is_asking(p) => return Err(EvalError::EnabledCycle),
                    Some(p) => {
                        let asking = Asking { pid: cx.pid, before: cx.asking };
                        self.can_move(Context { asking: Some(&asking), ..cx }, p)? as i32
                    }
                    None => 0,
                }
            }
            Code::NonProgress => {
                let progress = |p| self.network.locations[self.location(cx.key, p)].flags.progress;
                !(0..cx.key[PROCESS_COUNT] as usize).any(progress) as i32
            }
            Code::AtAcceptLabel => {
                let accept = |p| self.network.locations[self.location(cx.key, p)].flags.accept;
                (0..cx.key[PROCESS_COUNT] as usize).any(accept) as i32
            }
            Code::Exact(exact) => exact.value(&mut |leaf| self.eval(cx, leaf))?,
            Code::Holds(code) => self.truth(cx, code).unwrap_or(false) as i32,
            Code::UnspecifiedReception => self.unspecified_reception(cx) as i32,
            Code::ChannelOverflow => self.channel_overflow(cx) as i32,
            Code::Priority(pid) => {
                let pid = self.eval(cx, pid)?;
                match self.process(cx.key, pid) {
                    Some(p) if self.network.uses.priorities => cx.key[self.base(p) + PRIORITY as usize],
                    Some(_) => 1,
                    None => 0,
                }
            }
            Code::Clock => return Err(EvalError::ClockRead),
        })
    }

    #[inline]
    fn binary(&self, op: BinaryOp, a: i32, b: i32) -> Value {
        apply_binary(op, a, b).ok_or(EvalError::DivisionByZero)
    }

    /// The first message that matches the patterns, among the oldest only or among all.
    pub fn find_message(
        &self,
        cx: Context<'_>,
        channel: ChannelAt<'_>,
        anywhere: bool,
        patterns: &[PatternCode],
    ) -> Result<Option<usize>, EvalError> {
        let len = channel.len(cx.key);
        let candidates = if anywhere { len } else { len.min(1) };
        for index in 0..candidates {
            if self.matches(cx, &cx.key[channel.message(index)], patterns)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Do the fields of a message match? `Bind` patterns match anything.
    pub fn matches(&self, cx: Context<'_>, message: &[i32], patterns: &[PatternCode]) -> Result<bool, EvalError> {
        if patterns.len() > message.len() {
            return Err(EvalError::TooManyPatterns);
        }
        for (pattern, field) in patterns.iter().zip(message) {
            if let PatternCode::Match(wanted) = pattern
                && self.eval(cx, wanted)? != *field
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Stores a value; conversion as the type of the place demands.
    pub fn store(key: &mut [i32], slot: usize, ty: ValueType, value: i32) -> Result<(), EvalError> {
        key[slot] = ty.convert(value).ok_or(EvalError::OutOfRange)?;
        Ok(())
    }
}
