//! Functions without effects, evaluated while the model is lowered.
//!
//! A guard is one expression in the IR, so a function that it calls must become one too: its statements are executed
//! with expressions for values. A condition that depends on the state executes both sides and joins their
//! results; a loop is unrolled until its condition is decided, by constants or by the ranges of variables.

use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::source::Span;

use crate::ast::{self, Declaration, ExprKind, Statement, StatementKind};
use crate::lower::declarations::default_value;
use crate::lower::expressions::{Operand, choose, either};
use crate::lower::fold;
use crate::lower::scope::{Entity, ScopeId, Tree};
use crate::lower::types::Ty;
use crate::lower::{Lowering, Res};

/// The largest expression that a variable may hold.
const MAX_SIZE: usize = 20_000;
/// How often a loop is unrolled whose condition is always true, and how often one that depends on the state.
const MAX_ROUNDS: usize = 10_000;
const MAX_OPEN_ROUNDS: usize = 300;

/// A variable of a function under evaluation.
#[derive(Clone, Debug)]
pub struct Local {
    pub tree: Tree,
    pub ty: Ty,
}

/// How far a function under evaluation has got.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Has it returned? An expression: on some ways it may have.
    done: Expr,
    result: Option<Tree>,
    ty: Ty,
}

/// A part of a variable.
#[derive(Clone, Debug)]
pub enum Step {
    Index(Expr),
    Field(usize),
}

#[derive(Clone, Debug)]
pub struct LocalPath {
    local: usize,
    steps: Vec<Step>,
    ty: Ty,
}

impl<'a> Lowering<'a> {
    /// The result of a function without effects; its parameters are declared in `scope`.
    pub(super) fn evaluate(&mut self, function: &'a ast::Function, scope: ScopeId, ty: Ty) -> Res<Option<Tree>> {
        let code = self.code.take();
        self.flows.push(Flow { done: Expr::Const(0), result: None, ty });
        let outcome = self.run_block(&function.body, scope);
        let flow = self.flows.pop();
        self.code = code;
        outcome?;
        Ok(flow.and_then(|flow| flow.result))
    }

    /// Declares a variable of the function under evaluation.
    pub(super) fn new_local(&mut self, scope: ScopeId, name: &str, tree: Tree, ty: Ty) {
        self.locals.push(Local { tree, ty });
        self.scopes.declare(scope, name, Entity::Local(self.locals.len() - 1));
    }

    fn done(&self) -> Expr {
        self.flows.last().map_or(Expr::Const(0), |flow| flow.done.clone())
    }

    fn returned(&self) -> bool {
        self.done() == Expr::Const(1)
    }

    fn run_block(&mut self, statements: &'a [Statement], scope: ScopeId) -> Res<()> {
        let before = self.locals.len();
        let inner = self.scopes.open(Some(scope));
        for statement in statements {
            if self.returned() {
                break;
            }
            self.run_statement(statement, inner)?;
        }
        self.locals.truncate(before);
        Ok(())
    }

    fn run_statement(&mut self, statement: &'a Statement, scope: ScopeId) -> Res<()> {
        self.tick(statement.span)?;
        match &statement.kind {
            StatementKind::Empty => Ok(()),
            StatementKind::Expression(expr) => self.effect(expr, scope),
            StatementKind::Declare(Declaration::Variable(variable)) => {
                let ty = self.ty_with(&variable.ty, &variable.dimensions, scope)?;
                let tree = match &variable.initial {
                    Some(initial) => self.initial_tree(initial, &ty, scope)?,
                    None => default_value(&ty),
                };
                self.new_local(scope, &variable.name.text, tree, ty);
                Ok(())
            }
            StatementKind::Declare(declaration) => {
                self.declare(declaration, scope, "");
                Ok(())
            }
            StatementKind::Block(body) => self.run_block(body, scope),
            StatementKind::If { condition, then, otherwise } => {
                let test = self.value(condition, scope)?;
                self.fork(
                    test,
                    |l| l.run_nested(then, scope),
                    |l| match otherwise {
                        Some(otherwise) => l.run_nested(otherwise, scope),
                        None => Ok(()),
                    },
                )
            }
            StatementKind::While { condition, body } => {
                self.run_loop(Some(condition), None, body, statement.span, scope)
            }
            StatementKind::DoWhile { body, condition } => {
                self.run_nested(body, scope)?;
                self.run_loop(Some(condition), None, body, statement.span, scope)
            }
            StatementKind::For { first, condition, step, body } => {
                if let Some(first) = first {
                    self.effect(first, scope)?;
                }
                self.run_loop(condition.as_ref(), step.as_ref(), body, statement.span, scope)
            }
            StatementKind::Iterate { name, ty, body } => {
                for inner in self.each_value(name, ty, scope)? {
                    if self.returned() {
                        break;
                    }
                    self.run_nested(body, inner)?;
                }
                Ok(())
            }
            StatementKind::Return(value) => {
                let tree = match value {
                    Some(value) => {
                        let ty = self.flows.last().map_or(Ty::INT, |flow| flow.ty.clone());
                        let tree = self.tree(value, scope)?;
                        Some(self.fit(tree, &ty, value.span)?)
                    }
                    None => None,
                };
                if let Some(flow) = self.flows.last_mut() {
                    flow.result = match (flow.result.take(), tree) {
                        (Some(old), Some(new)) => Some(either(&flow.done, old, new)),
                        (old, new) => new.or(old),
                    };
                    flow.done = Expr::Const(1);
                }
                Ok(())
            }
            StatementKind::Assert(_) => Err(self.error(statement.span, "`assert` can only be used in updates")),
        }
    }

    fn run_nested(&mut self, statement: &'a Statement, scope: ScopeId) -> Res<()> {
        self.run_block(std::slice::from_ref(statement), scope)
    }

    fn run_loop(
        &mut self,
        condition: Option<&'a ast::Expr>,
        step: Option<&'a ast::Expr>,
        body: &'a Statement,
        span: Span,
        scope: ScopeId,
    ) -> Res<()> {
        let mut open = 0;
        // States at the points where the loop may have ended, with the condition of going on there.
        let mut exits = Vec::new();
        for round in 0.. {
            let test = match condition {
                Some(condition) => self.value(condition, scope)?,
                None => Expr::Const(1),
            };
            let test = fold::binary(BinaryOp::And, fold::not(self.done()), test);
            match test.as_const() {
                Some(0) => break,
                Some(_) => {}
                None => {
                    open += 1;
                    exits.push((test, self.locals.clone(), self.flows.last().cloned()));
                }
            }
            if round >= MAX_ROUNDS || open > MAX_OPEN_ROUNDS {
                let help = "functions in conditions are written out before the search: give the variables that the loop \
                            looks at small ranges, or compute the value in an update";
                return Err(self.error(span, "no end of this loop is known before the run").help(help));
            }
            self.run_nested(body, scope)?;
            if let (Some(step), false) = (step, self.returned()) {
                self.effect(step, scope)?;
            }
        }
        for (test, locals, flow) in exits.into_iter().rev() {
            self.merge(&test, locals, flow);
        }
        Ok(())
    }

    /// Runs both sides of a choice, unless it is decided.
    fn fork(
        &mut self,
        test: Expr,
        then: impl FnOnce(&mut Self) -> Res<()>,
        otherwise: impl FnOnce(&mut Self) -> Res<()>,
    ) -> Res<()> {
        match test.as_const() {
            Some(0) => return otherwise(self),
            Some(_) => return then(self),
            None => {}
        }
        let (locals, flow) = (self.locals.clone(), self.flows.last().cloned());
        otherwise(self)?;
        let other_locals = std::mem::replace(&mut self.locals, locals);
        let other_flow = self.flows.last().cloned();
        if let (Some(flow), Some(last)) = (flow, self.flows.last_mut()) {
            *last = flow;
        }
        then(self)?;
        self.merge(&test, other_locals, other_flow);
        Ok(())
    }

    /// What is here if the test is true, what is given otherwise.
    fn merge(&mut self, test: &Expr, locals: Vec<Local>, flow: Option<Flow>) {
        // A side that has returned has no say in the values of variables.
        let other_returned = flow.as_ref().is_some_and(|flow| flow.done == Expr::Const(1));
        let here_returned = self.returned();
        for (here, other) in self.locals.iter_mut().zip(locals) {
            if here_returned {
                here.tree = other.tree;
            } else if here.tree != other.tree && !other_returned {
                here.tree = either(test, here.tree.clone(), other.tree);
            }
        }
        if let (Some(here), Some(other)) = (self.flows.last_mut(), flow) {
            here.done = fold::conditional(test.clone(), here.done.clone(), other.done);
            here.result = match (here.result.take(), other.result) {
                (Some(a), Some(b)) => Some(either(test, a, b)),
                (a, b) => a.or(b),
            };
        }
    }

    /// The local variable that an expression names, or part of one.
    pub(super) fn local_path(&mut self, expr: &'a ast::Expr, scope: ScopeId) -> Res<Option<LocalPath>> {
        match &expr.kind {
            ExprKind::Name(name) => match self.scopes.find(scope, name) {
                Some(Entity::Local(local)) => {
                    let local = *local;
                    let ty = self.locals[local].ty.clone();
                    Ok(Some(LocalPath { local, steps: Vec::new(), ty }))
                }
                _ => Ok(None),
            },
            ExprKind::Index(base, index) => {
                let Some(mut path) = self.local_path(base, scope)? else { return Ok(None) };
                let Ty::Array { element, lo, .. } = path.ty.clone() else {
                    return Err(self.error(expr.span, format!("an index on {}", path.ty.words())));
                };
                let at = self.value(index, scope)?;
                path.steps.push(Step::Index(fold::binary(BinaryOp::Subtract, at, Expr::Const(lo))));
                path.ty = (*element).clone();
                Ok(Some(path))
            }
            ExprKind::Member(base, member) => {
                let Some(mut path) = self.local_path(base, scope)? else { return Ok(None) };
                let Ty::Struct(fields) = path.ty.clone() else { return Ok(None) };
                let Some(at) = fields.iter().position(|(name, _)| *name == member.text) else { return Ok(None) };
                path.steps.push(Step::Field(at));
                path.ty = fields[at].1.clone();
                Ok(Some(path))
            }
            _ => Ok(None),
        }
    }

    /// The number that a part of a local variable holds.
    pub(super) fn read_local(&mut self, path: &LocalPath, span: Span) -> Res<Expr> {
        let mut tree = self.locals[path.local].tree.clone();
        for step in &path.steps {
            let Tree::Node(mut parts) = tree else { break };
            tree = match step {
                Step::Index(index) => choose(index, &parts),
                Step::Field(at) => parts.swap_remove(*at),
            };
        }
        self.single(Operand::Value(tree, path.ty.clone()), span)
    }

    pub(super) fn assign_local(&mut self, path: LocalPath, new: Tree, span: Span) -> Res<Operand> {
        let new = self.fit(new, &path.ty, span)?;
        // On the ways on which the function has returned, its variables no longer matter.
        let changed = changed(&self.locals[path.local].tree, &path.steps, &new);
        let sizes: Vec<usize> = changed.leaves().iter().map(|leaf| fold::size(leaf)).collect();
        // Each operator that is put on top looks at all of it.
        self.spend(sizes.iter().sum::<usize>() as u64 / 2, span)?;
        if sizes.iter().any(|size| *size > MAX_SIZE) {
            let help =
                "functions in conditions are written out before the search: compute the value in an update instead";
            return Err(self.error(span, "this function becomes too large when it is written out").help(help));
        }
        self.locals[path.local].tree = changed;
        Ok(Operand::Value(new, path.ty))
    }
}

/// The tree with one part replaced.
fn changed(tree: &Tree, steps: &[Step], new: &Tree) -> Tree {
    let (Some((step, rest)), Tree::Node(parts)) = (steps.split_first(), tree) else { return new.clone() };
    let part = |at: usize, part: &Tree| match step {
        Step::Field(field) if *field == at => changed(part, rest, new),
        Step::Field(_) => part.clone(),
        Step::Index(index) => {
            let hit = fold::binary(BinaryOp::Equal, index.clone(), Expr::Const(at as i32));
            match hit.as_const() {
                Some(0) => part.clone(),
                Some(_) => changed(part, rest, new),
                None => either(&hit, changed(part, rest, new), part.clone()),
            }
        }
    };
    Tree::Node(parts.iter().enumerate().map(|(at, p)| part(at, p)).collect())
}
