//! Expressions: C's, with words for the logical operators, quantifiers, and minimum and maximum.

use bughound_ir::source::Span;

use super::{MAX_HEIGHT, Parsed, Parser};
use crate::ast::{Binary, Expr, ExprKind, Quantifier, Sync, Unary};
use crate::lexer::Tok;

/// How strongly a binary operator binds; 0 binds least.
fn binary(tok: &Tok) -> Option<(Binary, u8)> {
    let symbol: &str = match tok {
        Tok::Symbol(symbol) => symbol,
        Tok::Word(word) => match &**word {
            word @ ("and" | "or" | "imply") => word,
            _ => return None,
        },
        _ => return None,
    };
    Some(match symbol {
        "||" | "or" => (Binary::Or, 0),
        "imply" => (Binary::Imply, 0),
        "&&" | "and" => (Binary::And, 1),
        "|" => (Binary::BitOr, 2),
        "^" => (Binary::BitXor, 3),
        "&" => (Binary::BitAnd, 4),
        "==" => (Binary::Equal, 5),
        "!=" => (Binary::NotEqual, 5),
        "<" => (Binary::Less, 6),
        "<=" => (Binary::LessEqual, 6),
        ">" => (Binary::Greater, 6),
        ">=" => (Binary::GreaterEqual, 6),
        "<?" => (Binary::Minimum, 7),
        ">?" => (Binary::Maximum, 7),
        "<<" => (Binary::ShiftLeft, 8),
        ">>" => (Binary::ShiftRight, 8),
        "+" => (Binary::Add, 9),
        "-" => (Binary::Subtract, 9),
        "*" => (Binary::Multiply, 10),
        "/" => (Binary::Divide, 10),
        "%" => (Binary::Remainder, 10),
        _ => return None,
    })
}

fn assignment(tok: &Tok) -> Option<Option<Binary>> {
    let Tok::Symbol(symbol) = tok else { return None };
    Some(match *symbol {
        "=" | ":=" => None,
        "+=" => Some(Binary::Add),
        "-=" => Some(Binary::Subtract),
        "*=" => Some(Binary::Multiply),
        "/=" => Some(Binary::Divide),
        "%=" => Some(Binary::Remainder),
        "&=" => Some(Binary::BitAnd),
        "|=" => Some(Binary::BitOr),
        "^=" => Some(Binary::BitXor),
        "<<=" => Some(Binary::ShiftLeft),
        ">>=" => Some(Binary::ShiftRight),
        _ => return None,
    })
}

pub(super) fn node(kind: ExprKind, span: Span) -> Expr {
    let below = match &kind {
        ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Name(_) | ExprKind::Deadlock | ExprKind::Unsupported(_) => {
            0
        }
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) => a.height.max(b.height),
        ExprKind::Member(a, _) | ExprKind::Rate(a) | ExprKind::Unary(_, a) => a.height,
        ExprKind::Step { target, .. } => target.height,
        ExprKind::Quantified { body, .. } => body.height,
        ExprKind::Call(function, arguments) => {
            arguments.iter().map(|a| a.height).max().unwrap_or(0).max(function.height)
        }
        ExprKind::Conditional(a, b, c) => a.height.max(b.height).max(c.height),
    };
    Expr { kind, span, height: below + 1 }
}

/// Operands of a long `and` or `or` as a flat tree: the order of evaluation stays, the height does not grow.
fn balanced(op: Binary, mut operands: Vec<Expr>) -> Expr {
    if operands.len() == 1
        && let Some(only) = operands.pop()
    {
        return only;
    }
    let right = operands.split_off(operands.len() / 2);
    let (left, right) = (balanced(op, operands), balanced(op, right));
    let span = left.span.to(right.span);
    node(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)
}

impl Parser<'_> {
    /// An expression, assignments included.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let target = parser.conditional()?;
            let Some(op) = assignment(&parser.token().tok) else { return Ok(target) };
            parser.advance();
            let value = parser.expression()?;
            let span = target.span.to(value.span);
            Ok(node(ExprKind::Assign(op, Box::new(target), Box::new(value)), span))
        })
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        let condition = self.binary_above(0)?;
        if !self.symbol("?") {
            return Ok(condition);
        }
        let then = self.expression()?;
        self.expect(":")?;
        let otherwise = self.nested(Self::conditional)?;
        let span = condition.span.to(otherwise.span);
        Ok(node(ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise)), span))
    }

    /// Operators that bind at least as strongly as `least`.
    pub(super) fn binary_above(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        while let Some((op, strength)) = binary(&self.token().tok) {
            if strength < least || (self.breaks_here() && op == Binary::Subtract) {
                break;
            }
            let mut operands = vec![left];
            let chains = matches!(op, Binary::And | Binary::Or);
            loop {
                self.advance();
                operands.push(self.nested(|parser| parser.binary_above(strength + 1))?);
                if !chains || binary(&self.token().tok).is_none_or(|(next, _)| next != op) {
                    break;
                }
            }
            left = balanced(op, operands);
            if left.height > MAX_HEIGHT {
                let message = format!("this expression is more than {MAX_HEIGHT} operators high");
                return Err(self.error(left.span, message).help("use functions or helper variables"));
            }
        }
        Ok(left)
    }

    /// Between queries, a line break where an expression can end ends it.
    fn breaks_here(&self) -> bool {
        self.line_ends && self.token().new_line
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let op = match &self.token().tok {
            Tok::Symbol("-") => Unary::Minus,
            Tok::Symbol("+") => Unary::Plus,
            Tok::Symbol("!") => Unary::Not,
            Tok::Word(word) if **word == *"not" => Unary::Not,
            Tok::Symbol(symbol @ ("++" | "--")) => {
                let add = if *symbol == "++" { 1 } else { -1 };
                self.advance();
                let target = Box::new(self.nested(Self::unary)?);
                let span = start.to(target.span);
                return Ok(node(ExprKind::Step { target, add, before: true }, span));
            }
            _ => return self.postfix(),
        };
        self.advance();
        let operand = self.nested(Self::unary)?;
        let span = start.to(operand.span);
        Ok(node(ExprKind::Unary(op, Box::new(operand)), span))
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut expr = self.primary()?;
        let mut length = 0;
        loop {
            length += 1;
            if self.breaks_here() || length > 100 {
                return Ok(expr);
            }
            let start = expr.span;
            let kind = match self.token().tok {
                Tok::Symbol("[") => {
                    self.advance();
                    let index = self.expression()?;
                    self.expect("]")?;
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
                Tok::Symbol("(") => {
                    self.advance();
                    let arguments = self.arguments()?;
                    ExprKind::Call(Box::new(expr), arguments)
                }
                Tok::Symbol(".") => {
                    self.advance();
                    let member = self.member()?;
                    ExprKind::Member(Box::new(expr), member)
                }
                Tok::Symbol("'") => {
                    self.advance();
                    ExprKind::Rate(Box::new(expr))
                }
                Tok::Symbol(symbol @ ("++" | "--")) => {
                    self.advance();
                    let add = if symbol == "++" { 1 } else { -1 };
                    ExprKind::Step { target: Box::new(expr), add, before: false }
                }
                _ => return Ok(expr),
            };
            expr = node(kind, start.to(self.before()));
        }
    }

    /// A name after a point: a location may be called `wait`, and anything else that is no keyword here.
    fn member(&mut self) -> Parsed<crate::ast::Name> {
        self.name()
    }

    /// The rest of `(a, b)`.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut list = Vec::new();
        // Inside parentheses, line breaks mean nothing.
        let line_ends = std::mem::replace(&mut self.line_ends, false);
        while !self.is_symbol(")") {
            list.push(self.expression()?);
            if !self.symbol(",") {
                break;
            }
        }
        self.expect(")")?;
        self.line_ends = line_ends;
        Ok(list)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let kind = match self.token().tok.clone() {
            Tok::Number(number) => {
                let Ok(value) = i32::try_from(number) else {
                    return Err(self.error(span, "this number does not fit into 32 bits"));
                };
                self.advance();
                ExprKind::Number(value)
            }
            Tok::Real => {
                self.advance();
                ExprKind::Unsupported("numbers with a fraction")
            }
            Tok::Text => {
                self.advance();
                ExprKind::Unsupported("texts")
            }
            Tok::Symbol("(") => {
                self.advance();
                let line_ends = std::mem::replace(&mut self.line_ends, false);
                let inner = self.expression()?;
                self.expect(")")?;
                self.line_ends = line_ends;
                return Ok(node(inner.kind, span.to(self.before())));
            }
            Tok::Word(word) => match &*word {
                "true" | "false" => {
                    self.advance();
                    ExprKind::Bool(*word == *"true")
                }
                "deadlock" => {
                    self.advance();
                    ExprKind::Deadlock
                }
                "forall" | "exists" | "sum" => return self.quantified(&word),
                _ => ExprKind::Name(self.name()?.text),
            },
            _ => return Err(self.expected("an expression")),
        };
        Ok(node(kind, span))
    }

    fn quantified(&mut self, word: &str) -> Parsed<Expr> {
        let start = self.span();
        self.advance();
        let quantifier = match word {
            "forall" => Quantifier::ForAll,
            "exists" => Quantifier::Exists,
            _ => Quantifier::Sum,
        };
        self.expect("(")?;
        let name = self.name()?;
        self.expect(":")?;
        let ty = Box::new(self.ty()?);
        self.expect(")")?;
        let body = Box::new(self.expression()?);
        let span = start.to(body.span);
        Ok(node(ExprKind::Quantified { quantifier, name, ty, body }, span))
    }

    /// Expressions separated by commas up to the end of the text.
    pub(super) fn expressions_until_end(&mut self) -> Parsed<Vec<Expr>> {
        if self.at_end() { Ok(Vec::new()) } else { self.expressions() }
    }

    /// One or more expressions separated by commas.
    pub(super) fn expressions(&mut self) -> Parsed<Vec<Expr>> {
        let mut list = vec![self.expression()?];
        while self.symbol(",") {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    /// `c!` or `c[i]?`
    pub(super) fn sync(&mut self) -> Parsed<Sync> {
        let start = self.span();
        let channel = self.postfix()?;
        let sends = self.is_symbol("!");
        if !sends && !self.is_symbol("?") {
            return Err(self.expected("`!` or `?`").help("`c!` sends over channel c, `c?` receives"));
        }
        self.advance();
        Ok(Sync { channel, sends, span: start.to(self.before()) })
    }
}
