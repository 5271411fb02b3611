//! Variables and commands.

use std::collections::HashMap;

use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;

use super::super::arithmetic::Value;
use super::super::ast::{self, VariableType};
use super::composition::Actions;
use super::renaming::Module;
use super::report;
use super::scope::{Elaborated, Scope};
use crate::tree::{Assignment, Automaton, Destination, Edge, Location, StateType, Target, Type, Variable, VariableId};

/// All variables as they are written, with the modules that own them; the global ones first.
pub fn declarations<'m>(ast: &'m ast::Model, modules: &'m [Module]) -> Vec<(Option<u32>, &'m ast::Variable)> {
    let mut written: Vec<(Option<u32>, &ast::Variable)> = ast.globals.iter().map(|v| (None, v)).collect();
    for (owner, module) in modules.iter().enumerate() {
        written.extend(module.variables.iter().map(|v| (Some(owner as u32), v)));
    }
    written
}

/// Makes the names of variables known. Their bounds come later: one that depends on a variable is to be called that.
pub fn declare(written: &[(Option<u32>, &ast::Variable)], scope: &mut Scope, diagnostics: &mut Vec<Diagnostic>) {
    for (_, variable) in written {
        let ty = match variable.ty {
            VariableType::Bool => StateType::Bool,
            _ => StateType::Int { lo: i32::MIN, hi: i32::MAX },
        };
        diagnostics.extend(scope.add_variable(&variable.name, ty).err());
    }
}

/// All variables with their bounds and initial values.
pub fn variables(
    ast: &ast::Model,
    written: &[(Option<u32>, &ast::Variable)],
    scope: &mut Scope,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Variable> {
    let mut variables = Vec::new();
    for (at, (owner, variable)) in written.iter().enumerate() {
        if let (Some(_), Some(value)) = (&ast.initial, &variable.initial) {
            let message = format!("`{}` has an initial value, but the model has `init … endinit`", variable.name.text);
            let help = "with `init … endinit` no variable has `init`: put `x=…` into the condition instead";
            diagnostics.push(Diagnostic::error(value.span, message).help(help));
        }
        let Some((ty, initial)) = report(typed(variable, scope), diagnostics) else { continue };
        scope.variables[at].1 = ty;
        variables.push(Variable {
            name: variable.name.text.to_string(),
            ty,
            len: None,
            owner: *owner,
            initial: if ast.initial.is_some() { None } else { Some(vec![initial]) },
            span: variable.name.span,
        });
    }
    variables
}

/// The type of a variable and its initial value.
fn typed(variable: &ast::Variable, scope: &mut Scope) -> Elaborated<(StateType, i32)> {
    let name = &variable.name.text;
    let int = |scope: &mut Scope, expr: &ast::Expr| -> Elaborated<i32> {
        match scope.constant_of(expr, Type::Int)? {
            Value::Int(value) => Ok(value),
            _ => Err(Diagnostic::error(expr.span, "expected an int").into()),
        }
    };
    let (lo, hi, default) = match &variable.ty {
        VariableType::Bool => {
            let initial = match &variable.initial {
                Some(expr) => scope.constant_of(expr, Type::Bool)? == Value::Bool(true),
                None => false,
            };
            return Ok((StateType::Bool, i32::from(initial)));
        }
        VariableType::Int => (i32::MIN, i32::MAX, 0),
        VariableType::Range(lo, hi) => {
            let span = lo.span.to(hi.span);
            let (lo, hi) = (int(scope, lo)?, int(scope, hi)?);
            if lo > hi {
                let message = format!("the range of `{name}` is empty: {lo} is greater than {hi}");
                return Err(Diagnostic::error(span, message).into());
            }
            (lo, hi, lo)
        }
    };
    let initial = match &variable.initial {
        None => default,
        Some(expr) => {
            let value = int(scope, expr)?;
            if !(lo..=hi).contains(&value) {
                let message = format!("the initial value {value} of `{name}` is outside of {lo}..{hi}");
                return Err(Diagnostic::error(expr.span, message).into());
            }
            value
        }
    };
    Ok((StateType::Int { lo, hi }, initial))
}

/// Modules as automata with one location.
pub fn automata(
    modules: &[Module],
    actions: &Actions,
    variables: &[Variable],
    scope: &mut Scope,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Automaton> {
    let mut automata = Vec::new();
    for (number, module) in modules.iter().enumerate() {
        let mut edges = Vec::new();
        for command in &module.commands {
            let mut reader = CommandReader { scope, variables, modules, module: number as u32, command };
            let action = command.action.as_ref().and_then(|action| actions.number(&action.text));
            let guard = report(reader.scope.condition(&command.guard, "a guard"), diagnostics);
            let mut destinations = Vec::new();
            for update in &command.updates {
                destinations.extend(report(reader.destination(update), diagnostics));
            }
            if let Some(guard) = guard {
                let (text, span) = (command.text.clone(), command.span);
                edges.push(Edge { from: 0, action, guard, rate: None, destinations, text, span });
            }
        }
        let span = module.name.span;
        let name = module.name.text.to_string();
        let locations = vec![Location { name: name.clone(), span }];
        automata.push(Automaton { name, locations, initial: vec![0], edges, span });
    }
    automata
}

struct CommandReader<'m> {
    scope: &'m mut Scope,
    variables: &'m [Variable],
    modules: &'m [Module],
    module: u32,
    command: &'m ast::Command,
}

impl CommandReader<'_> {
    fn destination(&mut self, update: &ast::Update) -> Elaborated<Destination> {
        let chance = match &update.chance {
            Some(expr) => Some(self.scope.number(expr, "a probability or rate")?),
            None => None,
        };
        let mut phase = Vec::new();
        let mut written: HashMap<u32, Span> = HashMap::new();
        for (name, value) in &update.assignments {
            let variable = self.target(name)?;
            if let Some(before) = written.insert(variable, name.span) {
                let message = format!("`{}` is written twice in one update", name.text);
                return Err(Diagnostic::error(name.span, message).related(before, "here for the first time").into());
            }
            let value = self.scope.expression(value)?;
            self.check_type(variable, name, &value)?;
            let target = Target { variable: VariableId(variable), index: None };
            phase.push(Assignment { target, span: name.span.to(value.span), value });
        }
        let phases = if phase.is_empty() { Vec::new() } else { vec![phase] };
        Ok(Destination { chance, phases, to: 0, text: update.text.clone(), span: update.span })
    }

    /// The variable that is written, if this command may write it.
    fn target(&self, name: &ast::Name) -> Elaborated<u32> {
        let text = &name.text;
        let Some(variable) = self.scope.variable(text) else {
            let error = match self.scope.is_declared(text) {
                true => Diagnostic::error(name.span, format!("`{text}` is not a variable and cannot be written")),
                false => {
                    let known = self.variables.iter().map(|v| v.name.as_str());
                    Diagnostic::error(name.span, format!("there is no variable `{text}`{}", suggest(text, known)))
                }
            };
            return Err(error.into());
        };
        let declared = &self.variables[variable as usize];
        match (declared.owner, &self.command.action) {
            (Some(owner), _) if owner != self.module => {
                let module = &self.modules[self.module as usize].name.text;
                let owner = &self.modules[owner as usize].name.text;
                let message = format!("module `{module}` cannot write `{text}`, which belongs to module `{owner}`");
                let help = "every module reads all variables, but writes only its own and global ones";
                Err(Diagnostic::error(name.span, message).related(declared.span, "declared here").help(help).into())
            }
            (None, Some(action)) => {
                let message = format!("the global variable `{text}` cannot be written in a command with an action");
                let help =
                    "two modules could write it in the same step: only commands with `[]` may write global variables";
                let label = format!("`[{}]` is an action", action.text);
                Err(Diagnostic::error(name.span, message).related(action.span, label).help(help).into())
            }
            _ => Ok(variable),
        }
    }

    fn check_type(&self, variable: u32, name: &ast::Name, value: &crate::tree::Expr) -> Elaborated<()> {
        let text = &name.text;
        let (expected, error) = match (self.variables[variable as usize].ty, value.ty) {
            (StateType::Bool, Type::Bool) | (StateType::Int { .. }, Type::Int) => return Ok(()),
            (StateType::Bool, _) => ("a bool", "a number"),
            (StateType::Int { .. }, Type::Bool) => ("an int", "a bool"),
            (StateType::Int { .. }, _) => ("an int", "a double"),
        };
        let error = Diagnostic::error(value.span, format!("`{text}` is {expected} and cannot get {error}"));
        Err(match value.ty {
            Type::Real => error.help("`/` makes doubles; `floor`, `ceil` and `round` make ints"),
            _ => error,
        }
        .into())
    }
}
