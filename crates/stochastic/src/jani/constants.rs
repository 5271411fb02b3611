//! The constants of a model: what the file says, and what the user gives.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use bughound_ir::source::{Diagnostic, Severity, Span};
use bughound_ir::suggest::suggest;

use super::expressions::{Reading, Translator};
use super::fields::{Fields, list};
use super::json::{Json, JsonKind};
use super::names::{Names, Scope};
use super::types::{Declared, no_value};
use super::{Read, build, numbers};
use crate::tree::{Expr, Type};

#[derive(Debug, Default)]
pub struct Constants {
    known: HashMap<String, Constant>,
    /// Constants whose lack of a value was reported.
    demanded: RefCell<HashSet<String>>,
}

#[derive(Debug)]
struct Constant {
    value: State,
    span: Span,
}

#[derive(Debug)]
enum State {
    Value(Expr),
    /// It has none, or is computed from this one, which has none.
    Missing(String),
    /// It is being computed, or something is wrong with it, which was said.
    Wrong,
}

/// A constant that a file leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndefinedConstant {
    pub name: String,
    pub ty: Type,
    pub span: Span,
}

impl Constants {
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }

    pub fn contains(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// The value of a constant; `None` if there is no such constant.
    pub fn value(&self, name: &str, used: Span) -> Option<Read<Expr>> {
        let constant = self.known.get(name)?;
        Some(match &constant.value {
            State::Value(value) => Ok(Expr { span: used, ..value.clone() }),
            State::Missing(root) => {
                let at = self.known.get(root).map_or(constant.span, |root| root.span);
                self.demanded.borrow_mut().insert(root.clone());
                let message = format!("the constant `{root}` has no value");
                let help = format!("give it one, such as `{root}=3`");
                Err(Diagnostic::error(at, message).related(used, "it is needed here").help(help).into())
            }
            State::Wrong => Err(Diagnostic::error(
                constant.span,
                format!("the constant `{name}` is computed from itself, or from what is wrong"),
            )
            .into()),
        })
    }
}

/// Reads the `constants` of a model, in their order.
pub fn read(json: Option<&Json>, given: &[(String, String)], names: &mut Names<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let items = match json.map(|json| list(json, "`constants`")).transpose() {
        Ok(items) => items.unwrap_or_default(),
        Err(error) => return diagnostics.push(*error),
    };
    let mut open = HashSet::new();
    for item in items {
        if let Err(error) = constant(item, given, names, &mut open, diagnostics) {
            diagnostics.push(*error);
        }
    }
    for (position, (name, _)) in given.iter().enumerate() {
        let message = if !names.constants.contains(name) {
            let hint = suggest(name, names.constants.names());
            format!("the model has no constant `{name}`{hint}")
        } else if !open.contains(name) {
            format!("the constant `{name}` has a value in the model: it cannot be given another one")
        } else if given[..position].iter().any(|(other, _)| other == name) {
            format!("the constant `{name}` is given twice")
        } else {
            continue;
        };
        diagnostics.push(Diagnostic::new(Severity::Error, None, message));
    }
}

fn constant(
    item: &Json,
    given: &[(String, String)],
    names: &mut Names<'_>,
    open: &mut HashSet<String>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Read<()> {
    let fields = Fields::of(item, "a constant")?;
    diagnostics.extend(fields.strangers(&["name", "type", "value"]));
    let name = fields.text("name")?;
    let span = fields.required("name")?.span;
    if let Some(first) = names.constants.known.get(name) {
        let message = format!("there are two constants `{name}`");
        return Err(Diagnostic::error(span, message).related(first.span, "the first one").into());
    }
    // Whatever is wrong below, the name is known.
    names.constants.known.insert(name.to_string(), Constant { value: State::Wrong, span });
    let ty = Declared::read(fields.required("type")?, names)?;
    if ty.scalar().is_none() {
        return Err(Diagnostic::error(span, format!("the constant `{name}` is an array"))
            .help("constants are numbers or truth values")
            .into());
    }
    let value = match fields.optional("value") {
        Some(json) => match Translator::new(names, Scope::Global, Reading::Constants).scalar(json) {
            Ok(value) => {
                ty.check(&value, &format!("the constant `{name}`"))?;
                if !build::is_literal(&value) {
                    return Err(no_value(&value, &format!("the constant `{name}`")));
                }
                State::Value(value)
            }
            Err(error) => {
                let mut demanded = names.constants.demanded.borrow_mut();
                match demanded.drain().next() {
                    Some(root) => State::Missing(root),
                    None => return Err(error),
                }
            }
        },
        None => {
            open.insert(name.to_string());
            match given.iter().find(|(given, _)| given == name) {
                Some((_, text)) => State::Value(given_value(name, text, &ty, span)?),
                None => State::Missing(name.to_string()),
            }
        }
    };
    names.constants.demanded.borrow_mut().clear();
    let value = match value {
        State::Value(value) => {
            in_bounds(&value, &ty, name)?;
            State::Value(as_type(value, &ty))
        }
        other => other,
    };
    names.constants.known.insert(name.to_string(), Constant { value, span });
    Ok(())
}

/// An Int where a Real is declared counts as a Real.
fn as_type(value: Expr, ty: &Declared) -> Expr {
    match (ty, build::value_of(&value)) {
        (Declared::Real, Some(number)) => build::real(number, value.span),
        _ => value,
    }
}

fn in_bounds(value: &Expr, ty: &Declared, name: &str) -> Read<()> {
    let (Declared::Int { lo, hi }, Some(number)) = (ty, build::value_of(value)) else { return Ok(()) };
    match numbers::as_whole(&number) {
        Some(number) if (*lo..=*hi).contains(&number) => Ok(()),
        _ => {
            let message = format!("the constant `{name}` is {}, outside of {lo}..{hi}", numbers::show(&number));
            Err(Diagnostic::error(value.span, message).into())
        }
    }
}

fn given_value(name: &str, text: &str, ty: &Declared, span: Span) -> Read<Expr> {
    let text = text.trim();
    let value = match ty {
        Declared::Bool => match text {
            "true" => Some(build::truth(true, span)),
            "false" => Some(build::truth(false, span)),
            _ => None,
        },
        Declared::Int { .. } => numbers::given(text).and_then(|n| numbers::as_whole(&n)).map(|n| build::whole(n, span)),
        _ => numbers::given(text).map(|n| build::real(n, span)),
    };
    value.ok_or_else(|| {
        let wanted = match ty {
            Declared::Bool => "`true` or `false`",
            Declared::Int { .. } => "a whole number of 32 bits",
            _ => "a number such as `0.5` or `1/3`",
        };
        let message = format!("`{name}={text}`: the constant `{name}` is {wanted}");
        Box::new(Diagnostic::error(span, message).label("declared here"))
    })
}

/// The constants without a value that the rest of a file uses, also through other constants.
pub fn undefined(model: &Json) -> Vec<UndefinedConstant> {
    let JsonKind::Object(fields) = &model.kind else { return Vec::new() };
    let constants = model.get("constants").and_then(|json| list(json, "").ok()).unwrap_or_default();
    let name_of = |constant: &Json| match constant.get("name").map(|name| &name.kind) {
        Some(JsonKind::Text(name)) => Some(name.clone()),
        _ => None,
    };
    let mut used = HashSet::new();
    for field in fields.iter().filter(|field| field.key != "constants") {
        mention(&field.value, &mut used);
    }
    // Constants may be used only after they were declared.
    for constant in constants.iter().rev() {
        let is_used = name_of(constant).is_some_and(|name| used.contains(&name));
        for part in ["value", "type"].into_iter().filter_map(|key| constant.get(key)).filter(|_| is_used) {
            mention(part, &mut used);
        }
    }
    let open = constants.iter().filter(|constant| constant.get("value").is_none());
    let describe = |constant: &Json| {
        let name = name_of(constant).filter(|name| used.contains(name))?;
        let base = constant.get("type").map(|ty| ty.get("base").unwrap_or(ty));
        let ty = match base.map(|base| &base.kind) {
            Some(JsonKind::Text(base)) if base == "bool" => Type::Bool,
            Some(JsonKind::Text(base)) if base == "int" => Type::Int,
            _ => Type::Real,
        };
        Some(UndefinedConstant { name, ty, span: constant.get("name")?.span })
    };
    open.filter_map(describe).collect()
}

/// Collects the texts that stand where an expression may be a name.
fn mention(json: &Json, used: &mut HashSet<String>) {
    match &json.kind {
        JsonKind::Text(text) => {
            used.insert(text.clone());
        }
        JsonKind::List(items) => items.iter().for_each(|item| mention(item, used)),
        JsonKind::Object(fields) => {
            for field in fields {
                let is_name = matches!(field.value.kind, JsonKind::Text(_)) && is_plain(&field.key);
                let is_list_of_names = ["initial-locations", "synchronise", "features", "accumulate", "input-enable"];
                if !is_name && !is_list_of_names.contains(&field.key.as_str()) {
                    mention(&field.value, used);
                }
            }
        }
        _ => {}
    }
}

/// Keys whose text is no expression.
fn is_plain(key: &str) -> bool {
    matches!(
        key,
        "name"
            | "comment"
            | "op"
            | "fun"
            | "kind"
            | "type"
            | "base"
            | "location"
            | "action"
            | "automaton"
            | "function"
            | "var"
            | "ref"
            | "result"
            | "constant"
            | "author"
            | "version"
            | "description"
            | "doi"
            | "url"
    )
}
