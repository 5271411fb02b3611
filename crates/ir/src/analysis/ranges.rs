//! Which values a variable can hold and an expression can have: intervals.
//!
//! One interval per variable (arrays and structs: per leaf) and per field of the messages of a channel, for the whole
//! run: initial values and everything that is ever assigned, passed, sent or received, joined until nothing changes. What
//! does not settle within a few rounds becomes the domain of its type. The result over-approximates: a value outside of
//! the interval never occurs, one inside need not.

use std::collections::BTreeMap;

use crate::analysis::channel_flow::{ChannelFlow, Origin};
use crate::analysis::usage::{SlotOwners, VariableId, all_channels};
use crate::analysis::{actions_of, edges_of};
use crate::edge::{Action, Sync};
use crate::expr::{BinaryOp, Expr, Pattern, Place, UnaryOp, apply_binary, apply_unary};
use crate::network::{Initialiser, Network, TemplateId};
use crate::real::Exact;
use crate::types::{Channel, ValueType};

/// All integers from `lo` to `hi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub lo: i64,
    pub hi: i64,
}

impl Interval {
    pub const TRUTH: Interval = Interval { lo: 0, hi: 1 };
    pub const ANY: Interval = Interval { lo: i32::MIN as i64, hi: i32::MAX as i64 };

    pub fn one(value: i32) -> Interval {
        Interval { lo: value.into(), hi: value.into() }
    }

    pub fn new(lo: i64, hi: i64) -> Interval {
        Interval { lo, hi }
    }

    /// Everything that a slot of this type can hold.
    pub fn of_type(ty: ValueType) -> Interval {
        let (lo, hi) = ty.domain();
        Interval { lo: lo.into(), hi: hi.into() }
    }

    pub fn join(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    pub fn is_within(self, other: Interval) -> bool {
        other.lo <= self.lo && self.hi <= other.hi
    }

    pub fn is_disjoint(self, other: Interval) -> bool {
        self.hi < other.lo || other.hi < self.lo
    }

    /// `Some(true)` if no value in it is 0, `Some(false)` if every one is.
    pub fn truth(self) -> Option<bool> {
        match self {
            Interval { lo: 0, hi: 0 } => Some(false),
            _ if self.is_disjoint(Interval::one(0)) => Some(true),
            _ => None,
        }
    }

    /// As 32-bit arithmetic has it: what overflows can be anything.
    fn wrapped(self) -> Interval {
        if self.is_within(Interval::ANY) { self } else { Interval::ANY }
    }
}

/// The values that an expression can have; `place` tells those of variables.
pub fn interval(expr: &Expr, place: &dyn Fn(&Place) -> Interval) -> Interval {
    match expr {
        Expr::Const(value) => Interval::one(*value),
        Expr::Read(read) => place(read),
        Expr::Unary(op, operand) => unary(*op, interval(operand, place)),
        Expr::Binary(op, left, right) => binary(*op, interval(left, place), interval(right, place)),
        Expr::Conditional(condition, then, otherwise) => match interval(condition, place).truth() {
            Some(true) => interval(then, place),
            Some(false) => interval(otherwise, place),
            None => interval(then, place).join(interval(otherwise, place)),
        },
        Expr::Channel(crate::expr::ChannelQuery::Length, _) => Interval::new(0, i32::MAX.into()),
        Expr::Channel(..) | Expr::Poll { .. } | Expr::Timeout | Expr::At { .. } => Interval::TRUTH,
        Expr::Enabled(_) | Expr::NonProgress | Expr::AtAcceptLabel | Expr::Holds(_) | Expr::Clock(_) => Interval::TRUTH,
        Expr::UnspecifiedReception | Expr::ChannelOverflow | Expr::Deadlock => Interval::TRUTH,
        Expr::Exact(exact) => match **exact {
            Exact::Compare(..) => Interval::TRUTH,
            Exact::Round(..) => Interval::of_type(ValueType::Int),
        },
        Expr::OwnPid | Expr::ProcessCount | Expr::LastProcess | Expr::Priority(_) => Interval::new(0, 255),
        Expr::FirstOf(_) => Interval::new(-1, 255),
        Expr::LocationNumber(_) => Interval::new(0, i32::MAX.into()),
    }
}

/// The values that an expression can have, as far as the types of its variables tell.
pub fn by_types(expr: &Expr) -> Interval {
    interval(expr, &|place| Interval::of_type(place.ty))
}

/// Can the evaluation of an expression over variables fail, as far as their types tell?
pub fn can_fail(expr: &Expr) -> bool {
    expr.any(|e| match e {
        Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, _, by) => by.as_const().is_none_or(|c| c == 0 || c == -1),
        Expr::Read(place) => place.indices.iter().any(|index| {
            let Interval { lo, hi } = by_types(&index.value);
            lo < 0 || hi >= i64::from(index.len)
        }),
        _ => false,
    })
}

fn unary(op: UnaryOp, a: Interval) -> Interval {
    match op {
        UnaryOp::Minus => Interval::new(-a.hi, -a.lo).wrapped(),
        UnaryOp::Complement => Interval::new(!a.hi, !a.lo),
        UnaryOp::Not => match a.truth() {
            Some(truth) => Interval::one(apply_unary(UnaryOp::Not, truth.into())),
            None => Interval::TRUTH,
        },
    }
}

fn binary(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    if a.lo == a.hi
        && b.lo == b.hi
        && let Some(value) = apply_binary(op, a.lo as i32, b.lo as i32)
    {
        return Interval::one(value);
    }
    let truth = |known: Option<bool>| known.map_or(Interval::TRUTH, |truth| Interval::one(truth.into()));
    let ordered = |always: bool, never: bool| truth(if always { Some(true) } else { never.then_some(false) });
    let corners = |f: &dyn Fn(i64, i64) -> i64| {
        let all = [f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)];
        Interval::new(all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0)).wrapped()
    };
    let positive = a.lo >= 0 && b.lo >= 0;
    match op {
        BinaryOp::Add => corners(&|x, y| x + y),
        BinaryOp::Subtract => corners(&|x, y| x - y),
        BinaryOp::Multiply => corners(&|x, y| x * y),
        BinaryOp::Divide if b.lo > 0 || b.hi < 0 => corners(&|x, y| x / y),
        BinaryOp::Divide => Interval::new(-a.lo.abs().max(a.hi.abs()), a.lo.abs().max(a.hi.abs())).wrapped(),
        BinaryOp::Remainder => {
            let most = (b.lo.abs().max(b.hi.abs()) - 1).max(0);
            Interval::new(if a.lo < 0 { (-most).max(a.lo) } else { 0 }, if a.hi > 0 { most.min(a.hi) } else { 0 })
        }
        BinaryOp::BitAnd if b.lo >= 0 => Interval::new(0, if a.lo >= 0 { a.hi.min(b.hi) } else { b.hi }),
        BinaryOp::BitAnd if a.lo >= 0 => Interval::new(0, a.hi),
        BinaryOp::BitOr | BinaryOp::BitXor if positive => Interval::new(0, all_ones(a.hi.max(b.hi))),
        BinaryOp::ShiftRight if a.lo >= 0 => Interval::new(0, a.hi),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            Interval::ANY
        }
        BinaryOp::Less => ordered(a.hi < b.lo, a.lo >= b.hi),
        BinaryOp::LessEqual => ordered(a.hi <= b.lo, a.lo > b.hi),
        BinaryOp::Greater => ordered(a.lo > b.hi, a.hi <= b.lo),
        BinaryOp::GreaterEqual => ordered(a.lo >= b.hi, a.hi < b.lo),
        BinaryOp::Equal => ordered(false, a.is_disjoint(b)),
        BinaryOp::NotEqual => ordered(a.is_disjoint(b), false),
        BinaryOp::And => match (a.truth(), b.truth()) {
            (Some(false), _) | (_, Some(false)) => truth(Some(false)),
            (Some(true), Some(true)) => truth(Some(true)),
            _ => Interval::TRUTH,
        },
        BinaryOp::Or => match (a.truth(), b.truth()) {
            (Some(true), _) | (_, Some(true)) => truth(Some(true)),
            (Some(false), Some(false)) => truth(Some(false)),
            _ => Interval::TRUTH,
        },
    }
}

/// The smallest 2ⁿ − 1 that is not below a value.
fn all_ones(value: i64) -> i64 {
    (value as u64 + 1).next_power_of_two() as i64 - 1
}

/// Rounds before whatever still grows becomes the domain of its type.
const ROUNDS: usize = 12;

/// The values of all variables and message fields.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    owners: SlotOwners,
    flow: ChannelFlow,
    variables: BTreeMap<VariableId, Interval>,
    fields: BTreeMap<(Origin, u32), Interval>,
    /// Whatever grows in the last rounds.
    widening: bool,
    changed: bool,
}

impl Ranges {
    pub fn new(network: &Network) -> Ranges {
        let mut ranges =
            Ranges { owners: SlotOwners::new(network), flow: ChannelFlow::new(network), ..Ranges::default() };
        let mut round = 0;
        loop {
            ranges.widening = round >= ROUNDS;
            ranges.changed = false;
            ranges.round(network);
            if !ranges.changed {
                return ranges;
            }
            round += 1;
        }
    }

    /// The values of a place in a process of template `own`. Without a value of its own a variable holds 0.
    pub fn place(&self, place: &Place, own: Option<TemplateId>) -> Interval {
        match self.owners.of(place, own) {
            Some(variable) => self.variables.get(&variable).copied().unwrap_or(Interval::one(0)),
            None => Interval::of_type(place.ty),
        }
    }

    /// The values of a slot of the frame of template `own`, or of the globals.
    pub fn slot(&self, slot: u32, own: Option<TemplateId>) -> Interval {
        let variable = match own {
            Some(own) => self.owners.local(own, slot),
            None => self.owners.global(slot),
        };
        variable.and_then(|variable| self.variables.get(&variable)).copied().unwrap_or(Interval::one(0))
    }

    /// The values of an expression in a process of template `own`.
    pub fn expression(&self, expr: &Expr, own: Option<TemplateId>) -> Interval {
        interval(expr, &|place| self.place(place, own))
    }

    /// The values of a field of the messages in a channel; 0 alone if none is ever sent.
    pub fn field(&self, channel: Origin, field: u32) -> Interval {
        self.fields.get(&(channel, field)).copied().unwrap_or(Interval::one(0))
    }

    /// The channels that an expression can denote.
    pub fn channels(&self, network: &Network, channel: &Expr, own: TemplateId) -> Vec<Origin> {
        let set = self.flow.channels(network, channel, Some(own));
        if set.any { all_channels(network) } else { set.origins.into_iter().collect() }
    }

    fn round(&mut self, network: &Network) {
        self.initialise(network, &network.initialisers, None);
        for start in &network.start {
            for (index, argument) in start.arguments.iter().enumerate() {
                if let Some(parameter) = network.template(start.template).variables.get(index) {
                    let variable = VariableId::Local(start.template, index as u32);
                    self.add(variable, parameter.ty, Interval::one(*argument));
                }
            }
        }
        for template in (0..network.templates.len()).map(|t| TemplateId(t as u32)) {
            self.initialise(network, &network.template(template).initialisers, Some(template));
            for (_, edge) in edges_of(network, template) {
                let nodes = edge.program.into_iter().flat_map(|id| &network.program(id).nodes);
                for sync in nodes.flat_map(|n| &n.alternatives).map(|a| &a.sync).chain([&edge.sync]) {
                    self.communicate(network, sync, template);
                }
                for action in actions_of(network, edge) {
                    self.act(network, action, Some(template));
                }
            }
        }
    }

    fn initialise(&mut self, network: &Network, initialisers: &[Initialiser], own: Option<TemplateId>) {
        for initialiser in initialisers {
            match initialiser {
                Initialiser::Assign(action) => self.act(network, action, own),
                Initialiser::Channel { slot, .. } => {
                    let variable = match own {
                        Some(own) => self.owners.local(own, *slot),
                        None => self.owners.global(*slot),
                    };
                    if let Some(variable) = variable {
                        self.add(variable, ValueType::Chan, Interval::of_type(ValueType::Chan));
                    }
                }
            }
        }
    }

    fn act(&mut self, network: &Network, action: &Action, own: Option<TemplateId>) {
        match action {
            Action::Assign { target, value } => {
                let values = self.expression(value, own);
                self.store(target, values, own);
            }
            // As one after the other: what is joined is the same.
            Action::Together(assignments) => {
                for (target, value) in assignments {
                    let values = self.expression(value, own);
                    self.store(target, values, own);
                }
            }
            Action::Run { template, arguments, result, .. } => {
                for (index, argument) in arguments.iter().enumerate() {
                    let values = self.expression(argument, own);
                    if let Some(parameter) = network.template(*template).variables.get(index) {
                        self.add(VariableId::Local(*template, index as u32), parameter.ty, values);
                    }
                }
                if let Some(place) = result {
                    self.store(place, Interval::new(0, 255), own);
                }
            }
            _ => {}
        }
    }

    fn communicate(&mut self, network: &Network, sync: &Sync, own: TemplateId) {
        match sync {
            Sync::Send { channel, fields, .. } => {
                for origin in self.channels(network, channel, own) {
                    for (index, (ty, field)) in channel_of(network, origin).fields.iter().zip(fields).enumerate() {
                        let values = self.expression(field, Some(own));
                        let known = self.fields.get(&(origin, index as u32)).copied();
                        if let Some(grown) = self.grown(known, *ty, values) {
                            self.fields.insert((origin, index as u32), grown);
                        }
                    }
                }
            }
            Sync::Receive { channel, patterns, .. } => {
                for origin in self.channels(network, channel, own) {
                    for (index, pattern) in patterns.iter().enumerate() {
                        if let Pattern::Bind(place) = pattern {
                            let values = self.field(origin, index as u32);
                            self.store(place, values, Some(own));
                        }
                    }
                }
            }
            Sync::None | Sync::Emit { .. } | Sync::Accept { .. } | Sync::Join { .. } => {}
        }
    }

    fn store(&mut self, place: &Place, values: Interval, own: Option<TemplateId>) {
        if let Some(variable) = self.owners.of(place, own) {
            self.add(variable, place.ty, values);
        }
    }

    fn add(&mut self, variable: VariableId, ty: ValueType, values: Interval) {
        let known = self.variables.get(&variable).copied();
        if let Some(grown) = self.grown(known, ty, values) {
            self.variables.insert(variable, grown);
        }
    }

    /// The larger interval, if it is larger. A variable starts with 0 before its initial value.
    fn grown(&mut self, known: Option<Interval>, ty: ValueType, values: Interval) -> Option<Interval> {
        let domain = Interval::of_type(ty);
        let stored = if values.is_within(domain) { values } else { domain };
        let before = known.unwrap_or(Interval::one(0));
        let joined = before.join(stored);
        if joined == before && known.is_some() {
            return None;
        }
        let widened = self.widening && joined != before;
        self.changed = true;
        Some(if widened { domain.join(before) } else { joined })
    }
}

/// The declaration of a channel.
pub fn channel_of(network: &Network, origin: Origin) -> &Channel {
    match origin {
        Origin::Global(index) => &network.channels[index as usize],
        Origin::Template { template, index } => &network.template(template).channels[index as usize],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};

    fn of(op: BinaryOp, a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
        let result = binary(op, Interval::new(a.0, a.1), Interval::new(b.0, b.1));
        (result.lo, result.hi)
    }

    #[test]
    fn every_result_lies_in_the_interval() {
        use BinaryOp::*;
        let ops = [Add, Subtract, Multiply, Divide, Remainder, BitAnd, BitOr, BitXor, ShiftRight, ShiftLeft];
        let more = [Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual, And, Or];
        let bounds = [(-5, -1), (-2, 3), (0, 0), (0, 4), (2, 6), (5, 5)];
        for op in ops.into_iter().chain(more) {
            for (a, b) in bounds.iter().flat_map(|a| bounds.iter().map(move |b| (*a, *b))) {
                let (lo, hi) = of(op, a, b);
                for (x, y) in (a.0..=a.1).flat_map(|x| (b.0..=b.1).map(move |y| (x, y))) {
                    if let Some(value) = apply_binary(op, x as i32, y as i32) {
                        assert!((lo..=hi).contains(&i64::from(value)), "{op:?} {x} {y}: {value} not in {lo}..={hi}");
                    }
                }
            }
        }
    }

    #[test]
    fn comparisons_and_remainders_are_tight() {
        assert_eq!(of(BinaryOp::Less, (0, 255), (0, 0)), (0, 0));
        assert_eq!(of(BinaryOp::Equal, (0, 255), (300, 300)), (0, 0));
        assert_eq!(of(BinaryOp::Remainder, (0, 1000), (4, 4)), (0, 3));
        assert_eq!(of(BinaryOp::BitAnd, (-9, 1000), (7, 7)), (0, 7));
    }

    #[test]
    fn what_is_assigned_bounds_a_variable_and_what_grows_does_not() {
        let mut net = NetworkBuilder::new("ranges");
        let (x, y) = (net.global("x", ValueType::Int), net.global("y", ValueType::Int));
        let mut t = TemplateBuilder::new("t");
        let here = t.location("here");
        t.edge(EdgeSpec::new(here, here).assign(x.clone(), Expr::Const(3)));
        let more = Expr::binary(BinaryOp::Add, Expr::read(y.clone()), Expr::Const(1));
        t.edge(EdgeSpec::new(here, here).assign(y.clone(), more));
        let t = net.template(t, here);
        net.start(t, vec![]);
        let ranges = Ranges::new(&net.finish().unwrap());
        assert_eq!(ranges.place(&x, None), Interval::new(0, 3));
        assert_eq!(ranges.place(&y, None), Interval::ANY);
    }
}
