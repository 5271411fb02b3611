//! Other values for the constants of a model, given from outside: one file serves for all sizes.

use bughound_ir::source::{Diagnostic, Severity, SourceMap};

use crate::ast::{Declaration, Initialiser, Model, Variable};
use crate::parser::expression_list;
use crate::text::Fragment;

/// Gives the global constants of these names other values. What is wrong ends in diagnostics.
pub fn set(model: &mut Model, values: &[(String, Option<String>)], sources: &mut SourceMap) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for (name, value) in values {
        let error = |message: String| Diagnostic::new(Severity::Error, None, message);
        let constants: Vec<String> = constants(model).map(|variable| variable.name.text.clone()).collect();
        let Some(constant) = constants_mut(model).find(|variable| variable.name.text == *name) else {
            let message = format!("-D {name}: the model has no global constant `{name}`");
            let help = match constants.is_empty() {
                true => "it has no global constants of a simple type".to_string(),
                false => format!("it has {}", constants.join(", ")),
            };
            diagnostics.push(error(message).help(help));
            continue;
        };
        let Some(value) = value else {
            let message = format!("-D {name}: a constant needs a value");
            diagnostics.push(error(message).help(format!("such as -D {name}=3")));
            continue;
        };
        let file = sources.add(format!("-D {name}"), value.clone());
        match expression_list(&Fragment::whole(file, value)) {
            Ok(mut values) if values.len() == 1 => constant.initial = values.pop().map(Initialiser::Value),
            Ok(_) => diagnostics.push(error(format!("-D {name}: expected one value"))),
            Err(error) => diagnostics.push(error),
        }
    }
    diagnostics
}

fn is_constant(variable: &Variable) -> bool {
    variable.ty.prefix.constant && variable.dimensions.is_empty()
}

fn constants(model: &Model) -> impl Iterator<Item = &Variable> {
    model.declarations.iter().filter_map(|declaration| match declaration {
        Declaration::Variable(variable) if is_constant(variable) => Some(variable),
        _ => None,
    })
}

fn constants_mut(model: &mut Model) -> impl Iterator<Item = &mut Variable> {
    model.declarations.iter_mut().filter_map(|declaration| match declaration {
        Declaration::Variable(variable) if is_constant(variable) => Some(variable),
        _ => None,
    })
}
