//! Statements.

use super::{Failed, Parse, Parser, starts_unit};
use crate::ast::{
    AccessMode, Block, ConstSpelling, Expr, ExprKind, ForLoop, ForRange, Receive, Select, Send, Sequence, Stmt,
    StmtKind, StringLiteral, VarRef,
};
use crate::token::{Keyword, TokenKind};
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;

/// Words before something that is no expression.
const STARTS_OF_STATEMENTS: [&str; 12] =
    ["atomic", "d_step", "goto", "run", "unless", "if", "do", "byte", "int", "short", "bool", "chan"];

impl Parser<'_> {
    /// `{ … }`
    pub(super) fn block(&mut self) -> Parse<Block> {
        let open = self.expect(TokenKind::LBrace)?.span;
        let outside = std::mem::take(&mut self.parentheses);
        let stmts = self.nested(Self::statements)?;
        self.parentheses = outside;
        self.expect_closing(TokenKind::RBrace, open)?;
        Ok(Block { stmts, span: self.span_from(open) })
    }

    /// Statements up to a `}`, `::`, `fi` or `od`, at least one.
    fn statements(&mut self) -> Parse<Vec<Stmt>> {
        let mut stmts = Vec::new();
        self.read_statements(&mut stmts)?;
        stmts.shrink_to_fit(); // most sequences are short, and there can be very many of them
        Ok(stmts)
    }

    /// Errors inside are reported and stepped over.
    fn read_statements(&mut self, stmts: &mut Vec<Stmt>) -> Parse<()> {
        if self.at_sequence_end() {
            let found = self.token().describe(self.symbols);
            let error = Diagnostic::error(self.token().span, format!("expected a statement, found {found}"));
            self.report(error.label("expected a statement").help("write `skip` if nothing is to be done here"));
            return if self.kind() == TokenKind::EndOfInput { Err(Failed) } else { Ok(()) };
        }
        loop {
            let (start, nesting) = (self.at, self.nesting);
            match self.step() {
                Ok(stmt) => stmts.push(stmt),
                Err(Failed) => {
                    self.nesting = nesting;
                    if self.diagnostics.stopped() {
                        return Err(Failed);
                    }
                    if self.at == start && !self.at_sequence_end() {
                        self.advance();
                    }
                    self.skip_statement();
                }
            }
            let separated = self.separators();
            if self.at_sequence_end() || starts_unit(self.token()) {
                return Ok(());
            }
            if !separated {
                let found = self.token().describe(self.symbols);
                let after = Span { start: self.previous.span.end, ..self.previous.span };
                let error = Diagnostic::error(self.token().span, format!("expected `;` or `->`, found {found}"));
                let mut error =
                    error.label("expected `;` or `->` before this").related(after, "the statement before ends here");
                error.help = self.misspelt_start();
                self.report(error);
                if self.diagnostics.stopped() {
                    return Err(Failed);
                }
                if !self.starts_statement() {
                    self.skip_statement();
                    self.separators();
                    if self.at_sequence_end() || starts_unit(self.token()) {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// A word that is no statement by itself may be a misspelt start of one, as in `atomc { … }`.
    fn misspelt_start(&self) -> Option<String> {
        let TokenKind::Word = self.previous.kind else { return None };
        let hint = suggest(self.symbols.text(self.previous.text), STARTS_OF_STATEMENTS.into_iter());
        (!hint.is_empty()).then(|| hint.trim_start_matches(" (").trim_end_matches(')').to_string())
    }

    /// Steps over separators; whether there was one, if only an implied one.
    fn separators(&mut self) -> bool {
        let implied = matches!(self.previous.kind, TokenKind::RBrace | TokenKind::Keyword(Keyword::Else));
        let mut separated = implied || self.at_line_start();
        while self.eat(TokenKind::Semi) || self.eat(TokenKind::Arrow) {
            separated = true;
        }
        separated
    }

    fn at_sequence_end(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::RBrace
                | TokenKind::Options
                | TokenKind::Keyword(Keyword::Fi)
                | TokenKind::Keyword(Keyword::Od)
                | TokenKind::EndOfInput
        )
    }

    /// Good enough to go on after a missing separator.
    fn starts_statement(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Word | TokenKind::Keyword(_) | TokenKind::LParen | TokenKind::LBrace | TokenKind::Number
        ) && !self.at_keyword(Keyword::Unless)
    }

    /// A declaration, or a statement with its escape.
    fn step(&mut self) -> Parse<Stmt> {
        let start = self.token().span;
        let declares = self.starts_declaration();
        if declares || self.at_keyword(Keyword::Xr) || self.at_keyword(Keyword::Xs) {
            let kind = self.declaring_step(declares)?;
            return Ok(Stmt { labels: Vec::new(), cost: None, kind, span: self.span_from(start), written: None });
        }
        let main = self.statement()?;
        if !self.eat_keyword(Keyword::Unless) {
            return Ok(main);
        }
        let escape = self.nested(Self::statement)?;
        let kind = StmtKind::Unless { main: Box::new(main), escape: Box::new(escape) };
        Ok(Stmt { labels: Vec::new(), cost: None, kind, span: self.span_from(start), written: None })
    }

    fn declaring_step(&mut self, declares: bool) -> Parse<StmtKind> {
        if declares {
            if self.at_mtype_names() {
                return Err(self.error_at(self.token().span, "mtype constants must be declared outside processes"));
            }
            return self.declaration(self.leading_declarations).map(StmtKind::Decl);
        }
        let mode = if self.at_keyword(Keyword::Xr) { AccessMode::Receive } else { AccessMode::Send };
        self.advance();
        let mut channels = vec![self.varref()?];
        while self.eat(TokenKind::Comma) {
            channels.push(self.varref()?);
        }
        Ok(StmtKind::ExclusiveAccess { mode, channels })
    }

    /// A statement with its labels.
    fn statement(&mut self) -> Parse<Stmt> {
        let mut labels = Vec::new();
        let mut cost = self.cost();
        while self.kind() == TokenKind::Word
            && self.peek(1).kind == TokenKind::Colon
            && !self.is_proctype(self.token().text)
        {
            labels.push(self.ident("a label")?);
            self.advance();
            cost = self.cost().or(cost);
        }
        self.leading_declarations = false;
        if let Some(last) = labels.last() {
            let span = last.span;
            if self.at_sequence_end() || matches!(self.kind(), TokenKind::Semi | TokenKind::Arrow) {
                let kind = ExprKind::Const { value: 1, spelling: ConstSpelling::Skip };
                return Ok(Stmt { labels, cost, kind: StmtKind::Expr(Expr { kind, span }), span, written: None });
            }
            if self.starts_declaration() || self.at_keyword(Keyword::Xr) || self.at_keyword(Keyword::Xs) {
                let error = Diagnostic::error(span, "a label cannot stand before a declaration");
                self.report(error.help("put the label before the next statement, or write `label: skip;`"));
                return Err(Failed);
            }
        }
        let (start, begin) = (self.token().span, self.at);
        let kind = self.statement_kind()?;
        let written = self.written(begin, &kind);
        Ok(Stmt { labels, cost, kind, span: self.span_from(start), written })
    }

    fn statement_kind(&mut self) -> Parse<StmtKind> {
        let keyword = match self.kind() {
            TokenKind::Keyword(keyword) => keyword,
            TokenKind::LBrace => return self.block().map(StmtKind::Block),
            TokenKind::Word => return self.statement_with_name(),
            TokenKind::Semi | TokenKind::Arrow => {
                let found = self.token().describe(self.symbols);
                let error = Diagnostic::error(self.token().span, format!("expected a statement, found {found}"));
                return Err(self.report(error.label("expected a statement").help("there is nothing to separate here")));
            }
            _ => return self.expr().map(StmtKind::Expr),
        };
        let start = self.token().span;
        Ok(match keyword {
            Keyword::If => StmtKind::If(self.branches(Keyword::Fi)?),
            Keyword::Do => StmtKind::Do(self.branches(Keyword::Od)?),
            Keyword::For => return self.for_loop(),
            Keyword::Select => return self.select(),
            Keyword::Break => {
                self.advance();
                StmtKind::Break
            }
            Keyword::Else => {
                self.advance();
                StmtKind::Else
            }
            Keyword::Goto => {
                self.advance();
                StmtKind::Goto(self.ident("the name of a label")?)
            }
            Keyword::Assert => {
                self.advance();
                StmtKind::Assert(self.expr()?)
            }
            Keyword::Printf => return self.printf(),
            Keyword::Printm => {
                self.advance();
                StmtKind::Printm(self.parenthesised_expr()?)
            }
            Keyword::SetPriority => {
                self.advance();
                let open = self.expect(TokenKind::LParen)?.span;
                self.parentheses += 1;
                let pid = self.expr()?;
                self.expect(TokenKind::Comma)?;
                let priority = self.expr()?;
                self.parentheses -= 1;
                self.expect_closing(TokenKind::RParen, open)?;
                StmtKind::SetPriority { pid, priority }
            }
            Keyword::Atomic => {
                self.advance();
                StmtKind::Atomic(self.block()?)
            }
            Keyword::DStep => {
                self.advance();
                StmtKind::DStep(self.block()?)
            }
            Keyword::Return => {
                self.advance();
                let value = self.expr()?;
                return self.return_statement(value, start);
            }
            Keyword::CCode | Keyword::CDecl | Keyword::CState | Keyword::CTrack => return Err(self.embedded_c()),
            Keyword::Fi | Keyword::Od | Keyword::Unless | Keyword::Of | Keyword::Provided => {
                return Err(self.expected("a statement"));
            }
            _ => StmtKind::Expr(self.expr()?),
        })
    }

    /// `:: … :: … fi`
    fn branches(&mut self, end: Keyword) -> Parse<Vec<Sequence>> {
        let open = self.advance().span;
        let mut branches = Vec::new();
        while self.kind() == TokenKind::Options {
            let start = self.advance().span;
            let stmts = self.nested(Self::statements)?;
            branches.push(Sequence { stmts, span: self.span_from(start) });
        }
        if branches.is_empty() {
            let failed = self.expected("`::`");
            self.skip_statement();
            while matches!(self.kind(), TokenKind::Semi | TokenKind::Arrow | TokenKind::Options) {
                self.advance();
                self.skip_statement();
            }
            self.eat_keyword(end);
            return Err(failed);
        }
        self.expect_closing(TokenKind::Keyword(end), open)?;
        Ok(branches)
    }

    fn for_loop(&mut self) -> Parse<StmtKind> {
        self.advance();
        let open = self.expect(TokenKind::LParen)?.span;
        self.parentheses += 1;
        let var = self.varref()?;
        let over = if self.eat(TokenKind::Colon) {
            let (from, to) = self.range()?;
            ForRange::Range { from, to }
        } else if self.kind() == TokenKind::Word && Some(self.token().text) == self.in_symbol {
            self.advance();
            ForRange::In(self.varref()?)
        } else {
            return Err(self.expected("`:` and a range, or `in`"));
        };
        self.parentheses -= 1;
        self.expect_closing(TokenKind::RParen, open)?;
        self.eat(TokenKind::Semi);
        let body = self.block()?;
        Ok(StmtKind::For(Box::new(ForLoop { var, over, body })))
    }

    fn select(&mut self) -> Parse<StmtKind> {
        self.advance();
        let open = self.expect(TokenKind::LParen)?.span;
        self.parentheses += 1;
        let var = self.varref()?;
        self.expect(TokenKind::Colon)?;
        let (from, to) = self.range()?;
        self.parentheses -= 1;
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(StmtKind::Select(Box::new(Select { var, from, to })))
    }

    /// `a .. b`
    fn range(&mut self) -> Parse<(Expr, Expr)> {
        let from = self.expr()?;
        self.expect(TokenKind::DotDot)?;
        let to = self.expr()?;
        Ok((from, to))
    }

    fn printf(&mut self) -> Parse<StmtKind> {
        self.advance();
        let open = self.expect(TokenKind::LParen)?.span;
        self.parentheses += 1;
        if self.kind() != TokenKind::String {
            return Err(self.expected("a string"));
        }
        let token = self.advance();
        let text = self.symbols.text(token.text);
        let format = StringLiteral { text: text[1..text.len() - 1].into(), span: token.span };
        let mut args = Vec::new();
        while self.eat(TokenKind::Comma) {
            args.push(self.expr()?);
        }
        self.parentheses -= 1;
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(StmtKind::Printf { format, args })
    }

    /// A call of an inline, an assignment, a send, a receive, or an expression that starts with a name.
    fn statement_with_name(&mut self) -> Parse<StmtKind> {
        let next = self.peek(1).kind;
        if next == TokenKind::LParen && !self.peek(1).newline_before {
            return self.inline_call(None);
        }
        if next == TokenKind::At
            || (self.is_proctype(self.token().text) && matches!(next, TokenKind::Colon | TokenKind::LBracket))
        {
            return self.expr().map(StmtKind::Expr);
        }
        let target = self.varref()?;
        match self.kind() {
            TokenKind::Assign => {
                self.advance();
                if self.kind() == TokenKind::Word
                    && self.peek(1).kind == TokenKind::LParen
                    && self.inlines.contains_key(&self.token().text)
                {
                    return self.inline_call(Some(target));
                }
                let value = self.expr()?;
                Ok(StmtKind::Assign { target, value })
            }
            TokenKind::PlusPlus => {
                self.advance();
                Ok(StmtKind::Increment(target))
            }
            TokenKind::MinusMinus => {
                self.advance();
                Ok(StmtKind::Decrement(target))
            }
            // On a new line, `!` starts a condition.
            TokenKind::Bang if !self.at_line_start() => self.send(target),
            TokenKind::BangBang => self.send(target),
            TokenKind::Query | TokenKind::QueryQuery if self.peek(1).kind != TokenKind::LBracket => {
                self.receive(target)
            }
            TokenKind::At => Err(self.expected("a statement without an index path before `@`")),
            _ => {
                let operand = self.after_varref(target)?;
                self.continue_binary(operand, 0).map(StmtKind::Expr)
            }
        }
    }

    fn send(&mut self, channel: VarRef) -> Parse<StmtKind> {
        let sorted = self.advance().kind == TokenKind::BangBang;
        let mut args = vec![self.expr()?];
        let head_notation = self.kind() == TokenKind::LParen && !self.at_line_start();
        if head_notation {
            let open = self.advance().span;
            self.parentheses += 1;
            loop {
                args.push(self.expr()?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.parentheses -= 1;
            self.expect_closing(TokenKind::RParen, open)?;
        } else {
            while self.eat(TokenKind::Comma) {
                args.push(self.expr()?);
            }
        }
        Ok(StmtKind::Send(Send { channel, sorted, head_notation, args }))
    }

    fn receive(&mut self, channel: VarRef) -> Parse<StmtKind> {
        let random = self.advance().kind == TokenKind::QueryQuery;
        let copy = self.kind() == TokenKind::Less;
        let open = self.token().span;
        if copy {
            self.advance();
        }
        let (args, head_notation) = self.receive_args()?;
        if copy {
            self.expect_closing(TokenKind::Greater, open)?;
        }
        Ok(StmtKind::Receive(Receive { channel, random, copy, head_notation, args }))
    }
}
