//! What stands at the top level of a model.

use super::{Failed, Parse, Parser, starts_unit};
use crate::ast::{Active, Block, Init, Item, LtlBlock, MtypeDecl, NeverClaim, Proctype, TraceAssertion, Typedef};
use crate::token::{Keyword, TokenKind};
use bughound_ir::source::Span;

impl Parser<'_> {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.kind() != TokenKind::EndOfInput && !self.diagnostics.stopped() {
            if self.eat(TokenKind::Semi) || self.eat(TokenKind::Arrow) {
                continue;
            }
            let start = self.at;
            match self.item() {
                Ok(item) => items.push(item),
                Err(Failed) => self.skip_to_unit(start),
            }
            (self.parentheses, self.nesting, self.in_claim) = (0, 0, false);
        }
        items
    }

    /// After an error: goes to the next token that starts a unit at the top level, at least one token on.
    fn skip_to_unit(&mut self, start: usize) {
        if self.at == start {
            self.advance();
        }
        let mut depth = 0usize;
        loop {
            let token = self.token();
            match token.kind {
                TokenKind::EndOfInput => return,
                _ if starts_unit(token) && (depth == 0 || token.newline_before) => return,
                TokenKind::LBrace => depth += 1,
                TokenKind::RBrace if depth > 0 => depth -= 1,
                TokenKind::Semi if depth == 0 => return,
                _ if depth == 0 && token.newline_before && (self.starts_declaration() || self.at_embedded_c()) => {
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    fn at_embedded_c(&self) -> bool {
        let TokenKind::Keyword(keyword) = self.kind() else { return false };
        matches!(keyword, Keyword::CCode | Keyword::CDecl | Keyword::CState | Keyword::CTrack)
    }

    fn item(&mut self) -> Parse<Item> {
        let TokenKind::Keyword(keyword) = self.kind() else {
            if self.starts_declaration() {
                return self.declaration(true).map(Item::Decl);
            }
            return Err(self.expected("a declaration, such as `proctype`, `init`, `inline` or a variable"));
        };
        match keyword {
            Keyword::Active | Keyword::Proctype | Keyword::DProctype => self.proctype().map(Item::Proctype),
            Keyword::Init => self.init().map(Item::Init),
            Keyword::Never => self.never().map(Item::Never),
            Keyword::Ltl => self.ltl_block().map(Item::Ltl),
            Keyword::Trace | Keyword::NoTrace => self.trace().map(Item::Trace),
            Keyword::Typedef => self.typedef().map(Item::Typedef),
            Keyword::Inline => self.inline_definition().map(Item::Inline),
            Keyword::CCode | Keyword::CDecl | Keyword::CState | Keyword::CTrack => Err(self.embedded_c()),
            _ if self.at_mtype_names() => self.mtype().map(Item::Mtype),
            _ if self.starts_declaration() => self.declaration(true).map(Item::Decl),
            _ => Err(self.expected("a declaration, such as `proctype`, `init`, `inline` or a variable")),
        }
    }

    fn proctype(&mut self) -> Parse<Proctype> {
        let start = self.token().span;
        let mut active = None;
        if self.eat_keyword(Keyword::Active) {
            let mut count = None;
            if self.eat(TokenKind::LBracket) {
                count = Some(self.bracketed_expr()?);
            }
            active = Some(Active { count, span: self.span_from(start) });
        }
        let deterministic = self.at_keyword(Keyword::DProctype);
        if !deterministic && !self.at_keyword(Keyword::Proctype) {
            return Err(self.expected("`proctype`"));
        }
        self.advance();
        let symbol = self.token().text;
        let name = self.ident("the name of the process type")?;
        self.proctypes.insert(symbol);
        let open = self.expect(TokenKind::LParen)?.span;
        self.parentheses += 1;
        let mut params = Vec::new();
        while self.kind() != TokenKind::RParen {
            if !self.starts_declaration() {
                return Err(self.expected("a parameter, such as `byte x`, or `)`"));
            }
            params.push(self.declaration(true)?);
            if !self.eat(TokenKind::Semi) {
                break;
            }
        }
        self.parentheses -= 1;
        self.expect_closing(TokenKind::RParen, open)?;
        let priority = self.optional_priority()?;
        let mut provided = None;
        if self.eat_keyword(Keyword::Provided) {
            provided = Some(self.parenthesised_expr()?);
        }
        let body = self.body()?;
        Ok(Proctype { active, deterministic, name, params, priority, provided, body, span: self.span_from(start) })
    }

    fn init(&mut self) -> Parse<Init> {
        let start = self.advance().span;
        let priority = self.optional_priority()?;
        let body = self.body()?;
        Ok(Init { priority, body, span: self.span_from(start) })
    }

    pub(super) fn never(&mut self) -> Parse<NeverClaim> {
        let start = self.advance().span;
        self.in_claim = true;
        let name = if self.kind() == TokenKind::Word { Some(self.ident("a name")?) } else { None };
        let body = self.body()?;
        Ok(NeverClaim { name, body, span: self.span_from(start) })
    }

    fn trace(&mut self) -> Parse<TraceAssertion> {
        let start = self.token().span;
        let negated = self.at_keyword(Keyword::NoTrace);
        self.advance();
        let body = self.body()?;
        Ok(TraceAssertion { negated, body, span: self.span_from(start) })
    }

    fn ltl_block(&mut self) -> Parse<LtlBlock> {
        let start = self.advance().span;
        self.in_claim = true;
        let name = if self.kind() == TokenKind::Word { Some(self.ident("a name")?) } else { None };
        let open = self.expect(TokenKind::LBrace)?.span;
        self.parentheses += 1;
        let formula = self.ltl_formula()?;
        self.parentheses -= 1;
        while self.eat(TokenKind::Semi) {}
        self.expect_closing(TokenKind::RBrace, open)?;
        Ok(LtlBlock { name, formula, span: self.span_from(start) })
    }

    fn typedef(&mut self) -> Parse<Typedef> {
        let start = self.advance().span;
        let symbol = self.token().text;
        let name = self.ident("the name of the type")?;
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut fields = Vec::new();
        loop {
            while self.eat(TokenKind::Semi) {}
            if self.kind() == TokenKind::RBrace && !fields.is_empty() {
                break;
            }
            if !self.starts_declaration() {
                return Err(self.expected("a field, such as `byte x`"));
            }
            fields.push(self.declaration(true)?);
            if !matches!(self.kind(), TokenKind::Semi | TokenKind::RBrace) && !self.at_line_start() {
                return Err(self.expected("`;` or `}`"));
            }
        }
        self.expect_closing(TokenKind::RBrace, open)?;
        self.typedefs.insert(symbol);
        Ok(Typedef { name, fields, span: self.span_from(start) })
    }

    /// `mtype { … }`, `mtype = { … }` or `mtype:sub = { … }`, not variables of type `mtype`.
    pub(super) fn at_mtype_names(&self) -> bool {
        use TokenKind::*;
        let mut at = usize::from(matches!(
            self.kind(),
            Keyword(crate::token::Keyword::Hidden | crate::token::Keyword::Show | crate::token::Keyword::Local)
        ));
        if self.peek(at).kind != Keyword(crate::token::Keyword::Mtype) {
            return false;
        }
        at += 1;
        let kinds = [self.peek(at).kind, self.peek(at + 1).kind, self.peek(at + 2).kind, self.peek(at + 3).kind];
        matches!(kinds, [LBrace, ..] | [Assign, LBrace, ..] | [Colon, Word, Assign, LBrace])
    }

    pub(super) fn mtype(&mut self) -> Parse<MtypeDecl> {
        let start = self.token().span;
        if !self.at_keyword(Keyword::Mtype) {
            self.advance(); // a visibility, which SPIN ignores here
        }
        self.advance();
        let mut subtype = None;
        if self.eat(TokenKind::Colon) {
            subtype = Some(self.ident("the name of the mtype")?);
        }
        self.eat(TokenKind::Assign);
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut names = Vec::new();
        while self.kind() == TokenKind::Word || (self.kind() == TokenKind::Comma && !names.is_empty()) {
            if self.eat(TokenKind::Comma) {
                continue; // SPIN does not insist on commas
            }
            self.mtypes.insert(self.token().text);
            names.push(self.ident("a name")?);
        }
        if names.is_empty() {
            return Err(self.expected("the name of an mtype constant"));
        }
        if self.kind() != TokenKind::RBrace {
            return Err(self.expected("a name, `,` or `}`"));
        }
        self.expect_closing(TokenKind::RBrace, open)?;
        Ok(MtypeDecl { subtype, names, span: self.span_from(start) })
    }

    /// The braces of a process, claim or trace.
    fn body(&mut self) -> Parse<Block> {
        self.leading_declarations = true;
        if self.kind() != TokenKind::LBrace {
            return Err(self.expected("`{`"));
        }
        let body = self.block();
        self.leading_declarations = false;
        body
    }

    pub(super) fn optional_priority(&mut self) -> Parse<Option<crate::ast::Expr>> {
        if !self.eat_keyword(Keyword::Priority) {
            return Ok(None);
        }
        let value = self.primary()?;
        Ok(Some(value))
    }

    /// What follows `[`, and the `]`.
    pub(super) fn bracketed_expr(&mut self) -> Parse<crate::ast::Expr> {
        let open: Span = self.previous.span;
        self.parentheses += 1;
        let value = self.expr()?;
        self.parentheses -= 1;
        self.expect_closing(TokenKind::RBracket, open)?;
        Ok(value)
    }
}
