//! From what a text says to the tree: names resolved, constants evaluated, modules copied, types checked.

mod composition;
mod expressions;
mod given;
mod modules;
mod properties;
mod questions;
mod renaming;
mod rewards;
mod scope;

use std::sync::Arc;

use bughound_ir::chance::Kind;
use bughound_ir::source::{Diagnostic, Severity, SourceMap, Span};

use super::ast;
use crate::tree::{Initial, Label, Model, Type};
use composition::Actions;
use scope::{Problem, Scope, type_name};

pub use given::Given;
pub use properties::{properties, undefined_in_properties};

/// Takes what went wrong; what was without an answer is no error here, because somebody has reported it already.
fn report<T>(result: Result<T, Problem>, diagnostics: &mut Vec<Diagnostic>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Problem::Wrong(diagnostic)) => {
            if !diagnostics.contains(&diagnostic) {
                diagnostics.push(*diagnostic);
            }
            None
        }
        Err(Problem::Unanswerable(reason)) => {
            if !diagnostics.iter().any(Diagnostic::is_error) {
                diagnostics.push(Diagnostic::new(Severity::Error, None, reason));
            }
            None
        }
    }
}

/// The names of constants, formulas and labels.
fn scope(ast: &ast::Model, given: Given, diagnostics: &mut Vec<Diagnostic>) -> Scope {
    let mut scope = Scope::default();
    let mut note = |result: Result<(), Diagnostic>| diagnostics.extend(result.err());
    for constant in &ast.constants {
        note(scope.add_constant(constant, &given));
    }
    for formula in &ast.formulas {
        note(scope.add_formula(formula));
    }
    for label in &ast.labels {
        note(scope.add_label(label));
    }
    scope
}

/// Everything in a model for which constants need values. Formulas count only where they are used.
fn roots<'m>(ast: &'m ast::Model, modules: &'m [renaming::Module]) -> Vec<&'m ast::Expr> {
    let mut roots: Vec<&ast::Expr> = ast.initial.iter().collect();
    roots.extend(ast.labels.iter().map(|label| &*label.body));
    for variable in ast.globals.iter().chain(modules.iter().flat_map(|module| &module.variables)) {
        if let ast::VariableType::Range(lo, hi) = &variable.ty {
            roots.extend([lo, hi]);
        }
        roots.extend(&variable.initial);
    }
    for command in modules.iter().flat_map(|module| &module.commands) {
        roots.push(&command.guard);
        for update in &command.updates {
            roots.extend(&update.chance);
            roots.extend(update.assignments.iter().map(|(_, value)| value));
        }
    }
    for item in ast.rewards.iter().flat_map(|rewards| &rewards.items) {
        roots.extend([&item.guard, &item.value]);
    }
    roots
}

/// Undefined constants that the model needs, whatever is asked about it.
pub fn undefined_in_model(ast: &ast::Model) -> Vec<(String, Type)> {
    let mut ignored = Vec::new();
    let scope = scope(ast, Given(&[]), &mut ignored);
    let modules = renaming::written_out(ast, &mut ignored);
    scope.missing(roots(ast, &modules))
}

/// "`N` (int), `p` (double)"
fn listed(constants: &[(String, Type)]) -> String {
    let parts: Vec<String> = constants.iter().map(|(name, ty)| format!("`{name}` ({})", type_name(*ty))).collect();
    parts.join(", ")
}

/// The tree of a model; `None` if there are errors.
pub fn model(
    ast: &ast::Model,
    name: String,
    file: Span,
    sources: Arc<SourceMap>,
    given: Given,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Model> {
    let mut scope = scope(ast, given, diagnostics);
    let modules = renaming::written_out(ast, diagnostics);
    if modules.is_empty() && diagnostics.is_empty() {
        diagnostics.push(
            Diagnostic::error(file, "the model has no module").help("a module is written `module M … endmodule`"),
        );
    }
    if diagnostics.iter().any(Diagnostic::is_error) {
        return None;
    }
    let missing = scope.missing(roots(ast, &modules));
    if !missing.is_empty() {
        let (these, have, pronoun) = match missing.len() {
            1 => ("the constant", "has", "a value"),
            _ => ("the constants", "have", "values"),
        };
        let message = format!("{these} {} {have} no value", listed(&missing));
        let examples: Vec<String> = missing.iter().map(|(name, _)| format!("{name}=…")).collect();
        let help = format!("give {pronoun}: `--const {}`", examples.join(","));
        let declared = ast.constants.iter().find(|c| *c.name.text == *missing[0].0);
        let span = declared.map_or(file, |constant| constant.name.span);
        diagnostics.push(Diagnostic::error(span, message).label("declared here").help(help));
        return None;
    }
    let written = modules::declarations(ast, &modules);
    modules::declare(&written, &mut scope, diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return None;
    }
    // In the order of the text, so that long chains of definitions are not followed backwards.
    let definitions = scope.definitions(diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return None;
    }
    let variables = modules::variables(ast, &written, &mut scope, diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return None;
    }
    let actions = Actions::of(&modules);
    let automata = modules::automata(&modules, &actions, &variables, &mut scope, diagnostics);
    let vectors = match &ast.system {
        None => actions.default_vectors(),
        Some(system) => match composition::composed(system, &modules, &actions) {
            Ok(vectors) => vectors,
            Err(error) => {
                diagnostics.push(error);
                Vec::new()
            }
        },
    };
    let rewards = rewards::structures(&ast.rewards, &actions, &vectors, &mut scope, diagnostics);
    let initial = match &ast.initial {
        None => Initial::Values,
        Some(condition) => Initial::Where(report(scope.condition(condition, "what stands in `init`"), diagnostics)?),
    };
    let mut labels = Vec::new();
    for label in &ast.labels {
        let span = label.name.span;
        if let Some(condition) = report(scope.label(&label.name.text, label.body.span), diagnostics) {
            if condition.ty != Type::Bool {
                let message = format!("the label \"{}\" has to be true or false, not a number", label.name.text);
                diagnostics.push(Diagnostic::error(label.body.span, message));
            }
            labels.push(Label { name: label.name.text.to_string(), condition, span });
        }
    }
    if diagnostics.iter().any(Diagnostic::is_error) {
        return None;
    }
    let kind = ast.kind.unwrap_or(Kind::Mdp);
    Some(Model {
        name,
        kind,
        sources,
        variables,
        automata,
        vectors,
        initial,
        rewards,
        labels,
        definitions,
        properties: Vec::new(),
    })
}
