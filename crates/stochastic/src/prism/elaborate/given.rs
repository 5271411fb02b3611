//! Values of constants that the user gives: `N=3`, `p=1/3`, `b=true`.

use bughound_ir::chance::Number;
use bughound_ir::source::{Diagnostic, FileId, Severity};
use bughound_ir::suggest::suggest;

use super::super::arithmetic::Value;
use super::super::parser;
use super::scope::{Problem, Scope, type_name};
use crate::tree::Type;

#[derive(Clone, Copy, Debug)]
pub struct Given<'g>(pub &'g [(String, String)]);

impl Given<'_> {
    /// The value of a constant of this type; `None` if it is not given.
    pub fn value(&self, name: &str, ty: Type) -> Option<Result<Value, String>> {
        let (_, text) = self.0.iter().find(|(given, _)| given == name)?;
        Some(
            value_of(text, ty).map_err(|reason| format!("the value `{text}` given for the constant `{name}` {reason}")),
        )
    }

    /// What is given for nothing, or twice.
    pub fn unknown<'n>(&self, declared: impl Iterator<Item = &'n str> + Clone) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for (at, (name, _)) in self.0.iter().enumerate() {
            if self.0[..at].iter().any(|(before, _)| before == name) {
                let message = format!("the constant `{name}` is given twice");
                diagnostics.push(Diagnostic::new(Severity::Error, None, message));
            } else if !declared.clone().any(|known| known == name) {
                let message =
                    format!("there is no constant `{name}` to give a value to{}", suggest(name, declared.clone()));
                diagnostics.push(Diagnostic::new(Severity::Error, None, message));
            }
        }
        diagnostics
    }
}

fn value_of(text: &str, ty: Type) -> Result<Value, String> {
    let expr = parser::expression(FileId(u32::MAX), text).map_err(|_| {
        let is_long = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty();
        if is_long { "does not fit into 32 bits" } else { "is not a number, `true` or `false`" }.to_string()
    })?;
    match Scope::default().constant_of(&expr, ty) {
        Ok(value) => Ok(value),
        Err(Problem::Unanswerable(reason)) => Err(format!("has no value: {reason}")),
        Err(Problem::Wrong(_)) => Err(format!("is not {}", article(ty))),
    }
}

fn article(ty: Type) -> String {
    match ty {
        Type::Int => "an int".into(),
        other => format!("a {}", type_name(other)),
    }
}

/// A value as it has to be for a constant of this type: ints become doubles.
pub fn promoted(value: Value, ty: Type) -> Option<Value> {
    match (value, ty) {
        (Value::Int(value), Type::Real) => Some(Value::Real(Number::from(value))),
        (value, ty) if value.ty() == ty => Some(value),
        _ => None,
    }
}
