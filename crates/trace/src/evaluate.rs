//! Values of expressions for explanations, by means of the reference evaluator alone.
//!
//! The evaluator answers whether a property holds. The value of an expression `e` follows from asking `e < c` for
//! halving intervals: 32 questions. That is slow and needs no second set of rules for what expressions mean.

use bughound_ir::expr::{BinaryOp, Expr, Index, Pattern, Place, Scope};
use bughound_ir::reference::{EvalError, RefState, Reference};

/// The truth of an expression as process `own` sees it.
pub fn truth(reference: Reference<'_>, state: &RefState, own: Option<usize>, expr: &Expr) -> Result<bool, EvalError> {
    reference.holds(state, &seen_by(state, own, expr))
}

/// The value of an expression as process `own` sees it.
pub fn value(reference: Reference<'_>, state: &RefState, own: Option<usize>, expr: &Expr) -> Result<i32, EvalError> {
    let expr = seen_by(state, own, expr);
    if let Expr::Const(value) = expr {
        return Ok(value);
    }
    // Invariant: low <= value <= high.
    let (mut low, mut high) = (i32::MIN as i64, i32::MAX as i64);
    while low < high {
        let middle = low + (high - low) / 2 + 1;
        let question = Expr::binary(BinaryOp::Less, expr.clone(), Expr::Const(middle as i32));
        if reference.holds(state, &question)? {
            high = middle - 1;
        } else {
            low = middle;
        }
    }
    Ok(low as i32)
}

/// The same expression for an outside observer: what is the process's own is named by its number.
fn seen_by(state: &RefState, own: Option<usize>, expr: &Expr) -> Expr {
    match own {
        Some(pid) if pid < state.processes.len() => Outside { state, pid }.expr(expr),
        _ => expr.clone(),
    }
}

struct Outside<'s> {
    state: &'s RefState,
    pid: usize,
}

impl Outside<'_> {
    fn boxed(&self, expr: &Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn expr(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Const(_)
            | Expr::FirstOf(_)
            | Expr::ProcessCount
            | Expr::LastProcess
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Clock(_) => expr.clone(),
            Expr::OwnPid => Expr::Const(self.pid as i32),
            Expr::Read(place) => Expr::Read(Box::new(self.place(place))),
            Expr::Unary(op, e) => Expr::Unary(*op, self.boxed(e)),
            Expr::Binary(op, a, b) => Expr::Binary(*op, self.boxed(a), self.boxed(b)),
            Expr::Conditional(a, b, c) => Expr::Conditional(self.boxed(a), self.boxed(b), self.boxed(c)),
            Expr::Channel(query, e) => Expr::Channel(*query, self.boxed(e)),
            Expr::Poll { channel, anywhere, patterns } => Expr::Poll {
                channel: self.boxed(channel),
                anywhere: *anywhere,
                patterns: patterns.iter().map(|p| self.pattern(p)).collect(),
            },
            Expr::At { pid, location } => Expr::At { pid: self.boxed(pid), location: *location },
            Expr::LocationNumber(e) => Expr::LocationNumber(self.boxed(e)),
            Expr::Enabled(e) => Expr::Enabled(self.boxed(e)),
            Expr::Priority(e) => Expr::Priority(self.boxed(e)),
        }
    }

    fn pattern(&self, pattern: &Pattern) -> Pattern {
        match pattern {
            Pattern::Any => Pattern::Any,
            Pattern::Match(e) => Pattern::Match(self.expr(e)),
            Pattern::Bind(place) => Pattern::Bind(self.place(place)),
        }
    }

    fn place(&self, place: &Place) -> Place {
        let scope = match &place.scope {
            Scope::Global => Scope::Global,
            Scope::Own => {
                let template = self.state.processes[self.pid].template;
                Scope::Process { pid: Box::new(Expr::Const(self.pid as i32)), template }
            }
            Scope::Process { pid, template } => Scope::Process { pid: self.boxed(pid), template: *template },
        };
        let index = |i: &Index| Index { value: self.expr(&i.value), len: i.len, stride: i.stride };
        Place { scope, slot: place.slot, indices: place.indices.iter().map(index).collect(), ty: place.ty }
    }
}
