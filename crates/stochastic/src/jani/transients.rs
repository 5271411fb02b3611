//! Transient variables: labels and rewards. What value they have in a state is said by the locations, and substituted.

use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;

use super::elements::Element;
use super::expressions::{Reading, Translator};
use super::fields::{Fields, text};
use super::json::JsonKind;
use super::names::{Meaning, Names, Scope};
use super::{Read, build};
use crate::tree::{Binary, Expr, ExprKind, Type, Variable};

/// A value of a transient variable at a location.
struct Given {
    element: u32,
    location: u32,
    value: Expr,
}

/// Reads all `transient-values` and makes one expression for each variable of them.
pub fn read(elements: &[Element<'_>], names: &mut Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut given: Vec<Vec<Given>> = names.transients.iter().map(|_| Vec::new()).collect();
    for (index, element) in elements.iter().enumerate() {
        for (location, fields) in element.location_fields.iter().enumerate() {
            if let Err(error) = of_location(index, location, fields, names, &mut given) {
                diagnostics.push(*error);
            }
        }
    }
    for (id, given) in given.into_iter().enumerate() {
        let whole = given.iter().filter(|one| elements[one.element as usize].locations.len() == 1).count();
        let transient = &mut names.transients[id];
        if whole > 1 {
            let message = format!("several automata give `{}` a value at the same time", transient.name);
            diagnostics.push(Diagnostic::error(transient.span, message));
            continue;
        }
        match in_state(given, elements, transient.initial.clone(), transient.span) {
            Ok(value) => transient.in_state = value,
            Err(error) => diagnostics.push(*error),
        }
    }
}

fn of_location(
    element: usize,
    location: usize,
    fields: &Fields<'_>,
    names: &Names<'_>,
    given: &mut [Vec<Given>],
) -> Read<()> {
    for item in fields.items("transient-values")? {
        let assignment = Fields::of(item, "a transient value")?;
        let target = assignment.required("ref")?;
        let id = find(target, element, names)?;
        let transient = &names.transients[id];
        let name = &transient.name;
        let value =
            Translator::new(names, Scope::Element(element), Reading::Location).scalar(assignment.required("value")?)?;
        transient.ty.check(&value, &format!("the value of `{name}`"))?;
        let (element, location) = (element as u32, location as u32);
        if given[id].iter().any(|one| (one.element, one.location) == (element, location)) {
            let message = format!("the location gives `{name}` two values");
            return Err(Diagnostic::error(target.span, message).into());
        }
        given[id].push(Given { element, location, value });
    }
    Ok(())
}

fn find(target: &super::json::Json, element: usize, names: &Names<'_>) -> Read<usize> {
    if matches!(target.kind, JsonKind::Object(_)) {
        let message = "elements of transient arrays are not supported";
        return Err(Diagnostic::error(target.span, message).into());
    }
    let name = text(target, "a transient value")?;
    match names.meaning(name, Scope::Element(element), target.span)? {
        Meaning::Transient(id) => Ok(id),
        Meaning::Variable(_) => {
            let transients = names.transients.iter().map(|transient| transient.name.as_str());
            let message = format!("`{name}` is not a transient variable{}", suggest(name, transients));
            Err(Diagnostic::error(target.span, message)
                .help("locations give values only to transient variables")
                .into())
        }
    }
}

/// One expression for the value in any state. It stays shallow however many locations there are.
fn in_state(given: Vec<Given>, elements: &[Element<'_>], initial: Expr, span: Span) -> Read<Expr> {
    let mut given = given;
    if let Some(sole) = given.iter().position(|one| elements[one.element as usize].locations.len() == 1) {
        // Whatever follows is never reached.
        given.truncate(sole + 1);
        let last = given.pop().map(|one| one.value).unwrap_or(initial);
        return decide(&given, last, span);
    }
    decide(&given, initial, span)
}

fn decide(given: &[Given], otherwise: Expr, span: Span) -> Read<Expr> {
    match given {
        [] => Ok(otherwise),
        [one] => {
            let value = one.value.clone();
            let is_truth = value.ty == Type::Bool;
            match (is_truth, build::truth_of(&value), build::truth_of(&otherwise)) {
                // `at ? true : false` is `at`.
                (true, Some(true), Some(false)) => Ok(at(one, span)),
                (true, None, Some(false)) => build::binary(Binary::And, at(one, span), value, span),
                _ => build::conditional(at(one, span), value, otherwise, span),
            }
        }
        _ => {
            let (first, second) = given.split_at(given.len() / 2);
            if build::truth_of(&otherwise) == Some(false) {
                let one = decide(first, otherwise.clone(), span)?;
                return build::binary(Binary::Or, one, decide(second, otherwise, span)?, span);
            }
            let here = any(first, span)?;
            // The last of them needs no test any more.
            let (last, before) = (first[first.len() - 1].value.clone(), &first[..first.len() - 1]);
            build::conditional(here, decide(before, last, span)?, decide(second, otherwise, span)?, span)
        }
    }
}

fn at(one: &Given, span: Span) -> Expr {
    let kind = ExprKind::At { automaton: one.element, location: one.location };
    Expr { kind, ty: Type::Bool, span }
}

fn any(given: &[Given], span: Span) -> Read<Expr> {
    match given {
        [one] => Ok(at(one, span)),
        _ => {
            let (first, second) = given.split_at(given.len() / 2);
            build::binary(Binary::Or, any(first, span)?, any(second, span)?, span)
        }
    }
}

/// Gives variables to those transient ones whose values are set in one phase of a step and read in a later one. They are
/// reset at the end of each step, so that states are not told apart by them.
pub fn carry(written: &[(usize, usize)], names: &mut Names<'_>, diagnostics: &mut Vec<Diagnostic>) -> Carried {
    let read = names.read_in_steps.take();
    let is_handed_on = |id: usize| {
        let earlier = written.iter().filter(|(other, _)| *other == id).map(|(_, phase)| *phase).min();
        earlier.is_some_and(|earlier| read.iter().any(|(other, phase)| *other == id && earlier < *phase))
    };
    let mut carried = Carried::Nothing;
    for id in (0..names.transients.len()).filter(|id| is_handed_on(*id)) {
        carried = Carried::Something;
        let transient = &names.transients[id];
        let Some(ty) = transient.ty.state_type() else {
            let message = format!("`{}` is real, set in one phase of a step and read in a later one", transient.name);
            let help = "values that are handed on within a step have to be whole numbers or truth values";
            diagnostics.push(Diagnostic::error(transient.span, message).help(help));
            continue;
        };
        match super::variables::in_state(&transient.initial, ty, "the initial value") {
            Ok(initial) => {
                let name = transient.name.clone();
                let owner = transient.owner.map(|element| element as u32);
                let variable =
                    Variable { name, ty, len: None, owner, initial: Some(vec![initial]), span: transient.span };
                let carrier = names.new_variable(variable, Vec::new());
                names.transients[id].carrier = Some(carrier);
            }
            Err(error) => diagnostics.push(*error),
        }
    }
    carried
}

/// Whether edges have to be read again with the new variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    Nothing,
    Something,
}
