//! The operators of JANI's expressions: their signs, and what people write instead of them.

use crate::tree::{Binary, Unary};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Unary(Unary),
    Binary(Binary),
    Absolute,
    Sign,
    Truncate,
    /// `ite`
    Conditional,
    /// `aa`
    Access,
    /// `av`
    Elements,
    /// `ac`
    Constructor,
    Call,
}

const OPERATORS: &[(&str, Operator)] = &[
    ("∧", Operator::Binary(Binary::And)),
    ("∨", Operator::Binary(Binary::Or)),
    ("¬", Operator::Unary(Unary::Not)),
    ("⇒", Operator::Binary(Binary::Implies)),
    ("⇔", Operator::Binary(Binary::Iff)),
    ("=", Operator::Binary(Binary::Equal)),
    ("≠", Operator::Binary(Binary::NotEqual)),
    ("<", Operator::Binary(Binary::Less)),
    ("≤", Operator::Binary(Binary::LessEqual)),
    (">", Operator::Binary(Binary::Greater)),
    ("≥", Operator::Binary(Binary::GreaterEqual)),
    ("+", Operator::Binary(Binary::Add)),
    ("-", Operator::Binary(Binary::Subtract)),
    ("*", Operator::Binary(Binary::Multiply)),
    ("/", Operator::Binary(Binary::Divide)),
    ("%", Operator::Binary(Binary::Modulo)),
    ("pow", Operator::Binary(Binary::Power)),
    ("log", Operator::Binary(Binary::Logarithm)),
    ("min", Operator::Binary(Binary::Min)),
    ("max", Operator::Binary(Binary::Max)),
    ("floor", Operator::Unary(Unary::Floor)),
    ("ceil", Operator::Unary(Unary::Ceil)),
    ("abs", Operator::Absolute),
    ("sgn", Operator::Sign),
    ("trc", Operator::Truncate),
    ("ite", Operator::Conditional),
    ("aa", Operator::Access),
    ("av", Operator::Elements),
    ("ac", Operator::Constructor),
    ("call", Operator::Call),
];

/// The standard's sign for what is written in ASCII.
pub fn standard(op: &str) -> &str {
    match op {
        "&" | "&&" | "and" => "∧",
        "|" | "||" | "or" => "∨",
        "!" | "not" => "¬",
        "=>" | "->" | "implies" => "⇒",
        "<=>" | "iff" => "⇔",
        "==" => "=",
        "!=" | "<>" => "≠",
        "<=" => "≤",
        ">=" => "≥",
        "forall" => "∀",
        "exists" => "∃",
        "mod" => "%",
        other => other,
    }
}

pub fn find(op: &str) -> Option<Operator> {
    let op = standard(op);
    OPERATORS.iter().find(|(sign, _)| *sign == op).map(|(_, operator)| *operator)
}

pub fn names() -> impl Iterator<Item = &'static str> {
    OPERATORS.iter().map(|(sign, _)| *sign)
}

/// Operators that make a formula about runs of what they stand before.
pub fn is_of_properties(op: &str) -> bool {
    let quantities = ["Pmin", "Pmax", "Emin", "Emax", "Smin", "Smax", "filter"];
    let states = ["initial", "deadlock", "timelock"];
    quantities.contains(&op) || states.contains(&op) || is_of_paths(op) || matches!(standard(op), "∀" | "∃")
}

/// Temporal operators.
pub fn is_of_paths(op: &str) -> bool {
    matches!(op, "U" | "F" | "G" | "W" | "R" | "X")
}
