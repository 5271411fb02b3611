//! Formulas of linear temporal logic.
//!
//! As in SPIN's grammar, from loose to tight: `->` and `<->` (both to the left), `||`, `&&`, the operators `U`, `W`, `V`
//! (to the left), then the operators of expressions; `[]`, `<>`, `X` and `!` bind tightest. So `[] x == 1` means
//! `([] x) == 1`, which is refused here with a hint (SPIN turns it into something else without a word).

use super::exprs::binary_operator;
use super::{Parse, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, Ltl, LtlBinaryOp, LtlKind, LtlUnaryOp, UnaryOp};
use crate::token::TokenKind;
use bughound_ir::source::{Diagnostic, Span};

/// A part of a formula: an expression as long as nothing temporal has been met.
enum Part {
    Plain(Expr),
    Temporal(Ltl),
}

impl Part {
    fn span(&self) -> Span {
        match self {
            Part::Plain(e) => e.span,
            Part::Temporal(l) => l.span,
        }
    }

    fn into_ltl(self) -> Ltl {
        match self {
            Part::Plain(e) => Ltl { span: e.span, kind: LtlKind::Atom(e) },
            Part::Temporal(l) => l,
        }
    }
}

enum Operator {
    Plain(BinaryOp),
    Temporal(LtlBinaryOp),
}

impl Parser<'_> {
    pub(super) fn ltl_formula(&mut self) -> Parse<Ltl> {
        self.ltl_binary(0).map(Part::into_ltl)
    }

    /// The operator at the cursor, how tightly it binds and its number of tokens.
    fn ltl_operator(&self) -> Option<(Operator, u8, usize)> {
        use LtlBinaryOp::*;
        let temporal = |op, power, tokens| Some((Operator::Temporal(op), power, tokens));
        let token = self.token();
        match (token.kind, self.peek(1).kind) {
            (TokenKind::Arrow, _) => temporal(Implies, 1, 1),
            (TokenKind::Less, TokenKind::Arrow) => temporal(Equivalent, 1, 2),
            (TokenKind::Backslash, TokenKind::Slash) => Some((Operator::Plain(BinaryOp::Or), 2, 2)),
            (TokenKind::Slash, TokenKind::Backslash) => Some((Operator::Plain(BinaryOp::And), 3, 2)),
            (TokenKind::Word, _) => match &**self.symbols.text(token.text) {
                "implies" => temporal(Implies, 1, 1),
                "equivalent" => temporal(Equivalent, 1, 1),
                "U" | "until" | "stronguntil" | "stronglyuntil" => temporal(Until, 4, 1),
                "W" | "weakuntil" => temporal(WeakUntil, 4, 1),
                "V" | "R" | "release" => temporal(Release, 4, 1),
                _ => None,
            },
            (kind, _) => binary_operator(kind).map(|(op, power)| (Operator::Plain(op), power, 1)),
        }
    }

    fn ltl_binary(&mut self, min: u8) -> Parse<Part> {
        let mut left = self.ltl_unary()?;
        while let Some((op, power, tokens)) = self.ltl_operator() {
            if power < min {
                break;
            }
            let left_height = self.height;
            let sign = self.token().span;
            for _ in 0..tokens {
                self.advance();
            }
            let right = self.nested(|p| p.ltl_binary(power + 1))?;
            let span = left.span().to(right.span());
            self.set_height(1 + left_height.max(self.height), span)?;
            left = self.combine(op, left, right, sign)?;
        }
        Ok(left)
    }

    fn combine(&mut self, op: Operator, left: Part, right: Part, sign: Span) -> Parse<Part> {
        let span = left.span().to(right.span());
        let op = match (op, left, right) {
            (Operator::Plain(op), Part::Plain(left), Part::Plain(right)) => {
                let kind = ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) };
                return Ok(Part::Plain(Expr { kind, span }));
            }
            (Operator::Plain(BinaryOp::And), left, right) => (LtlBinaryOp::And, left, right),
            (Operator::Plain(BinaryOp::Or), left, right) => (LtlBinaryOp::Or, left, right),
            (Operator::Temporal(op), left, right) => (op, left, right),
            (Operator::Plain(_), ..) => {
                let error = Diagnostic::error(sign, "this operator cannot be applied to a temporal formula");
                let error = error.label("an operand is a temporal formula");
                return Err(self.report(error.help(
                    "`[]`, `<>`, `X` and `!` bind tighter than comparisons: write `[] (x == 1)`, not `[] x == 1`",
                )));
            }
        };
        let (op, left, right) = (op.0, Box::new(op.1.into_ltl()), Box::new(op.2.into_ltl()));
        Ok(Part::Temporal(Ltl { kind: LtlKind::Binary { op, left, right }, span }))
    }

    fn ltl_unary(&mut self) -> Parse<Part> {
        let token = self.token();
        let (op, tokens) = match (token.kind, self.peek(1).kind) {
            (TokenKind::LBracket, TokenKind::RBracket) => (LtlUnaryOp::Always, 2),
            (TokenKind::Less, TokenKind::Greater) => (LtlUnaryOp::Eventually, 2),
            (TokenKind::Bang | TokenKind::BangBang, _) => (LtlUnaryOp::Not, 1),
            (TokenKind::Word, _) => match &**self.symbols.text(token.text) {
                "always" => (LtlUnaryOp::Always, 1),
                "eventually" => (LtlUnaryOp::Eventually, 1),
                "X" | "next" => (LtlUnaryOp::Next, 1),
                _ => return self.primary().map(Part::Plain),
            },
            (TokenKind::LParen, _) => return self.nested(Self::ltl_parenthesised),
            _ => return self.unary().map(Part::Plain),
        };
        for _ in 0..tokens {
            self.advance();
        }
        let operand = self.nested(Self::ltl_unary)?;
        let result = self.apply_ltl_unary(op, operand, token.span)?;
        // The lexer knows `!!` as the mark of a sorted send; a formula has none.
        if token.kind == TokenKind::BangBang { self.apply_ltl_unary(op, result, token.span) } else { Ok(result) }
    }

    fn apply_ltl_unary(&mut self, op: LtlUnaryOp, operand: Part, start: Span) -> Parse<Part> {
        match (op, operand) {
            (LtlUnaryOp::Not, Part::Plain(operand)) => self.apply_unary(UnaryOp::Not, operand, start).map(Part::Plain),
            (op, operand) => {
                let span = start.to(operand.span());
                self.set_height(1 + self.height, span)?;
                let operand = Box::new(operand.into_ltl());
                Ok(Part::Temporal(Ltl { kind: LtlKind::Unary { op, operand }, span }))
            }
        }
    }

    fn ltl_parenthesised(&mut self) -> Parse<Part> {
        let open = self.advance().span;
        self.parentheses += 1;
        let inner = self.ltl_binary(0)?;
        self.parentheses -= 1;
        if self.kind() == TokenKind::Colon {
            let error = Diagnostic::error(self.token().span, "unexpected `:` in a formula");
            return Err(self.report(error.help("in a formula `->` is an implication; `(c -> a : b)` is not available")));
        }
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(inner)
    }
}
