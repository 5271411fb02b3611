//! Modules that are copies of others: `module B = A [x=y] endmodule`.
//!
//! Renaming reaches into formulas: one that uses a renamed name is replaced by its body, renamed as well.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;

use super::super::ast::{self, Command, Expr, ExprKind, ModuleBody, Name, Update, Variable, VariableType, node};
use super::super::parser::MAX_HEIGHT;
use super::expressions::too_high;

/// How large all copies together may become.
const MAX_COPIED: usize = 2_000_000;

/// A module with its own variables and commands.
#[derive(Clone, Debug)]
pub struct Module {
    pub name: Name,
    pub variables: Vec<Variable>,
    pub commands: Vec<Command>,
}

/// All modules, copies written out.
pub fn written_out(model: &ast::Model, diagnostics: &mut Vec<Diagnostic>) -> Vec<Module> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (at, module) in model.modules.iter().enumerate() {
        if let Some(before) = first.insert(&module.name.text, at) {
            let message = format!("the module `{}` is declared twice", module.name.text);
            let error = Diagnostic::error(module.name.span, message);
            diagnostics.push(error.related(model.modules[before].name.span, "first declared here"));
        }
    }
    if !diagnostics.is_empty() {
        return Vec::new();
    }
    let formulas = model.formulas.iter().map(|f| (&*f.name.text, &f.body)).collect();
    let count = model.modules.len();
    let (done, on_way) = (vec![None; count], vec![false; count]);
    let mut copier = Copier { model, first, formulas, users: users(model), copied: 0, depth: 0, done, on_way };
    for at in 0..model.modules.len() {
        if let Err(error) = copier.write_out(at) {
            diagnostics.push(error);
            return Vec::new();
        }
    }
    copier.done.into_iter().flatten().collect()
}

struct Copier<'m> {
    model: &'m ast::Model,
    first: HashMap<&'m str, usize>,
    formulas: HashMap<&'m str, &'m Rc<Expr>>,
    users: HashMap<&'m str, Vec<&'m str>>,
    copied: usize,
    depth: usize,
    done: Vec<Option<Module>>,
    /// Modules that wait for the one that they are copies of.
    on_way: Vec<bool>,
}

/// For each name, the formulas in which it stands.
fn users(model: &ast::Model) -> HashMap<&str, Vec<&str>> {
    let mut users: HashMap<&str, Vec<&str>> = HashMap::new();
    for formula in &model.formulas {
        formula.body.walk(&mut |part| {
            if let ExprKind::Name(name) = &part.kind {
                users.entry(name).or_default().push(&formula.name.text);
            }
        });
    }
    users
}

/// What a copy renames.
struct Renaming<'m> {
    map: HashMap<&'m str, &'m Name>,
    /// Formulas in which something is renamed.
    inner: HashSet<&'m str>,
}

impl<'m> Copier<'m> {
    /// Writes out the module and, before it, those that it is a copy of.
    fn write_out(&mut self, at: usize) -> Result<(), Diagnostic> {
        let mut way = vec![at];
        while let Some(&at) = way.last() {
            if self.done[at].is_some() {
                self.on_way[at] = false;
                way.pop();
                continue;
            }
            let model = self.model;
            let module = &model.modules[at];
            match &module.body {
                ModuleBody::Written { variables, commands } => {
                    let (name, variables, commands) = (module.name.clone(), variables.clone(), commands.clone());
                    self.done[at] = Some(Module { name, variables, commands });
                }
                ModuleBody::Renamed { base, renamings } => {
                    let Some(&of) = self.first.get(&*base.text) else {
                        let hint = suggest(&base.text, self.first.keys().copied());
                        return Err(Diagnostic::error(base.span, format!("there is no module `{}`{hint}", base.text)));
                    };
                    match self.done[of].take() {
                        Some(base) => {
                            let copy = self.copy(&module.name, &base, renamings);
                            self.done[of] = Some(base);
                            self.done[at] = Some(copy?);
                        }
                        None if of == at || self.on_way[of] => {
                            let message = format!("the module `{}` is a copy of itself", module.name.text);
                            return Err(Diagnostic::error(base.span, message).label("by way of this module"));
                        }
                        None => {
                            self.on_way[at] = true;
                            way.push(of);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn copy(&mut self, name: &Name, base: &Module, renamings: &'m [(Name, Name)]) -> Result<Module, Diagnostic> {
        let mut map: HashMap<&'m str, &'m Name> = HashMap::new();
        for (from, to) in renamings {
            if map.insert(&from.text, to).is_some() {
                return Err(Diagnostic::error(from.span, format!("`{}` is renamed twice", from.text)));
            }
        }
        for variable in &base.variables {
            if !map.contains_key(&*variable.name.text) {
                let old = &variable.name.text;
                let message = format!("the variable `{old}` of module `{}` is not renamed", base.name.text);
                let help = format!("all variables of a copied module need new names: add `{old}=new_name`");
                return Err(Diagnostic::error(name.span, message)
                    .related(variable.name.span, "declared here")
                    .help(help));
            }
        }
        let inner = self.affected(&map);
        let renaming = Renaming { map, inner };
        let mut variables = Vec::new();
        for variable in &base.variables {
            let ty = match &variable.ty {
                VariableType::Range(lo, hi) => {
                    VariableType::Range(self.expression(lo, &renaming)?, self.expression(hi, &renaming)?)
                }
                other => other.clone(),
            };
            let initial = variable.initial.as_ref().map(|e| self.expression(e, &renaming)).transpose()?;
            variables.push(Variable { name: renaming.name(&variable.name), ty, initial });
        }
        let mut commands = Vec::new();
        for command in &base.commands {
            commands.push(self.command(command, &renaming)?);
        }
        Ok(Module { name: name.clone(), variables, commands })
    }

    /// Formulas that use a renamed name, directly or through others.
    fn affected(&self, map: &HashMap<&'m str, &'m Name>) -> HashSet<&'m str> {
        let mut affected: HashSet<&'m str> = HashSet::new();
        let mut todo: Vec<&str> = map.keys().copied().collect();
        while let Some(name) = todo.pop() {
            for &formula in self.users.get(name).into_iter().flatten() {
                if !map.contains_key(formula) && affected.insert(formula) {
                    todo.push(formula);
                }
            }
        }
        affected
    }

    fn command(&mut self, command: &Command, renaming: &Renaming) -> Result<Command, Diagnostic> {
        let mut updates = Vec::new();
        for update in &command.updates {
            let chance = update.chance.as_ref().map(|e| self.expression(e, renaming)).transpose()?;
            let mut assignments = Vec::new();
            for (variable, value) in &update.assignments {
                assignments.push((renaming.name(variable), self.expression(value, renaming)?));
            }
            updates.push(Update { chance, assignments, text: renaming.text(&update.text), span: update.span });
        }
        Ok(Command {
            action: command.action.as_ref().map(|action| renaming.name(action)),
            guard: self.expression(&command.guard, renaming)?,
            updates,
            text: renaming.text(&command.text),
            span: command.span,
        })
    }

    fn expression(&mut self, expr: &Expr, renaming: &Renaming) -> Result<Expr, Diagnostic> {
        self.expanded(expr, renaming, &mut Vec::new())
    }

    /// The renamed expression; `inside` are the formulas that it comes from.
    fn expanded(&mut self, expr: &Expr, renaming: &Renaming, inside: &mut Vec<Rc<str>>) -> Result<Expr, Diagnostic> {
        if self.depth >= MAX_HEIGHT as usize {
            return Err(too_high(expr.span));
        }
        self.depth += 1;
        let result = self.expanded_here(expr, renaming, inside);
        self.depth -= 1;
        result
    }

    fn expanded_here(
        &mut self,
        expr: &Expr,
        renaming: &Renaming,
        inside: &mut Vec<Rc<str>>,
    ) -> Result<Expr, Diagnostic> {
        self.copied += 1;
        if self.copied > MAX_COPIED {
            let message = format!("with formulas expanded, copies of modules have more than {MAX_COPIED} operators");
            return Err(Diagnostic::error(expr.span, message));
        }
        let kind = match &expr.kind {
            ExprKind::Name(name) => match (renaming.map.get(&**name), self.formulas.get(&**name)) {
                (Some(new), _) => ExprKind::Name(Rc::clone(&new.text)),
                (None, Some(body)) if renaming.inner.contains(&**name) => {
                    let body = Rc::clone(body);
                    if inside.contains(name) || inside.len() >= 100 {
                        return Err(Diagnostic::error(expr.span, format!("`{name}` is defined by itself")));
                    }
                    inside.push(Rc::clone(name));
                    let copy = self.expanded(&body, renaming, inside)?;
                    inside.pop();
                    return not_too_high(Expr { span: expr.span, ..copy }, expr.span);
                }
                _ => ExprKind::Name(Rc::clone(name)),
            },
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, Box::new(self.expanded(a, renaming, inside)?)),
            ExprKind::Binary(op, a, b) => {
                let a = self.expanded(a, renaming, inside)?;
                let b = self.expanded(b, renaming, inside)?;
                ExprKind::Binary(*op, Box::new(a), Box::new(b))
            }
            ExprKind::Conditional(a, b, c) => {
                let a = self.expanded(a, renaming, inside)?;
                let b = self.expanded(b, renaming, inside)?;
                let c = self.expanded(c, renaming, inside)?;
                ExprKind::Conditional(Box::new(a), Box::new(b), Box::new(c))
            }
            other => other.clone(),
        };
        not_too_high(node(kind, expr.span), expr.span)
    }
}

fn not_too_high(expr: Expr, span: Span) -> Result<Expr, Diagnostic> {
    if expr.height <= MAX_HEIGHT { Ok(expr) } else { Err(too_high(span)) }
}

impl Renaming<'_> {
    fn name(&self, name: &Name) -> Name {
        match self.map.get(&*name.text) {
            Some(new) => Name { text: Rc::clone(&new.text), span: name.span },
            None => name.clone(),
        }
    }

    /// The text of a command with its words renamed.
    fn text(&self, text: &str) -> String {
        let mut renamed = String::new();
        let mut rest = text;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        while let Some(start) = rest.find(is_word) {
            let end = start + rest[start..].find(|c| !is_word(c)).unwrap_or(rest.len() - start);
            renamed.push_str(&rest[..start]);
            let word = &rest[start..end];
            renamed.push_str(self.map.get(word).map_or(word, |new| &new.text));
            rest = &rest[end..];
        }
        renamed.push_str(rest);
        renamed
    }
}
