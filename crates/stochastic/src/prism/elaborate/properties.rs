//! Properties of a model that is known: their constants and labels, and what is asked.

use std::collections::HashMap;
use std::rc::Rc;

use bughound_ir::source::Diagnostic;
use bughound_ir::suggest::suggest;

use super::super::ast::{self, ExprKind};
use super::expressions::FUNCTIONS;
use super::given::Given;
use super::questions::Questions;
use super::scope::{Problem, Scope};
use super::{listed, scope};
use crate::tree::{Model, Property, Type, Unsupported};

fn extend(scope: &mut Scope, file: &ast::Properties, given: Given) -> Vec<Diagnostic> {
    let constants = file.constants.iter().map(|constant| (scope.add_constant(constant, &given)).err());
    let mut problems: Vec<Diagnostic> = constants.flatten().collect();
    problems.extend(file.formulas.iter().filter_map(|formula| scope.add_formula(formula).err()));
    problems.extend(file.labels.iter().filter_map(|label| scope.add_label(label).err()));
    problems
}

/// Undefined constants that properties need, beyond those that their model needs.
pub fn undefined_in_properties(model: &ast::Model, file: &ast::Properties) -> Vec<(String, Type)> {
    let mut scope = scope(model, Given(&[]), &mut Vec::new());
    extend(&mut scope, file, Given(&[]));
    scope.missing(file.properties.iter().map(|property| &*property.formula))
}

/// The questions of a file. What cannot be answered stays in the list, with the reason.
pub fn properties(
    model: &Model,
    file: &ast::Properties,
    given: Given,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Property> {
    let mut scope = Scope::of_model(model);
    diagnostics.extend(extend(&mut scope, file, given));
    let mut named: HashMap<Rc<str>, Rc<ast::Expr>> = HashMap::new();
    for property in &file.properties {
        let Some(name) = &property.name else { continue };
        if named.insert(Rc::clone(&name.text), Rc::clone(&property.formula)).is_some() {
            let message = format!("two properties have the name \"{}\"", name.text);
            diagnostics.push(Diagnostic::error(name.span, message));
        }
    }
    for label in &file.labels {
        match scope.label(&label.name.text, label.body.span) {
            Ok(condition) if condition.ty != Type::Bool => {
                let message = format!("the label \"{}\" has to be true or false, not a number", label.name.text);
                diagnostics.push(Diagnostic::error(label.body.span, message));
            }
            Err(Problem::Wrong(error)) => diagnostics.push(*error),
            Ok(_) | Err(Problem::Unanswerable(_)) => {}
        }
    }
    let mut questions = Questions::new(&mut scope, model, &named);
    let mut properties = Vec::new();
    for property in &file.properties {
        let question = match unanswerable(questions.scope, &named, property, diagnostics) {
            Some(reason) => Err(Unsupported(reason)),
            None => match questions.question(&property.formula) {
                Ok(question) => Ok(question),
                Err(Problem::Unanswerable(reason)) => Err(Unsupported(reason)),
                // Other properties need not suffer from it.
                Err(Problem::Wrong(error))
                    if error.message.starts_with("there is no label") && refers(&named, property, questions.scope) =>
                {
                    Err(Unsupported("computing with the answers of other properties is not supported".into()))
                }
                Err(Problem::Wrong(error)) => {
                    let reason = Unsupported(error.message.clone());
                    diagnostics.push(*error);
                    Err(reason)
                }
            },
        };
        let name = property.name.as_ref().map_or_else(|| property.text.clone(), |name| name.text.to_string());
        let (text, recorded, span) = (property.text.clone(), property.recorded.clone(), property.span);
        properties.push(Property { name, text, question, recorded, span });
    }
    properties
}

/// Does a property mention another one by its name?
fn refers(named: &HashMap<Rc<str>, Rc<ast::Expr>>, property: &ast::Property, scope: &Scope) -> bool {
    let mut found = false;
    property.formula.walk(&mut |part| {
        if let ExprKind::Quoted(name) = &part.kind {
            found |= named.contains_key(name) && !scope.has_label(name);
        }
    });
    found
}

/// Why a property cannot be answered, if that is seen without reading it closely.
fn unanswerable(
    scope: &Scope,
    named: &HashMap<Rc<str>, Rc<ast::Expr>>,
    property: &ast::Property,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<String> {
    let mut reason = None;
    property.formula.walk(&mut |part| match &part.kind {
        ExprKind::Unsupported(what) => {
            reason.get_or_insert_with(|| format!("{what} is not supported"));
        }
        ExprKind::UnknownCall(name, _) => {
            let hint = suggest(name, FUNCTIONS.iter().copied());
            let message = format!("there is no function `{name}`{hint}");
            diagnostics.push(Diagnostic::warning(part.span, message.clone()).label("this property is not answered"));
            reason.get_or_insert(message);
        }
        _ => {}
    });
    if reason.is_some() {
        return reason;
    }
    let mut used = vec![&*property.formula];
    let mut at = 0;
    while let Some(expr) = used.get(at).copied() {
        at += 1;
        expr.walk(&mut |part| {
            if let ExprKind::Quoted(name) = &part.kind
                && let Some(other) = named.get(name)
                && !used.iter().any(|known| std::ptr::eq(*known, &**other))
            {
                used.push(other);
            }
        });
    }
    let missing = scope.missing(used);
    match missing.len() {
        0 => None,
        1 => Some(format!("the constant {} has no value", listed(&missing))),
        _ => Some(format!("the constants {} have no values", listed(&missing))),
    }
}
