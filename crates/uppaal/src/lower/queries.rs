//! Queries become properties of the network.

use bughound_ir::expr::{Expr, UnaryOp};
use bughound_ir::ltl;
use bughound_ir::question::{ExtremesQuestion, Property, Quantity, Question, RunQuestion, RunShape};
use bughound_ir::source::{Diagnostic, Severity};

use crate::ast::{self, Expectation, LtlBinary, LtlKind, LtlUnary, QueryKind};
use crate::lower::expressions::Operand;
use crate::lower::fold;
use crate::lower::formula::Formula;
use crate::lower::scope::ScopeId;
use crate::lower::types::Ty;
use crate::lower::{Lowering, Res};

/// A query of the user, and what became of it.
#[derive(Clone, Debug)]
pub struct LoweredQuery {
    /// As written, also the name of the property.
    pub text: String,
    pub comment: String,
    /// What the file says that the answer should be.
    pub expectation: Option<Expectation>,
    /// Index among the properties of the network, or why it cannot be checked.
    pub property: Result<usize, String>,
}

impl<'a> Lowering<'a> {
    pub(super) fn lower_query(&mut self, query: &'a ast::Query) -> LoweredQuery {
        self.in_query = true;
        self.place = "a query".into();
        let property = match &query.kind {
            QueryKind::Refused(reason) => Err(reason.clone()),
            kind => self.question(kind, &query.text, self.global).map_err(|error| {
                let reason = error.message.clone();
                let severity = if query.demanded { Severity::Error } else { Severity::Warning };
                self.diagnostics.push(Diagnostic { severity, ..error });
                reason
            }),
        };
        self.in_query = false;
        let property = property.map(|question| {
            self.builder.property(Property { name: query.text.clone(), question, span: Some(query.span) });
            self.builder.so_far().properties.len() - 1
        });
        LoweredQuery {
            text: query.text.clone(),
            comment: query.comment.clone(),
            expectation: query.expectation,
            property,
        }
    }

    fn question(&mut self, kind: &'a QueryKind, text: &str, scope: ScopeId) -> Res<Question> {
        let run = |shape| Question::Run(RunQuestion::new(shape));
        Ok(match kind {
            QueryKind::Always(formula) => match self.condition(formula, scope)? {
                Expr::Unary(UnaryOp::Not, inner) if *inner == Expr::Deadlock => Question::Deadlock,
                // Where it has no value it is not true, and the trace says why.
                condition => Question::Invariant(condition.partial()),
            },
            QueryKind::Possibly(formula) => Question::Reach(self.condition(formula, scope)?),
            QueryKind::PossiblyAlways(formula) => run(RunShape::PossiblyAlways(self.condition(formula, scope)?)),
            QueryKind::Eventually(formula) => run(RunShape::Eventually(self.condition(formula, scope)?)),
            QueryKind::LeadsTo(when, then) => {
                let (when, then) = (self.condition(when, scope)?, self.condition(then, scope)?);
                run(RunShape::LeadsTo(when, then))
            }
            QueryKind::Extremes { least, greatest, condition, of } => {
                let condition = match condition {
                    Some(condition) => self.condition(condition, scope)?,
                    None => Expr::Const(1),
                };
                let quantities: Res<Vec<Quantity>> = of.iter().map(|e| self.quantity(e, scope)).collect();
                Question::Extremes(ExtremesQuestion {
                    least: *least,
                    greatest: *greatest,
                    condition,
                    of: quantities?,
                    names: quantity_names(text, of.len()),
                })
            }
            QueryKind::Ltl(formula) => Question::Ltl(self.ltl(formula, scope)?),
            QueryKind::Refused(reason) => return Err(Diagnostic::new(Severity::Warning, None, reason.clone())),
        })
    }

    /// A condition on states, with negations of clock constraints resolved.
    fn condition(&mut self, expr: &'a ast::Expr, scope: ScopeId) -> Res<Expr> {
        if self.has_effects(expr, scope) {
            return Err(self.error(expr.span, "a query must not change anything"));
        }
        // Where clocks are involved, parts are looked at apart: each must have a value, lest the order of them matter.
        let formula = match self.formula(expr, scope, true)? {
            formula @ Formula::Data(_) => formula,
            formula => formula.total(),
        };
        Ok(fold::truth(formula.into_expr()))
    }

    /// Runs show what processes and variables are after each step, not what clocks are in between.
    fn ltl(&mut self, formula: &'a ast::Ltl, scope: ScopeId) -> Res<ltl::Formula> {
        let boxed = |formula| Box::new(formula);
        Ok(match &formula.kind {
            LtlKind::Condition(expr) => {
                let condition = self.condition(expr, scope)?;
                if condition.any(|part| matches!(part, Expr::Clock(_) | Expr::Deadlock)) {
                    let message = "a formula cannot have clocks or `deadlock` in its conditions; let a location say it";
                    return Err(self.error(expr.span, message));
                }
                ltl::Formula::Atom(condition.total())
            }
            LtlKind::Unary(op, operand) => {
                let operand = boxed(self.ltl(operand, scope)?);
                match op {
                    LtlUnary::Not => ltl::Formula::Not(operand),
                    LtlUnary::Next => ltl::Formula::Next(operand),
                    LtlUnary::Eventually => ltl::Formula::Eventually(operand),
                    LtlUnary::Always => ltl::Formula::Always(operand),
                }
            }
            LtlKind::Binary(op, left, right) => {
                let (left, right) = (boxed(self.ltl(left, scope)?), boxed(self.ltl(right, scope)?));
                match op {
                    LtlBinary::And => ltl::Formula::And(left, right),
                    LtlBinary::Or => ltl::Formula::Or(left, right),
                    LtlBinary::Implies => ltl::Formula::Implies(left, right),
                    LtlBinary::Equivalent => ltl::Formula::Equivalent(left, right),
                    LtlBinary::Until => ltl::Formula::Until(left, right),
                    LtlBinary::WeakUntil => ltl::Formula::WeakUntil(left, right),
                    LtlBinary::Release => ltl::Formula::Release(left, right),
                }
            }
        })
    }

    fn quantity(&mut self, expr: &'a ast::Expr, scope: ScopeId) -> Res<Quantity> {
        if !self.is_clocky(expr, scope) {
            return Ok(Quantity::Value(self.value(expr, scope)?));
        }
        match self.operand(expr, scope)? {
            Operand::Target(target) if target.ty == Ty::Clock => {
                self.clock(Operand::Target(target), expr.span).map(Quantity::Clock)
            }
            _ => Err(self.error(expr.span, "only single clocks and data have extreme values here")),
        }
    }
}

/// The texts of so many quantities, beyond the colon of the query.
fn quantity_names(text: &str, count: usize) -> Vec<String> {
    let from = text.rfind('}').unwrap_or(0);
    let list = text[from..].split_once(':').map_or("", |(_, list)| list);
    let mut depth = 0;
    let mut names = vec![String::new()];
    for character in list.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        match (character, names.last_mut()) {
            (',', _) if depth == 0 => names.push(String::new()),
            (_, Some(name)) => name.push(character),
            (_, None) => {}
        }
    }
    let mut names: Vec<String> = names.iter().map(|name| name.trim().to_string()).collect();
    names.resize(count, String::new());
    names
}
