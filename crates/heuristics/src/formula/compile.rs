//! From expressions to terms: the table of the formula heuristic with its dual column.
//!
//! `formula(e, true)` estimates the cost until `e` holds, `formula(e, false)` until it does not:
//!
//! | e | true | false |
//! |---|---|---|
//! | constant | 0 or ∞ | ∞ or 0 |
//! | `!g` | false column of g | true column of g |
//! | `g && h` | sum or maximum | minimum |
//! | `g \|\| h` | minimum | sum or maximum |
//! | `c -> g : h` | as `(c && g) \|\| (!c && h)` | as `(c && !g) \|\| (!c && !h)` |
//! | counted variable or `len(q)` against a constant | ⌈distance / largest change⌉ | the same for the opposite |
//! | `full(q)`, `empty(q)` | messages missing, messages left | 1 if it holds |
//! | `q?[t]` | messages before the first that matches; if none, one more than there are | 1 if it holds |
//! | `p@l` | local distance | 1 if it holds |
//! | anything else | 1 if it is false | 1 if it is true |

use std::sync::Arc;

use bughound_finite::cost::INFINITE;
use bughound_ir::analysis::constants::{Environment, fold};
use bughound_ir::expr::{BinaryOp, ChannelQuery, Expr, Pattern, Scope, UnaryOp};
use bughound_ir::frames::ChannelHome;
use bughound_ir::types::{Channel, ValueType};
use bughound_semantics::Probe;

use crate::changes::Rates;
use crate::facts::Facts;
use crate::formula::counter::Counter;
use crate::formula::term::{Head, Term, Who};

/// What `timeout` means where an expression is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    False,
    True,
    /// It depends on what the other processes can do.
    Unknown,
}

pub struct Compiler<'f, 'a> {
    pub facts: &'f Facts<'a>,
    pub probe: &'f Probe<'a>,
    pub known: Environment,
    pub timeout: Timeout,
}

pub const NEVER: Term = Term::Known(INFINITE);
pub const NOW: Term = Term::Known(0);

impl Compiler<'_, '_> {
    /// The cost until the expression has this truth value.
    pub fn formula(&self, expr: &Expr, wanted: bool) -> Term {
        self.folded(&fold(expr, &self.known), wanted)
    }

    fn folded(&self, expr: &Expr, wanted: bool) -> Term {
        match expr {
            Expr::Const(value) => constant((*value != 0) == wanted),
            Expr::Unary(UnaryOp::Not, e) => self.folded(e, !wanted),
            Expr::Binary(BinaryOp::And, a, b) => self.both(a, b, wanted, wanted),
            Expr::Binary(BinaryOp::Or, a, b) => self.both(a, b, wanted, !wanted),
            Expr::Conditional(c, then, otherwise) => {
                let case = |truth, e| all(vec![self.folded(c, truth), self.folded(e, wanted)]);
                any(vec![case(true, then), case(false, otherwise)])
            }
            Expr::Binary(op, a, b) => self.comparison(expr, *op, a, b, wanted),
            Expr::Read(_) => self.comparison(expr, BinaryOp::NotEqual, expr, &Expr::Const(0), wanted),
            Expr::Channel(query, channel) => self.query(expr, *query, channel, wanted),
            Expr::Poll { channel, anywhere: false, patterns } if wanted => {
                self.head(channel, patterns).unwrap_or_else(|| self.truth(expr, wanted))
            }
            Expr::At { pid, location } if wanted => match &**pid {
                Expr::Const(pid) => {
                    let pid = usize::try_from(*pid).ok().filter(|pid| *pid < self.facts.distances.class_of.len());
                    pid.map_or(NEVER, |pid| self.at(Who::Process(pid), *location))
                }
                Expr::OwnPid => self.at(Who::Own, *location),
                _ => self.at(Who::Anyone, *location),
            },
            Expr::Timeout => match self.timeout {
                Timeout::False => constant(!wanted),
                Timeout::True => constant(wanted),
                Timeout::Unknown => NOW,
            },
            Expr::Holds(e) if wanted => self.folded(e, true),
            _ => self.truth(expr, wanted),
        }
    }

    fn at(&self, who: Who, location: bughound_ir::network::LocationId) -> Term {
        Term::At { who, goal: Arc::new(self.facts.goal(location)) }
    }

    /// Two operands that must both have the wanted value, or one of them.
    fn both(&self, a: &Expr, b: &Expr, wanted: bool, together: bool) -> Term {
        let parts = vec![self.folded(a, wanted), self.folded(b, wanted)];
        if together { all(parts) } else { any(parts) }
    }

    /// An expression of which nothing more is known than its truth value.
    fn truth(&self, expr: &Expr, wanted: bool) -> Term {
        if self.timeout == Timeout::Unknown && expr.any(|e| *e == Expr::Timeout) {
            return NOW;
        }
        let own = expr.any(|e| match e {
            Expr::OwnPid | Expr::Enabled(_) => true,
            Expr::Read(place) => place.scope == Scope::Own,
            _ => false,
        });
        Term::Truth { code: self.probe.compile(expr), wanted, timeout: self.timeout == Timeout::True, own }
    }

    fn comparison(&self, whole: &Expr, op: BinaryOp, a: &Expr, b: &Expr, wanted: bool) -> Term {
        let (op, value, constant) = match (a.as_const(), b.as_const()) {
            (None, Some(constant)) => (op, a, constant),
            (Some(constant), None) => (op.mirrored().unwrap_or(op), b, constant),
            _ => return self.truth(whole, wanted),
        };
        match (op, constant) {
            (BinaryOp::Equal, 0) if is_truth_value(value) => return self.folded(value, !wanted),
            (BinaryOp::NotEqual, 0) if is_truth_value(value) => return self.folded(value, wanted),
            (BinaryOp::Equal, 1) if is_truth_value(value) => return self.folded(value, wanted),
            (BinaryOp::NotEqual, 1) if is_truth_value(value) => return self.folded(value, !wanted),
            _ => {}
        }
        let op = if wanted { op } else { op.opposite().unwrap_or(op) };
        self.counted(value, op, constant.into()).unwrap_or_else(|| self.truth(whole, wanted))
    }

    /// A comparison of something that is only counted up and down.
    fn counted(&self, value: &Expr, op: BinaryOp, constant: i64) -> Option<Term> {
        match value {
            Expr::Read(place) if place.scope == Scope::Global && place.indices.is_empty() => {
                let rates = self.facts.changes.counter(place.slot)?;
                let (low, high) = place.ty.domain();
                let (low, high) = (i64::from(low), i64::from(high));
                let wraps = !matches!(place.ty, ValueType::Range { .. });
                let modulus = wraps.then_some(high - low + 1);
                let counter = |wanted| Term::Counter(Counter { slot: place.slot, rates, modulus, wanted });
                intervals(op, constant, low, high).map(|wanted| any(wanted.into_iter().map(counter).collect()))
            }
            Expr::Channel(ChannelQuery::Length, channel) => self.length(channel, op, constant),
            _ => None,
        }
    }

    /// The global channel that a constant denotes.
    fn channel(&self, channel: &Expr) -> Option<(u32, &Channel)> {
        match self.facts.network.frames.channel_home(channel.as_const()?) {
            Some(ChannelHome::Global(index)) => Some((index, &self.facts.network.channels[index as usize])),
            _ => None,
        }
    }

    fn length(&self, channel: &Expr, op: BinaryOp, constant: i64) -> Option<Term> {
        let (index, channel) = self.channel(channel)?;
        let wanted = intervals(op, constant, 0, channel.capacity.into())?;
        if channel.capacity == 0 {
            let holds = wanted.iter().any(|(low, high)| *low <= 0 && 0 <= *high);
            return Some(self::constant(holds));
        }
        let traffic = self.facts.changes.channel(index);
        let rates = Rates { up: traffic.sends, down: traffic.receives };
        let counter = |wanted| Term::Counter(Counter { slot: channel.slot, rates, modulus: None, wanted });
        Some(any(wanted.into_iter().map(counter).collect()))
    }

    fn query(&self, whole: &Expr, query: ChannelQuery, channel: &Expr, wanted: bool) -> Term {
        let Some((_, decl)) = self.channel(channel) else { return self.truth(whole, wanted) };
        // A rendezvous channel counts as one that is never full.
        let capacity = i64::from(decl.capacity.max(1));
        let (op, bound) = match query {
            ChannelQuery::Length | ChannelQuery::NotEmpty => (BinaryOp::NotEqual, 0),
            ChannelQuery::Empty => (BinaryOp::Equal, 0),
            ChannelQuery::Full => (BinaryOp::Equal, capacity),
            ChannelQuery::NotFull => (BinaryOp::NotEqual, capacity),
        };
        let op = if wanted { op } else { op.opposite().unwrap_or(op) };
        self.length(channel, op, bound).unwrap_or_else(|| self.truth(whole, wanted))
    }

    fn head(&self, channel: &Expr, patterns: &[Pattern]) -> Option<Term> {
        let (index, channel) = self.channel(channel)?;
        let traffic = self.facts.changes.channel(index);
        if channel.capacity == 0 || traffic.sorted || patterns.len() > channel.fields.len() {
            return None;
        }
        let field = |pattern: &Pattern| match pattern {
            Pattern::Any | Pattern::Bind(_) => Some(None),
            Pattern::Match(wanted) => wanted.as_const().map(Some),
        };
        Some(Term::Head(Head {
            slot: channel.slot as usize,
            width: channel.fields.len(),
            fields: patterns.iter().map(field).collect::<Option<_>>()?,
            operations: traffic.operations,
            can_be_sent: traffic.sends > 0,
            can_be_received: traffic.receives > 0,
        }))
    }
}

fn constant(holds: bool) -> Term {
    if holds { NOW } else { NEVER }
}

pub fn all(terms: Vec<Term>) -> Term {
    if terms.iter().any(|term| matches!(term, Term::Known(INFINITE))) {
        return NEVER;
    }
    let mut kept: Vec<Term> = terms.into_iter().filter(|term| !matches!(term, Term::Known(0))).collect();
    match kept.len() {
        0 => NOW,
        1 => kept.swap_remove(0),
        _ => Term::All(kept),
    }
}

pub fn any(terms: Vec<Term>) -> Term {
    if terms.iter().any(|term| matches!(term, Term::Known(0))) {
        return NOW;
    }
    let mut kept: Vec<Term> = terms.into_iter().filter(|term| !matches!(term, Term::Known(INFINITE))).collect();
    match kept.len() {
        0 => NEVER,
        1 => kept.swap_remove(0),
        _ => Term::Any(kept),
    }
}

/// Is the value always 0 or 1?
fn is_truth_value(expr: &Expr) -> bool {
    match expr {
        Expr::Unary(UnaryOp::Not, _)
        | Expr::Poll { .. }
        | Expr::At { .. }
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::AtAcceptLabel
        | Expr::Deadlock => true,
        Expr::Channel(query, _) => *query != ChannelQuery::Length,
        Expr::Binary(op, ..) => op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or),
        _ => false,
    }
}

/// The values between `low` and `high` for which a comparison with a constant holds; `None` if it is no comparison.
fn intervals(op: BinaryOp, constant: i64, low: i64, high: i64) -> Option<Vec<(i64, i64)>> {
    let below = (low, high.min(constant - 1));
    let above = (low.max(constant + 1), high);
    Some(match op {
        BinaryOp::Less => vec![below],
        BinaryOp::LessEqual => vec![(low, high.min(constant))],
        BinaryOp::Greater => vec![above],
        BinaryOp::GreaterEqual => vec![(low.max(constant), high)],
        BinaryOp::Equal => vec![(low.max(constant), high.min(constant))],
        BinaryOp::NotEqual => vec![below, above],
        _ => return None,
    })
}
