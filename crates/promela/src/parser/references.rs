//! References to variables, and the arguments of receives.

use super::{Parse, Parser};
use crate::ast::{PathSegment, RecvArg, RecvArgKind, VarRef};
use crate::token::{Keyword, TokenKind};
use bughound_ir::source::Diagnostic;

impl Parser<'_> {
    /// `a`, `a[i]`, `a[i].b`; `self.height` is the height of the highest index.
    pub(super) fn varref(&mut self) -> Parse<VarRef> {
        let start = self.token().span;
        let mut path = Vec::with_capacity(1);
        let mut height = 0;
        loop {
            let name = self.ident(if path.is_empty() { "the name of a variable" } else { "the name of a field" })?;
            let mut index = None;
            if self.kind() == TokenKind::LBracket && !(self.at_line_start() && path.is_empty()) {
                self.advance();
                index = Some(self.nested(Self::bracketed_expr)?);
                height = height.max(self.height);
            }
            path.push(PathSegment { name, index });
            if !self.eat(TokenKind::Dot) {
                break;
            }
        }
        let span = self.span_from(start);
        self.set_height(height + 1, span)?;
        Ok(VarRef { path, span })
    }

    /// The arguments of a receive or poll, in all notations, and whether `a(b, c)` was used.
    pub(super) fn receive_args(&mut self) -> Parse<(Vec<RecvArg>, bool)> {
        let mut args = Vec::new();
        let head_notation = self.receive_list(&mut args)?;
        Ok((args, head_notation))
    }

    fn receive_list(&mut self, args: &mut Vec<RecvArg>) -> Parse<bool> {
        if self.kind() == TokenKind::LParen {
            return self.receive_group(args);
        }
        loop {
            let arg = self.receive_arg()?;
            args.push(arg);
            if self.kind() == TokenKind::LParen && !self.at_line_start() {
                self.receive_group(args)?;
                return Ok(true);
            }
            if !self.eat(TokenKind::Comma) {
                return Ok(false);
            }
            if self.kind() == TokenKind::LParen {
                return self.receive_group(args);
            }
        }
    }

    fn receive_group(&mut self, args: &mut Vec<RecvArg>) -> Parse<bool> {
        let open = self.advance().span;
        self.parentheses += 1;
        let head_notation = self.nested(|p| p.receive_list(args))?;
        self.parentheses -= 1;
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(head_notation)
    }

    fn receive_arg(&mut self) -> Parse<RecvArg> {
        let start = self.token().span;
        let kind = match self.kind() {
            TokenKind::Word if self.is_word(self.token(), "_") && self.peek(1).kind != TokenKind::LBracket => {
                self.advance();
                RecvArgKind::Wildcard
            }
            TokenKind::Word => RecvArgKind::Var(self.varref()?),
            TokenKind::Keyword(Keyword::Eval) => {
                self.advance();
                RecvArgKind::Eval(self.nested(Self::parenthesised_expr)?)
            }
            TokenKind::Number
            | TokenKind::Char
            | TokenKind::Keyword(Keyword::True | Keyword::False | Keyword::Skip) => RecvArgKind::Const(self.primary()?),
            TokenKind::Minus if self.peek(1).kind == TokenKind::Number => RecvArgKind::Const(self.unary()?),
            _ => {
                let error = Diagnostic::error(
                    start,
                    format!(
                        "expected a variable or a constant to receive, found {}",
                        self.token().describe(self.symbols)
                    ),
                );
                let error = error.label("expected a variable, a constant, `eval(…)` or `_`");
                return Err(self.report(error.help("to match the value of an expression, write `eval(…)`")));
            }
        };
        Ok(RecvArg { kind, span: self.span_from(start) })
    }
}
