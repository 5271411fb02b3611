//! A recursive-descent parser over the tokens of one fragment.
//!
//! Each fragment (a label, a declaration section, a whole textual file) is parsed on its own; its first error ends it,
//! so that a broken label does not hide errors in others.

mod declarations;
mod expressions;
mod ltl;
mod processes;
mod queries;
mod statements;

use bughound_ir::source::{Diagnostic, Span};

use crate::ast::{Expr, Name, Type};
use crate::lexer::{Tok, Token, lex};
use crate::text::Fragment;

pub use declarations::{declarations, parameters};
pub use ltl::formula;
pub use processes::Textual;
pub use queries::{query, query_file};

/// How deep expressions and statements may nest, so that walks over the tree cannot overflow the stack.
pub const MAX_NESTING: usize = 200;

/// How high an expression may be: operators of the same strength in a row nest as well.
pub const MAX_HEIGHT: u32 = 300;

pub type Parsed<T> = Result<T, Diagnostic>;

/// Words that cannot be names. (Words with a meaning in few places only, such as `init`, can.)
const KEYWORDS: &[&str] = &[
    "chan",
    "clock",
    "bool",
    "int",
    "const",
    "urgent",
    "broadcast",
    "void",
    "meta",
    "true",
    "false",
    "for",
    "while",
    "do",
    "if",
    "else",
    "return",
    "typedef",
    "struct",
    "not",
    "and",
    "or",
    "imply",
    "forall",
    "exists",
    "sum",
    "deadlock",
    "process",
    "system",
    "scalar",
    "hybrid",
];

pub struct Parser<'f> {
    fragment: &'f Fragment,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// An expression ends at the end of a line, if it can (in files of queries).
    line_ends: bool,
    pub warnings: Vec<Diagnostic>,
}

impl<'f> Parser<'f> {
    pub fn new(fragment: &'f Fragment) -> Parsed<Self> {
        let tokens = lex(fragment)?;
        Ok(Parser { fragment, tokens, at: 0, depth: 0, line_ends: false, warnings: Vec::new() })
    }

    fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn ahead(&self, by: usize) -> &Tok {
        &self.tokens[(self.at + by).min(self.tokens.len() - 1)].tok
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// The span of the token before.
    fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.token().tok, Tok::Symbol(s) if s == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(&self.token().tok, Tok::Word(w) if **w == *word)
    }

    fn symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn at_end(&self) -> bool {
        self.token().tok == Tok::End
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.symbol(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    /// A word that can be a name.
    fn is_name(&self) -> bool {
        is_name(&self.token().tok)
    }

    fn name(&mut self) -> Parsed<Name> {
        let span = self.span();
        match &self.token().tok {
            Tok::Word(word) if !KEYWORDS.contains(&&**word) => {
                let text = word.to_string();
                self.advance();
                Ok(Name { text, span })
            }
            Tok::Word(word) => Err(self.error(span, format!("`{word}` is a keyword and cannot be a name"))),
            _ => Err(self.expected("a name")),
        }
    }

    fn end(&mut self) -> Parsed<()> {
        if self.at_end() { Ok(()) } else { Err(self.expected("the end of the text")) }
    }

    fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        let diagnostic = Diagnostic::error(span, message);
        match self.fragment.place.as_str() {
            "" => diagnostic,
            place => diagnostic.label(format!("in {place}")),
        }
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = match &self.token().tok {
            Tok::Word(word) => format!("`{word}`"),
            Tok::Number(number) => format!("`{number}`"),
            Tok::Real => "a number with a fraction".into(),
            Tok::Text => "a text in quotes".into(),
            Tok::Symbol(symbol) => format!("`{symbol}`"),
            Tok::Stray(stray) => format!("`{}`", stray.escape_debug()),
            Tok::End if self.fragment.place.is_empty() => "the end of the file".into(),
            Tok::End => "the end of the text".into(),
        };
        self.error(self.span(), format!("expected {what}, found {found}"))
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            let message = format!("this is nested more than {MAX_NESTING} deep");
            return Err(self.error(self.span(), message).help("use functions or helper variables"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// The text between two positions of tokens, with white space made uniform.
    fn text_between(&self, from: usize, to: usize) -> String {
        if to <= from {
            return String::new();
        }
        let raw = &self.fragment.text[self.tokens[from].start..self.tokens[to - 1].end];
        let without_comments = raw.lines().map(|line| line.split("//").next().unwrap_or(""));
        let joined = without_comments.map(|line| line.trim_end().trim_end_matches('\\')).collect::<Vec<_>>().join(" ");
        joined.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn is_name(tok: &Tok) -> bool {
    matches!(tok, Tok::Word(word) if !KEYWORDS.contains(&&**word))
}

/// A guard, an invariant or an update: expressions separated by commas, possibly none.
pub fn expression_list(fragment: &Fragment) -> Parsed<Vec<Expr>> {
    let mut parser = Parser::new(fragment)?;
    let list = parser.expressions_until_end()?;
    parser.end()?;
    Ok(list)
}

pub fn select(fragment: &Fragment) -> Parsed<Vec<(Name, Type)>> {
    let mut parser = Parser::new(fragment)?;
    let list = if parser.at_end() { Vec::new() } else { parser.select_list()? };
    parser.symbol(";");
    parser.end()?;
    Ok(list)
}

pub fn synchronisation(fragment: &Fragment) -> Parsed<Option<crate::ast::Sync>> {
    let mut parser = Parser::new(fragment)?;
    if parser.at_end() {
        return Ok(None);
    }
    let sync = parser.sync()?;
    parser.end()?;
    Ok(Some(sync))
}

#[cfg(test)]
mod tests;
