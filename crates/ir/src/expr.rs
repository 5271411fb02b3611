//! Expressions and places: data that the evaluator, the compiler, analyses and printers all walk.
//!
//! Expressions have no side effects. Their values are 32-bit integers with C's arithmetic: `+ - *` wrap, comparisons
//! and `&& || !` give 0 or 1, `&&` and `||` evaluate their right side only if needed.

use crate::network::{LocationId, TemplateId};
use crate::real::Exact;
use crate::types::ValueType;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`
    Minus,
    /// `!x`
    Not,
    /// `~x`
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    /// Truncates towards zero; division by zero is an evaluation error.
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    /// The count is taken modulo 32.
    ShiftLeft,
    /// Arithmetic shift; the count is taken modulo 32.
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

/// A question about a message channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelQuery {
    Length,
    Full,
    Empty,
    NotFull,
    NotEmpty,
}

/// In whose variables a place lies.
#[derive(Clone, Debug, PartialEq)]
pub enum Scope {
    Global,
    /// The process that evaluates.
    Own,
    /// Another process, which must exist and be of this template (else the value read is 0, as in SPIN).
    Process {
        pid: Box<Expr>,
        template: TemplateId,
    },
}

/// One index of a place: element `value` of `len` elements that lie `stride` slots apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    pub value: Expr,
    pub len: u32,
    pub stride: u32,
}

/// A variable or one element of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub scope: Scope,
    /// First slot of the variable, relative to the scope.
    pub slot: u32,
    pub indices: Vec<Index>,
    pub ty: ValueType,
}

impl Place {
    pub fn global(slot: u32, ty: ValueType) -> Self {
        Place { scope: Scope::Global, slot, indices: Vec::new(), ty }
    }

    pub fn own(slot: u32, ty: ValueType) -> Self {
        Place { scope: Scope::Own, slot, indices: Vec::new(), ty }
    }
}

/// What a receive does with one field of the message.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// `_`: anything.
    Any,
    /// A constant or `eval(…)`: the field must equal it. Evaluated before any variable is bound.
    Match(Expr),
    /// The field is stored here.
    Bind(Place),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Const(i32),
    Read(Box<Place>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition -> then : otherwise`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The operand is a channel number.
    Channel(ChannelQuery, Box<Expr>),
    /// Would a receive with these patterns match? `Bind` patterns match anything. `anywhere`: not only the oldest message.
    Poll {
        channel: Box<Expr>,
        anywhere: bool,
        patterns: Vec<Pattern>,
    },
    /// Number of the evaluating process.
    OwnPid,
    /// Number of the first process of this template; -1 if there is none.
    FirstOf(TemplateId),
    /// Number of processes that exist.
    ProcessCount,
    /// Process that made the last step (of the chain under way, if any); 0 initially.
    LastProcess,
    /// True iff nothing in the system is executable without it.
    Timeout,
    /// Is that process at this location? False if it does not exist or is of another template.
    At {
        pid: Box<Expr>,
        location: LocationId,
    },
    /// SPIN's number of the location of a process ([`crate::network::Location::number`]); 0 if it does not exist.
    LocationNumber(Box<Expr>),
    /// Can that process make a step now?
    Enabled(Box<Expr>),
    /// No process is at a location marked as progress.
    NonProgress,
    /// Some process is at a location with an accept label.
    AtAcceptLabel,
    /// Nothing can happen, now or after any delay (UPPAAL's `deadlock`); allowed in properties only.
    Deadlock,
    /// Some process can only receive, and none of the messages that wait for it (see `reference::protocol`).
    UnspecifiedReception,
    /// Some process wants to send to a full channel.
    ChannelOverflow,
    /// Scheduling priority of a process.
    Priority(Box<Expr>),
    /// Does it have a value other than 0? An expression without value does not hold: so the negation of this one does.
    Holds(Box<Expr>),
    /// An integer that is computed in exact fractions.
    Exact(Box<Exact>),
    /// Value of a clock constraint at a single instant; allowed in properties of timed models only.
    Clock(Box<crate::types::ClockConstraint>),
}

impl Expr {
    pub fn truth(value: bool) -> Expr {
        Expr::Const(value as i32)
    }

    pub fn read(place: Place) -> Expr {
        Expr::Read(Box::new(place))
    }

    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Expr {
        Expr::Unary(UnaryOp::Not, Box::new(self))
    }

    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn and(self, right: Expr) -> Expr {
        Expr::binary(BinaryOp::And, self, right)
    }

    pub fn or(self, right: Expr) -> Expr {
        Expr::binary(BinaryOp::Or, self, right)
    }

    pub fn equals(self, right: Expr) -> Expr {
        Expr::binary(BinaryOp::Equal, self, right)
    }

    /// The same condition with a value in every state: where it has none it counts as false, so its negation is true.
    pub fn total(&self) -> Expr {
        if self.can_fail() { Expr::Holds(Box::new(self.clone())) } else { self.clone() }
    }

    /// May it have no value in some state, as far as its form can tell?
    pub fn can_fail(&self) -> bool {
        self.any(|part| match part {
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, ..) => true,
            Expr::Read(place) => !place.indices.is_empty(),
            Expr::Channel(..) | Expr::Poll { .. } | Expr::Enabled(_) | Expr::Exact(_) => true,
            _ => false,
        })
    }

    /// The same condition without a value where a part that decides has none: the opposite of [`Expr::total`].
    pub fn partial(&self) -> Expr {
        match self {
            Expr::Unary(UnaryOp::Not, e) => e.partial().not(),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => Expr::binary(*op, a.partial(), b.partial()),
            Expr::Holds(e) => e.partial(),
            e => e.clone(),
        }
    }

    /// The condition that it has no value, even if parts count as false then, and as far as that is not the fault of a
    /// clock's bound. `&&` and `||` look at their right side only if the left one does not decide.
    pub fn has_no_value(&self) -> Expr {
        if !self.can_fail() {
            return Expr::truth(false);
        }
        match self {
            Expr::Unary(UnaryOp::Not, e) => e.has_no_value(),
            Expr::Binary(BinaryOp::And, a, b) => a.has_no_value().or((**a).clone().and(b.has_no_value())),
            Expr::Binary(BinaryOp::Or, a, b) => a.has_no_value().or((**a).clone().not().and(b.has_no_value())),
            Expr::Holds(e) => e.has_no_value(),
            Expr::Clock(_) => Expr::truth(false),
            e => {
                let holds = |e: Expr| Expr::Holds(Box::new(e));
                holds(e.clone()).not().and(holds(e.clone().not()).not())
            }
        }
    }

    pub fn as_const(&self) -> Option<i32> {
        match self {
            Expr::Const(value) => Some(*value),
            _ => None,
        }
    }

    /// Calls `visit` on this expression and everything below it, parents first.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match self {
            Expr::Const(_)
            | Expr::OwnPid
            | Expr::FirstOf(_)
            | Expr::ProcessCount
            | Expr::LastProcess
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::AtAcceptLabel
            | Expr::Deadlock
            | Expr::UnspecifiedReception
            | Expr::ChannelOverflow => {}
            Expr::Read(place) => place.walk(visit),
            Expr::Unary(_, e)
            | Expr::Channel(_, e)
            | Expr::LocationNumber(e)
            | Expr::Enabled(e)
            | Expr::Priority(e)
            | Expr::Holds(e) => e.walk(visit),
            Expr::At { pid, .. } => pid.walk(visit),
            Expr::Binary(_, a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Expr::Conditional(a, b, c) => {
                a.walk(visit);
                b.walk(visit);
                c.walk(visit);
            }
            Expr::Poll { channel, patterns, .. } => {
                channel.walk(visit);
                patterns.iter().for_each(|p| p.walk(visit));
            }
            Expr::Clock(constraint) => constraint.bound.walk(visit),
            Expr::Exact(exact) => exact.leaves(&mut |leaf| leaf.walk(visit)),
        }
    }

    /// Does any part of it satisfy the test?
    pub fn any(&self, test: impl Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= test(e));
        found
    }
}

impl Place {
    /// Visits the expressions inside: indices and the process number.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        if let Scope::Process { pid, .. } = &self.scope {
            pid.walk(visit);
        }
        self.indices.iter().for_each(|index| index.value.walk(visit));
    }
}

impl Pattern {
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Pattern::Any => {}
            Pattern::Match(e) => e.walk(visit),
            Pattern::Bind(place) => place.walk(visit),
        }
    }
}

/// C's arithmetic on two operands; `None` for a division by zero (or the one quotient that does not fit).
#[inline]
pub fn apply_binary(op: BinaryOp, a: i32, b: i32) -> Option<i32> {
    Some(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Subtract => a.wrapping_sub(b),
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Divide => return a.checked_div(b),
        BinaryOp::Remainder => return a.checked_rem(b),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::ShiftLeft => a.wrapping_shl(b as u32),
        BinaryOp::ShiftRight => a.wrapping_shr(b as u32),
        BinaryOp::Less => (a < b) as i32,
        BinaryOp::LessEqual => (a <= b) as i32,
        BinaryOp::Greater => (a > b) as i32,
        BinaryOp::GreaterEqual => (a >= b) as i32,
        BinaryOp::Equal => (a == b) as i32,
        BinaryOp::NotEqual => (a != b) as i32,
        BinaryOp::And => (a != 0 && b != 0) as i32,
        BinaryOp::Or => (a != 0 || b != 0) as i32,
    })
}

pub fn apply_unary(op: UnaryOp, a: i32) -> i32 {
    match op {
        UnaryOp::Minus => a.wrapping_neg(),
        UnaryOp::Not => (a == 0) as i32,
        UnaryOp::Complement => !a,
    }
}
