//! Variables: parts of states with their bounds and initial values, and transient ones, which are no part of states.

use std::collections::HashMap;

use bughound_ir::source::{Diagnostic, Span};

use super::arrays::Value;
use super::expressions::{Reading, Translator};
use super::fields::Fields;
use super::json::Json;
use super::names::{Meaning, Names, Scope, Transient};
use super::types::{Declared, no_value};
use super::{Read, build};
use crate::tree::{Expr, ExprKind, StateType, Type, Variable};

pub fn type_in_expressions(ty: StateType) -> Type {
    match ty {
        StateType::Bool => Type::Bool,
        StateType::Int { .. } => Type::Int,
    }
}

/// Declares the global variables, or those of one element of the system.
pub fn declare(items: &[Json], owner: Option<usize>, names: &mut Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut seen = HashMap::new();
    for item in items {
        if let Err(error) = variable(item, owner, names, &mut seen, diagnostics) {
            diagnostics.push(*error);
        }
    }
}

fn variable(
    item: &Json,
    owner: Option<usize>,
    names: &mut Names<'_>,
    seen: &mut HashMap<String, Span>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Read<()> {
    let fields = Fields::of(item, "a variable")?;
    diagnostics.extend(fields.strangers(&["name", "type", "transient", "initial-value"]));
    let name = fields.text("name")?;
    let span = fields.required("name")?.span;
    if let Some(first) = seen.insert(name.to_string(), span) {
        let message = format!("there are two variables `{name}`");
        return Err(Diagnostic::error(span, message).related(first, "the first one").into());
    }
    if owner.is_none() && names.constants.contains(name) {
        return Err(Diagnostic::error(span, format!("`{name}` is a constant and a variable")).into());
    }
    let ty = Declared::read(fields.required("type")?, names)?;
    let initial = match fields.optional("initial-value") {
        Some(json) => Some(Translator::new(names, Scope::Global, Reading::Constants).value(json)?),
        None => None,
    };
    let meaning = match fields.truth("transient")? {
        true => {
            let initial = transient_initial(name, span, &ty, initial)?;
            let in_state = initial.clone();
            let transient = Transient { name: name.to_string(), ty, initial, in_state, carrier: None, owner, span };
            names.transients.push(transient);
            Meaning::Transient(names.transients.len() - 1)
        }
        false => {
            let (variable, dimensions) = part_of_states(name, span, &ty, initial, owner, names)?;
            Meaning::Variable(names.new_variable(variable, dimensions))
        }
    };
    match owner {
        None => names.globals.insert(name.to_string(), meaning),
        Some(element) => names.locals[element].insert(name.to_string(), meaning),
    };
    Ok(())
}

fn transient_initial(name: &str, span: Span, ty: &Declared, initial: Option<Value>) -> Read<Expr> {
    if ty.scalar().is_none() {
        return Err(Diagnostic::error(span, format!("`{name}` is a transient array, which is not supported")).into());
    }
    let Some(Value::Scalar(initial)) = initial else {
        let message = format!("the transient variable `{name}` needs an `initial-value`");
        return Err(Diagnostic::error(span, message).into());
    };
    let who = format!("the initial value of `{name}`");
    ty.check(&initial, &who)?;
    match build::is_literal(&initial) {
        true => Ok(initial),
        false => Err(no_value(&initial, &who)),
    }
}

fn part_of_states(
    name: &str,
    span: Span,
    ty: &Declared,
    initial: Option<Value>,
    owner: Option<usize>,
    names: &Names<'_>,
) -> Read<(Variable, Vec<u32>)> {
    let Some(state_type) = ty.state_type() else {
        let message = format!("`{name}` is a real variable: states can only have whole numbers and truth values");
        let help = "if it is only a reward, make it `\"transient\": true`";
        return Err(Diagnostic::error(span, message).help(help).into());
    };
    let mut levels = 0;
    let mut inner = ty;
    while let Declared::Array(base) = inner {
        levels += 1;
        inner = base;
    }
    let who = format!("the initial value of `{name}`");
    let (dimensions, values) = match initial {
        None if levels > 0 => {
            let message = format!("the array `{name}` needs an `initial-value`, which says how long it is");
            return Err(Diagnostic::error(span, message).into());
        }
        None => {
            if let StateType::Int { lo: i32::MIN, .. } | StateType::Int { hi: i32::MAX, .. } = state_type {
                let message = format!("the variable `{name}` has neither an initial value nor bounds");
                let help = "without an `initial-value` it starts with each of its values, so give it bounds";
                return Err(Diagnostic::error(span, message).help(help).into());
            }
            (Vec::new(), None)
        }
        Some(Value::Scalar(value)) => (Vec::new(), Some(vec![value])),
        Some(Value::Array(array)) => (array.dimensions.clone(), Some(array.elements(names, span)?)),
    };
    if dimensions.len() != levels {
        let message = format!("{who} has {} dimensions, but its type has {levels}", dimensions.len());
        return Err(Diagnostic::error(span, message).into());
    }
    let value_in_states = |value: Expr| {
        ty.check(&value, &who)?;
        in_state(&value, state_type, &who)
    };
    let initial =
        values.map(|values| values.into_iter().map(value_in_states).collect::<Read<Vec<i32>>>()).transpose()?;
    let len = (levels > 0).then(|| dimensions.iter().product());
    let owner = owner.map(|element| element as u32);
    Ok((Variable { name: name.to_string(), ty: state_type, len, owner, initial, span }, dimensions))
}

/// A literal as states hold it.
pub fn in_state(value: &Expr, ty: StateType, who: &str) -> Read<i32> {
    match (&value.kind, ty) {
        (ExprKind::Bool(value), StateType::Bool) => Ok(i32::from(*value)),
        (ExprKind::Int(number), StateType::Int { lo, hi }) if (lo..=hi).contains(number) => Ok(*number),
        (ExprKind::Int(number), StateType::Int { lo, hi }) => {
            let message = format!("{who} is {number}, outside of {lo}..{hi}");
            Err(Diagnostic::error(value.span, message).into())
        }
        _ => Err(no_value(value, who)),
    }
}

/// Local variables get the name of their automaton where theirs alone could be another's.
pub fn make_names_unique(variables: &mut [Variable], elements: &[String]) {
    let mut count: HashMap<String, usize> = HashMap::new();
    for variable in variables.iter() {
        *count.entry(variable.name.clone()).or_default() += 1;
    }
    for variable in variables {
        if let Some(owner) = variable.owner
            && count.get(&variable.name).is_some_and(|count| *count > 1)
        {
            variable.name = format!("{}.{}", elements[owner as usize], variable.name);
        }
    }
}
