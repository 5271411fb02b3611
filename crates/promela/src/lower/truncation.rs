//! Constants that do not fit the variables they are stored in: the model runs, but with another value than is written.

use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::types::ValueType;

use super::symbols::Symbols;
use crate::ast;

/// The warning about storing a constant in a place of this type; none if it fits, or is no constant.
pub fn warning(symbols: &Symbols, ty: ValueType, value: &ast::Expr, span: Span) -> Option<Diagnostic> {
    let name = match ty {
        ValueType::Bit => "bit".to_string(),
        ValueType::Byte => "byte".to_string(),
        ValueType::Short => "short".to_string(),
        ValueType::Pid => "pid".to_string(),
        ValueType::Unsigned(bits) => format!("unsigned:{bits}"),
        // An `int` holds every constant; the others have no numbers as values.
        ValueType::Int | ValueType::Mtype(_) | ValueType::Chan | ValueType::Range { .. } => return None,
    };
    let value = symbols.fold(value)?;
    let (lowest, highest) = ty.domain();
    if (lowest..=highest).contains(&value) {
        return None;
    }
    let warning = Diagnostic::warning(span, format!("the value {value} does not fit the type `{name}`"));
    Some(warning.label(format!("a `{name}` holds {lowest} to {highest}")))
}
