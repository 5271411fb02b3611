//! Warnings about values: truncation on assignment, narrow receives, conditions that are always true or false.
//!
//! A value is reported as too large when none of its values fits, or when it is built by `+ - * | ^` and conditionals
//! from a variable that really has a wider type: `byte = int`, but not `byte = byte + 1` and not `byte = int % 4`. The
//! ranges of variables take away those that only ever hold small values.

use bughound_ir::analysis::edges_of;
use bughound_ir::analysis::ranges::{Interval, Ranges, channel_of, interval};
use bughound_ir::analysis::usage::{SlotOwners, VariableId};
use bughound_ir::edge::{Action, Sync};
use bughound_ir::expr::{BinaryOp, Expr, Pattern, UnaryOp};
use bughound_ir::network::{Initialiser, Network, TemplateId};
use bughound_ir::source::Span;
use bughound_ir::types::{ValueType, Variable};

use super::super::declarations::type_name;
use super::{Lint, Warning, is_claim};

pub fn check(network: &Network) -> Vec<Warning> {
    let mut work =
        Work { network, ranges: Ranges::new(network), owners: SlotOwners::new(network), own: None, found: Vec::new() };
    work.initialisers(&network.initialisers);
    for template in (0..network.templates.len()).map(|t| TemplateId(t as u32)) {
        work.own = Some(template);
        work.initialisers(&network.template(template).initialisers);
        for (_, edge) in edges_of(network, template) {
            edge.guards.iter().for_each(|guard| work.condition(guard, edge.span));
            work.sync(&edge.sync, edge.span);
            for action in edge.destinations.iter().flat_map(|d| &d.actions) {
                work.action(action, edge.span);
            }
            for node in edge.program.into_iter().flat_map(|id| &network.program(id).nodes) {
                for alternative in &node.alternatives {
                    alternative.guards.iter().for_each(|guard| work.condition(guard, node.span));
                    work.sync(&alternative.sync, node.span);
                    alternative.actions.iter().for_each(|action| work.action(action, node.span));
                }
            }
        }
    }
    work.found
}

struct Work<'a> {
    network: &'a Network,
    ranges: Ranges,
    owners: SlotOwners,
    own: Option<TemplateId>,
    found: Vec<Warning>,
}

impl Work<'_> {
    fn variable(&self, id: VariableId) -> &Variable {
        match id {
            VariableId::Global(index) => &self.network.variables[index as usize],
            VariableId::Local(template, index) => &self.network.template(template).variables[index as usize],
        }
    }

    fn initialisers(&mut self, initialisers: &[Initialiser]) {
        for initialiser in initialisers {
            if let Initialiser::Assign(Action::Assign { target, value }) = initialiser
                && let Some(variable) = self.owners.of(target, self.own)
            {
                let span = self.variable(variable).span;
                self.store(value, target.ty, span);
            }
        }
    }

    fn action(&mut self, action: &Action, span: Span) {
        match action {
            Action::Assign { .. } | Action::Together(_) => {
                action.assignments().for_each(|(target, value)| self.store(value, target.ty, span));
            }
            Action::Assert { condition, span, .. } => self.condition(condition, *span),
            Action::Run { template, arguments, .. } => {
                let parameters = self.network.template(*template).variables.iter();
                for (parameter, argument) in parameters.zip(arguments) {
                    self.store(argument, parameter.ty, span);
                }
            }
            _ => {}
        }
    }

    fn sync(&mut self, sync: &Sync, span: Span) {
        let Some(own) = self.own else { return };
        match sync {
            Sync::Send { channel, fields, .. } => {
                let origins = self.ranges.channels(self.network, channel, own);
                for (index, field) in fields.iter().enumerate() {
                    let types = origins.iter().filter_map(|o| channel_of(self.network, *o).fields.get(index).copied());
                    let widest = types.max_by_key(|ty| width(*ty));
                    if let Some(ty) = widest {
                        self.store(field, ty, span);
                    }
                }
            }
            Sync::Receive { channel, patterns, .. } => {
                let origins = self.ranges.channels(self.network, channel, own);
                for (index, pattern) in patterns.iter().enumerate() {
                    let Pattern::Bind(place) = pattern else { continue };
                    let target = Interval::of_type(place.ty);
                    let mut all =
                        origins.iter().filter(|o| channel_of(self.network, **o).fields.len() > index).peekable();
                    let narrow = all.peek().is_some()
                        && all.all(|o| {
                            let field = channel_of(self.network, *o).fields[index];
                            let sent = self.ranges.field(*o, index as u32);
                            !Interval::of_type(field).is_within(target) && !sent.is_within(target)
                        });
                    if narrow {
                        let text = format!(
                            "field {} of the message is wider than the variable of type `{}` that takes it",
                            index + 1,
                            type_name(self.network, place.ty)
                        );
                        self.found.push(Warning::new(Lint::NarrowReceive, span, text));
                    }
                }
            }
            Sync::None | Sync::Emit { .. } | Sync::Accept { .. } | Sync::Join { .. } => {}
        }
    }

    /// A value goes into a slot of this type.
    fn store(&mut self, value: &Expr, ty: ValueType, span: Span) {
        if matches!(ty, ValueType::Chan | ValueType::Mtype(_) | ValueType::Range { .. }) {
            return;
        }
        let target = Interval::of_type(ty);
        let values = self.ranges.expression(value, self.own);
        let name = type_name(self.network, ty);
        let domain = format!("a `{name}` holds {} to {}", target.lo, target.hi);
        if values.is_disjoint(target) {
            let what = match values.lo == values.hi {
                true => format!("the value {} does not fit the type `{name}`", values.lo),
                false => format!("no value from {} to {} fits the type `{name}`", values.lo, values.hi),
            };
            self.found.push(Warning::new(Lint::Truncation, span, what).label(domain));
        } else if !values.is_within(target) && self.is_wider(value, target) {
            let what = format!("the value may not fit the type `{name}`");
            let help = "use a wider type, or say what is meant with `%` or `&`";
            self.found.push(Warning::new(Lint::Truncation, span, what).label(domain).help(help));
        }
    }

    /// Does the value come from a variable that does not fit?
    fn is_wider(&self, value: &Expr, target: Interval) -> bool {
        match value {
            Expr::Read(place) => {
                !Interval::of_type(place.ty).is_within(target) && !self.ranges.place(place, self.own).is_within(target)
            }
            Expr::Unary(UnaryOp::Minus, operand) => self.is_wider(operand, target),
            Expr::Binary(op, left, right) => {
                use BinaryOp::*;
                matches!(op, Add | Subtract | Multiply | BitOr | BitXor)
                    && (self.is_wider(left, target) || self.is_wider(right, target))
            }
            Expr::Conditional(_, then, otherwise) => self.is_wider(then, target) || self.is_wider(otherwise, target),
            _ => false,
        }
    }

    /// Looks at the parts of a condition one by one. What is written as a constant (`true`, a macro) is meant.
    fn condition(&mut self, condition: &Expr, span: Span) {
        match condition {
            Expr::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.condition(left, span);
                self.condition(right, span);
            }
            Expr::Unary(UnaryOp::Not, operand) => self.condition(operand, span),
            Expr::Const(_) => self.constant(condition, span),
            _ if !condition.any(|e| matches!(e, Expr::Read(_))) => self.constant(condition, span),
            _ => {
                let by_type = interval(condition, &|place| Interval::of_type(place.ty));
                if let Some(truth) = by_type.truth() {
                    self.always(truth, "because of the types", span);
                }
            }
        }
    }

    /// A condition without variables, if it is spelled out: `1 > 2`, but neither `1` nor `N > 2`.
    fn constant(&mut self, condition: &Expr, span: Span) {
        let text = self.network.sources.text(span);
        let spelled = text.contains(['<', '>', '=']) && text.chars().all(|c| "0123456789<>=!&|+-*/%() \t".contains(c));
        let known = interval(condition, &|_| Interval::ANY).truth();
        if let (true, Some(truth)) = (spelled, known) {
            self.always(truth, "", span);
        }
    }

    fn always(&mut self, truth: bool, why: &str, span: Span) {
        if self.own.is_some_and(|own| is_claim(self.network, own)) {
            return;
        }
        let message = format!("this condition, or a part of it, is always {truth}");
        self.found.push(Warning::new(Lint::ConstantCondition, span, message).label(why));
    }
}

fn width(ty: ValueType) -> i64 {
    let domain = Interval::of_type(ty);
    domain.hi - domain.lo
}
