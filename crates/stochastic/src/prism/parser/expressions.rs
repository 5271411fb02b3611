//! Expressions, by the strength of their operators.
//!
//! Weakest first: `U W R`, `X F G`, `?:`, `=>`, `<=>`, `|`, `&`, `!`, `= !=`, `< <= > >=`, `+ -`, `* /`, `^`, unary minus. So
//! `!a=b` is `!(a=b)`, and `-x^2` is `(-x)^2`.

use std::rc::Rc;

use bughound_ir::source::{Diagnostic, Span};

use super::super::ast::{Expr, ExprKind, Filter, node};
use super::super::lexer::Tok;
use super::{KEYWORDS, MAX_HEIGHT, Parsed, Parser, Text, is_symbol, numbers};
use crate::tree::{Binary, Unary};

const IMPLIES: u8 = 0;
const NOT: u8 = 4;
const EQUALITY: u8 = 5;
/// The weakest operator that makes numbers of numbers.
pub(super) const ADDITIVE: u8 = 7;

/// How strongly a binary operator binds; 0 binds least.
fn binary(tok: &Tok) -> Option<(Binary, u8)> {
    let Tok::Symbol(symbol) = tok else { return None };
    Some(match *symbol {
        "=>" => (Binary::Implies, IMPLIES),
        "<=>" => (Binary::Iff, 1),
        "|" => (Binary::Or, 2),
        "&" => (Binary::And, 3),
        "=" => (Binary::Equal, EQUALITY),
        "!=" => (Binary::NotEqual, EQUALITY),
        "<" => (Binary::Less, 6),
        "<=" => (Binary::LessEqual, 6),
        ">" => (Binary::Greater, 6),
        ">=" => (Binary::GreaterEqual, 6),
        "+" => (Binary::Add, ADDITIVE),
        "-" => (Binary::Subtract, ADDITIVE),
        "*" => (Binary::Multiply, 8),
        "/" => (Binary::Divide, 8),
        "^" => (Binary::Power, 9),
        _ => return None,
    })
}

/// From how many operands on a sum becomes a flat tree. (`&`, `|` and minima always do.)
const LONG_SUM: usize = 100;

/// Operands in a row as a flat tree: their order stays, the height does not grow with their number.
pub(super) fn balanced(op: Binary, mut operands: Vec<Expr>) -> Expr {
    if operands.len() == 1
        && let Some(only) = operands.pop()
    {
        return only;
    }
    let right = operands.split_off(operands.len() / 2);
    join(op, balanced(op, operands), balanced(op, right))
}

fn join(op: Binary, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    node(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        match self.kind {
            Text::Model => self.nested(Self::conditional),
            Text::Properties => self.nested(Self::temporal),
        }
    }

    /// `c ? a : b`, where a and b may be conditionals again.
    pub(super) fn conditional(&mut self) -> Parsed<Expr> {
        let mut choices = Vec::new();
        let otherwise = loop {
            let condition = self.binary_above(IMPLIES)?;
            if !self.symbol("?") {
                break condition;
            }
            let then = self.nested(Self::conditional)?;
            self.expect(":").map_err(|error| error.help("a conditional is written `condition ? value : value`"))?;
            choices.push((condition, then));
        };
        let mut result = otherwise;
        for (condition, then) in choices.into_iter().rev() {
            let span = condition.span.to(result.span);
            let kind = ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(result));
            result = self.not_too_high(node(kind, span))?;
        }
        Ok(result)
    }

    pub(super) fn not_too_high(&self, expr: Expr) -> Parsed<Expr> {
        if expr.height <= MAX_HEIGHT {
            return Ok(expr);
        }
        let message = format!("this expression has more than {MAX_HEIGHT} operators inside of one another");
        Err(Diagnostic::error(expr.span, message).help("give names to parts of it with `formula`"))
    }

    /// Operators that bind at least as strongly as `least`.
    pub(super) fn binary_above(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = match self.is_symbol("!") {
            true => self.negation(least)?,
            false => self.unary()?,
        };
        while let Some((op, strength)) = binary(&self.token().tok) {
            // `<<…>>` on the next line is another property.
            if strength < least || (op == Binary::Less && is_symbol(self.ahead(1), "<")) {
                break;
            }
            left = match op {
                Binary::Implies | Binary::Power => {
                    self.advance();
                    let right = self.nested(|parser| parser.binary_above(strength))?;
                    join(op, left, right)
                }
                Binary::And | Binary::Or => self.chain(op, strength, left)?,
                Binary::Add | Binary::Subtract => self.sum(left)?,
                _ => {
                    self.advance();
                    let right = self.nested(|parser| parser.binary_above(strength + 1))?;
                    join(op, left, right)
                }
            };
            left = self.not_too_high(left)?;
        }
        Ok(left)
    }

    /// `left & b & c …`
    fn chain(&mut self, op: Binary, strength: u8, left: Expr) -> Parsed<Expr> {
        let mut operands = vec![left];
        while binary(&self.token().tok).is_some_and(|(next, _)| next == op) {
            self.advance();
            operands.push(self.nested(|parser| parser.binary_above(strength + 1))?);
        }
        Ok(balanced(op, operands))
    }

    /// `left + b - c …`
    fn sum(&mut self, left: Expr) -> Parsed<Expr> {
        let mut rest = Vec::new();
        while let Some((op @ (Binary::Add | Binary::Subtract), strength)) = binary(&self.token().tok) {
            self.advance();
            rest.push((op, self.nested(|parser| parser.binary_above(strength + 1))?));
        }
        if rest.len() < LONG_SUM {
            return Ok(rest.into_iter().fold(left, |left, (op, right)| join(op, left, right)));
        }
        let signed = rest.into_iter().map(|(op, operand)| match op {
            Binary::Subtract => {
                let span = operand.span;
                node(ExprKind::Unary(Unary::Minus, Box::new(operand)), span)
            }
            _ => operand,
        });
        Ok(balanced(Binary::Add, std::iter::once(left).chain(signed).collect()))
    }

    /// `!` reaches over comparisons, so it cannot be an operand of one.
    fn negation(&mut self, least: u8) -> Parsed<Expr> {
        let start = self.span();
        self.advance();
        let operand = match least <= NOT {
            true => self.nested(|parser| parser.binary_above(NOT))?,
            false => {
                self.nested(|parser| if parser.is_symbol("!") { parser.negation(least) } else { parser.unary() })?
            }
        };
        let span = start.to(operand.span);
        if least > NOT && binary(&self.token().tok).is_some_and(|(_, strength)| strength >= EQUALITY) {
            let message = "it is not clear how far this `!` reaches";
            let help = "`!` binds more weakly than comparisons: put it and its operand into parentheses";
            return Err(Diagnostic::error(span, message).help(help));
        }
        self.not_too_high(node(ExprKind::Unary(Unary::Not, Box::new(operand)), span))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        if !self.is_symbol("-") {
            return self.primary();
        }
        let start = self.span();
        self.advance();
        let operand = self.nested(Self::unary)?;
        let span = start.to(operand.span);
        Ok(node(ExprKind::Unary(Unary::Minus, Box::new(operand)), span))
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let kind = match self.token().tok.clone() {
            Tok::Number(text) => {
                self.advance();
                // Properties have no ints that are stored: what is too large for one is a double, so that fractions which were
                // printed can be asked about.
                let is_long = text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<i32>().is_err();
                match self.kind {
                    Text::Properties if is_long => numbers::number(&format!("{text}.0"), span)?,
                    _ => numbers::number(&text, span)?,
                }
            }
            Tok::Symbol("(") => {
                self.advance();
                let inner = self.expression()?;
                self.expect(")").map_err(|error| error.related(span, "to close this parenthesis"))?;
                return Ok(Expr { span: span.to(self.before()), ..inner });
            }
            Tok::Word(word) => return self.word_expression(&word),
            Tok::Text(text) if self.kind == Text::Properties => {
                self.advance();
                ExprKind::Quoted(text)
            }
            Tok::Text(text) => {
                let message = format!("the label \"{text}\" cannot be used here");
                return Err(Diagnostic::error(span, message)
                    .help("labels are for properties; a `formula` can be used in the model as well"));
            }
            Tok::Symbol("<") if self.kind == Text::Properties && is_symbol(self.ahead(1), "<") => {
                return self.coalition();
            }
            _ => return Err(self.expected("an expression")),
        };
        Ok(node(kind, span))
    }

    /// What begins with a word: a name, a literal, a function, or an operator of properties.
    fn word_expression(&mut self, word: &Rc<str>) -> Parsed<Expr> {
        let span = self.span();
        match &**word {
            "true" | "false" => {
                self.advance();
                return Ok(node(ExprKind::Bool(&**word == "true"), span));
            }
            "func" => {
                self.advance();
                self.expect("(")?;
                let Tok::Word(function) = self.token().tok.clone() else { return Err(self.expected("a function")) };
                self.advance();
                self.expect(",")?;
                return self.call(&function, span);
            }
            "min" | "max" | "floor" | "ceil" | "round" | "pow" | "mod" | "log" if is_symbol(self.ahead(1), "(") => {
                self.advance();
                self.advance();
                return self.call(word, span);
            }
            _ => {}
        }
        if self.kind == Text::Properties
            && let Some(expr) = self.question(word)?
        {
            return Ok(expr);
        }
        if !self.in_bound && !KEYWORDS.contains(&&**word) && is_symbol(self.ahead(1), "(") {
            self.advance();
            self.advance();
            let arguments = self.arguments()?;
            let kind = ExprKind::UnknownCall(Rc::clone(word), arguments);
            return Ok(node(kind, span.to(self.before())));
        }
        let name = self.name()?;
        Ok(node(ExprKind::Name(name.text), span))
    }

    /// The rest of `(a, b)`.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut list = vec![self.expression()?];
        while self.symbol(",") {
            list.push(self.expression()?);
        }
        self.expect(")")?;
        Ok(list)
    }

    /// A call of a function, after its parenthesis.
    fn call(&mut self, function: &Rc<str>, start: Span) -> Parsed<Expr> {
        let arguments = self.arguments()?;
        let span = start.to(self.before());
        let count = arguments.len();
        let wanted = match &**function {
            "min" | "max" => count.max(1),
            "floor" | "ceil" | "round" => 1,
            "pow" | "mod" | "log" => 2,
            _ => return Ok(node(ExprKind::UnknownCall(Rc::clone(function), arguments), span)),
        };
        if count != wanted {
            let message = format!("`{function}` has {wanted} operands, not {count}");
            return Err(Diagnostic::error(span, message));
        }
        let op = match &**function {
            "min" => Binary::Min,
            "max" => Binary::Max,
            "pow" => Binary::Power,
            "mod" => Binary::Modulo,
            "log" => Binary::Logarithm,
            rounding => {
                let op = match rounding {
                    "floor" => Unary::Floor,
                    "ceil" => Unary::Ceil,
                    _ => Unary::Round,
                };
                let operand = arguments.into_iter().next().ok_or_else(|| self.expected("an operand"))?;
                return Ok(node(ExprKind::Unary(op, Box::new(operand)), span));
            }
        };
        Ok(Expr { span, ..balanced(op, arguments) })
    }

    /// `filter(function, property, states)`, after the word.
    pub(super) fn filter(&mut self, start: Span) -> Parsed<Expr> {
        self.expect("(")?;
        let span = self.span();
        let text: Rc<str> = match &self.token().tok {
            Tok::Word(word) => Rc::clone(word),
            Tok::Symbol("+") => "sum".into(),
            Tok::Symbol("&") => "forall".into(),
            Tok::Symbol("|") => "exists".into(),
            _ => return Err(self.expected("how to filter, such as `min` or `forall`")),
        };
        self.advance();
        self.expect(",")?;
        let property = self.expression()?;
        let states = if self.symbol(",") { Some(self.expression()?) } else { None };
        self.expect(")")?;
        let function = super::super::ast::Name { text, span };
        Ok(node(ExprKind::Filter(Box::new(Filter { function, property, states })), start.to(self.before())))
    }
}
