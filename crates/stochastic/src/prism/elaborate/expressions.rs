//! Expressions with names resolved, types checked and constant parts folded.

use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;

use super::super::arithmetic::Value;
use super::super::ast::{self, ExprKind};
use super::super::fold;
use super::given::promoted;
use super::scope::{Elaborated, Problem, Scope, type_name};
use crate::tree::{self, Binary, Expr, Type, Unary};

/// How high an expression may be, formulas expanded.
pub const MAX_HEIGHT: usize = 600;

/// Functions of the language, for guesses.
pub const FUNCTIONS: &[&str] = &["min", "max", "floor", "ceil", "round", "pow", "mod", "log", "filter", "multi"];

fn parts(expr: &Expr) -> [Option<&Expr>; 3] {
    match &expr.kind {
        tree::ExprKind::Element(_, a) | tree::ExprKind::Unary(_, a) => [Some(a), None, None],
        tree::ExprKind::Binary(_, a, b) => [Some(a), Some(b), None],
        tree::ExprKind::Conditional(a, b, c) => [Some(a), Some(b), Some(c)],
        _ => [None; 3],
    }
}

/// The number of operators and operands.
pub fn operators(expr: &Expr) -> usize {
    1 + parts(expr).into_iter().flatten().map(operators).sum::<usize>()
}

fn height(expr: &Expr) -> usize {
    1 + parts(expr).into_iter().flatten().map(height).max().unwrap_or(0)
}

pub fn too_high(span: Span) -> Diagnostic {
    let message = "with everything expanded that has a name, this has too many operators inside of one another";
    Diagnostic::error(span, message).help(format!("{MAX_HEIGHT} are possible in expressions"))
}

fn wrong<T>(span: Span, message: String, label: String) -> Elaborated<T> {
    Err(Diagnostic::error(span, message).label(label).into())
}

fn expect_bool(expr: &Expr, what: &str) -> Elaborated<()> {
    match expr.ty {
        Type::Bool => Ok(()),
        ty => wrong(expr.span, format!("{what} has to be true or false, not a number"), format!("this is {}", a(ty))),
    }
}

fn expect_number(expr: &Expr, what: &str) -> Elaborated<()> {
    match expr.ty {
        Type::Bool => wrong(expr.span, format!("{what} has to be a number"), "this is true or false".into()),
        _ => Ok(()),
    }
}

fn expect_bool_operands(left: &Expr, right: &Expr, operator: &str) -> Elaborated<()> {
    match [left, right].into_iter().find(|operand| operand.ty != Type::Bool) {
        Some(operand) => expect_bool(operand, &format!("an operand of {operator}")),
        None => Ok(()),
    }
}

fn expect_number_operands(left: &Expr, right: &Expr, operator: &str) -> Elaborated<()> {
    match [left, right].into_iter().find(|operand| operand.ty == Type::Bool) {
        Some(operand) => expect_number(operand, &format!("an operand of {operator}")),
        None => Ok(()),
    }
}

fn a(ty: Type) -> String {
    match ty {
        Type::Int => "an int".into(),
        other => format!("a {}", type_name(other)),
    }
}

/// Int of two ints, Real otherwise.
fn wider(left: &Expr, right: &Expr) -> Type {
    if left.ty == Type::Int && right.ty == Type::Int { Type::Int } else { Type::Real }
}

fn operator_name(op: Binary) -> &'static str {
    match op {
        Binary::And => "`&`",
        Binary::Or => "`|`",
        Binary::Implies => "`=>`",
        Binary::Iff => "`<=>`",
        Binary::Equal => "`=`",
        Binary::NotEqual => "`!=`",
        Binary::Less => "`<`",
        Binary::LessEqual => "`<=`",
        Binary::Greater => "`>`",
        Binary::GreaterEqual => "`>=`",
        Binary::Add => "`+`",
        Binary::Subtract => "`-`",
        Binary::Multiply => "`*`",
        Binary::Divide => "`/`",
        Binary::Modulo => "`mod`",
        Binary::Power => "`pow`",
        Binary::Logarithm => "`log`",
        Binary::Min => "`min`",
        Binary::Max => "`max`",
    }
}

impl Scope {
    /// An expression of any type.
    pub fn expression(&mut self, expr: &ast::Expr) -> Elaborated<Expr> {
        let result = self.typed(expr)?;
        if height(&result) > MAX_HEIGHT {
            return Err(too_high(expr.span).into());
        }
        Ok(result)
    }

    /// A condition.
    pub fn condition(&mut self, expr: &ast::Expr, what: &str) -> Elaborated<Expr> {
        let result = self.expression(expr)?;
        expect_bool(&result, what)?;
        Ok(result)
    }

    pub fn number(&mut self, expr: &ast::Expr, what: &str) -> Elaborated<Expr> {
        let result = self.expression(expr)?;
        expect_number(&result, what)?;
        Ok(result)
    }

    /// A constant of the given type.
    pub fn constant_of(&mut self, expr: &ast::Expr, ty: Type) -> Elaborated<Value> {
        let result = self.expression(expr)?;
        if result.ty != ty && (result.ty, ty) != (Type::Int, Type::Real) {
            let error = Diagnostic::error(expr.span, format!("expected {}, found {}", a(ty), a(result.ty)));
            return Err(match (result.ty, ty) {
                (Type::Real, Type::Int) => error.help("`/` makes doubles; `floor`, `ceil` and `round` make ints"),
                _ => error.label(format!("this is {}", a(result.ty))),
            }
            .into());
        }
        let value = self.value_of(&result)?;
        promoted(value, ty).ok_or_else(|| Diagnostic::error(expr.span, format!("this is not {}", a(ty))).into())
    }

    /// The value of an expression that has to be constant.
    pub fn value_of(&self, expr: &Expr) -> Result<Value, Diagnostic> {
        fold::value(expr, &|kind| match kind {
            tree::ExprKind::Variable(variable) => self.variables[variable.0 as usize].0.to_string(),
            _ => "the state".into(),
        })
    }

    /// Runs `read` one level deeper: definitions may add up to more than what one text can hold.
    pub fn deeper<T>(&mut self, span: Span, read: impl FnOnce(&mut Self) -> Elaborated<T>) -> Elaborated<T> {
        if self.depth >= MAX_HEIGHT {
            return Err(too_high(span).into());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn typed(&mut self, expr: &ast::Expr) -> Elaborated<Expr> {
        self.deeper(expr.span, |scope| scope.typed_here(expr))
    }

    fn typed_here(&mut self, expr: &ast::Expr) -> Elaborated<Expr> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Bool(value) => Ok(fold::constant(Value::Bool(*value), span)),
            ExprKind::Int(value) => Ok(fold::constant(Value::Int(*value), span)),
            ExprKind::Real(value) => Ok(fold::constant(Value::Real(value.clone()), span)),
            ExprKind::Name(name) => self.resolve(name, span),
            ExprKind::Quoted(name) => match &**name {
                "init" | "deadlock" => {
                    Err(Problem::Unanswerable(format!("the label \"{name}\" inside of an expression is not supported")))
                }
                _ => self.label(name, span),
            },
            ExprKind::Unary(op, operand) => {
                let operand = self.typed(operand)?;
                self.unary(*op, operand, span)
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.typed(left)?;
                let right = self.typed(right)?;
                self.binary(*op, left, right, span)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.typed(condition)?;
                expect_bool(&condition, "the condition before `?`")?;
                let then = self.typed(then)?;
                let otherwise = self.typed(otherwise)?;
                let ty = match (then.ty, otherwise.ty) {
                    (a, b) if a == b => a,
                    (Type::Bool, _) | (_, Type::Bool) => {
                        let message = "the two sides of `:` have to be both numbers or both true or false".to_string();
                        return wrong(span, message, format!("{} and {}", a(then.ty), a(otherwise.ty)));
                    }
                    _ => Type::Real,
                };
                Ok(fold::conditional(condition, then, otherwise, ty, span))
            }
            ExprKind::UnknownCall(name, _) => {
                let hint = suggest(name, FUNCTIONS.iter().copied());
                Err(Diagnostic::error(span, format!("there is no function `{name}`{hint}")).into())
            }
            ExprKind::Temporal(_) => Err(Diagnostic::error(span, "a formula about runs cannot stand here")
                .help("put it into `P=? [ … ]`")
                .into()),
            ExprKind::Quantity(_) | ExprKind::Filter(_) => {
                Err(Problem::Unanswerable("computing with the answers of other questions is not supported".into()))
            }
            ExprKind::Unsupported(what) => Err(Problem::Unanswerable(format!("{what} is not supported"))),
        }
    }

    fn unary(&mut self, op: Unary, operand: Expr, span: Span) -> Elaborated<Expr> {
        let ty = match op {
            Unary::Not => {
                expect_bool(&operand, "the operand of `!`")?;
                Type::Bool
            }
            Unary::Minus => {
                expect_number(&operand, "the operand of `-`")?;
                operand.ty
            }
            Unary::Floor | Unary::Ceil | Unary::Round => {
                expect_number(&operand, "what is rounded")?;
                Type::Int
            }
        };
        Ok(fold::unary(op, operand, ty, span))
    }

    fn binary(&mut self, op: Binary, left: Expr, right: Expr, span: Span) -> Elaborated<Expr> {
        let name = operator_name(op);
        let ty = match op {
            Binary::And | Binary::Or | Binary::Implies | Binary::Iff => {
                expect_bool_operands(&left, &right, name)?;
                Type::Bool
            }
            Binary::Equal | Binary::NotEqual => {
                if (left.ty == Type::Bool) != (right.ty == Type::Bool) {
                    let message = format!("{name} compares two numbers or two truth values");
                    return wrong(span, message, format!("this is {} and {}", a(left.ty), a(right.ty)));
                }
                Type::Bool
            }
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => {
                expect_number_operands(&left, &right, name)?;
                Type::Bool
            }
            Binary::Modulo => {
                for side in [&left, &right] {
                    if side.ty != Type::Int {
                        return wrong(side.span, "`mod` is for ints".into(), format!("this is {}", a(side.ty)));
                    }
                }
                Type::Int
            }
            _ => {
                expect_number_operands(&left, &right, name)?;
                match op {
                    Binary::Divide | Binary::Logarithm => Type::Real,
                    _ => wider(&left, &right),
                }
            }
        };
        Ok(fold::binary(op, left, right, ty, span))
    }
}
