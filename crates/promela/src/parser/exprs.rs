//! Expressions and references to variables.

use super::{Parse, Parser};
use crate::ast::{
    BinaryOp, ChannelQuery, ConstSpelling, Expr, ExprKind, PathSegment, Poll, RemoteLabel, RemoteVar, Run, UnaryOp,
    VarRef,
};
use crate::lexer::{char_value, number_value};
use crate::token::{Keyword, Token, TokenKind};
use bughound_ir::source::{Diagnostic, Span};

/// A binary operator and how tightly it binds, as in SPIN's grammar: the same order as in C, except that nothing
/// separates `==` chains.
pub(super) fn binary_operator(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        TokenKind::Or => (BinaryOp::Or, 2),
        TokenKind::And => (BinaryOp::And, 3),
        // 4 is for the temporal operators with two operands.
        TokenKind::Bar => (BinaryOp::BitOr, 5),
        TokenKind::Caret => (BinaryOp::BitXor, 6),
        TokenKind::Amp => (BinaryOp::BitAnd, 7),
        TokenKind::Equal => (BinaryOp::Equal, 8),
        TokenKind::NotEqual => (BinaryOp::NotEqual, 8),
        TokenKind::Less => (BinaryOp::Less, 9),
        TokenKind::LessEqual => (BinaryOp::LessEqual, 9),
        TokenKind::Greater => (BinaryOp::Greater, 9),
        TokenKind::GreaterEqual => (BinaryOp::GreaterEqual, 9),
        TokenKind::ShiftLeft => (BinaryOp::ShiftLeft, 10),
        TokenKind::ShiftRight => (BinaryOp::ShiftRight, 10),
        TokenKind::Plus => (BinaryOp::Add, 11),
        TokenKind::Minus => (BinaryOp::Subtract, 11),
        TokenKind::Star => (BinaryOp::Multiply, 12),
        TokenKind::Slash => (BinaryOp::Divide, 12),
        TokenKind::Percent => (BinaryOp::Remainder, 12),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        self.binary(0)
    }

    fn binary(&mut self, min: u8) -> Parse<Expr> {
        let left = self.unary()?;
        self.continue_binary(left, min)
    }

    /// Goes on after an operand that has been read already; `self.height` is its height.
    pub(super) fn continue_binary(&mut self, mut left: Expr, min: u8) -> Parse<Expr> {
        while let Some((op, power)) = binary_operator(self.kind()) {
            // A `-` on a new line starts a new statement, as in SPIN.
            if power < min || (op == BinaryOp::Subtract && self.at_line_start()) {
                break;
            }
            let left_height = self.height;
            self.advance();
            let right = self.nested(|p| p.binary(power + 1))?;
            let span = left.span.to(right.span);
            self.set_height(1 + left_height.max(self.height), span)?;
            left = Expr { kind: ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) }, span };
        }
        Ok(left)
    }

    pub(super) fn unary(&mut self) -> Parse<Expr> {
        let op = match self.kind() {
            TokenKind::Bang | TokenKind::BangBang => UnaryOp::Not,
            TokenKind::Minus => UnaryOp::Negate,
            TokenKind::Tilde => UnaryOp::Complement,
            _ => return self.primary(),
        };
        let twice = self.kind() == TokenKind::BangBang;
        let start = self.advance().span;
        let operand = self.nested(Self::unary)?;
        let mut result = self.apply_unary(op, operand, start)?;
        if twice {
            result = self.apply_unary(op, result, start)?;
        }
        Ok(result)
    }

    pub(super) fn apply_unary(&mut self, op: UnaryOp, operand: Expr, start: Span) -> Parse<Expr> {
        let span = start.to(operand.span);
        if let ExprKind::Channel { query, .. } = operand.kind
            && op == UnaryOp::Not
            && let Some(opposite) = opposite_query(query)
        {
            let warning = Diagnostic::warning(span, "SPIN refuses the negation of a channel query");
            self.diagnostics
                .push(warning.help(format!("write `{opposite}(…)` if the model is to be read by SPIN, too")));
        }
        self.set_height(self.height + 1, span)?;
        Ok(Expr { kind: ExprKind::Unary { op, operand: Box::new(operand) }, span })
    }

    /// An operand without operators around it.
    pub(super) fn primary(&mut self) -> Parse<Expr> {
        let token = self.token();
        self.height = 1;
        let start = token.span;
        let kind = match token.kind {
            TokenKind::LParen => return self.nested(Self::parenthesised),
            TokenKind::Number => {
                let value = self.number(token)?;
                ExprKind::Const { value, spelling: ConstSpelling::Number }
            }
            TokenKind::Char => {
                let value = char_value(self.symbols.text(token.text));
                self.advance();
                ExprKind::Const { value, spelling: ConstSpelling::Char }
            }
            TokenKind::Word => return self.named(),
            TokenKind::Keyword(keyword) => return self.keyword_operand(keyword),
            _ => return Err(self.expected("an expression")),
        };
        Ok(Expr { kind, span: start })
    }

    fn keyword_operand(&mut self, keyword: Keyword) -> Parse<Expr> {
        let start = self.token().span;
        let constant = |value, spelling| ExprKind::Const { value, spelling };
        let kind = match keyword {
            Keyword::True => constant(1, ConstSpelling::True),
            Keyword::False => constant(0, ConstSpelling::False),
            Keyword::Skip => constant(1, ConstSpelling::Skip),
            Keyword::Timeout => ExprKind::Timeout,
            Keyword::Np => ExprKind::NonProgress,
            Keyword::Len | Keyword::Full | Keyword::Empty | Keyword::NFull | Keyword::NEmpty => {
                return self.channel_query(keyword);
            }
            Keyword::Enabled | Keyword::PcValue | Keyword::GetPriority => {
                self.advance();
                let argument = Box::new(self.nested(Self::parenthesised_expr)?);
                let span = self.span_from(start);
                self.set_height(self.height + 1, span)?;
                let kind = match keyword {
                    Keyword::Enabled => ExprKind::Enabled(argument),
                    Keyword::PcValue => ExprKind::PcValue(argument),
                    _ => ExprKind::GetPriority(argument),
                };
                return Ok(Expr { kind, span });
            }
            Keyword::Run => return self.run(),
            Keyword::CExpr => return Err(self.embedded_c()),
            Keyword::Eval => {
                let error = Diagnostic::error(start, "`eval` can only stand among the arguments of a receive");
                return Err(self.report(error.label("not an expression")));
            }
            _ => return Err(self.expected("an expression")),
        };
        self.advance();
        Ok(Expr { kind, span: start })
    }

    fn number(&mut self, token: Token) -> Parse<i32> {
        let value = number_value(self.symbols.text(token.text));
        self.advance();
        match value {
            Ok((value, wrapped)) => {
                if wrapped {
                    let text = format!("the number does not fit an `int`: it is read as {value}, as in SPIN");
                    self.diagnostics.push(Diagnostic::warning(token.span, text));
                }
                Ok(value)
            }
            Err(message) => {
                // The statement is fine otherwise: go on.
                self.error_at(token.span, message);
                Ok(0)
            }
        }
    }

    /// `( e )` or `( c -> a : b )`
    fn parenthesised(&mut self) -> Parse<Expr> {
        let open = self.advance().span;
        self.parentheses += 1;
        let mut inner = self.expr()?;
        if self.eat(TokenKind::Arrow) {
            let mut height = self.height;
            let then = self.expr()?;
            height = height.max(self.height);
            self.expect(TokenKind::Colon)?;
            let otherwise = self.expr()?;
            let span = open.to(self.token().span);
            self.set_height(1 + height.max(self.height), span)?;
            let (condition, then, otherwise) = (Box::new(inner), Box::new(then), Box::new(otherwise));
            inner = Expr { kind: ExprKind::Conditional { condition, then, otherwise }, span };
        }
        self.parentheses -= 1;
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(inner)
    }

    /// An expression whose parentheses belong to the construct before it.
    pub(super) fn parenthesised_expr(&mut self) -> Parse<Expr> {
        let open = self.expect(TokenKind::LParen)?.span;
        self.parentheses += 1;
        let inner = self.expr()?;
        self.parentheses -= 1;
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(inner)
    }

    fn channel_query(&mut self, keyword: Keyword) -> Parse<Expr> {
        let start = self.advance().span;
        let open = self.expect(TokenKind::LParen)?.span;
        self.parentheses += 1;
        let channel = self.varref()?;
        self.parentheses -= 1;
        self.expect_closing(TokenKind::RParen, open)?;
        let query = match keyword {
            Keyword::Full => ChannelQuery::Full,
            Keyword::Empty => ChannelQuery::Empty,
            Keyword::NFull => ChannelQuery::NotFull,
            Keyword::NEmpty => ChannelQuery::NotEmpty,
            _ => ChannelQuery::Len,
        };
        let span = self.span_from(start);
        self.set_height(self.height + 1, span)?;
        Ok(Expr { kind: ExprKind::Channel { query, channel }, span })
    }

    fn run(&mut self) -> Parse<Expr> {
        let start = self.advance().span;
        let process = self.ident("the name of a process type")?;
        let (args, height) = self.arguments()?;
        let priority = self.optional_priority()?;
        let span = self.span_from(start);
        self.set_height(1 + height, span)?;
        Ok(Expr { kind: ExprKind::Run(Box::new(Run { process, args, priority })), span })
    }

    /// `( e, … )`, possibly empty, and the greatest height among them.
    fn arguments(&mut self) -> Parse<(Vec<Expr>, u32)> {
        let open = self.expect(TokenKind::LParen)?.span;
        self.parentheses += 1;
        let mut args = Vec::new();
        let mut height = 0;
        while self.kind() != TokenKind::RParen {
            args.push(self.nested(Self::expr)?);
            height = height.max(self.height);
            if !self.eat(TokenKind::Comma) {
                break;
            }
            if self.kind() == TokenKind::RParen {
                return Err(self.expected("an expression"));
            }
        }
        self.parentheses -= 1;
        self.expect_closing(TokenKind::RParen, open)?;
        Ok((args, height))
    }

    /// What starts with a name: a variable, a poll of a channel, or a remote reference.
    fn named(&mut self) -> Parse<Expr> {
        if let Some(remote) = self.remote_reference()? {
            return Ok(remote);
        }
        let var = self.varref()?;
        self.after_varref(var)
    }

    /// The rest of an operand that starts with a reference.
    pub(super) fn after_varref(&mut self, channel: VarRef) -> Parse<Expr> {
        let random = match self.kind() {
            TokenKind::Query => false,
            TokenKind::QueryQuery => true,
            _ => {
                let span = channel.span;
                return Ok(Expr { kind: ExprKind::Var(channel), span });
            }
        };
        let operator = self.advance();
        if self.kind() != TokenKind::LBracket {
            let error = Diagnostic::error(operator.span, "a receive cannot be part of an expression");
            let error = error.label("expected `[` after this");
            return Err(self.report(error.help("to test without receiving, write `q?[…]`")));
        }
        let height = self.height;
        let open = self.advance().span;
        self.parentheses += 1;
        let (args, head_notation) = self.receive_args()?;
        self.parentheses -= 1;
        self.expect_closing(TokenKind::RBracket, open)?;
        let span = self.span_from(channel.span);
        self.set_height(1 + height.max(self.height), span)?;
        Ok(Expr { kind: ExprKind::Poll(Box::new(Poll { channel, random, head_notation, args })), span })
    }

    /// `P@l`, `P[i]@l`, `P:v` or `P[i]:v`. The forms with `:` need a known process type, the others are unmistakable.
    fn remote_reference(&mut self) -> Parse<Option<Expr>> {
        let token = self.token();
        let known = self.is_proctype(token.text);
        let next = self.peek(1).kind;
        if next != TokenKind::At && !(known && matches!(next, TokenKind::LBracket | TokenKind::Colon)) {
            return Ok(None);
        }
        let process = self.ident("the name of a process type")?;
        let mut pid = None;
        self.height = 0;
        if self.eat(TokenKind::LBracket) {
            pid = Some(self.nested(Self::bracketed_expr)?);
        }
        self.remote_rest(process, pid).map(Some)
    }

    /// What follows `P[i]`: `@label` or `:variable`.
    fn remote_rest(&mut self, process: crate::ast::Ident, pid: Option<Expr>) -> Parse<Expr> {
        let height = self.height;
        let start = process.span;
        let kind = match self.kind() {
            TokenKind::At => {
                self.advance();
                let label = self.ident("the name of a label")?;
                ExprKind::RemoteLabel(Box::new(RemoteLabel { process, pid, label }))
            }
            TokenKind::Colon => {
                self.advance();
                let name = self.ident("the name of a variable")?;
                let mut index = None;
                if self.kind() == TokenKind::LBracket && !self.at_line_start() {
                    self.advance();
                    index = Some(self.nested(Self::bracketed_expr)?);
                }
                ExprKind::RemoteVar(Box::new(RemoteVar { process, pid, var: PathSegment { name, index } }))
            }
            _ => return Err(self.expected("`@` and a label, or `:` and a variable")),
        };
        let span = self.span_from(start);
        self.set_height(1 + height.max(self.height), span)?;
        Ok(Expr { kind, span })
    }
}

fn opposite_query(query: ChannelQuery) -> Option<&'static str> {
    Some(match query {
        ChannelQuery::Len => return None,
        ChannelQuery::Full => "nfull",
        ChannelQuery::Empty => "nempty",
        ChannelQuery::NotFull => "full",
        ChannelQuery::NotEmpty => "empty",
    })
}
