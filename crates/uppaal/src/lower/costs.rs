//! What time and steps cost: rates in invariants, payments in updates, and the hints of the model.
//!
//! See [`bughound_ir::pricing`] for what they mean. Rewards are read as costs are, and then forgotten.

use bughound_ir::edge::{Action, Program};
use bughound_ir::expr::{BinaryOp, Expr, Place, Scope as PlaceScope};
use bughound_ir::pricing::{Hint, PAID, Pricing, pay};
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::types::{ValueType, Variable};

use crate::ast::{self, Binary, ExprKind, TypeKind};
use crate::lower::expressions::{Operand, combine};
use crate::lower::fold;
use crate::lower::meters::{self, Meter, summands};
use crate::lower::scope::{Entity, ScopeId, Tree};
use crate::lower::types::Ty;
use crate::lower::{Lowering, Res};

/// The prices of a model that has costs.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    paid: u32,
    /// The model declares the cost as a clock, as old ones do.
    declared: bool,
    remaining: Option<Hint>,
    heur: Option<Hint>,
}

impl Costs {
    fn is_hint(&self, place: &Place) -> bool {
        let is = |hint: Option<Hint>| hint.is_some_and(|hint| hint.slot == place.slot);
        matches!(place.scope, PlaceScope::Global) && (is(self.remaining) || is(self.heur))
    }

    fn reads_hint(&self, expr: &Expr) -> bool {
        expr.any(|e| matches!(e, Expr::Read(place) if self.is_hint(place)))
    }
}

impl<'a> Lowering<'a> {
    /// Declares `cost` and `reward` outside of everything, if the model lets them grow.
    pub(super) fn declare_meters(&mut self, outermost: ScopeId, queries: &[ast::Query]) {
        for meter in Meter::ALL {
            let Some(found) = meters::use_of(meter, self.model, queries) else { continue };
            self.scopes.declare(outermost, meter.name(), Entity::Meter(meter));
            match (meter, found.grows) {
                (Meter::Cost, _) => {
                    let paid = self.hidden("_cost", PAID, Span::default());
                    self.costs = Some(Costs { paid, declared: found.declared, remaining: None, heur: None });
                }
                (Meter::Reward, Some(span)) => {
                    let message = "`reward` is ignored: it does not change what a run costs";
                    self.diagnostics.push(Diagnostic::warning(span, message));
                }
                (Meter::Reward, None) => {}
            }
        }
    }

    fn hidden(&mut self, name: &str, ty: ValueType, span: Span) -> u32 {
        let slot = self.builder.allocate(1);
        self.builder.variable(Variable { name: name.into(), ty, slot, dims: Vec::new(), hidden: true, span });
        slot
    }

    /// Is this the declaration of a meter (`clock cost`) or of a hint? Then there is nothing else to declare.
    pub(super) fn declare_price(&mut self, variable: &'a ast::Variable, scope: ScopeId) -> Res<bool> {
        let name = variable.name.text.as_str();
        if scope != self.global || !variable.dimensions.is_empty() {
            return Ok(false);
        }
        if matches!(variable.ty.kind, TypeKind::Clock) {
            // What else the model calls so is found before the meter: it would not be one.
            return Ok(matches!(self.scopes.find(scope, name), Some(Entity::Meter(_))));
        }
        let is_hint = name == "remaining" || name == "heur";
        let TypeKind::Int(range) = &variable.ty.kind else { return Ok(false) };
        if self.costs.is_none() || !is_hint || !variable.ty.prefix.meta || variable.ty.prefix.constant {
            return Ok(false);
        }
        let ty = match range {
            // Costs are often larger than what an `int` holds.
            None => Ty::Int { lo: i32::MIN, hi: i32::MAX },
            Some(_) => self.ty(&variable.ty, scope)?,
        };
        let initial = match &variable.initial {
            Some(initial) => self.initial(initial, &ty, scope)?,
            None => Tree::number(0),
        };
        let initial = initial.leaves().first().and_then(|leaf| leaf.as_const()).unwrap_or(0);
        let slot = self.hidden(name, ValueType::Int, variable.name.span);
        self.add_name(scope, &variable.name, Entity::Hint(slot))?;
        if let Some(costs) = &mut self.costs {
            *(if name == "heur" { &mut costs.heur } else { &mut costs.remaining }) = Some(Hint { slot, initial });
        }
        Ok(true)
    }

    /// What it costs that a process is where no rate is given.
    ///
    /// A cost that is declared as a clock is one, if no location of the system says how fast it grows: then the first
    /// process pays for the time of all.
    pub(super) fn default_rate(&self, process: usize) -> Option<Expr> {
        let declared = self.costs.is_some_and(|costs| costs.declared);
        let given = || self.processes.iter().any(|process| meters::gives_rate(process.template, Meter::Cost));
        (process == 0 && declared && !given()).then_some(Expr::Const(1))
    }

    pub(super) fn set_prices(&mut self) {
        if let Some(Costs { paid, remaining, heur, .. }) = self.costs {
            self.builder.pricing(Pricing { impulse: paid, remaining, heur });
        }
    }

    pub(super) fn meter(&self, expr: &ast::Expr, scope: ScopeId) -> Option<Meter> {
        let ExprKind::Name(name) = &expr.kind else { return None };
        match self.scopes.find(scope, name) {
            Some(Entity::Meter(meter)) => Some(*meter),
            _ => None,
        }
    }

    pub(super) fn meter_read(&self, meter: Meter, span: Span) -> Diagnostic {
        let name = meter.name();
        let help = "nothing that a model does can depend on it; count in a variable or a clock of another name";
        self.error(span, format!("`{name}` cannot be read, it can only grow: `{name}' == e`, `{name} += e`")).help(help)
    }

    /// The meter whose rate is one side of a comparison, with the other side.
    fn rate_in<'e>(&self, expr: &'e ast::Expr, scope: ScopeId) -> Option<(Meter, Binary, &'e ast::Expr)> {
        let ExprKind::Binary(op, left, right) = &expr.kind else { return None };
        let rated = |side: &ast::Expr| match &side.kind {
            ExprKind::Rate(of) => self.meter(of, scope),
            _ => None,
        };
        match (rated(left), rated(right)) {
            (Some(meter), _) => Some((meter, *op, right)),
            (None, Some(meter)) => Some((meter, *op, left)),
            (None, None) => None,
        }
    }

    /// Takes the rates out of a part of an invariant; what is left of it.
    pub(super) fn take_rates(
        &mut self,
        part: &'a ast::Expr,
        scope: ScopeId,
        rates: &mut Vec<(Meter, Expr)>,
    ) -> Res<Vec<&'a ast::Expr>> {
        let mut parts = Vec::new();
        conjuncts(part, &mut parts);
        let known = rates.len();
        let mut others = Vec::new();
        for conjunct in parts {
            let Some((meter, op, rate)) = self.rate_in(conjunct, scope) else {
                others.push(conjunct);
                continue;
            };
            let name = meter.name();
            if op != Binary::Equal {
                let help = format!("write `{name}' == e`");
                let message = format!("the rate of `{name}` is one number, it has no bounds");
                return Err(self.error(conjunct.span, message).help(help));
            }
            if rates.iter().any(|(known, _)| *known == meter) {
                let message = format!("a location can give only one rate of `{name}`");
                return Err(self.error(conjunct.span, message).help(format!("add them up: `{name}' == a + b`")));
            }
            if self.has_effects(rate, scope) {
                return Err(self.error(rate.span, "a rate must not change anything"));
            }
            rates.push((meter, self.price(rate, scope, "a rate")?));
        }
        Ok(if rates.len() == known { vec![part] } else { others })
    }

    /// A number that is no cost if it is below 0.
    fn price(&mut self, expr: &'a ast::Expr, scope: ScopeId, what: &str) -> Res<Expr> {
        if self.is_clocky(expr, scope) {
            let help = "it can depend on constants, parameters and variables";
            return Err(self.error(expr.span, format!("{what} cannot depend on clocks")).help(help));
        }
        let value = self.value(expr, scope)?;
        match fold::exact(&value) {
            Some(exact) if exact < 0 => Err(self.error(expr.span, format!("{what} cannot be negative: {exact}"))),
            Some(exact) if exact > i32::MAX.into() => {
                Err(self.error(expr.span, format!("{what} of {exact} is too large")))
            }
            None if fold::bounds(&value).1 < 0 => {
                Err(self.error(expr.span, format!("{what} cannot be negative, and this always is")))
            }
            _ => Ok(value),
        }
    }

    /// `cost += e`, also written `cost = cost + e`.
    pub(super) fn pay(
        &mut self,
        meter: Meter,
        op: Option<Binary>,
        target: &'a ast::Expr,
        value: &'a ast::Expr,
        scope: ScopeId,
    ) -> Res<Operand> {
        self.may_change(target.span)?;
        let mut amounts = vec![value];
        let is_sum = match op {
            None => {
                amounts.clear();
                summands(value, &mut amounts);
                let all = amounts.len();
                amounts.retain(|part| self.meter(part, scope) != Some(meter));
                amounts.len() + 1 == all && !amounts.is_empty()
            }
            Some(op) => op == Binary::Add,
        };
        if !is_sum {
            return Err(self.only_grows(meter, target.span));
        }
        let changing = amounts.iter().any(|amount| self.has_effects(amount, scope));
        let mut sum = Expr::Const(0);
        for amount in amounts {
            let mut price = self.price(amount, scope, "what a step pays")?;
            if changing {
                price = self.saved(price)?;
            }
            sum = fold::binary(BinaryOp::Add, sum, price);
        }
        self.pay_amount(meter, sum);
        Ok(nothing())
    }

    /// `cost++`
    pub(super) fn pay_step(&mut self, meter: Meter, add: i32, span: Span) -> Res<Operand> {
        self.may_change(span)?;
        if add < 0 {
            return Err(self.only_grows(meter, span));
        }
        self.pay_amount(meter, Expr::Const(add));
        Ok(nothing())
    }

    fn only_grows(&self, meter: Meter, span: Span) -> Diagnostic {
        let name = meter.name();
        self.error(span, format!("`{name}` can only grow")).help(format!("write `{name} += e`"))
    }

    fn pay_amount(&mut self, meter: Meter, amount: Expr) {
        if let (Meter::Cost, Some(costs)) = (meter, self.costs)
            && amount != Expr::Const(0)
        {
            self.act(pay(Place::global(costs.paid, PAID), amount));
        }
    }

    /// `remaining = e`, `heur += e`.
    pub(super) fn assign_hint(
        &mut self,
        slot: u32,
        op: Option<Binary>,
        span: Span,
        value: &'a ast::Expr,
        scope: ScopeId,
    ) -> Res<Operand> {
        self.may_change(span)?;
        if self.is_clocky(value, scope) {
            return Err(self.error(value.span, "the value of a clock cannot be assigned"));
        }
        let outer = std::mem::replace(&mut self.assigns_hint, true);
        let result = self.value(value, scope);
        self.assigns_hint = outer;
        let place = Place::global(slot, ValueType::Int);
        let new = match op {
            None => result?,
            Some(op) => {
                let combined = combine(op, Expr::read(place.clone()), result?);
                self.single(combined, value.span)?
            }
        };
        if self.costs.is_some_and(|costs| costs.reads_hint(&new)) && fold::can_fail(&new) {
            let help = "hints are no part of the state: whether a step is possible cannot depend on them";
            let message = "this is computed from a hint and may have no value (a division, an index)";
            return Err(self.error(value.span, message).help(help));
        }
        self.act(Action::Assign { target: place, value: new });
        Ok(nothing())
    }

    /// `remaining--`
    pub(super) fn step_hint(&mut self, slot: u32, add: i32, span: Span) -> Res<Operand> {
        self.may_change(span)?;
        let place = Place::global(slot, ValueType::Int);
        let value = fold::binary(BinaryOp::Add, Expr::read(place.clone()), Expr::Const(add));
        self.act(Action::Assign { target: place, value });
        Ok(nothing())
    }

    pub(super) fn hint_read(&self, name: &str, slot: u32, span: Span) -> Res<Operand> {
        if self.assigns_hint {
            return Ok(Operand::number(Expr::read(Place::global(slot, ValueType::Int))));
        }
        let help = "it guides the search and is no part of the state: use another variable";
        Err(self.error(span, format!("`{name}` can only be read in assignments to `remaining` and `heur`")).help(help))
    }

    /// Refuses code in which something else than a hint comes to depend on hints, by way of variables of functions.
    pub(super) fn check_hints(&self, program: Option<&Program>, actions: &[Action], span: Span) -> Res<()> {
        let Some(costs) = self.costs.filter(|costs| costs.remaining.is_some() || costs.heur.is_some()) else {
            return Ok(());
        };
        let mut leaks = false;
        let mut action = |action: &Action| {
            let sets_hint = matches!(action, Action::Assign { target, .. } if costs.is_hint(target));
            action.walk(&mut |e| leaks |= !sets_hint && costs.reads_hint(e));
        };
        actions.iter().for_each(&mut action);
        for alternative in program.iter().flat_map(|p| &p.nodes).flat_map(|node| &node.alternatives) {
            alternative.actions.iter().for_each(&mut action);
        }
        let guards = program.iter().flat_map(|p| &p.nodes).flat_map(|node| &node.alternatives).flat_map(|a| &a.guards);
        if leaks || guards.into_iter().any(|guard| costs.reads_hint(guard)) {
            let help = "pass other variables to the functions that are called here";
            let message = "a variable of a function would depend on `remaining` or `heur`";
            return Err(self.error(span, message).help(help));
        }
        Ok(())
    }
}

/// The value of what has none.
fn nothing() -> Operand {
    Operand::Value(Tree::Node(Vec::new()), Ty::Void)
}

fn conjuncts<'e>(expr: &'e ast::Expr, into: &mut Vec<&'e ast::Expr>) {
    match &expr.kind {
        ExprKind::Binary(Binary::And, left, right) => {
            conjuncts(left, into);
            conjuncts(right, into);
        }
        _ => into.push(expr),
    }
}
