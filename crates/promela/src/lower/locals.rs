//! Declarations inside a process: parameters, local variables and channels.

use bughound_ir::edge::Action;
use bughound_ir::expr::{Expr, Place};
use bughound_ir::network::Initialiser;
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::types::Channel;

use super::body::BodyLowering;
use super::elements::Op;
use super::symbols::{Owner, Shape, VarInfo};
use super::truncation;
use super::variables::{self, NewChannel};
use crate::ast::{self, ExprKind, Initializer};

impl BodyLowering<'_> {
    /// Declares parameters, in order.
    pub fn parameters(&mut self, params: &[ast::Decl]) {
        for decl in params {
            for declarator in &decl.vars {
                if let Some(array) = &declarator.array {
                    self.error(Diagnostic::error(array.span, "a parameter cannot be an array"));
                }
                if let Some(info) = self.declare(decl, declarator) {
                    self.template.parameters += self.symbols.flatten(info.shape).len() as u32;
                }
            }
        }
    }

    /// Gives a variable its place in the frame.
    pub(super) fn declare(&mut self, decl: &ast::Decl, declarator: &ast::Declarator) -> Option<VarInfo> {
        if self.flat_scopes
            && let Some(known) = self.scopes.last().and_then(|(_, names)| names.get(&declarator.name.name))
        {
            return Some(known.clone()); // the same variable again
        }
        let allocate = |slots| self.template.allocate(slots);
        let info = variables::describe(self.symbols, Owner::Local, decl, declarator, allocate, &mut self.errors)?;
        let name = &declarator.name.name;
        if let Some(other) = self.scopes.iter().rev().find_map(|(_, names)| names.get(name)) {
            let text = format!("`{name}` is declared twice in this process");
            let first = other.span;
            self.error(Diagnostic::error(declarator.name.span, text).related(first, "first declared here"));
        }
        let hidden = decl.visibility == Some(ast::Visibility::Hidden);
        self.template.variables.extend(self.symbols.leaves(name, &info, hidden));
        self.variables.insert(name.clone(), info.clone());
        if let Some((_, names)) = self.scopes.last_mut() {
            names.insert(name.clone(), info.clone());
        }
        Some(info)
    }

    /// A declaration in its place: at the start of the body the variable is initialised with the process, elsewhere by a
    /// step.
    pub(super) fn declaration(&mut self, decl: &ast::Decl) {
        for declarator in &decl.vars {
            // The variable is not known yet in its own initial value.
            let sources = variables::initial_values(declarator);
            let values: Vec<Expr> = sources.iter().map(|e| self.expr(e)).collect();
            let Some(info) = self.declare(decl, declarator) else { continue };
            if !variables::values_fit(declarator, &info, &mut self.errors) {
                continue;
            }
            self.make_channels(decl, declarator, &info);
            self.unsafe_start |= match &declarator.init {
                Some(Initializer::Expr(e)) => !matches!(e.kind, ExprKind::Const { .. }) && !self.is_local_name(e),
                Some(Initializer::List { .. }) => true,
                Some(Initializer::Channel(_)) | None => false,
            };
            let place = variables::element(self.symbols, &info, 0);
            let span = if decl.at_start { declarator.name.span } else { declarator.span };
            sources.iter().for_each(|e| self.check_constant(&place, e, span));
            sources.iter().for_each(|e| self.doubt_mtype(place.ty, e));
            if decl.at_start {
                let order = variables::type_order(&decl.ty.kind);
                self.initialisers.extend(variables::assignments(self.symbols, &info, &values, order));
            } else {
                self.late_declaration(declarator, &info, values);
            }
        }
    }

    fn is_local_name(&self, expr: &ast::Expr) -> bool {
        matches!(&expr.kind, ExprKind::Var(v) if v.as_name().is_some_and(|n| {
            self.symbols.mtypes.contains_key(&n.name) || self.find_variable(&n.name).is_some_and(|i| i.owner == Owner::Local)
        }))
    }

    /// A declaration after the first statement.
    fn late_declaration(&mut self, declarator: &ast::Declarator, info: &VarInfo, mut values: Vec<Expr>) {
        match &declarator.init {
            Some(Initializer::Channel(_)) => {
                let text = format!("channel `{}` exists from the start of the process", declarator.name.name);
                let warning = Diagnostic::warning(declarator.span, text);
                self.warning(warning.help("declare it before the first statement"));
            }
            Some(Initializer::List { span, .. }) => self.error(
                Diagnostic::error(*span, "a list of initial values is possible only before the first statement")
                    .help("declare the array at the start of the process"),
            ),
            // Of an array, SPIN sets only the first element then.
            Some(Initializer::Expr(_)) | None => {
                self.step_for_declaration(declarator, info, values.pop().unwrap_or(Expr::Const(0)));
            }
        }
    }

    fn step_for_declaration(&mut self, declarator: &ast::Declarator, info: &VarInfo, value: Expr) {
        let text = match &declarator.init {
            Some(Initializer::Expr(e)) => format!("{} = {}", declarator.name.name, e),
            _ => format!("{} = 0", declarator.name.name),
        };
        let op = match info.shape {
            Shape::Scalar(_) => Op::Act(Action::Assign { target: variables::element(self.symbols, info, 0), value }),
            Shape::Struct(_) => Op::Nothing,
        };
        let global = matches!(&declarator.init, Some(Initializer::Expr(e)) if self.expr_is_global(e));
        let element = self.flow.new_element(op, declarator.span, text);
        self.flow.elem_mut(element).global = global;
        self.flow.add(element);
    }

    /// Warns if a constant does not fit the place it is stored in.
    pub(super) fn check_constant(&mut self, place: &Place, value: &ast::Expr, span: Span) {
        if self.warn_truncation {
            self.warnings.extend(truncation::warning(self.symbols, place.ty, value, span));
        }
    }

    /// Makes the channels of a declaration and has its variables hold them.
    fn make_channels(&mut self, decl: &ast::Decl, declarator: &ast::Declarator, info: &VarInfo) {
        for new in variables::channels(self.symbols, decl, declarator, info, &mut self.errors) {
            let NewChannel { name, capacity, fields, span, holder, order } = new;
            let mut channel = Channel { name, capacity, fields, slot: 0, span };
            channel.slot = self.template.allocate(channel.slots());
            let index = self.template.channels.len() as u32;
            self.template.channels.push(channel);
            self.initialisers.push((order, Initialiser::Channel { slot: holder, index }));
            self.unsafe_start = true;
        }
    }
}
