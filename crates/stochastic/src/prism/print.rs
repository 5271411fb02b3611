//! Expressions of the tree as PRISM writes them, for messages and results.

use std::fmt::{self, Display, Formatter};

use bughound_ir::chance::Number;
use dashu_int::{IBig, UBig};

use crate::tree::{Binary, Expr, ExprKind, Model, Unary};

/// An expression that can be written: `format!("{}", Printed { expr, model })`.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'m> {
    pub expr: &'m Expr,
    /// Where the names come from.
    pub model: &'m Model,
}

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.write(f, self.expr, 0)
    }
}

const CONDITIONAL: u8 = 0;
const NOT: u8 = 5;
const DIVIDE: u8 = 9;
const MINUS: u8 = 11;
const PRIMARY: u8 = 12;

/// The symbol of an operator and how strongly it binds; functions have no strength.
fn symbol(op: Binary) -> (&'static str, Option<u8>) {
    match op {
        Binary::Implies => ("=>", Some(1)),
        Binary::Iff => ("<=>", Some(2)),
        Binary::Or => ("|", Some(3)),
        Binary::And => ("&", Some(4)),
        Binary::Equal => ("=", Some(6)),
        Binary::NotEqual => ("!=", Some(6)),
        Binary::Less => ("<", Some(7)),
        Binary::LessEqual => ("<=", Some(7)),
        Binary::Greater => (">", Some(7)),
        Binary::GreaterEqual => (">=", Some(7)),
        Binary::Add => ("+", Some(8)),
        Binary::Subtract => ("-", Some(8)),
        Binary::Multiply => ("*", Some(9)),
        Binary::Divide => ("/", Some(DIVIDE)),
        Binary::Modulo => ("mod", None),
        Binary::Power => ("pow", None),
        Binary::Logarithm => ("log", None),
        Binary::Min => ("min", None),
        Binary::Max => ("max", None),
    }
}

fn strength(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Int(value) if *value < 0 => MINUS,
        ExprKind::Real(value) if decimal(value).is_none() => DIVIDE,
        ExprKind::Real(value) if *value < Number::ZERO => MINUS,
        ExprKind::Unary(Unary::Not, _) => NOT,
        ExprKind::Unary(Unary::Minus, _) => MINUS,
        ExprKind::Binary(op, ..) => symbol(*op).1.unwrap_or(PRIMARY),
        ExprKind::Conditional(..) => CONDITIONAL,
        _ => PRIMARY,
    }
}

impl Printed<'_> {
    /// Writes an expression; in parentheses, if it binds more weakly than `least`.
    fn write(&self, f: &mut Formatter, expr: &Expr, least: u8) -> fmt::Result {
        if strength(expr) < least {
            f.write_str("(")?;
            self.write_open(f, expr)?;
            return f.write_str(")");
        }
        self.write_open(f, expr)
    }

    fn variable(&self, variable: crate::tree::VariableId) -> &str {
        self.model.variables.get(variable.0 as usize).map_or("?", |v| v.name.as_str())
    }

    fn write_open(&self, f: &mut Formatter, expr: &Expr) -> fmt::Result {
        match &expr.kind {
            ExprKind::Bool(value) => write!(f, "{value}"),
            ExprKind::Int(value) => write!(f, "{value}"),
            ExprKind::Real(value) => match decimal(value) {
                Some(text) => f.write_str(&text),
                None => write!(f, "{}/{}", whole(value.numerator()), whole(&IBig::from(value.denominator().clone()))),
            },
            ExprKind::Variable(variable) => f.write_str(self.variable(*variable)),
            ExprKind::Element(variable, index) => {
                write!(f, "{}[", self.variable(*variable))?;
                self.write(f, index, 0)?;
                f.write_str("]")
            }
            ExprKind::At { automaton, location } => {
                let automaton = self.model.automata.get(*automaton as usize);
                let location = automaton.and_then(|a| a.locations.get(*location as usize));
                let name = automaton.map_or("?", |a| a.name.as_str());
                write!(f, "{name}@{}", location.map_or("?", |l| l.name.as_str()))
            }
            ExprKind::Unary(op, operand) => {
                let function = match op {
                    Unary::Not => {
                        f.write_str("!")?;
                        return self.write(f, operand, PRIMARY);
                    }
                    Unary::Minus => {
                        f.write_str("-")?;
                        return self.write(f, operand, PRIMARY);
                    }
                    Unary::Floor => "floor",
                    Unary::Ceil => "ceil",
                    Unary::Round => "round",
                };
                write!(f, "{function}(")?;
                self.write(f, operand, 0)?;
                f.write_str(")")
            }
            ExprKind::Binary(op, left, right) => self.write_binary(f, *op, left, right),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.write(f, condition, CONDITIONAL + 1)?;
                f.write_str(" ? ")?;
                self.write(f, then, CONDITIONAL)?;
                f.write_str(" : ")?;
                self.write(f, otherwise, CONDITIONAL)
            }
        }
    }

    fn write_binary(&self, f: &mut Formatter, op: Binary, left: &Expr, right: &Expr) -> fmt::Result {
        let (symbol, strength) = symbol(op);
        let Some(strength) = strength else {
            write!(f, "{symbol}(")?;
            self.write(f, left, 0)?;
            f.write_str(", ")?;
            self.write(f, right, 0)?;
            return f.write_str(")");
        };
        let (of_left, of_right) = match op {
            // The same operator again needs no parentheses on either side.
            Binary::And | Binary::Or => (strength, strength),
            Binary::Implies => (strength + 1, strength),
            _ => (strength, strength + 1),
        };
        self.write(f, left, of_left)?;
        match strength <= 4 {
            true => write!(f, " {symbol} ")?,
            false => f.write_str(symbol)?,
        }
        self.write(f, right, of_right)
    }
}

/// A whole number; with a point, if it is too large for an int.
fn whole(number: &IBig) -> String {
    match i32::try_from(number) {
        Ok(number) => number.to_string(),
        Err(_) => format!("{number}.0"),
    }
}

/// A fraction as a decimal number, if it has a short one. It has a point, so that it is read as a real number again.
fn decimal(value: &Number) -> Option<String> {
    const PLACES: usize = 30;
    let shifted = value * Number::from(IBig::from(UBig::from(10u8).pow(PLACES)));
    if !shifted.is_int() {
        return None;
    }
    let negative = *value < Number::ZERO;
    let digits = shifted.numerator().to_string();
    let digits = format!("{:0>width$}", digits.trim_start_matches('-'), width = PLACES + 1);
    let (whole, fraction) = digits.split_at(digits.len() - PLACES);
    let fraction = fraction.trim_end_matches('0');
    let sign = if negative { "-" } else { "" };
    Some(format!("{sign}{whole}.{}", if fraction.is_empty() { "0" } else { fraction }))
}
