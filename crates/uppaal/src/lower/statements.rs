//! Functions with effects, written out as code at the place of their call.

use bughound_ir::edge::Action;
use bughound_ir::source::Span;

use crate::ast::{self, Declaration, Statement, StatementKind};
use crate::lower::code::Label;
use crate::lower::declarations::{default_value, leaves_range};
use crate::lower::expressions::Operand;
use crate::lower::fold;
use crate::lower::scope::{Entity, FunctionEntity, ScopeId, Target, Tree};
use crate::lower::types::{Space, Ty};
use crate::lower::walk::{assigns, each_statement};
use crate::lower::{Lowering, Res};

/// A function that is being written out.
#[derive(Clone, Debug)]
pub struct ReturnFrame {
    result: Option<Target>,
    end: Label,
    /// A `return` under a condition was passed: what follows does not always happen.
    pub may_have_returned: bool,
    ty: Ty,
}

impl<'a> Lowering<'a> {
    pub(super) fn inline(
        &mut self,
        entity: &FunctionEntity<'a>,
        arguments: &'a [ast::Expr],
        ty: &Ty,
        scope: ScopeId,
    ) -> Res<Option<Operand>> {
        let function = entity.function;
        let inner = self.scopes.open(Some(entity.scope));
        let mut entities = Vec::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let wanted = self.ty_with(&parameter.ty, &parameter.dimensions, entity.scope)?;
            if parameter.reference || wanted.space() != Some(Space::Data) {
                let operand = self.operand(argument, scope)?;
                let operand = self.saved_operand(operand)?;
                entities.push((
                    parameter,
                    match operand {
                        Operand::Target(target) => Entity::Target(target),
                        Operand::Value(tree, ty) => Entity::Value(tree.into(), ty),
                    },
                ));
                continue;
            }
            let tree = self.tree(argument, scope)?;
            let tree = self.fit(tree, &wanted, argument.span)?;
            if tree.is_constant() && !assigns(function, &parameter.name.text) {
                entities.push((parameter, Entity::Value(tree.into(), wanted)));
                continue;
            }
            let target = self.frame_variable(&parameter.name, &wanted)?;
            self.store(&target, tree, argument.span)?;
            entities.push((parameter, Entity::Target(target)));
        }
        for (parameter, entity) in entities {
            self.scopes.declare(inner, &parameter.name.text, entity);
        }
        self.calls.push(function.name.span);
        let result = self.write_body(function, inner, ty);
        self.calls.pop();
        result
    }

    fn write_body(&mut self, function: &'a ast::Function, inner: ScopeId, ty: &Ty) -> Res<Option<Operand>> {
        // A single `return` at the end needs neither a jump nor a variable.
        if let Some((last, before)) = function.body.split_last()
            && let StatementKind::Return(Some(value)) = &last.kind
            && !has_return(before)
        {
            before.iter().try_for_each(|statement| self.write(statement, inner))?;
            let tree = self.tree(value, inner)?;
            let tree = self.fit(tree, ty, value.span)?;
            if matches!(&tree, Tree::Leaf(expr) if leaves_range(expr, ty)) {
                let result = Target::new(self.temporary(), ty.clone());
                self.store(&result, tree, value.span)?;
                return Ok(Some(Operand::Target(result)));
            }
            return Ok(Some(Operand::Value(tree, ty.clone())));
        }
        let result = match ty {
            Ty::Void => None,
            _ if ty.is_scalar_data() => Some(Target::new(self.temporary(), ty.clone())),
            _ => Some(self.frame_variable(&function.name, ty)?),
        };
        let Some(code) = &mut self.code else { return Ok(None) };
        let end = code.label(function.name.span);
        self.returns.push(ReturnFrame { result: result.clone(), end, may_have_returned: false, ty: ty.clone() });
        let written = function.body.iter().try_for_each(|statement| self.write(statement, inner));
        self.returns.pop();
        written?;
        if let Some(code) = &mut self.code {
            code.goto(end);
            code.start(end);
        }
        Ok(result.map(Operand::Target))
    }

    /// A variable of a function: a slot that is forgotten after each step. Functions do not call themselves, so one
    /// place for each is enough.
    fn frame_variable(&mut self, name: &ast::Name, ty: &Ty) -> Res<Target> {
        // The type may depend on the parameters of the process.
        let key = (name.span, ty.size());
        if let Some((_, slot)) = self.frames.iter().find(|(known, _)| *known == key) {
            return Ok(Target::new(*slot, ty.clone()));
        }
        let target = self.allocate(&format!("_{}", name.text), ty.clone(), None, name.span, true)?;
        self.frames.push((key, target.slot));
        Ok(target)
    }

    fn write(&mut self, statement: &'a Statement, scope: ScopeId) -> Res<()> {
        self.tick(statement.span)?;
        let span = statement.span;
        match &statement.kind {
            StatementKind::Empty => Ok(()),
            StatementKind::Expression(expr) => self.effect(expr, scope),
            StatementKind::Declare(Declaration::Variable(variable)) => {
                let ty = self.ty_with(&variable.ty, &variable.dimensions, scope)?;
                let tree = match &variable.initial {
                    Some(initial) => self.initial_tree(initial, &ty, scope)?,
                    None => default_value(&ty),
                };
                if variable.ty.prefix.constant && tree.is_constant() {
                    self.scopes.declare(scope, &variable.name.text, Entity::Value(tree.into(), ty));
                    return Ok(());
                }
                let target = self.frame_variable(&variable.name, &ty)?;
                self.store(&target, tree, span)?;
                self.scopes.declare(scope, &variable.name.text, Entity::Target(target));
                Ok(())
            }
            StatementKind::Declare(declaration) => {
                self.declare(declaration, scope, "");
                Ok(())
            }
            StatementKind::Block(body) => {
                let inner = self.scopes.open(Some(scope));
                body.iter().try_for_each(|statement| self.write(statement, inner))
            }
            StatementKind::If { condition, then, otherwise } => {
                let test = self.value(condition, scope)?;
                if let Some(value) = test.as_const() {
                    let chosen = if value != 0 { Some(then) } else { otherwise.as_ref() };
                    return chosen.map_or(Ok(()), |statement| self.write_nested(statement, scope));
                }
                let Some(code) = &mut self.code else { return Ok(()) };
                let (yes, no, end) = (code.label(then.span), code.label(span), code.label(span));
                code.branch(test, yes, no);
                code.depth += 1;
                code.start(yes);
                self.write_nested(then, scope)?;
                self.jump(end, no);
                if let Some(otherwise) = otherwise {
                    self.write_nested(otherwise, scope)?;
                }
                self.jump(end, end);
                self.close();
                Ok(())
            }
            StatementKind::While { condition, body } => self.write_loop(Some(condition), None, body, span, scope),
            StatementKind::DoWhile { body, condition } => {
                let Some(code) = &mut self.code else { return Ok(()) };
                let (again, end) = (code.label(span), code.label(span));
                code.goto(again);
                code.start(again);
                code.depth += 1;
                self.write_nested(body, scope)?;
                let test = self.value(condition, scope)?;
                if let Some(code) = &mut self.code {
                    code.branch(test, again, end);
                    code.start(end);
                }
                self.close();
                Ok(())
            }
            StatementKind::For { first, condition, step, body } => {
                if let Some(first) = first {
                    self.effect(first, scope)?;
                }
                self.write_loop(condition.as_ref(), step.as_ref(), body, span, scope)
            }
            StatementKind::Iterate { name, ty, body } => {
                for inner in self.each_value(name, ty, scope)? {
                    self.write_nested(body, inner)?;
                }
                Ok(())
            }
            StatementKind::Return(value) => self.write_return(value.as_ref(), span, scope),
            StatementKind::Assert(condition) => {
                let condition_value = self.value(condition, scope)?;
                let text = self.builder.so_far().sources.text(condition.span).to_string();
                self.act(Action::Assert { condition: condition_value, text, span: condition.span });
                Ok(())
            }
        }
    }

    fn write_nested(&mut self, statement: &'a Statement, scope: ScopeId) -> Res<()> {
        let inner = self.scopes.open(Some(scope));
        self.write(statement, inner)
    }

    /// Ends a block with a jump and goes on elsewhere.
    pub(super) fn jump(&mut self, to: Label, then: Label) {
        if let Some(code) = &mut self.code {
            code.goto(to);
            code.start(then);
        }
    }

    pub(super) fn close(&mut self) {
        if let Some(code) = &mut self.code {
            code.depth -= 1;
        }
    }

    fn write_loop(
        &mut self,
        condition: Option<&'a ast::Expr>,
        step: Option<&'a ast::Expr>,
        body: &'a Statement,
        span: Span,
        scope: ScopeId,
    ) -> Res<()> {
        let Some(code) = &mut self.code else { return Ok(()) };
        let (test_at, body_at, end) = (code.label(span), code.label(body.span), code.label(span));
        code.goto(test_at);
        code.start(test_at);
        code.depth += 1;
        let test = match condition {
            Some(condition) => self.value(condition, scope)?,
            None => bughound_ir::expr::Expr::Const(1),
        };
        if let Some(code) = &mut self.code {
            code.branch(test, body_at, end);
            code.start(body_at);
        }
        self.write_nested(body, scope)?;
        if let Some(step) = step {
            self.effect(step, scope)?;
        }
        self.jump(test_at, end);
        self.close();
        Ok(())
    }

    fn write_return(&mut self, value: Option<&'a ast::Expr>, span: Span, scope: ScopeId) -> Res<()> {
        let Some(frame) = self.returns.last().cloned() else {
            return Err(self.error(span, "`return` outside of a function"));
        };
        if let Some(value) = value {
            let tree = self.tree(value, scope)?;
            let Some(result) = &frame.result else {
                return Err(self.error(span, "this function has no value to return"));
            };
            let tree = match (tree, &frame.ty) {
                (Tree::Leaf(expr), Ty::Bool) => Tree::Leaf(fold::truth(expr)),
                (tree, _) => tree,
            };
            self.store(result, tree, value.span)?;
        }
        let Some(code) = &mut self.code else { return Ok(()) };
        if code.depth > 0
            && let Some(frame) = self.returns.last_mut()
        {
            frame.may_have_returned = true;
        }
        let behind = code.label(span);
        code.goto(frame.end);
        // Whatever follows in this block is never reached.
        code.start(behind);
        Ok(())
    }
}

fn has_return(statements: &[Statement]) -> bool {
    let mut found = false;
    each_statement(statements, &mut |s| found |= matches!(s.kind, StatementKind::Return(_)), &mut |_| {});
    found
}
