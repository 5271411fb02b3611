//! Does a model speak of costs? Seen from its text, before anything is lowered.
//!
//! UPPAAL CORA has a variable `cost` that nobody declares. A model that declares something of that name itself means
//! what it declares, everywhere in the scope of the declaration. There is one exception: models for old versions declare
//! `clock cost`. That is an ordinary clock if anything compares or sets it and nothing lets it grow as a cost does;
//! otherwise it is the cost.

use bughound_ir::source::Span;

use crate::ast::{
    self, Binary, Declaration, Expr, ExprKind, Function, Ltl, LtlKind, Parameter, QueryKind, StatementKind, Template,
    TypeKind,
};
use crate::lower::walk::{each_expression, each_statement};

/// A number that only grows: at a rate while time passes, and by updates. Nothing in a model can depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meter {
    Cost,
    /// A second cost. It has no influence on what is cheapest.
    Reward,
}

impl Meter {
    pub const ALL: [Meter; 2] = [Meter::Cost, Meter::Reward];

    pub fn name(self) -> &'static str {
        match self {
            Meter::Cost => "cost",
            Meter::Reward => "reward",
        }
    }
}

/// How a model uses a meter.
#[derive(Clone, Copy, Debug)]
pub struct MeterUse {
    /// Where it grows for the first time.
    pub grows: Option<Span>,
    /// Old models declare it: it grows with time, unless a location of the system says how.
    pub declared: bool,
}

/// What the model says of a meter; nothing if the model has none of this name.
pub fn use_of(meter: Meter, model: &ast::Model, queries: &[ast::Query]) -> Option<MeterUse> {
    let name = meter.name();
    let mut declared = false;
    for declaration in &model.declarations {
        match declaration {
            Declaration::Variable(variable) if variable.name.text == name => {
                let is_clock = matches!(variable.ty.kind, TypeKind::Clock) && variable.dimensions.is_empty();
                if !is_clock || variable.initial.is_some() {
                    return None;
                }
                declared = true;
            }
            Declaration::Type(definition) if definition.name.text == name => return None,
            Declaration::Function(function) if function.name.text == name => return None,
            _ => {}
        }
    }
    let mut seen = Occurrences { name, any: false, grows: None };
    seen.declarations(&model.declarations);
    model.templates.iter().filter(|template| !declares(template, name)).for_each(|t| seen.template(t));
    model.instances.iter().flat_map(|instance| &instance.arguments).for_each(|e| seen.below(e));
    model.queries.iter().chain(queries).for_each(|query| seen.query(&query.kind));
    let is_meter = seen.grows.is_some() || (declared && meter == Meter::Cost && !seen.any);
    is_meter.then_some(MeterUse { grows: seen.grows, declared })
}

/// Does a location of the template say how fast a meter grows?
pub fn gives_rate(template: &Template, meter: Meter) -> bool {
    let mut found = false;
    for part in template.locations.iter().flat_map(|location| &location.invariant) {
        each_expression(part, &mut |e| found |= matches!(&e.kind, ExprKind::Rate(of) if is_name(of, meter.name())));
    }
    found && !declares(template, meter.name())
}

/// The operands of a sum, from left to right.
pub fn summands<'e>(expr: &'e Expr, into: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Binary(Binary::Add, left, right) => {
            summands(left, into);
            summands(right, into);
        }
        _ => into.push(expr),
    }
}

fn is_name(expr: &Expr, name: &str) -> bool {
    matches!(&expr.kind, ExprKind::Name(text) if text == name)
}

fn declares(template: &Template, name: &str) -> bool {
    has_parameter(&template.parameters, name)
        || template.declarations.iter().any(|declaration| match declaration {
            Declaration::Variable(variable) => variable.name.text == name,
            Declaration::Type(definition) => definition.name.text == name,
            Declaration::Function(function) => function.name.text == name,
            Declaration::ChannelPriority(..) | Declaration::GlobalUpdate { .. } => false,
        })
}

fn has_parameter(parameters: &[Parameter], name: &str) -> bool {
    parameters.iter().any(|parameter| parameter.name.text == name)
}

/// What is made of a name.
struct Occurrences<'n> {
    name: &'n str,
    /// It is used at all.
    any: bool,
    /// Where it first grows as a meter does.
    grows: Option<Span>,
}

impl Occurrences<'_> {
    fn declarations(&mut self, declarations: &[Declaration]) {
        for declaration in declarations {
            match declaration {
                Declaration::Function(function) => self.function(function),
                Declaration::GlobalUpdate { updates, .. } => updates.iter().for_each(|e| self.below(e)),
                Declaration::Variable(_) | Declaration::Type(_) | Declaration::ChannelPriority(..) => {}
            }
        }
    }

    fn function(&mut self, function: &Function) {
        let mut declares = has_parameter(&function.parameters, self.name);
        each_statement(
            &function.body,
            &mut |statement| {
                declares |= match &statement.kind {
                    StatementKind::Declare(Declaration::Variable(variable)) => variable.name.text == self.name,
                    StatementKind::Iterate { name, .. } => name.text == self.name,
                    _ => false,
                }
            },
            &mut |_| {},
        );
        if !declares {
            each_statement(&function.body, &mut |_| {}, &mut |e| self.here(e));
        }
    }

    fn template(&mut self, template: &Template) {
        self.declarations(&template.declarations);
        template.locations.iter().flat_map(|location| &location.invariant).for_each(|e| self.below(e));
        let own = self.name;
        for edge in template.edges.iter().filter(|edge| edge.select.iter().all(|(name, _)| name.text != own)) {
            let channel = edge.sync.iter().map(|sync| &sync.channel);
            edge.guard.iter().chain(&edge.update).chain(channel).for_each(|e| self.below(e));
        }
    }

    fn query(&mut self, kind: &QueryKind) {
        match kind {
            QueryKind::Possibly(e) | QueryKind::Always(e) | QueryKind::PossiblyAlways(e) | QueryKind::Eventually(e) => {
                self.below(e)
            }
            QueryKind::LeadsTo(when, then) => [when, then].into_iter().for_each(|e| self.below(e)),
            QueryKind::Extremes { condition, of, .. } => condition.iter().chain(of).for_each(|e| self.below(e)),
            QueryKind::Ltl(formula) => self.formula(formula),
            QueryKind::Refused(_) => {}
        }
    }

    fn formula(&mut self, formula: &Ltl) {
        match &formula.kind {
            LtlKind::Condition(e) => self.below(e),
            LtlKind::Unary(_, operand) => self.formula(operand),
            LtlKind::Binary(_, left, right) => [left, right].into_iter().for_each(|f| self.formula(f)),
        }
    }

    /// An expression and all its parts.
    fn below(&mut self, expr: &Expr) {
        each_expression(expr, &mut |e| self.here(e));
    }

    fn here(&mut self, expr: &Expr) {
        let grows = match &expr.kind {
            ExprKind::Name(text) => {
                self.any |= text == self.name;
                false
            }
            ExprKind::Rate(of) | ExprKind::Step { target: of, .. } => is_name(of, self.name),
            ExprKind::Assign(Some(_), target, _) => is_name(target, self.name),
            ExprKind::Assign(None, target, value) => {
                let mut parts = Vec::new();
                summands(value, &mut parts);
                is_name(target, self.name) && parts.into_iter().any(|part| is_name(part, self.name))
            }
            _ => false,
        };
        if grows {
            self.grows = self.grows.or(Some(expr.span));
        }
    }
}
