//! Assignments and what else an expression changes.

use bughound_ir::edge::Action;
use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::source::Span;
use bughound_ir::types::{ClockId, ValueType};

use crate::ast::{self, Binary, ExprKind};
use crate::lower::declarations::leaf_types;
use crate::lower::expressions::{Operand, combine, outside};
use crate::lower::fold;
use crate::lower::scope::{Entity, ScopeId, Target, Tree};
use crate::lower::types::{Space, Ty};
use crate::lower::{Lowering, Res};

impl<'a> Lowering<'a> {
    /// Evaluates an expression for what it changes.
    pub(super) fn effect(&mut self, expr: &'a ast::Expr, scope: ScopeId) -> Res<()> {
        match &expr.kind {
            // The old value is not asked for.
            ExprKind::Step { target, add, .. } => self.step(target, *add, true, expr.span, scope).map(|_| ()),
            ExprKind::Call(function, arguments) => self.call_any(function, arguments, expr.span, scope).map(|_| ()),
            _ => self.operand(expr, scope).map(|_| ()),
        }
    }

    pub(super) fn assign(
        &mut self,
        op: Option<Binary>,
        target: &'a ast::Expr,
        value: &'a ast::Expr,
        scope: ScopeId,
    ) -> Res<Operand> {
        if let Some(local) = self.local_path(target, scope)? {
            let new = match op {
                None => self.tree(value, scope)?,
                Some(op) => {
                    let old = self.read_local(&local, target.span)?;
                    let value = self.value(value, scope)?;
                    self.tree_of(combine(op, old, value))
                }
            };
            return self.assign_local(local, new, value.span);
        }
        match self.named_entity(target, scope) {
            Some(Entity::Meter(meter)) => return self.pay(*meter, op, target, value, scope),
            Some(Entity::Hint(slot)) => return self.assign_hint(*slot, op, target.span, value, scope),
            _ => {}
        }
        let mut place = self.assignable(target, scope)?;
        if self.has_effects(value, scope) {
            place = self.saved_target(place)?;
        }
        if place.ty.space() == Some(Space::Clock) {
            return self.set_clock(op, place, target.span, value, scope);
        }
        if self.is_clocky(value, scope) {
            let help = "a clock can be set to an integer; its own value cannot be stored";
            return Err(self.error(value.span, "the value of a clock cannot be assigned").help(help));
        }
        let new = match op {
            None => self.tree(value, scope)?,
            Some(op) => {
                let mut old = self.single(Operand::Target(place.clone()), target.span)?;
                if self.has_effects(value, scope) {
                    old = self.saved(old)?;
                }
                let value = self.value(value, scope)?;
                self.tree_of(combine(op, old, value))
            }
        };
        self.store(&place, new, value.span)?;
        Ok(Operand::Target(place))
    }

    /// `++` and `--`.
    pub(super) fn step(
        &mut self,
        target: &'a ast::Expr,
        add: i32,
        before: bool,
        span: Span,
        scope: ScopeId,
    ) -> Res<Operand> {
        let more = |old: Expr| Tree::Leaf(fold::binary(BinaryOp::Add, old, Expr::Const(add)));
        if let Some(local) = self.local_path(target, scope)? {
            let old = self.read_local(&local, target.span)?;
            let new = self.assign_local(local, more(old.clone()), span)?;
            return Ok(if before { new } else { Operand::number(old) });
        }
        match self.named_entity(target, scope) {
            Some(Entity::Meter(meter)) => return self.pay_step(*meter, add, span),
            Some(Entity::Hint(slot)) => return self.step_hint(*slot, add, span),
            _ => {}
        }
        let place = self.assignable(target, scope)?;
        let old = self.single(Operand::Target(place.clone()), target.span)?;
        if before {
            self.store(&place, more(old), span)?;
            return Ok(Operand::Target(place));
        }
        let saved = self.saved(old.clone())?;
        self.store(&place, more(old), span)?;
        Ok(Operand::number(saved))
    }

    fn tree_of(&self, operand: Operand) -> Tree {
        match operand {
            Operand::Value(tree, _) => tree,
            Operand::Target(target) => crate::lower::expressions::read_tree(&target),
        }
    }

    fn named_entity(&self, expr: &ast::Expr, scope: ScopeId) -> Option<&Entity<'a>> {
        match &expr.kind {
            ExprKind::Name(name) => self.scopes.find(scope, name),
            _ => None,
        }
    }

    /// Refuses effects where there must be none.
    pub(super) fn may_change(&self, span: Span) -> Res<()> {
        if self.code.is_some() {
            return Ok(());
        }
        let help = "guards, invariants, queries and initial values must not have effects";
        Err(self.error(span, "a variable is changed where nothing may change").help(help))
    }

    /// The variable or clock that an assignment changes.
    fn assignable(&mut self, target: &'a ast::Expr, scope: ScopeId) -> Res<Target> {
        self.may_change(target.span)?;
        match self.operand(target, scope)? {
            Operand::Target(target) => Ok(target),
            Operand::Value(..) => Err(self.error(target.span, "this is constant and cannot be assigned")),
        }
    }

    fn set_clock(
        &mut self,
        op: Option<Binary>,
        place: Target,
        span: Span,
        value: &'a ast::Expr,
        scope: ScopeId,
    ) -> Res<Operand> {
        let target = self.clock_target(Operand::Target(place), span)?;
        if op.is_some() || self.is_clocky(value, scope) {
            let help = "a clock can be set to an integer expression without clocks";
            return Err(self.error(value.span, "a clock cannot be computed from clocks").help(help));
        }
        let mut new = self.value(value, scope)?;
        if new.as_const().is_some_and(|value| value < 0) {
            return Err(self.error(value.span, "a clock cannot be negative"));
        }
        self.check_clock_constant(&new, value.span)?;
        if new.as_const().is_none() {
            new = self.saved(new)?;
        }
        self.set_one_of(target, &new, span)?;
        Ok(Operand::number(new))
    }

    /// Sets the clock that the indices of the target say.
    fn set_one_of(&mut self, mut target: Target, value: &Expr, span: Span) -> Res<()> {
        self.tick(span)?;
        let returned = self.returns.iter().any(|frame| frame.may_have_returned);
        if target.indices.is_empty() {
            if let Some(code) = &mut self.code {
                code.set_clock(ClockId(target.slot), value.clone(), !returned);
            }
            return Ok(());
        }
        let index = target.indices.remove(0);
        let at = self.saved(index.value.clone())?;
        let (least, most) = fold::bounds(&index.value);
        let last = i64::from(index.len) - 1;
        if least < 0 || most > last {
            // Fails where the index is outside.
            self.saved(outside(&at, index.len))?;
        }
        let Some(code) = &mut self.code else { return Ok(()) };
        let end = code.label(span);
        code.depth += 1;
        for position in least.max(0)..=most.min(last) {
            let element = Target { slot: target.slot + position as u32 * index.stride, ..target.clone() };
            let Some(code) = &mut self.code else { return Ok(()) };
            let (here, next) = (code.label(span), code.label(span));
            let test = fold::binary(BinaryOp::Equal, at.clone(), Expr::Const(position as i32));
            code.branch(test, here, next);
            code.start(here);
            self.set_one_of(element, value, span)?;
            self.jump(end, next);
        }
        self.jump(end, end);
        self.close();
        Ok(())
    }

    /// Stores a value, part by part.
    pub(super) fn store(&mut self, target: &Target, value: Tree, span: Span) -> Res<()> {
        if target.ty.space() != Some(Space::Data) {
            return Err(self.error(span, format!("{} cannot be assigned", target.ty.words())));
        }
        let value = self.fit(value, &target.ty, span)?;
        let types = leaf_types(&target.ty);
        let leaves = value.leaves();
        // `a = b` on arrays that overlap would read what it has just written: read everything first.
        let careful = leaves.len() > 1 && leaves.iter().any(|leaf| leaf.as_const().is_none());
        let mut values: Vec<Expr> = leaves.into_iter().cloned().collect();
        if careful && values.len() <= 64 {
            values = values.into_iter().map(|value| self.saved(value)).collect::<Res<_>>()?;
        }
        for ((offset, value), ty) in (0..).zip(values).zip(types) {
            let part = Target { slot: target.slot + offset, ..target.clone() };
            self.act(Action::Assign { target: part.place(ty), value });
        }
        Ok(())
    }

    pub(super) fn act(&mut self, action: Action) {
        if let Some(code) = &mut self.code {
            code.act(action);
        }
    }

    /// A value as it is now, whatever changes later. Without effects nothing changes.
    pub(super) fn saved(&mut self, value: Expr) -> Res<Expr> {
        if value.as_const().is_some() || self.code.is_none() {
            return Ok(value);
        }
        let slot = self.temporary();
        let place = bughound_ir::expr::Place::global(slot, ValueType::Int);
        self.act(Action::Assign { target: place.clone(), value });
        Ok(Expr::read(place))
    }

    /// A slot for a value in the middle of a step.
    pub(super) fn temporary(&mut self) -> u32 {
        if self.used_temporaries == self.temporaries.len() {
            let slot = self.builder.allocate(1);
            let name = format!("_t{}", self.temporaries.len());
            self.builder.variable(bughound_ir::types::Variable {
                name,
                ty: ValueType::Int,
                slot,
                dims: Vec::new(),
                hidden: true,
                span: Span::default(),
            });
            self.temporaries.push(slot);
        }
        self.used_temporaries += 1;
        self.temporaries[self.used_temporaries - 1]
    }

    /// A variable whose indices no longer change.
    pub(super) fn saved_target(&mut self, mut target: Target) -> Res<Target> {
        for index in &mut target.indices {
            index.value = self.saved(index.value.clone())?;
        }
        Ok(target)
    }

    pub(super) fn saved_operand(&mut self, operand: Operand) -> Res<Operand> {
        match operand {
            Operand::Target(target) => self.saved_target(target).map(Operand::Target),
            value => Ok(value),
        }
    }

    /// `a && b` where `b` has effects: they happen only if `a` asks for them.
    pub(super) fn short_circuit(
        &mut self,
        op: Binary,
        left: Expr,
        right: &'a ast::Expr,
        scope: ScopeId,
    ) -> Res<Operand> {
        let left = if op == Binary::Imply { fold::not(left) } else { fold::truth(left) };
        let wanted = if op == Binary::And { left.clone() } else { fold::not(left.clone()) };
        let result = self.branching(
            wanted,
            right.span,
            |lowering| {
                let value = lowering.value(right, scope)?;
                Ok(Tree::Leaf(fold::truth(value)))
            },
            |_| Ok(Tree::Leaf(Expr::truth(op != Binary::And))),
        )?;
        Ok(Operand::Value(result, Ty::Bool))
    }

    pub(super) fn conditional_effects(
        &mut self,
        test: Expr,
        then: &'a ast::Expr,
        otherwise: &'a ast::Expr,
        scope: ScopeId,
    ) -> Res<Operand> {
        let ty = self.static_ty(then, scope).unwrap_or(Ty::INT);
        let result = self.branching(test, then.span, |l| l.tree(then, scope), |l| l.tree(otherwise, scope))?;
        Ok(Operand::Value(result, ty))
    }

    /// A choice between two values whose evaluation has effects.
    fn branching(
        &mut self,
        test: Expr,
        span: Span,
        then: impl FnOnce(&mut Self) -> Res<Tree>,
        otherwise: impl FnOnce(&mut Self) -> Res<Tree>,
    ) -> Res<Tree> {
        let Some(code) = &mut self.code else {
            let help = "use an `if` statement";
            return Err(self.error(span, "effects under a condition are not supported in this function").help(help));
        };
        let (yes, no, end) = (code.label(span), code.label(span), code.label(span));
        code.branch(test, yes, no);
        code.depth += 1;
        let slot = self.temporary();
        let place = bughound_ir::expr::Place::global(slot, ValueType::Int);
        type Side<'l, L> = Box<dyn FnOnce(&mut L) -> Res<Tree> + 'l>;
        let sides: [(_, Side<'_, Self>); 2] = [(yes, Box::new(then)), (no, Box::new(otherwise))];
        for (label, side) in sides {
            if let Some(code) = &mut self.code {
                code.start(label);
            }
            let Tree::Leaf(value) = side(self)? else {
                return Err(self.error(span, "a choice between structures with effects is not supported"));
            };
            self.act(Action::Assign { target: place.clone(), value });
            if let Some(code) = &mut self.code {
                code.goto(end);
            }
        }
        if let Some(code) = &mut self.code {
            code.start(end);
            code.depth -= 1;
        }
        Ok(Tree::Leaf(Expr::read(place)))
    }
}
