//! Declarations of variables and channels.

use super::{Parse, Parser};
use crate::ast::{ChannelInit, Decl, Declarator, Initializer, Type, TypeKind, Visibility};
use crate::token::{Keyword, TokenKind};
use bughound_ir::source::Diagnostic;
use bughound_ir::suggest::{edit_distance, suggest};

/// What a word before a name may have meant besides a type of the model.
const WORDS_BEFORE_A_NAME: [&str; 11] =
    ["goto", "run", "bit", "bool", "byte", "short", "int", "mtype", "chan", "pid", "unsigned"];

impl Parser<'_> {
    /// A type, a visibility, or two names in a row (of which the first can only be a type).
    pub(super) fn starts_declaration(&self) -> bool {
        match self.kind() {
            TokenKind::Keyword(keyword) => {
                basic_type(keyword).is_some() || matches!(keyword, Keyword::Hidden | Keyword::Show | Keyword::Local)
            }
            TokenKind::Word => self.peek(1).kind == TokenKind::Word && !self.peek(1).newline_before,
            _ => false,
        }
    }

    /// One declaration, without the separator after it.
    pub(super) fn declaration(&mut self, at_start: bool) -> Parse<Decl> {
        let start = self.token().span;
        let visibility = match self.kind() {
            TokenKind::Keyword(Keyword::Hidden) => Some(Visibility::Hidden),
            TokenKind::Keyword(Keyword::Show) => Some(Visibility::Show),
            TokenKind::Keyword(Keyword::Local) => Some(Visibility::Local),
            _ => None,
        };
        if visibility.is_some() {
            self.advance();
        }
        let ty = self.type_name()?;
        let mut vars = vec![self.declarator()?];
        while self.eat(TokenKind::Comma) {
            vars.push(self.declarator()?);
        }
        Ok(Decl { visibility, ty, vars, at_start, span: self.span_from(start) })
    }

    pub(super) fn type_name(&mut self) -> Parse<Type> {
        let token = self.token();
        let kind = match token.kind {
            TokenKind::Keyword(keyword) => basic_type(keyword),
            TokenKind::Word if self.typedefs.contains(&token.text) => {
                let name = self.ident("a type")?;
                return Ok(Type { span: name.span, kind: TypeKind::Named(name) });
            }
            TokenKind::Word => {
                let name = self.name(token.text);
                let known = self.typedefs.iter().map(|typedef| &**self.symbols.text(*typedef));
                let near = WORDS_BEFORE_A_NAME.into_iter().filter(|word| edit_distance(&name, word) == 1);
                let hint = suggest(&name, known.chain(near));
                let error = Diagnostic::error(token.span, format!("unknown type `{name}`{hint}"));
                let error = error.label("no `typedef` with this name stands before");
                return Err(self.report(error.help("or is a `;` missing after it?")));
            }
            _ => None,
        };
        let Some(mut kind) = kind else { return Err(self.expected("a type")) };
        self.advance();
        if self.kind() == TokenKind::Colon && matches!(kind, TypeKind::Mtype(_)) {
            self.advance();
            kind = TypeKind::Mtype(Some(self.ident("the name of an mtype")?));
        }
        Ok(Type { kind, span: self.span_from(token.span) })
    }

    fn declarator(&mut self) -> Parse<Declarator> {
        let name = self.ident("the name of a variable")?;
        let (mut width, mut array) = (None, None);
        if self.eat(TokenKind::Colon) {
            width = Some(self.primary()?);
        } else if self.eat(TokenKind::LBracket) {
            array = Some(self.bracketed_expr()?);
        }
        let mut init = None;
        if self.eat(TokenKind::Assign) {
            init = Some(match self.kind() {
                TokenKind::LBracket => Initializer::Channel(self.channel_init()?),
                TokenKind::LBrace => self.initializer_list()?,
                _ => Initializer::Expr(self.expr()?),
            });
        }
        let span = self.span_from(name.span);
        Ok(Declarator { name, width, array, init, span })
    }

    /// `[n] of { types }`
    fn channel_init(&mut self) -> Parse<ChannelInit> {
        let start = self.advance().span;
        let capacity = self.bracketed_expr()?;
        if !self.eat_keyword(Keyword::Of) {
            return Err(self.expected("`of`"));
        }
        let open = self.expect(TokenKind::LBrace)?.span;
        let mut fields = Vec::new();
        loop {
            let field = self.type_name()?;
            if field.kind == TypeKind::Unsigned {
                let error = Diagnostic::error(field.span, "`unsigned` cannot be the type of a message field");
                self.report(error.help("use `byte`, `short` or `int`"));
            }
            fields.push(field);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if self.kind() != TokenKind::RBrace {
            return Err(self.expected("`,` or `}`"));
        }
        self.expect_closing(TokenKind::RBrace, open)?;
        Ok(ChannelInit { capacity, fields, span: self.span_from(start) })
    }

    /// `{1, 2, 3}`
    fn initializer_list(&mut self) -> Parse<Initializer> {
        let open = self.advance().span;
        self.parentheses += 1;
        let mut values = vec![self.expr()?];
        while self.eat(TokenKind::Comma) {
            values.push(self.expr()?);
        }
        self.parentheses -= 1;
        self.expect_closing(TokenKind::RBrace, open)?;
        Ok(Initializer::List { values, span: self.span_from(open) })
    }
}

fn basic_type(keyword: Keyword) -> Option<TypeKind> {
    Some(match keyword {
        Keyword::Bit => TypeKind::Bit,
        Keyword::Bool => TypeKind::Bool,
        Keyword::Byte => TypeKind::Byte,
        Keyword::Pid => TypeKind::Pid,
        Keyword::Short => TypeKind::Short,
        Keyword::Int => TypeKind::Int,
        Keyword::Unsigned => TypeKind::Unsigned,
        Keyword::Mtype => TypeKind::Mtype(None),
        Keyword::Chan => TypeKind::Chan,
        _ => return None,
    })
}
