//! A recursive-descent parser for models and files of properties.

mod declarations;
mod expressions;
mod modules;
mod numbers;
mod properties;
mod questions;
mod system;

use std::rc::Rc;

use bughound_ir::source::{Diagnostic, FileId, Span};

use super::ast::{Expr, Model, Name, Properties};
use super::lexer::{Tok, Token, Tokens, lex};

/// How deep parentheses and their like may nest, so that no walk over the tree overflows the stack.
pub const MAX_NESTING: usize = 200;

/// How high an expression may be: operators in a row nest as well.
pub const MAX_HEIGHT: u32 = 400;

pub(super) type Parsed<T> = Result<T, Diagnostic>;

/// Words that cannot be names.
const KEYWORDS: &[&str] = &[
    "A",
    "bool",
    "clock",
    "const",
    "ctmc",
    "C",
    "double",
    "dtmc",
    "E",
    "endinit",
    "endinvariant",
    "endmodule",
    "endobservables",
    "endrewards",
    "endsystem",
    "false",
    "formula",
    "filter",
    "func",
    "F",
    "global",
    "G",
    "init",
    "invariant",
    "I",
    "int",
    "label",
    "max",
    "mdp",
    "min",
    "module",
    "X",
    "nondeterministic",
    "observable",
    "observables",
    "of",
    "Pmax",
    "Pmin",
    "P",
    "pomdp",
    "popta",
    "probabilistic",
    "prob",
    "pta",
    "rate",
    "rewards",
    "Rmax",
    "Rmin",
    "R",
    "S",
    "stochastic",
    "system",
    "true",
    "U",
    "W",
];

/// Which of the two kinds of text it is: labels, questions and operators about runs stand in properties only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    Model,
    Properties,
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    results: Vec<Span>,
    at: usize,
    depth: usize,
    kind: Text,
    /// Inside of a bound such as that of `F<=k`.
    in_bound: bool,
}

/// Parses a model. The first error ends it.
pub fn model(file: FileId, text: &str) -> Parsed<Model> {
    Parser::new(file, text, Text::Model)?.model()
}

/// Parses properties. A property with an error does not hide the others.
pub fn properties(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Properties {
    match Parser::new(file, text, Text::Properties) {
        Ok(mut parser) => parser.properties(diagnostics),
        Err(error) => {
            diagnostics.push(error);
            Properties::default()
        }
    }
}

/// Parses a text that is one expression, such as the value of a constant.
pub fn expression(file: FileId, text: &str) -> Parsed<Expr> {
    let mut parser = Parser::new(file, text, Text::Model)?;
    let expr = parser.expression()?;
    if parser.is_end() { Ok(expr) } else { Err(parser.expected("the end of the text")) }
}

impl<'t> Parser<'t> {
    fn new(file: FileId, text: &'t str, kind: Text) -> Parsed<Self> {
        let Tokens { tokens, results } = lex(file, text)?;
        Ok(Parser { text, tokens, results, at: 0, depth: 0, kind, in_bound: false })
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

    fn is_end(&self) -> bool {
        self.token().tok == Tok::End
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        is_symbol(&self.token().tok, symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        is_word(&self.token().tok, word)
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

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.symbol(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    /// The word that ends what began with `opener`.
    fn expect_end(&mut self, word: &str, opener: Span) -> Parsed<()> {
        if self.word(word) {
            return Ok(());
        }
        Err(self.expected(&format!("`{word}`")).related(opener, "it began here"))
    }

    fn name(&mut self) -> Parsed<Name> {
        let span = self.span();
        match &self.token().tok {
            Tok::Word(word) if KEYWORDS.contains(&&**word) => {
                Err(Diagnostic::error(span, format!("`{word}` is a keyword and cannot be a name"))
                    .label("expected a name"))
            }
            Tok::Word(word) if self.kind == Text::Model && word.contains('.') => {
                Err(Diagnostic::error(span, format!("`{word}` is not a name: names have no points")))
            }
            Tok::Word(word) => {
                let text = Rc::clone(word);
                self.advance();
                Ok(Name { text, span })
            }
            _ => Err(self.expected("a name")),
        }
    }

    /// A name between quotation marks.
    fn quoted(&mut self) -> Parsed<Name> {
        let span = self.span();
        match &self.token().tok {
            Tok::Text(text) => {
                let text = Rc::clone(text);
                self.advance();
                Ok(Name { text, span })
            }
            Tok::Word(word) => {
                let help = format!("write `\"{word}\"`");
                Err(self.expected("a name in quotation marks").help(help))
            }
            _ => Err(self.expected("a name in quotation marks")),
        }
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = match &self.token().tok {
            Tok::Word(word) => format!("`{word}`"),
            Tok::Number(number) => format!("`{}`", shortened(number)),
            Tok::Text(text) => format!("`\"{}\"`", shortened(text)),
            Tok::Symbol(symbol) => format!("`{symbol}`"),
            Tok::Stray(stray) => format!("`{}`", stray.escape_debug()),
            Tok::Unclosed => {
                return Diagnostic::error(self.span(), "this quotation mark has no partner on its line")
                    .label(format!("expected {what}"))
                    .help("names of labels, rewards and properties end with a quotation mark: `\"name\"`");
            }
            Tok::End => "the end of the text".into(),
        };
        Diagnostic::error(self.span(), format!("expected {what}, found {found}")).label(format!("expected {what}"))
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            let message = format!("this is nested more than {MAX_NESTING} deep");
            return Err(Diagnostic::error(self.span(), message).help("give names to parts of it with `formula`"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// The source on one line, without comments.
    fn line(&self, span: Span) -> String {
        let raw = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        let without_comments: Vec<&str> = raw.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
        let joined = without_comments.join(" ");
        joined.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn is_symbol(tok: &Tok, symbol: &str) -> bool {
    matches!(tok, Tok::Symbol(s) if *s == symbol)
}

fn is_word(tok: &Tok, word: &str) -> bool {
    matches!(tok, Tok::Word(w) if **w == *word)
}

/// Not more of a text than fits into a message.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
