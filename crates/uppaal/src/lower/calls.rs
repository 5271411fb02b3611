//! Calls of functions.
//!
//! A function without effects is evaluated to an expression, in updates too if that works. Others are written out as
//! code at the place of the call.

use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::source::Span;

use crate::ast::{self, ExprKind};
use crate::lower::expressions::Operand;
use crate::lower::fold;
use crate::lower::scope::{Entity, FunctionEntity, ScopeId, Tree};
use crate::lower::types::Ty;
use crate::lower::walk::assigns;
use crate::lower::{Lowering, Res};

/// Functions of statistical models.
const REAL_FUNCTIONS: &[&str] = &[
    "ceil",
    "cos",
    "exp",
    "fabs",
    "fint",
    "floor",
    "fmax",
    "fmin",
    "fmod",
    "ln",
    "log",
    "pow",
    "random",
    "random_normal",
    "random_poisson",
    "round",
    "sin",
    "sqrt",
    "tan",
    "trunc",
];

impl<'a> Lowering<'a> {
    /// A call whose value is wanted.
    pub(super) fn call(
        &mut self,
        function: &'a ast::Expr,
        arguments: &'a [ast::Expr],
        span: Span,
        scope: ScopeId,
    ) -> Res<Operand> {
        match self.call_any(function, arguments, span, scope)? {
            Some(operand) => Ok(operand),
            None => Err(self.error(span, "this function has no value")),
        }
    }

    pub(super) fn call_any(
        &mut self,
        function: &'a ast::Expr,
        arguments: &'a [ast::Expr],
        span: Span,
        scope: ScopeId,
    ) -> Res<Option<Operand>> {
        let ExprKind::Name(name) = &function.kind else {
            return Err(self.error(function.span, "only functions can be called"));
        };
        let entity = match self.scopes.find(scope, name) {
            Some(Entity::Function(entity)) => entity.clone(),
            Some(other) => {
                let message = format!("`{name}` is {}, not a function", other.kind());
                return Err(self.error(function.span, message));
            }
            None => return self.built_in(name, arguments, function.span, scope).map(Some),
        };
        let function = entity.function;
        if function.parameters.len() != arguments.len() {
            let wanted = function.parameters.len();
            let message = format!("`{name}` has {wanted} parameters, but is called with {}", arguments.len());
            return Err(self.error(span, message).related(function.name.span, "declared here"));
        }
        if self.calls.contains(&function.name.span) {
            let help = "use a loop";
            let error = self.error(span, format!("`{name}` calls itself: recursion is not allowed")).help(help);
            return Err(error.related(function.name.span, "declared here"));
        }
        let ty = self.ty(&function.result, entity.scope)?;
        let pure = self.is_pure(function, entity.scope);
        if !pure && self.code.is_none() {
            let message = format!("`{name}` changes variables and cannot be called here");
            let help = "guards, invariants, queries and initial values must not have effects";
            return Err(self.error(span, message).help(help));
        }
        // What the arguments change must not happen twice.
        if !pure || (self.code.is_some() && arguments.iter().any(|argument| self.has_effects(argument, scope))) {
            return self.inline(&entity, arguments, &ty, scope);
        }
        let before = std::mem::take(&mut self.may_leave_range);
        // Where there may be code, an expression is not worth much work.
        let most = self.most_work;
        if self.code.is_some() {
            self.most_work = most.min(self.work + super::ATTEMPT_WORK);
        }
        let result = self.call_pure(&entity, arguments, &ty, scope);
        self.most_work = most;
        let inside = !std::mem::replace(&mut self.may_leave_range, before);
        self.may_leave_range |= !inside;
        match result {
            // An expression cannot fail where a variable of the function could not hold its value; code does.
            Ok(_) if !inside && self.code.is_some() => self.inline(&entity, arguments, &ty, scope),
            Ok(Some(tree)) => Ok(Some(Operand::Value(tree, ty))),
            Ok(None) if ty == Ty::Void => Ok(None),
            Ok(None) => Err(self.error(span, format!("`{name}` does not return a value"))),
            // Too large as an expression: as code, if there may be code.
            Err(_) if self.code.is_some() => self.inline(&entity, arguments, &ty, scope),
            Err(error) => Err(error),
        }
    }

    fn call_pure(
        &mut self,
        entity: &FunctionEntity<'a>,
        arguments: &'a [ast::Expr],
        ty: &Ty,
        scope: ScopeId,
    ) -> Res<Option<Tree>> {
        let (before, mark) = (self.locals.len(), self.scopes.mark());
        let inner = self.scopes.open(Some(entity.scope));
        let mut values = Vec::new();
        for (parameter, argument) in entity.function.parameters.iter().zip(arguments) {
            let wanted = self.ty_with(&parameter.ty, &parameter.dimensions, entity.scope)?;
            let operand = self.operand(argument, scope)?;
            let value = match operand {
                Operand::Target(target) if parameter.reference => Entity::Target(target),
                operand => {
                    let tree = self.all_parts(operand, argument.span)?;
                    Entity::Value(self.fit(tree, &wanted, argument.span)?.into(), wanted)
                }
            };
            values.push((parameter, value));
        }
        for (parameter, value) in values {
            match value {
                Entity::Value(tree, ty) if assigns(entity.function, &parameter.name.text) => {
                    self.new_local(inner, &parameter.name.text, (*tree).clone(), ty);
                }
                value => {
                    self.scopes.declare(inner, &parameter.name.text, value);
                }
            }
        }
        self.calls.push(entity.function.name.span);
        let result = self.evaluate(entity.function, inner, ty.clone());
        self.calls.pop();
        self.locals.truncate(before);
        self.scopes.forget(mark);
        result
    }

    fn built_in(&mut self, name: &str, arguments: &'a [ast::Expr], span: Span, scope: ScopeId) -> Res<Operand> {
        match (name, arguments) {
            ("abs", [argument]) => {
                let value = self.value(argument, scope)?;
                let test = fold::binary(BinaryOp::Less, value.clone(), Expr::Const(0));
                let minus = fold::unary(bughound_ir::expr::UnaryOp::Minus, value.clone());
                Ok(Operand::number(fold::conditional(test, minus, value)))
            }
            (name, _) if REAL_FUNCTIONS.contains(&name) => {
                let message = format!("`{name}`: functions on numbers with a fraction are not supported");
                Err(self.error(span, message))
            }
            _ => Err(self.unknown(scope, name, span)),
        }
    }
}
