//! Conditions that mix data and clocks.
//!
//! A condition is rewritten so that negations stand at its leaves (`not x < 3` is `x >= 3`). A guard is then split at its
//! disjunctions ([`Formula::cases`]): `x < 3 or y > 5` becomes two edges, which together can do exactly what the one
//! could. An invariant cannot be split, and a guard with many choices should not be: they become lists of bounds that may
//! depend on variables ([`Formula::clauses`]).
//!
//! Which element of an array of clocks is meant may be known only during the run: then there is one case for each.

use bughound_ir::expr::{BinaryOp, Expr, UnaryOp};
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::types::{ClockConstraint, ClockId, MAX_CLOCK_CONSTANT, Relation, is_clock_constant};

use crate::ast::{self, Binary, ExprKind, Quantifier, Unary};
use crate::lower::expressions::{Operand, outside};
use crate::lower::fold;
use crate::lower::formula::{Formula, join};
use crate::lower::scope::{ScopeId, Target};
use crate::lower::types::Ty;
use crate::lower::{Lowering, Res};

/// Of so many clocks one may be chosen during the run.
const MAX_CLOCKS: u64 = 256;

/// A sum of clocks and data.
struct Linear {
    clocks: Vec<(Target, i32)>,
    rest: Expr,
}

impl<'a> Lowering<'a> {
    /// All conditions of a list at once.
    pub(super) fn conjunction(&mut self, list: &'a [ast::Expr], scope: ScopeId) -> Res<Formula> {
        let mut parts = Vec::new();
        for expr in list {
            if self.has_effects(expr, scope) {
                let help = "only updates may change variables";
                return Err(self.error(expr.span, "a condition must not change anything").help(help));
            }
            match self.formula(expr, scope, true)? {
                Formula::All(inner) => parts.extend(inner),
                part => parts.push(part),
            }
        }
        Ok(Formula::All(parts))
    }

    /// An expression, or its negation if `positive` is false.
    pub(super) fn formula(&mut self, expr: &'a ast::Expr, scope: ScopeId, positive: bool) -> Res<Formula> {
        // Conjunctions are taken apart even without clocks: heuristics and traces like single guards.
        let conjunction = positive && matches!(expr.kind, ExprKind::Binary(Binary::And, ..));
        if !self.is_clocky(expr, scope) && !conjunction {
            let value = self.value(expr, scope)?;
            return Ok(Formula::Data(if positive { value } else { fold::not(value) }));
        }
        match &expr.kind {
            ExprKind::Unary(Unary::Not, inner) => self.formula(inner, scope, !positive),
            ExprKind::Binary(op @ (Binary::And | Binary::Or | Binary::Imply), left, right) => {
                let left = self.formula(left, scope, positive ^ (*op == Binary::Imply))?;
                let conjunctive = (*op == Binary::And) == positive;
                if self.decides(&left, conjunctive) {
                    return Ok(left);
                }
                let right = self.formula(right, scope, positive)?;
                Ok(join(conjunctive, vec![left, right]))
            }
            ExprKind::Conditional(condition, then, otherwise) if !self.is_clocky(condition, scope) => {
                let test = fold::truth(self.value(condition, scope)?);
                match test.as_const() {
                    Some(0) => self.formula(otherwise, scope, positive),
                    Some(_) => self.formula(then, scope, positive),
                    None => {
                        let then = self.formula(then, scope, positive)?;
                        let otherwise = self.formula(otherwise, scope, positive)?;
                        Ok(Formula::Switch(vec![(test.clone(), then), (fold::not(test), otherwise)]))
                    }
                }
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let cases = [(true, then), (false, otherwise)];
                let mut parts = Vec::new();
                for (when, branch) in cases {
                    let test = self.formula(condition, scope, when)?;
                    let branch = self.formula(branch, scope, positive)?;
                    parts.push(join(true, vec![test, branch]));
                }
                Ok(Formula::Any(parts))
            }
            ExprKind::Quantified { quantifier, name, ty, body } if *quantifier != Quantifier::Sum => {
                let conjunctive = (*quantifier == Quantifier::ForAll) == positive;
                let mut parts = Vec::new();
                let mark = self.scopes.mark();
                for inner in self.each_value(name, ty, scope)? {
                    parts.push(self.formula(body, inner, positive)?);
                }
                self.scopes.forget(mark);
                Ok(join(conjunctive, parts))
            }
            ExprKind::Binary(op, left, right) => self.comparison(*op, left, right, expr.span, scope, positive),
            _ => {
                let help = "compare it: `x <= 5`, `x - y < 3`";
                Err(self.error(expr.span, "a clock is no condition").help(help))
            }
        }
    }

    fn decides(&self, part: &Formula, conjunctive: bool) -> bool {
        matches!(part, Formula::Data(Expr::Const(value)) if (*value == 0) == conjunctive)
    }

    /// A comparison in which clocks occur.
    pub(super) fn comparison(
        &mut self,
        op: Binary,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
        scope: ScopeId,
        positive: bool,
    ) -> Res<Formula> {
        if let ExprKind::Rate(of) = &left.kind {
            if self.meter(of, scope).is_none() && op == Binary::Equal && self.value(right, scope)? == Expr::Const(1) {
                if self.linear(of, scope)?.clocks.is_empty() {
                    return Err(self.error(of.span, "only clocks have rates").help("variables change in updates"));
                }
                return Ok(Formula::Data(Expr::truth(positive)));
            }
            return Err(self.rate_refused(of, span, scope));
        }
        let relation = match (op, positive) {
            (Binary::Less, true) | (Binary::GreaterEqual, false) => Relation::Less,
            (Binary::LessEqual, true) | (Binary::Greater, false) => Relation::LessEqual,
            (Binary::GreaterEqual, true) | (Binary::Less, false) => Relation::GreaterEqual,
            (Binary::Greater, true) | (Binary::LessEqual, false) => Relation::Greater,
            (Binary::Equal, true) | (Binary::NotEqual, false) => Relation::Equal,
            (Binary::Equal, false) | (Binary::NotEqual, true) => {
                if !self.in_query && !self.splits_unequal {
                    let help = "write two edges, one with `<` and one with `>`";
                    return Err(self.error(span, "clocks cannot be compared with `!=`").help(help));
                }
                let less = self.comparison(Binary::Less, left, right, span, scope, true)?;
                let greater = self.comparison(Binary::Greater, left, right, span, scope, true)?;
                return Ok(Formula::Any(vec![less, greater]));
            }
            _ => {
                let help = "a clock can only be compared: `x <= 5`, `x - y < 3`";
                return Err(self.error(span, "clocks cannot be part of such an expression").help(help));
            }
        };
        let (a, b) = (self.linear(left, scope)?, self.linear(right, scope)?);
        let bound = fold::binary(BinaryOp::Subtract, b.rest, a.rest);
        self.check_clock_constant(&bound, span)?;
        let mut clocks = a.clocks;
        clocks.extend(b.clocks.into_iter().map(|(clock, factor)| (clock, -factor)));
        self.constraint(clocks, relation, bound, span)
    }

    pub(super) fn rate_refused(&self, of: &ast::Expr, span: Span, scope: ScopeId) -> Diagnostic {
        let Some(meter) = self.meter(of, scope) else {
            let message = "rates of clocks (stop-watches such as `x' == 0`, hybrid models) are not supported";
            return self.error(span, message);
        };
        let name = meter.name();
        let help = "a choice between rates is one number: `cost' == (b ? 3 : 5)`".replace("cost", name);
        self.error(span, format!("`{name}' == e` is a part of an invariant, by itself or joined by `&&`")).help(help)
    }

    /// Can a clock be compared with this, or set to it? What depends on variables is looked at during the run, where queries
    /// have no place for errors.
    pub(super) fn check_clock_constant(&self, value: &Expr, span: Span) -> Res<()> {
        let help = format!("clocks can be compared with and set to numbers up to {MAX_CLOCK_CONSTANT}");
        let further = "choose a larger unit of time for the whole model";
        if let Some(exact) = fold::exact(value) {
            if i64::try_from(exact).is_ok_and(is_clock_constant) {
                return Ok(());
            }
            return Err(self
                .error(span, format!("{exact} is too large for a clock"))
                .help(format!("{help}: {further}")));
        }
        let (lo, hi) = fold::bounds(value);
        let limit = i64::from(MAX_CLOCK_CONSTANT);
        if hi < -limit || lo > limit {
            let message = format!("this is always too large for a clock: between {lo} and {hi}");
            return Err(self.error(span, message).help(format!("{help}: {further}")));
        }
        if self.in_query && !(is_clock_constant(lo) && is_clock_constant(hi)) {
            let message = format!("this may be too large for a clock: between {lo} and {hi}");
            let narrower = "give the variables smaller ranges";
            return Err(self.error(span, message).help(format!("{help}: {narrower}")));
        }
        Ok(())
    }

    /// A sum of clocks compared with a bound: for each way in which their indices can come out.
    fn constraint(
        &mut self,
        mut clocks: Vec<(Target, i32)>,
        relation: Relation,
        bound: Expr,
        span: Span,
    ) -> Res<Formula> {
        self.tick(span)?;
        let Some(open) = clocks.iter().position(|(clock, _)| !clock.indices.is_empty()) else {
            let clocks = clocks.into_iter().map(|(clock, factor)| (ClockId(clock.slot), factor)).collect();
            return self.known_constraint(clocks, relation, bound, span);
        };
        let index = clocks[open].0.indices.remove(0);
        let first = clocks[open].0.slot;
        let (least, most) = fold::bounds(&index.value);
        let last = i64::from(index.len) - 1;
        let mut arms = Vec::new();
        for at in least.max(0)..=most.min(last) {
            clocks[open].0.slot = first + at as u32 * index.stride;
            let here = fold::binary(BinaryOp::Equal, index.value.clone(), Expr::Const(at as i32));
            arms.push((here, self.constraint(clocks.clone(), relation, bound.clone(), span)?));
        }
        if least < 0 || most > last {
            let below = fold::binary(BinaryOp::Less, index.value.clone(), Expr::Const(0));
            let above = fold::binary(BinaryOp::Greater, index.value.clone(), Expr::Const(last as i32));
            let failure = Formula::Data(outside(&index.value, index.len));
            arms.push((fold::binary(BinaryOp::Or, below, above), failure));
        }
        Ok(Formula::Switch(arms))
    }

    fn known_constraint(&self, list: Vec<(ClockId, i32)>, relation: Relation, bound: Expr, span: Span) -> Res<Formula> {
        let mut clocks = Vec::new();
        for (clock, factor) in list {
            add_clock(&mut clocks, clock, factor);
        }
        let minus = |bound| fold::unary(UnaryOp::Minus, bound);
        match clocks[..] {
            [] => Ok(Formula::Data(fold::binary(relation.operator(), Expr::Const(0), bound))),
            [(left, 1)] => Ok(Formula::Clock(ClockConstraint { left, minus: None, relation, bound })),
            [(left, -1)] => {
                let relation = relation.mirrored();
                Ok(Formula::Clock(ClockConstraint { left, minus: None, relation, bound: minus(bound) }))
            }
            [(left, 1), (other, -1)] | [(other, -1), (left, 1)] => {
                Ok(Formula::Clock(ClockConstraint { left, minus: Some(other), relation, bound }))
            }
            _ => {
                let help = "a constraint has one clock, or the difference of two: `x <= 5`, `x - y < 3`";
                Err(self.error(span, "this sum of clocks cannot be compared").help(help))
            }
        }
    }

    fn linear(&mut self, expr: &'a ast::Expr, scope: ScopeId) -> Res<Linear> {
        if !self.is_clocky(expr, scope) {
            return Ok(Linear { clocks: Vec::new(), rest: self.value(expr, scope)? });
        }
        match &expr.kind {
            ExprKind::Binary(op @ (Binary::Add | Binary::Subtract), left, right) => {
                let (mut a, b) = (self.linear(left, scope)?, self.linear(right, scope)?);
                let (sign, op) = if *op == Binary::Add { (1, BinaryOp::Add) } else { (-1, BinaryOp::Subtract) };
                a.clocks.extend(b.clocks.into_iter().map(|(clock, factor)| (clock, sign * factor)));
                Ok(Linear { clocks: a.clocks, rest: fold::binary(op, a.rest, b.rest) })
            }
            ExprKind::Unary(Unary::Plus, inner) => self.linear(inner, scope),
            ExprKind::Unary(Unary::Minus, inner) => {
                let inner = self.linear(inner, scope)?;
                let clocks = inner.clocks.into_iter().map(|(clock, factor)| (clock, -factor)).collect();
                Ok(Linear { clocks, rest: fold::unary(UnaryOp::Minus, inner.rest) })
            }
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Member(..) => {
                let operand = self.operand(expr, scope)?;
                let clock = self.clock_target(operand, expr.span)?;
                Ok(Linear { clocks: vec![(clock, 1)], rest: Expr::Const(0) })
            }
            _ => {
                let help = "a clock can be compared with an expression without clocks: `x <= 2 * N`";
                Err(self.error(expr.span, "clocks cannot be part of such an expression").help(help))
            }
        }
    }

    /// The clock that an operand names; which one of an array may be known only during the run.
    pub(super) fn clock_target(&mut self, operand: Operand, span: Span) -> Res<Target> {
        match operand {
            Operand::Target(target) if target.ty == Ty::Clock => {
                let elements: u64 = target.indices.iter().map(|index| u64::from(index.len)).product();
                if elements > MAX_CLOCKS {
                    let help = "use a constant, a parameter or a selected name for the index";
                    let message =
                        format!("which of more than {MAX_CLOCKS} clocks this is is known only during the run");
                    return Err(self.error(span, message).help(help));
                }
                Ok(target)
            }
            operand => Err(self.error(span, format!("a clock is wanted here, not {}", operand.ty().words()))),
        }
    }

    /// The clock that an operand names, which must be known before the run.
    pub(super) fn clock(&mut self, operand: Operand, span: Span) -> Res<ClockId> {
        let target = self.clock_target(operand, span)?;
        if target.indices.is_empty() {
            return Ok(ClockId(target.slot));
        }
        let help = "use a constant, a parameter or a bound name for the index";
        Err(self.error(span, "which clock this is is known only during the run").help(help))
    }
}

fn add_clock(clocks: &mut Vec<(ClockId, i32)>, clock: ClockId, factor: i32) {
    match clocks.iter().position(|(known, _)| *known == clock) {
        Some(at) => {
            clocks[at].1 += factor;
            if clocks[at].1 == 0 {
                clocks.remove(at);
            }
        }
        None => clocks.push((clock, factor)),
    }
}
