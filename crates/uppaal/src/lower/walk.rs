//! Questions about the syntax tree: what has effects, what is assigned, what a name's type is.

use std::collections::HashSet;

use crate::ast::{self, Declaration, ExprKind, Statement, StatementKind};
use crate::lower::Lowering;
use crate::lower::scope::{Entity, ScopeId};
use crate::lower::types::{Space, Ty};

/// Calls `visit` on an expression and everything below it.
pub fn each_expression<'e>(expr: &'e ast::Expr, visit: &mut dyn FnMut(&'e ast::Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Name(_) | ExprKind::Deadlock | ExprKind::Unsupported(_) => {
        }
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) => {
            each_expression(a, visit);
            each_expression(b, visit);
        }
        ExprKind::Member(a, _) | ExprKind::Rate(a) | ExprKind::Unary(_, a) => each_expression(a, visit),
        ExprKind::Step { target, .. } => each_expression(target, visit),
        ExprKind::Quantified { body, .. } => each_expression(body, visit),
        ExprKind::Call(function, arguments) => {
            each_expression(function, visit);
            arguments.iter().for_each(|a| each_expression(a, visit));
        }
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| each_expression(e, visit)),
    }
}

/// Calls `visit` on every statement and every expression in statements.
pub fn each_statement<'s>(
    statements: &'s [Statement],
    statement: &mut dyn FnMut(&'s Statement),
    expression: &mut dyn FnMut(&'s ast::Expr),
) {
    for s in statements {
        statement(s);
        let mut inner = |s: &'s Statement| each_statement(std::slice::from_ref(s), statement, expression);
        match &s.kind {
            StatementKind::Block(body) => body.iter().for_each(inner),
            StatementKind::If { then, otherwise, .. } => {
                inner(then);
                otherwise.iter().for_each(|s| inner(s));
            }
            StatementKind::While { body, .. }
            | StatementKind::DoWhile { body, .. }
            | StatementKind::For { body, .. }
            | StatementKind::Iterate { body, .. } => inner(body),
            _ => {}
        }
        let mut walk = |e: &'s ast::Expr| each_expression(e, expression);
        match &s.kind {
            StatementKind::Expression(e)
            | StatementKind::Return(Some(e))
            | StatementKind::Assert(e)
            | StatementKind::If { condition: e, .. }
            | StatementKind::While { condition: e, .. }
            | StatementKind::DoWhile { condition: e, .. } => walk(e),
            StatementKind::For { first, condition, step, .. } => {
                [first, condition, step].into_iter().flatten().for_each(walk);
            }
            StatementKind::Declare(Declaration::Variable(variable)) => {
                if let Some(ast::Initialiser::Value(e)) = &variable.initial {
                    walk(e);
                }
            }
            _ => {}
        }
    }
}

/// The name at the root of `a[i].b`.
pub fn root(expr: &ast::Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Index(base, _) | ExprKind::Member(base, _) => root(base),
        _ => None,
    }
}

/// The root of what an expression itself assigns.
fn assigned(expr: &ast::Expr) -> Option<&ast::Expr> {
    match &expr.kind {
        ExprKind::Assign(_, target, _) | ExprKind::Step { target, .. } => Some(target),
        _ => None,
    }
}

/// Does a function assign this name?
pub fn assigns(function: &ast::Function, name: &str) -> bool {
    let mut found = false;
    each_statement(&function.body, &mut |_| {}, &mut |e| {
        found |= assigned(e).is_some_and(|target| root(target) == Some(name));
        // Passed on, possibly by reference.
        if let ExprKind::Call(_, arguments) = &e.kind {
            found |= arguments.iter().any(|a| root(a) == Some(name));
        }
    });
    found
}

impl<'a> Lowering<'a> {
    /// Does the evaluation of an expression change anything?
    pub(super) fn has_effects(&self, expr: &ast::Expr, scope: ScopeId) -> bool {
        let mut found = false;
        each_expression(expr, &mut |e| {
            found = found
                || assigned(e).is_some()
                || matches!(&e.kind, ExprKind::Call(f, _) if self.calls_impure(f, scope, 0));
        });
        found
    }

    fn calls_impure(&self, function: &ast::Expr, scope: ScopeId, depth: usize) -> bool {
        let ExprKind::Name(name) = &function.kind else { return false };
        match self.scopes.find(scope, name) {
            Some(Entity::Function(entity)) => !self.is_pure_at(entity.function, entity.scope, depth + 1),
            _ => false,
        }
    }

    /// A function that changes nothing but its own variables.
    pub(super) fn is_pure(&self, function: &ast::Function, scope: ScopeId) -> bool {
        self.is_pure_at(function, scope, 0)
    }

    fn is_pure_at(&self, function: &ast::Function, scope: ScopeId, depth: usize) -> bool {
        if depth > 20 {
            return false; // recursion, which is an error where the call is lowered
        }
        let mut own: HashSet<&str> =
            function.parameters.iter().filter(|p| !p.reference).map(|p| p.name.text.as_str()).collect();
        each_statement(
            &function.body,
            &mut |s| match &s.kind {
                StatementKind::Declare(Declaration::Variable(variable)) => {
                    // In a block inside of the function the name may mean something else outside of the block.
                    let everywhere = function.body.iter().any(|top| std::ptr::eq(top, s));
                    if everywhere || !matches!(self.scopes.find(scope, &variable.name.text), Some(Entity::Target(_))) {
                        own.insert(&variable.name.text);
                    }
                }
                StatementKind::Iterate { name, .. } => {
                    own.insert(&name.text);
                }
                _ => {}
            },
            &mut |_| {},
        );
        let mut pure = true;
        let mut asserts = false;
        each_statement(&function.body, &mut |s| asserts |= matches!(s.kind, StatementKind::Assert(_)), &mut |e| {
            pure &= assigned(e).is_none_or(|target| root(target).is_some_and(|name| own.contains(name)));
            if let ExprKind::Call(f, _) = &e.kind {
                pure &= !self.calls_impure(f, scope, depth);
            }
        });
        pure && !asserts
    }

    /// The type of a name, an element or a field; `None` for anything else.
    pub(super) fn static_ty(&self, expr: &ast::Expr, scope: ScopeId) -> Option<Ty> {
        match &expr.kind {
            ExprKind::Name(name) => match self.scopes.find(scope, name)? {
                Entity::Value(_, ty) => Some(ty.clone()),
                Entity::Target(target) => Some(target.ty.clone()),
                Entity::Local(local) => Some(self.locals[*local].ty.clone()),
                Entity::Hint(_) => Some(Ty::INT),
                Entity::Type(_) | Entity::Function(_) | Entity::Meter(_) => None,
            },
            ExprKind::Index(base, _) => match self.static_ty(base, scope)? {
                Ty::Array { element, .. } => Some((*element).clone()),
                _ => None,
            },
            ExprKind::Member(base, member) => {
                if let Some(found) = self.member_of_some_process(base, member) {
                    return Some(found);
                }
                match self.static_ty(base, scope)? {
                    Ty::Struct(fields) => {
                        fields.iter().find(|(name, _)| *name == member.text).map(|(_, ty)| ty.clone())
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Does an expression speak about clocks?
    pub(super) fn is_clocky(&self, expr: &ast::Expr, scope: ScopeId) -> bool {
        match &expr.kind {
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Member(..) => {
                self.static_ty(expr, scope).is_some_and(|ty| ty.space() == Some(Space::Clock))
            }
            ExprKind::Rate(_) => true,
            ExprKind::Unary(_, a) => self.is_clocky(a, scope),
            ExprKind::Binary(_, a, b) => self.is_clocky(a, scope) || self.is_clocky(b, scope),
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().any(|e| self.is_clocky(e, scope)),
            ExprKind::Quantified { body, name, .. } => {
                // The bound name is a number, whatever it means outside.
                let mut found = false;
                each_expression(body, &mut |e| {
                    let shadowed = root(e) == Some(name.text.as_str());
                    let leaf = matches!(e.kind, ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Member(..));
                    found |= matches!(e.kind, ExprKind::Rate(_)) || (leaf && !shadowed && self.is_clocky(e, scope));
                });
                found
            }
            _ => false,
        }
    }
}
