//! Compiled expressions and statements.
//!
//! The IR's trees with everything resolved that is the same in every state: the scalar variables that make up most
//! expressions are read by one addition and one load.

use bughound_ir::chance::Number;
use bughound_ir::edge::{Action, Alternative, Condition, Edge, Program, Sync};
use bughound_ir::expr::{BinaryOp, ChannelQuery, Expr, Pattern, Place, Scope, UnaryOp};
use bughound_ir::network::Initialiser;
use bughound_ir::real::{Exact, Real};
use bughound_ir::types::ValueType;

use crate::clock_bound::ClockBound;
use crate::instance::quick::Quick;

/// A compiled expression.
#[derive(Clone, Debug)]
pub enum Code {
    Const(i32),
    /// Absolute slot.
    Global(u32),
    /// Slot relative to the own frame.
    Own(u32),
    Element(Box<PlaceCode>),
    /// An element of a global array: the first slot, the number of elements, their distance.
    GlobalElement(Box<Code>, u32, u32, u32),
    Unary(UnaryOp, Box<Code>),
    Binary(BinaryOp, Box<Code>, Box<Code>),
    /// With a constant on the right.
    BinaryConst(BinaryOp, Box<Code>, i32),
    /// Comparison of a scalar with a constant, the commonest guard.
    GlobalEquals(u32, i32),
    /// A scalar and a constant.
    GlobalConst(BinaryOp, u32, i32),
    /// Two scalars.
    GlobalGlobal(BinaryOp, u32, u32),
    And(Box<Code>, Box<Code>),
    Or(Box<Code>, Box<Code>),
    Conditional(Box<[Code; 3]>),
    Channel(ChannelQuery, Box<Code>),
    Poll(Box<PollCode>),
    OwnPid,
    FirstOf(u32),
    ProcessCount,
    LastProcess,
    Timeout,
    At(Box<Code>, u32),
    LocationNumber(Box<Code>),
    Enabled(Box<Code>),
    NonProgress,
    AtAcceptLabel,
    Holds(Box<Code>),
    UnspecifiedReception,
    ChannelOverflow,
    Priority(Box<Code>),
    /// Computed in exact fractions.
    Exact(Box<Exact<Code>>),
    /// The value of a clock constraint cannot be computed from the discrete state.
    Clock,
}

#[derive(Clone, Debug)]
pub struct PollCode {
    pub channel: Code,
    pub anywhere: bool,
    pub patterns: Vec<PatternCode>,
}

#[derive(Clone, Debug)]
pub enum ScopeCode {
    Global,
    Own,
    Process { pid: Code, template: u32 },
}

#[derive(Clone, Debug)]
pub struct IndexCode {
    pub value: Code,
    pub len: u32,
    pub stride: u32,
}

#[derive(Clone, Debug)]
pub struct PlaceCode {
    pub scope: ScopeCode,
    pub slot: u32,
    pub indices: Vec<IndexCode>,
    pub ty: ValueType,
}

#[derive(Clone, Debug)]
pub enum PatternCode {
    Any,
    Match(Code),
    Bind(PlaceCode),
}

#[derive(Clone, Debug)]
pub enum SyncCode {
    None,
    Send { channel: Code, sorted: bool, fields: Vec<Code> },
    Receive { channel: Code, anywhere: bool, keep: bool, patterns: Vec<PatternCode> },
    Emit { signal: Code },
    Accept { signal: Code },
    Join { action: u32 },
}

#[derive(Clone, Debug)]
pub enum ActionCode {
    Assign {
        target: PlaceCode,
        value: Code,
    },
    /// All at once.
    Together(Vec<(PlaceCode, Code)>),
    Assert(Code),
    Run {
        template: u32,
        arguments: Vec<Code>,
        priority: Option<Code>,
        result: Option<PlaceCode>,
    },
    End,
    SetPriority {
        pid: Code,
        priority: Code,
    },
    /// Evaluated for its errors only.
    Print(Vec<Code>),
    /// Clocks are not part of the discrete state; the value is evaluated for its errors.
    ResetClock {
        clock: u32,
        value: Code,
    },
}

/// A probability or a rate.
#[derive(Clone, Debug)]
pub enum ChanceCode {
    Certain(f64),
    /// It depends on the state.
    Computed(Box<Real<Code>>),
}

impl ChanceCode {
    /// Of edges with partners, other than those that join: they have no other chances.
    pub fn certain(&self) -> f64 {
        if let ChanceCode::Certain(chance) = self { *chance } else { 1.0 }
    }
}

#[derive(Clone, Debug)]
pub struct DestinationCode {
    pub chance: ChanceCode,
    pub actions: Vec<ActionCode>,
    pub to: u32,
}

#[derive(Clone, Debug)]
pub struct EdgeCode {
    pub id: u32,
    pub condition: Condition,
    pub guards: Vec<Code>,
    /// What its clock guards compare clocks with, where that may have no value.
    pub clock_bounds: Vec<ClockBound>,
    pub sync: SyncCode,
    pub program: Option<u32>,
    pub destinations: Vec<DestinationCode>,
    pub keeps_control: bool,
    pub escape: u32,
    pub weight: u64,
    /// More than a jump.
    pub does_something: bool,
    /// Its guards need nothing but slots.
    pub plain_guards: bool,
    /// The short way to perform it, if there is one.
    pub quick: Option<Quick>,
}

#[derive(Clone, Debug)]
pub struct AlternativeCode {
    pub condition: Condition,
    pub guards: Vec<Code>,
    pub sync: SyncCode,
    pub actions: Vec<ActionCode>,
    pub next: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct ProgramCode {
    pub nodes: Vec<Vec<AlternativeCode>>,
}

#[derive(Clone, Debug)]
pub enum InitialiserCode {
    Assign(ActionCode),
    Channel { slot: u32, index: u32 },
}

pub fn expr(e: &Expr) -> Code {
    let boxed = |e: &Expr| Box::new(expr(e));
    match e {
        Expr::Const(value) => Code::Const(*value),
        Expr::Read(p) => match (&p.scope, p.indices.is_empty()) {
            (Scope::Global, true) => Code::Global(p.slot),
            (Scope::Own, true) => Code::Own(p.slot),
            _ => constant_element(p).unwrap_or_else(|| element(p)),
        },
        Expr::Unary(op, e) => Code::Unary(*op, boxed(e)),
        Expr::Binary(BinaryOp::And, a, b) => Code::And(boxed(a), boxed(b)),
        Expr::Binary(BinaryOp::Or, a, b) => Code::Or(boxed(a), boxed(b)),
        Expr::Binary(op, a, b) => match (op, expr(a), expr(b)) {
            (BinaryOp::Equal, Code::Global(slot), Code::Const(value)) => Code::GlobalEquals(slot, value),
            (_, a, Code::Const(value)) => Code::BinaryConst(*op, Box::new(a), value),
            (_, a, b) => Code::Binary(*op, Box::new(a), Box::new(b)),
        },
        Expr::Conditional(a, b, c) => Code::Conditional(Box::new([expr(a), expr(b), expr(c)])),
        Expr::Channel(query, channel) => Code::Channel(*query, boxed(channel)),
        Expr::Poll { channel, anywhere, patterns } => Code::Poll(Box::new(PollCode {
            channel: expr(channel),
            anywhere: *anywhere,
            patterns: patterns.iter().map(pattern).collect(),
        })),
        Expr::OwnPid => Code::OwnPid,
        Expr::FirstOf(template) => Code::FirstOf(template.0),
        Expr::ProcessCount => Code::ProcessCount,
        Expr::LastProcess => Code::LastProcess,
        Expr::Timeout => Code::Timeout,
        Expr::At { pid, location } => Code::At(boxed(pid), location.0),
        Expr::LocationNumber(pid) => Code::LocationNumber(boxed(pid)),
        Expr::Enabled(pid) => Code::Enabled(boxed(pid)),
        Expr::Holds(e) => Code::Holds(boxed(e)),
        Expr::NonProgress => Code::NonProgress,
        Expr::AtAcceptLabel => Code::AtAcceptLabel,
        Expr::UnspecifiedReception => Code::UnspecifiedReception,
        Expr::ChannelOverflow => Code::ChannelOverflow,
        // As a clock: the discrete state does not tell whether something can happen after a delay.
        Expr::Deadlock => Code::Clock,
        Expr::Priority(pid) => Code::Priority(boxed(pid)),
        Expr::Exact(exact) => Code::Exact(Box::new(exact.map(&mut expr))),
        Expr::Clock(_) => Code::Clock,
    }
}

/// An element whose place depends on the state.
fn element(p: &Place) -> Code {
    match (&p.scope, &p.indices[..]) {
        (Scope::Global, [index]) => Code::GlobalElement(Box::new(expr(&index.value)), p.slot, index.len, index.stride),
        _ => Code::Element(Box::new(place(p))),
    }
}

/// An element with constant indices within bounds is as good as a scalar.
fn constant_element(p: &Place) -> Option<Code> {
    let mut slot = p.slot;
    for index in &p.indices {
        let value = index.value.as_const()?;
        if value < 0 || value as u32 >= index.len {
            return None;
        }
        slot += value as u32 * index.stride;
    }
    match p.scope {
        Scope::Global => Some(Code::Global(slot)),
        Scope::Own => Some(Code::Own(slot)),
        Scope::Process { .. } => None,
    }
}

pub fn place(p: &Place) -> PlaceCode {
    let scope = match &p.scope {
        Scope::Global => ScopeCode::Global,
        Scope::Own => ScopeCode::Own,
        Scope::Process { pid, template } => ScopeCode::Process { pid: expr(pid), template: template.0 },
    };
    let indices = p.indices.iter().map(|i| IndexCode { value: expr(&i.value), len: i.len, stride: i.stride }).collect();
    PlaceCode { scope, slot: p.slot, indices, ty: p.ty }
}

fn pattern(p: &Pattern) -> PatternCode {
    match p {
        Pattern::Any => PatternCode::Any,
        Pattern::Match(e) => PatternCode::Match(expr(e)),
        Pattern::Bind(p) => PatternCode::Bind(place(p)),
    }
}

fn sync(s: &Sync) -> SyncCode {
    match s {
        Sync::None => SyncCode::None,
        Sync::Send { channel, sorted, fields } => {
            SyncCode::Send { channel: expr(channel), sorted: *sorted, fields: fields.iter().map(expr).collect() }
        }
        Sync::Receive { channel, anywhere, keep, patterns } => SyncCode::Receive {
            channel: expr(channel),
            anywhere: *anywhere,
            keep: *keep,
            patterns: patterns.iter().map(pattern).collect(),
        },
        Sync::Emit { signal } => SyncCode::Emit { signal: expr(signal) },
        Sync::Accept { signal } => SyncCode::Accept { signal: expr(signal) },
        Sync::Join { action } => SyncCode::Join { action: *action },
    }
}

fn action(a: &Action) -> ActionCode {
    match a {
        Action::Assign { target, value } => ActionCode::Assign { target: place(target), value: expr(value) },
        Action::Together(assignments) => {
            let code = |(target, value): &(Place, Expr)| (place(target), expr(value));
            ActionCode::Together(assignments.iter().map(code).collect())
        }
        Action::Assert { condition, .. } => ActionCode::Assert(expr(condition)),
        Action::Print { arguments, .. } => ActionCode::Print(arguments.iter().map(expr).collect()),
        Action::Run { template, arguments, priority, result } => ActionCode::Run {
            template: template.0,
            arguments: arguments.iter().map(expr).collect(),
            priority: priority.as_ref().map(expr),
            result: result.as_ref().map(place),
        },
        Action::End => ActionCode::End,
        Action::SetPriority { pid, priority } => ActionCode::SetPriority { pid: expr(pid), priority: expr(priority) },
        Action::ResetClock { clock, value } => ActionCode::ResetClock { clock: clock.0, value: expr(value) },
    }
}

pub fn chance(chance: &Real) -> ChanceCode {
    match chance.as_const() {
        Some(number) => ChanceCode::Certain(rounded(number)),
        None => ChanceCode::Computed(Box::new(chance.map(&mut expr))),
    }
}

/// A chance as a double. Whether there is a step at all is decided by the fraction: one that is too small for a double is not 0,
/// and one that is too large is finite.
pub fn rounded(chance: &Number) -> f64 {
    let near = chance.to_f64().value();
    if *chance > Number::ZERO { near.clamp(f64::MIN_POSITIVE, f64::MAX) } else { near }
}

pub fn edge(id: u32, e: &Edge) -> EdgeCode {
    EdgeCode {
        id,
        condition: e.condition,
        guards: e.guards.iter().map(expr).collect(),
        clock_bounds: e.clock_guards.iter().filter_map(|guard| ClockBound::uncertain(&guard.bound)).collect(),
        sync: sync(&e.sync),
        program: e.program.map(|p| p.0),
        destinations: e
            .destinations
            .iter()
            .map(|d| DestinationCode {
                chance: chance(&d.chance),
                actions: d.actions.iter().map(action).collect(),
                to: d.to.0,
            })
            .collect(),
        keeps_control: e.keeps_control,
        escape: e.escape,
        weight: e.weight,
        does_something: e.does_something(),
        plain_guards: false,
        quick: None,
    }
}

fn alternative(a: &Alternative) -> AlternativeCode {
    AlternativeCode {
        condition: a.condition,
        guards: a.guards.iter().map(expr).collect(),
        sync: sync(&a.sync),
        actions: a.actions.iter().map(action).collect(),
        next: a.next,
    }
}

pub fn program(p: &Program) -> ProgramCode {
    ProgramCode { nodes: p.nodes.iter().map(|n| n.alternatives.iter().map(alternative).collect()).collect() }
}

pub fn initialiser(i: &Initialiser) -> InitialiserCode {
    match i {
        Initialiser::Assign(a) => InitialiserCode::Assign(action(a)),
        Initialiser::Channel { slot, index } => InitialiserCode::Channel { slot: *slot, index: *index },
    }
}
