//! Inlines: definitions keep their tokens, calls read them again with the arguments in the place of the parameters.
//!
//! SPIN pastes the text of the body, braces included, where the call stands; so the body is a block with its own scope,
//! and all names in it are looked up at the place of the call. Arguments are replaced as text: no parentheses are added.
//! Tokens of the body keep their places in the definition, and a token of an argument gets the place of the parameter it
//! replaces, so that all places in an expanded body lie in the definition.

use super::{Failed, Parse, Parser};
use crate::ast::{Block, Expr, Ident, InlineDef, Inlined, Name, StmtKind, VarRef};
use crate::token::{Symbol, Token, TokenKind};
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;
use std::sync::Arc;

/// The most tokens that all calls of inlines together may produce. Calls that double at every level get there within a
/// second; a model of such a size (half a million statements) could not be checked by any tool.
pub const MAX_INLINED_TOKENS: usize = 2_000_000;

/// What a misspelt call may have meant besides an inline.
const STATEMENTS_WITH_PARENTHESES: [&str; 12] = [
    "assert",
    "printf",
    "printm",
    "select",
    "for",
    "set_priority",
    "get_priority",
    "enabled",
    "len",
    "empty",
    "full",
    "eval",
];

#[derive(Debug)]
pub(super) struct InlineText {
    name: Ident,
    params: Vec<Symbol>,
    /// With the braces.
    body: Vec<Token>,
}

/// A call that is being read.
#[derive(Debug)]
pub(super) struct Expansion {
    pub name: Name,
    pub call: Span,
    symbol: Symbol,
    result: Option<VarRef>,
}

impl Parser<'_> {
    /// `inline f(a, b) { … }`
    pub(super) fn inline_definition(&mut self) -> Parse<InlineDef> {
        let start = self.advance().span;
        let symbol = self.token().text;
        let name = self.ident("the name of the inline")?;
        let open = self.expect(TokenKind::LParen)?.span;
        self.parentheses += 1;
        let (mut params, mut names) = (Vec::new(), Vec::new());
        while self.kind() != TokenKind::RParen {
            let token = self.token();
            names.push(self.ident("the name of a parameter")?);
            if params.contains(&token.text) {
                let message = format!("parameter `{}` appears twice", self.symbols.text(token.text));
                self.error_at(token.span, message);
            }
            params.push(token.text);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.parentheses -= 1;
        self.expect_closing(TokenKind::RParen, open)?;
        if self.kind() != TokenKind::LBrace {
            return Err(self.expected("`{`"));
        }
        let body_start = self.at;
        let brace = self.token().span;
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::LBrace => depth += 1,
                TokenKind::RBrace => depth -= 1,
                TokenKind::EndOfInput => {
                    self.expect_closing(TokenKind::RBrace, brace)?;
                    return Err(Failed);
                }
                _ => {}
            }
            self.advance();
            if depth == 0 {
                break;
            }
        }
        let body = self.tokens[body_start..self.at].to_vec();
        if let Some(old) = self.inlines.get(&symbol) {
            let message = format!("inline `{}` is defined twice", name.name);
            let error = Diagnostic::error(name.span, message).related(old.name.span, "first defined here");
            self.report(error);
        }
        self.inlines.insert(symbol, Arc::new(InlineText { name: name.clone(), params, body }));
        Ok(InlineDef { name, params: names, span: self.span_from(start) })
    }

    /// `f(…)`, or `x = f(…)` of which `x =` has been read.
    pub(super) fn inline_call(&mut self, result: Option<VarRef>) -> Parse<StmtKind> {
        let token = self.token();
        let start = result.as_ref().map_or(token.span, |r| r.span);
        let Some(inline) = self.inlines.get(&token.text).cloned() else {
            let name = self.name(token.text);
            let error =
                Diagnostic::error(token.span, format!("`{name}` is not an inline that has been defined before"));
            let known = self.inlines.keys().map(|inline| &**self.symbols.text(*inline));
            let hint = suggest(&name, known.chain(STATEMENTS_WITH_PARENTHESES));
            let help = if !hint.is_empty() {
                hint.trim_start_matches(" (").trim_end_matches(')').to_string()
            } else if self.all_proctypes.contains(&token.text) {
                format!("to start a process, write `run {name}(…)`")
            } else {
                "define it with `inline` before its first use".to_string()
            };
            return Err(self.report(error.label("called here").help(help)));
        };
        let name = self.ident("the name of an inline")?;
        let args = self.inline_arguments(&inline)?;
        let call = start.to(self.previous.span);
        if args.len() != inline.params.len() {
            let (expected, given) = (inline.params.len(), args.len());
            let s = if expected == 1 { "" } else { "s" };
            let message = format!("inline `{}` takes {expected} argument{s}, {given} given", name.name);
            let error = Diagnostic::error(call, message);
            return Err(self.report(error.related(inline.name.span, "defined here")));
        }
        if self.expansions.iter().any(|e| e.symbol == token.text) {
            let error = Diagnostic::error(call, format!("inline `{}` calls itself", name.name));
            let error = error.label("an inline is pasted as text, so it cannot be recursive");
            return Err(self.report(error.related(inline.name.span, "defined here")));
        }
        let tokens = self.inlined_text(&inline, &args, call)?;
        let body = self.inlined_body(
            tokens,
            Expansion { name: name.name.clone(), call, symbol: token.text, result: result.clone() },
        )?;
        let definition = inline.name.span;
        Ok(StmtKind::Inlined(Box::new(Inlined { name, call, definition, result, body })))
    }

    /// The tokens of each argument; they are split at the commas outside brackets.
    fn inline_arguments(&mut self, inline: &InlineText) -> Parse<Vec<Vec<Token>>> {
        let open = self.expect(TokenKind::LParen)?.span;
        let mut args = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            let token = self.token();
            match token.kind {
                TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => depth += 1,
                TokenKind::RParen if depth == 0 => break,
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace if depth > 0 => depth -= 1,
                TokenKind::Comma if depth == 0 => {
                    self.advance();
                    args.push(Vec::new());
                    continue;
                }
                TokenKind::EndOfInput | TokenKind::Semi | TokenKind::RBracket | TokenKind::RBrace => {
                    return self.expect_closing(TokenKind::RParen, open).map(|_| Vec::new());
                }
                _ => {}
            }
            self.advance();
            if let Some(current) = args.last_mut() {
                current.push(token);
            }
        }
        let close = self.advance().span;
        if args.len() == 1 && args[0].is_empty() {
            args.clear();
        } else if args.iter().any(Vec::is_empty) {
            let error =
                Diagnostic::error(open.to(close), format!("an argument of inline `{}` is empty", inline.name.name));
            return Err(self.report(error));
        }
        Ok(args)
    }

    /// The body with the arguments in it.
    fn inlined_text(&mut self, inline: &InlineText, args: &[Vec<Token>], call: Span) -> Parse<Vec<Token>> {
        let mut tokens = Vec::with_capacity(inline.body.len() + 1);
        for token in &inline.body {
            // As in SPIN, an mtype constant is never taken for a parameter.
            let param = match token.kind {
                TokenKind::Word if !self.mtypes.contains(&token.text) => {
                    inline.params.iter().position(|&p| p == token.text)
                }
                _ => None,
            };
            match param {
                None => tokens.push(*token),
                Some(index) => {
                    let first = tokens.len();
                    tokens.extend(args[index].iter().map(|arg| Token {
                        span: token.span,
                        macro_id: token.macro_id,
                        newline_before: false,
                        ..*arg
                    }));
                    tokens[first].newline_before = token.newline_before;
                    tokens[first].cost = token.cost.or(tokens[first].cost);
                }
            }
            if tokens.len() > MAX_INLINED_TOKENS {
                break;
            }
        }
        self.inlined_tokens += tokens.len();
        if self.inlined_tokens > MAX_INLINED_TOKENS {
            let error = Diagnostic::error(call, "the model is too large after the expansion of inlines");
            let error = error.label(format!("more than {} million tokens", MAX_INLINED_TOKENS / 1_000_000));
            return Err(self.fatal(error.help("inlines that call each other several times multiply")));
        }
        let mut end = Token { kind: TokenKind::EndOfInput, ..inline.body[inline.body.len() - 1] };
        end.newline_before = true;
        tokens.push(end);
        Ok(tokens)
    }

    /// Reads an expanded body as a block, then returns to the call.
    fn inlined_body(&mut self, tokens: Vec<Token>, expansion: Expansion) -> Parse<Block> {
        let outer_tokens = std::mem::replace(&mut self.tokens, tokens.into());
        let outer_at = std::mem::replace(&mut self.at, 0);
        let outer_previous = self.previous;
        let outer_nesting = self.nesting;
        let outer_parentheses = std::mem::take(&mut self.parentheses);
        self.expansions.push(expansion);
        let body = self.nested(Self::block);
        self.expansions.pop();
        self.tokens = outer_tokens;
        // After a fatal error the rest of the model is skipped, too.
        self.at = if self.diagnostics.stopped() { self.tokens.len() - 1 } else { outer_at };
        self.previous = outer_previous;
        self.nesting = outer_nesting;
        self.parentheses = outer_parentheses;
        body
    }

    /// `return e` assigns to the variable of the innermost call.
    pub(super) fn return_statement(&mut self, value: Expr, start: Span) -> Parse<StmtKind> {
        let Some(expansion) = self.expansions.last() else {
            return Err(self.error_at(start, "`return` outside an inline"));
        };
        match expansion.result.clone() {
            Some(target) => Ok(StmtKind::Assign { target, value }),
            None => {
                let message = format!("inline `{}` returns a value, but the call does not use it", expansion.name);
                let call = expansion.call;
                let error = Diagnostic::error(start, message).related(call, "called here");
                self.diagnostics.push(error.help("call it as `x = f(…)`"));
                Err(Failed)
            }
        }
    }
}
