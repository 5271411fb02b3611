//! What a property asks: from its expression to a question about chances.

use std::collections::HashMap;
use std::rc::Rc;

use bughound_ir::chance::{
    Asked, Bound, Bounded, Bounds, ChanceQuestion, Extreme, FilterFunction, Kind, Limit, Measure, Number, PathFormula,
    Quantity, RewardFormula, RewardId, StateFormula,
};
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;

use super::super::ast::{self, ExprKind, RewardBody, RewardName, TemporalOperator};
use super::expressions::too_high;
use super::scope::{Elaborated, Problem, Scope};
use crate::tree::{Binary, Expr, ExprKind as TreeKind, Model, Type, Unary};

/// Functions of filters that exist, but are not supported.
const OTHER_FUNCTIONS: &[&str] = &["first", "print", "printall", "argmin", "argmax"];

const FUNCTIONS: &[(&str, FilterFunction)] = &[
    ("state", FilterFunction::State),
    ("min", FilterFunction::Min),
    ("max", FilterFunction::Max),
    ("sum", FilterFunction::Sum),
    ("avg", FilterFunction::Average),
    ("count", FilterFunction::Count),
    ("forall", FilterFunction::ForAll),
    ("exists", FilterFunction::Exists),
    ("range", FilterFunction::Range),
];

/// How deep formulas about states may nest, properties with names written out.
const MAX_DEPTH: usize = 300;

pub struct Questions<'q> {
    pub scope: &'q mut Scope,
    model: &'q Model,
    /// Properties of the same file by their names.
    named: &'q HashMap<Rc<str>, Rc<ast::Expr>>,
    /// Names of properties that are being read, to find circles.
    inside: Vec<Rc<str>>,
    /// How many formulas inside of one another are being read.
    depth: usize,
}

fn unsupported<T>(what: impl Into<String>) -> Elaborated<T> {
    Err(Problem::Unanswerable(what.into()))
}

fn ltl<T>() -> Elaborated<T> {
    unsupported("LTL formulas (operators about runs inside of one another) are not supported")
}

/// Is there an operator about runs, outside of questions of their own?
fn has_temporal(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Temporal(_) => true,
        ExprKind::Quantity(_) | ExprKind::Filter(_) => false,
        _ => expr.parts().into_iter().any(has_temporal),
    }
}

impl<'q> Questions<'q> {
    pub fn new(scope: &'q mut Scope, model: &'q Model, named: &'q HashMap<Rc<str>, Rc<ast::Expr>>) -> Self {
        Questions { scope, model, named, inside: Vec::new(), depth: 0 }
    }

    /// Reads the property that a name stands for, unless it is a label.
    fn referenced<T>(
        &mut self,
        expr: &ast::Expr,
        read: impl FnOnce(&mut Self, &ast::Expr) -> Elaborated<T>,
    ) -> Option<Elaborated<T>> {
        let ExprKind::Quoted(name) = &expr.kind else { return None };
        if matches!(&**name, "init" | "deadlock") || self.scope.has_label(name) {
            return None;
        }
        let property = Rc::clone(self.named.get(name)?);
        if self.inside.contains(name) || self.inside.len() >= 20 {
            let message = format!("the property \"{name}\" is defined by itself");
            return Some(Err(Diagnostic::error(expr.span, message).into()));
        }
        if let Err(problem) = self.scope.charge(10, expr.span) {
            return Some(Err(problem));
        }
        self.inside.push(Rc::clone(name));
        let result = read(self, &property);
        self.inside.pop();
        Some(result)
    }

    pub fn question(&mut self, expr: &ast::Expr) -> Elaborated<ChanceQuestion<Expr>> {
        if let Some(question) = self.referenced(expr, Self::question) {
            return question;
        }
        match &expr.kind {
            ExprKind::Filter(filter) => self.filter(filter),
            ExprKind::Quantity(quantity) if quantity.filter.is_some() => self.with_old_filter(expr, quantity),
            _ => Ok(ChanceQuestion { asked: self.asked(expr)?, function: FilterFunction::State, states: None }),
        }
    }

    fn with_old_filter(&mut self, expr: &ast::Expr, quantity: &ast::Quantity) -> Elaborated<ChanceQuestion<Expr>> {
        let Some(filter) = &quantity.filter else { return self.question(expr) };
        let function = match (filter.min, filter.max) {
            (false, false) => FilterFunction::State,
            (true, false) => FilterFunction::Min,
            (false, true) => FilterFunction::Max,
            (true, true) => FilterFunction::Range,
        };
        if quantity.relation.is_some() && function != FilterFunction::State {
            let message = "`{min}` and `{max}` are for values, but this is true or false";
            return Err(Diagnostic::error(expr.span, message).help("ask with `=?`, or leave them out").into());
        }
        let states = self.states(&filter.states)?;
        let asked = match &quantity.relation {
            None => Asked::Value(self.quantity(quantity, expr.span)?),
            Some(_) => Asked::Truth(self.bound(quantity, expr.span)?),
        };
        Ok(ChanceQuestion { asked, function, states })
    }

    /// The states that are asked about; the initial ones are `None`.
    fn states(&mut self, expr: &ast::Expr) -> Elaborated<Option<StateFormula<Expr>>> {
        match self.formula(expr)? {
            StateFormula::Initial => Ok(None),
            states => Ok(Some(states)),
        }
    }

    fn filter(&mut self, filter: &ast::Filter) -> Elaborated<ChanceQuestion<Expr>> {
        let name = &filter.function;
        let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| **known == *name.text) else {
            if OTHER_FUNCTIONS.contains(&&*name.text) {
                return unsupported(format!("`filter({}, …)` is not supported", name.text));
            }
            let known = FUNCTIONS.iter().map(|(name, _)| *name).chain(OTHER_FUNCTIONS.iter().copied());
            let message = format!("there is no filter `{}`{}", name.text, suggest(&name.text, known));
            return Err(Diagnostic::error(name.span, message).into());
        };
        let asked = self.asked(&filter.property)?;
        let fits = match function {
            FilterFunction::State => true,
            FilterFunction::Min
            | FilterFunction::Max
            | FilterFunction::Sum
            | FilterFunction::Average
            | FilterFunction::Range => matches!(asked, Asked::Value(_)),
            FilterFunction::Count | FilterFunction::ForAll | FilterFunction::Exists => matches!(asked, Asked::Truth(_)),
        };
        if !fits {
            let (wants, gets) = match asked {
                Asked::Value(_) => ("what is true or false", "a value"),
                Asked::Truth(_) => ("values", "true or false"),
            };
            let message = format!("the filter `{}` is for {wants}", name.text);
            return Err(Diagnostic::error(filter.property.span, message).label(format!("this is {gets}")).into());
        }
        let states = match &filter.states {
            Some(states) => self.states(states)?,
            None => {
                let all = TreeKind::Bool(true);
                Some(StateFormula::Atom(Expr { kind: all, ty: Type::Bool, span: name.span }))
            }
        };
        Ok(ChanceQuestion { asked, function: *function, states })
    }

    fn asked(&mut self, expr: &ast::Expr) -> Elaborated<Asked<Expr>> {
        if let Some(asked) = self.referenced(expr, Self::asked) {
            return asked;
        }
        match &expr.kind {
            ExprKind::Quantity(quantity) if quantity.relation.is_none() => {
                if quantity.filter.is_some() {
                    return unsupported("a filter inside of another one is not supported");
                }
                Ok(Asked::Value(self.quantity(quantity, expr.span)?))
            }
            ExprKind::Filter(_) => unsupported("a filter inside of another one is not supported"),
            _ => {
                if self.is_plain(expr) && self.scope.expression(expr)?.ty != Type::Bool {
                    return unsupported("asking for the value of an expression is not supported");
                }
                Ok(Asked::Truth(self.formula(expr)?))
            }
        }
    }

    /// Is it an expression about a single state, such as models have?
    fn is_plain(&self, expr: &ast::Expr) -> bool {
        !expr.any(&|part| match &part.kind {
            ExprKind::Temporal(_) | ExprKind::Quantity(_) | ExprKind::Filter(_) => true,
            ExprKind::Quoted(name) => {
                matches!(&**name, "init" | "deadlock") || (self.named.contains_key(name) && !self.scope.has_label(name))
            }
            _ => false,
        })
    }

    /// What is true or false of a state.
    fn formula(&mut self, expr: &ast::Expr) -> Elaborated<StateFormula<Expr>> {
        if self.depth >= MAX_DEPTH {
            return Err(too_high(expr.span).into());
        }
        self.depth += 1;
        let result = self.formula_here(expr);
        self.depth -= 1;
        result
    }

    fn formula_here(&mut self, expr: &ast::Expr) -> Elaborated<StateFormula<Expr>> {
        if let Some(formula) = self.referenced(expr, Self::formula) {
            return formula;
        }
        if self.is_plain(expr) {
            return Ok(StateFormula::Atom(self.scope.condition(expr, "what is said about states")?));
        }
        self.scope.charge(1, expr.span)?;
        match &expr.kind {
            ExprKind::Quoted(name) if &**name == "init" => Ok(StateFormula::Initial),
            ExprKind::Quoted(_) => Ok(StateFormula::Deadlock),
            ExprKind::Unary(Unary::Not, operand) => Ok(self.formula(operand)?.not()),
            ExprKind::Binary(Binary::And, a, b) => Ok(self.formula(a)?.and(self.formula(b)?)),
            ExprKind::Binary(Binary::Or, a, b) => Ok(self.formula(a)?.or(self.formula(b)?)),
            ExprKind::Binary(Binary::Implies, a, b) => Ok(self.formula(a)?.not().or(self.formula(b)?)),
            ExprKind::Binary(Binary::Iff, a, b) => {
                let both = self.formula(a)?.and(self.formula(b)?);
                let neither = self.formula(a)?.not().and(self.formula(b)?.not());
                Ok(both.or(neither))
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let first = self.formula(condition)?.and(self.formula(then)?);
                let second = self.formula(condition)?.not().and(self.formula(otherwise)?);
                Ok(first.or(second))
            }
            ExprKind::Quantity(quantity) if quantity.filter.is_some() => {
                unsupported("a filter inside of another formula is not supported")
            }
            ExprKind::Quantity(quantity) if quantity.relation.is_some() => self.bound(quantity, expr.span),
            ExprKind::Quantity(_) => unsupported("`=?` inside of another formula is not supported"),
            ExprKind::Filter(_) => unsupported("a filter inside of another formula is not supported"),
            _ => Ok(StateFormula::Atom(self.scope.condition(expr, "what is said about states")?)),
        }
    }

    /// `P<=0.1 [ … ]` and its like.
    fn bound(&mut self, quantity: &ast::Quantity, span: Span) -> Elaborated<StateFormula<Expr>> {
        let Some((comparison, limit)) = &quantity.relation else {
            return unsupported("`=?` inside of another formula is not supported");
        };
        let value = self.constant_number(limit, "a bound")?;
        let is_share = !matches!(quantity.measure, ast::Measure::Reward(..));
        if is_share && (value < Number::ZERO || value > Number::ONE) {
            return Err(Diagnostic::error(limit.span, "a probability is compared with a number from 0 to 1").into());
        }
        let quantity = self.quantity(quantity, span)?;
        Ok(StateFormula::Bound(Box::new(quantity), *comparison, value))
    }

    fn quantity(&mut self, quantity: &ast::Quantity, span: Span) -> Elaborated<Quantity<Expr>> {
        let extreme = quantity.extreme;
        let (letter, measure) = match &quantity.measure {
            ast::Measure::Probability(path) => ("P", Measure::Probability(self.path(path)?)),
            ast::Measure::LongRun(states) => ("S", Measure::LongRun(self.formula(states)?)),
            ast::Measure::Reward(name, body) => {
                let structure = self.reward(name.as_ref(), span)?;
                ("R", Measure::Reward { structure, of: self.reward_formula(body)? })
            }
        };
        if extreme == Extreme::Unsaid && quantity.relation.is_none() && self.model.kind == Kind::Mdp {
            let message = format!("in an MDP, `{letter}=?` has no single answer");
            let help = format!("somebody chooses what happens: ask for `{letter}min=?` or `{letter}max=?`");
            return Err(Diagnostic::error(span, message).help(help).into());
        }
        Ok(Quantity { extreme, measure })
    }

    fn constant_number(&mut self, expr: &ast::Expr, what: &str) -> Elaborated<Number> {
        let number = self.scope.number(expr, what)?;
        let value = self.scope.value_of(&number)?;
        value.number().ok_or_else(|| Diagnostic::error(expr.span, format!("{what} has to be a number")).into())
    }

    /// A constant time or number of steps.
    fn time(&mut self, expr: &ast::Expr) -> Elaborated<Number> {
        let value = self.constant_number(expr, "a time")?;
        if value < Number::ZERO {
            return Err(Diagnostic::error(expr.span, format!("the time {value} is negative")).into());
        }
        if self.model.kind != Kind::Ctmc && !value.is_int() {
            let message = format!("{value} is not a number of steps");
            let help = "time goes in whole steps in DTMCs and MDPs; it is continuous in CTMCs";
            return Err(Diagnostic::error(expr.span, message).help(help).into());
        }
        Ok(value)
    }

    fn reward(&mut self, name: Option<&RewardName>, span: Span) -> Elaborated<RewardId> {
        let rewards = &self.model.rewards;
        if rewards.is_empty() {
            return Err(Diagnostic::error(span, "the model has no rewards").into());
        }
        match name {
            None => Ok(RewardId(0)),
            Some(RewardName::Named(name)) => {
                match rewards.iter().position(|reward| reward.name.as_deref() == Some(&name.text)) {
                    Some(at) => Ok(RewardId(at as u32)),
                    None => {
                        let hint = suggest(&name.text, rewards.iter().filter_map(|reward| reward.name.as_deref()));
                        let message = format!("the model has no rewards \"{}\"{hint}", name.text);
                        Err(Diagnostic::error(name.span, message).into())
                    }
                }
            }
            Some(RewardName::Number(number)) => {
                let count = rewards.len();
                let value = self.constant_number(number, "the number of a reward structure")?;
                let index = (1..=count).find(|index| value == Number::from(*index as u64));
                index.map(|index| RewardId(index as u32 - 1)).ok_or_else(|| {
                    let message = format!("there is no reward structure {value}: they are numbered from 1 to {count}");
                    Diagnostic::error(number.span, message).into()
                })
            }
        }
    }

    fn reward_formula(&mut self, body: &RewardBody) -> Elaborated<RewardFormula<Expr>> {
        match body {
            RewardBody::Total => Ok(RewardFormula::Total),
            RewardBody::LongRun => Ok(RewardFormula::LongRun),
            RewardBody::Cumulated(time) => Ok(RewardFormula::Cumulated(self.time(time)?)),
            RewardBody::Instant(time) => Ok(RewardFormula::Instant(self.time(time)?)),
            RewardBody::Path(path) => match &path.kind {
                ExprKind::Temporal(temporal)
                    if temporal.operator == TemporalOperator::Finally && !has_temporal(&temporal.right) =>
                {
                    if !temporal.bounds.is_empty() {
                        return unsupported("rewards until a state is reached within a bound are not supported");
                    }
                    Ok(RewardFormula::Reach(self.formula(&temporal.right)?))
                }
                _ if has_temporal(path) => unsupported("rewards of LTL formulas are not supported"),
                _ => {
                    let error = Diagnostic::error(path.span, "this does not say for how long rewards are collected");
                    Err(error.help("write `F condition`, `C<=t`, `C`, `I=t` or `S`").into())
                }
            },
        }
    }

    fn path(&mut self, expr: &ast::Expr) -> Elaborated<PathFormula<Expr>> {
        match &expr.kind {
            ExprKind::Temporal(temporal) => self.temporal(temporal, expr.span),
            ExprKind::Unary(Unary::Not, operand) if has_temporal(operand) => negated(self.path(operand)?),
            _ if has_temporal(expr) => ltl(),
            // What is true of the first state.
            _ => {
                let now = Limit { value: Number::ZERO, strict: false };
                let bound = Bound { of: Bounded::Time, lower: None, upper: Some(now) };
                Ok(PathFormula::Finally(self.formula(expr)?, vec![bound]))
            }
        }
    }

    fn temporal(&mut self, temporal: &ast::Temporal, span: Span) -> Elaborated<PathFormula<Expr>> {
        if temporal.left.as_ref().is_some_and(has_temporal) || has_temporal(&temporal.right) {
            return ltl();
        }
        let bounds = self.bounds(&temporal.bounds)?;
        let left = temporal.left.as_ref().map(|left| self.formula(left)).transpose()?;
        let right = self.formula(&temporal.right)?;
        Ok(match (temporal.operator, left) {
            (TemporalOperator::Next, _) if !bounds.is_empty() => {
                return Err(Diagnostic::error(span, "`X` is about the next step and has no bound").into());
            }
            (TemporalOperator::Next, _) => PathFormula::Next(right),
            (TemporalOperator::Finally, _) => PathFormula::Finally(right, bounds),
            (TemporalOperator::Globally, _) => PathFormula::Globally(right, bounds),
            (TemporalOperator::Until, Some(left)) => PathFormula::Until(left, right, bounds),
            (TemporalOperator::WeakUntil, Some(left)) => PathFormula::WeakUntil(left, right, bounds),
            (TemporalOperator::Release, Some(left)) => PathFormula::Release(left, right, bounds),
            (_, None) => return Err(Diagnostic::error(span, "this operator needs two operands").into()),
        })
    }

    fn bounds(&mut self, written: &[ast::Bound]) -> Elaborated<Bounds> {
        let mut bounds = Vec::new();
        for bound in written {
            let of = match &bound.reward {
                None => Bounded::Time,
                Some(name) => Bounded::Reward(self.reward(Some(name), bound.span)?),
            };
            let mut limit = |limit: &Option<ast::Limit>| -> Elaborated<Option<Limit>> {
                let Some(limit) = limit else { return Ok(None) };
                let value = match of {
                    Bounded::Reward(_) => self.constant_number(&limit.value, "a bound")?,
                    _ => self.time(&limit.value)?,
                };
                Ok(Some(Limit { value, strict: limit.strict }))
            };
            let (lower, upper) = (limit(&bound.lower)?, limit(&bound.upper)?);
            if let (Some(lower), Some(upper)) = (&lower, &upper)
                && lower.value > upper.value
            {
                let message = format!("no time is between {} and {}", lower.value, upper.value);
                return Err(Diagnostic::error(bound.span, message).into());
            }
            bounds.push(Bound { of, lower, upper });
        }
        Ok(bounds)
    }
}

/// What is true of the other runs.
fn negated(path: PathFormula<Expr>) -> Elaborated<PathFormula<Expr>> {
    Ok(match path {
        PathFormula::Next(f) => PathFormula::Next(f.not()),
        PathFormula::Finally(f, bounds) => PathFormula::Globally(f.not(), bounds),
        PathFormula::Globally(f, bounds) => PathFormula::Finally(f.not(), bounds),
        PathFormula::Until(f, g, bounds) => PathFormula::Release(f.not(), g.not(), bounds),
        PathFormula::Release(f, g, bounds) => PathFormula::Until(f.not(), g.not(), bounds),
        PathFormula::WeakUntil(f, g, bounds) if bounds.is_empty() => {
            PathFormula::Until(g.clone().not(), f.not().and(g.not()), bounds)
        }
        PathFormula::WeakUntil(..) => return ltl(),
    })
}
