//! The parser: recursive descent over the tokens that the preprocessor left.
//!
//! It follows SPIN 6.5 in what it accepts, with these leniencies of SPIN's lexer made part of the grammar: a line end
//! counts as `;` between statements, a separator after `}` and `else` may be missing, and several separators count as
//! one. It goes beyond SPIN where nothing else could be meant: an expression may be continued on the next line with an
//! operator that cannot start a statement, `full(q)` and its kin may be negated, and `in` is a name outside `for`.
//!
//! This file holds the cursor, messages, recovery and limits; the grammar is in the other files.

mod decls;
mod exprs;
mod inlines;
mod items;
mod ltl;
mod references;
mod stmts;
#[cfg(test)]
mod tests;
mod written;

use crate::ast::{Ident, Item, Ltl, Model, Name, NeverClaim};
use crate::diagnostics::Diagnostics;
use crate::preprocess::MacroOrigin;
use crate::token::{Keyword, Symbol, Symbols, Token, TokenKind};
use bughound_ir::source::{Diagnostic, FileId, SourceMap, Span};
use inlines::{Expansion, InlineText};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How deep statements and expressions may be nested in the text.
pub const MAX_NESTING: usize = 250;
/// How high the tree of an expression may grow; long chains such as `a + b + c + …` count here.
pub const MAX_EXPRESSION_HEIGHT: u32 = 1000;

/// An error has been reported; the caller decides where to go on.
#[derive(Debug)]
pub(crate) struct Failed;

pub(crate) type Parse<T> = Result<T, Failed>;

pub(crate) struct Parser<'a> {
    symbols: &'a Symbols,
    diagnostics: &'a mut Diagnostics,
    origins: &'a [MacroOrigin],
    sources: &'a SourceMap,
    /// The text being read: the model, or the body of an inline. Closed by `EndOfInput`.
    tokens: Arc<[Token]>,
    at: usize,
    /// The token read last, for spans that end there.
    previous: Token,
    nesting: usize,
    /// Open parentheses and brackets: inside them a line end means nothing.
    parentheses: usize,
    /// The end of a line separates no statements.
    explicit_semicolons: bool,
    /// Height of the expression read last.
    height: u32,
    /// No statement of the current process body has been read yet.
    leading_declarations: bool,
    proctypes: HashSet<Symbol>,
    /// Including those that follow; claims and formulas may refer to them.
    all_proctypes: Arc<HashSet<Symbol>>,
    in_claim: bool,
    typedefs: HashSet<Symbol>,
    mtypes: HashSet<Symbol>,
    inlines: HashMap<Symbol, Arc<InlineText>>,
    expansions: Vec<Expansion>,
    /// Tokens that calls of inlines have produced so far.
    inlined_tokens: usize,
    /// Where costs stand that belong to a statement.
    costs: HashSet<Span>,
    in_symbol: Option<Symbol>,
}

impl<'a> Parser<'a> {
    pub fn new(
        tokens: Vec<Token>,
        origins: &'a [MacroOrigin],
        sources: &'a SourceMap,
        symbols: &'a mut Symbols,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        debug_assert!(tokens.last().is_some_and(|t| t.kind == TokenKind::EndOfInput));
        let in_symbol = Some(symbols.intern("in"));
        let is_proctype = |t: &Token| {
            matches!(t.kind, TokenKind::Keyword(Keyword::Proctype) | TokenKind::Keyword(Keyword::DProctype))
        };
        let named = tokens.windows(2).filter(|w| is_proctype(&w[0]) && w[1].kind == TokenKind::Word).map(|w| w[1].text);
        let all_proctypes = Arc::new(named.collect());
        Parser {
            symbols,
            diagnostics,
            origins,
            sources,
            previous: tokens[0],
            tokens: tokens.into(),
            at: 0,
            nesting: 0,
            parentheses: 0,
            explicit_semicolons: false,
            height: 0,
            leading_declarations: false,
            proctypes: HashSet::new(),
            all_proctypes,
            in_claim: false,
            typedefs: HashSet::new(),
            mtypes: HashSet::new(),
            inlines: HashMap::new(),
            expansions: Vec::new(),
            inlined_tokens: 0,
            costs: HashSet::new(),
            in_symbol,
        }
    }

    /// Reads a whole model.
    pub fn model(mut self, file: FileId) -> Model {
        let items = self.items();
        self.report_lost_costs(&items);
        Model { file, items }
    }

    /// The cost that an annotation gives to the statement that starts here.
    fn cost(&mut self) -> Option<u32> {
        let token = self.token();
        if token.cost.is_some() {
            self.costs.insert(token.span);
        }
        token.cost
    }

    /// Warns of costs that stand before no statement. Those in inlines count only where these are called.
    fn report_lost_costs(&mut self, items: &[Item]) {
        let inlines: Vec<Span> = items
            .iter()
            .filter_map(|item| match item {
                Item::Inline(inline) => Some(inline.span),
                _ => None,
            })
            .collect();
        let is_within = |at: Span| {
            inlines.iter().any(|whole| whole.file == at.file && whole.start <= at.start && at.end <= whole.end)
        };
        for token in self.tokens.clone().iter().filter(|token| token.cost.is_some()) {
            if !self.costs.contains(&token.span) && !is_within(token.span) {
                let warning = Diagnostic::warning(token.span, "the cost before this is not that of a statement");
                self.diagnostics.push(warning.label("no statement starts here").help("it counts nothing"));
            }
        }
    }

    /// Reads a formula that stands alone, such as one from the command line.
    pub fn formula(mut self) -> Parse<Ltl> {
        self.proctypes = HashSet::new();
        self.in_claim = true;
        self.parentheses = 1;
        let formula = self.ltl_formula()?;
        if self.kind() != TokenKind::EndOfInput {
            return Err(self.expected("an operator or the end of the formula"));
        }
        Ok(formula)
    }

    /// The whole input as a never claim.
    pub fn claim(mut self) -> Parse<NeverClaim> {
        if self.kind() != TokenKind::Keyword(Keyword::Never) {
            return Err(self.expected("a claim: `never { … }`"));
        }
        let claim = self.never()?;
        while self.kind() == TokenKind::Semi {
            self.advance();
        }
        if self.kind() != TokenKind::EndOfInput {
            return Err(self.expected("the end of the claim"));
        }
        Ok(claim)
    }

    /// Has only `;` and `->` separate statements.
    pub fn with_explicit_semicolons(mut self, explicit: bool) -> Self {
        self.explicit_semicolons = explicit;
        self
    }

    /// Treats these names as process types, too.
    pub fn with_proctypes(mut self, names: impl Iterator<Item = Symbol>) -> Self {
        let all: HashSet<Symbol> = self.all_proctypes.iter().copied().chain(names).collect();
        self.all_proctypes = Arc::new(all);
        self
    }

    // The cursor.

    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    fn peek(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    fn advance(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::EndOfInput {
            self.at += 1;
        }
        self.previous = token;
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.advance();
        }
        found
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == TokenKind::Keyword(keyword)
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        self.eat(TokenKind::Keyword(keyword))
    }

    fn expect(&mut self, kind: TokenKind) -> Parse<Token> {
        if self.kind() == kind {
            return Ok(self.advance());
        }
        Err(self.expected(&format!("`{}`", kind.fixed_text().unwrap_or("a token"))))
    }

    /// The mark that closes what `open` opened.
    fn expect_closing(&mut self, kind: TokenKind, open: Span) -> Parse<Token> {
        if self.kind() == kind {
            return Ok(self.advance());
        }
        let shown = kind.fixed_text().unwrap_or("end");
        let (found, token) = (self.token().describe(self.symbols), self.token());
        let error = Diagnostic::error(token.span, format!("expected `{shown}`, found {found}"));
        Err(self.report(error.label(format!("expected `{shown}`")).related(open, "to close what is opened here")))
    }

    fn ident(&mut self, what: &str) -> Parse<Ident> {
        if self.kind() != TokenKind::Word {
            return Err(self.expected(what));
        }
        let token = self.advance();
        Ok(Ident { name: self.name(token.text), span: token.span })
    }

    fn name(&self, symbol: Symbol) -> Name {
        self.symbols.text(symbol).clone()
    }

    /// From the start of `first` to the end of the token read last.
    fn span_from(&self, first: Span) -> Span {
        first.to(self.previous.span)
    }

    /// A line end stands before the current token and would end a statement.
    fn at_line_start(&self) -> bool {
        self.parentheses == 0 && !self.explicit_semicolons && self.token().newline_before
    }

    fn is_word(&self, token: Token, text: &str) -> bool {
        token.kind == TokenKind::Word && &**self.symbols.text(token.text) == text
    }

    /// Names that start a remote reference when `:` follows. SPIN knows a process type from its declaration on; claims
    /// and formulas are read as if they came last.
    fn is_proctype(&self, symbol: Symbol) -> bool {
        self.proctypes.contains(&symbol) || (self.in_claim && self.all_proctypes.contains(&symbol))
    }

    // Messages.

    /// Reports that something else was expected than the current token.
    fn expected(&mut self, what: &str) -> Failed {
        let token = self.token();
        let found = token.describe(self.symbols);
        let error = Diagnostic::error(token.span, format!("expected {what}, found {found}"));
        let mut error = error.label(format!("expected {what}"));
        if let TokenKind::Keyword(keyword) = token.kind
            && what.contains("name")
        {
            error = error.help(format!("`{}` is a reserved word", keyword.text()));
        }
        self.report(error)
    }

    fn error_at(&mut self, span: Span, message: impl Into<String>) -> Failed {
        self.report(Diagnostic::error(span, message))
    }

    /// Reports an error about the current place, with the macro and the inline calls that led here.
    fn report(&mut self, mut error: Diagnostic) -> Failed {
        let token = self.token();
        let blamed = if Some(token.span) == error.span { token } else { self.previous };
        if Some(blamed.span) == error.span
            && let Some(origin) = (blamed.macro_id as usize).checked_sub(1).and_then(|id| self.origins.get(id))
        {
            error.related.push((origin.span, format!("in the expansion of macro `{}`", origin.name)));
        }
        for expansion in self.expansions.iter().rev().take(5) {
            error.related.push((expansion.call, format!("in this call of inline `{}`", expansion.name)));
        }
        self.diagnostics.push(error);
        Failed
    }

    /// Reports an error and ends the parse.
    fn fatal(&mut self, error: Diagnostic) -> Failed {
        let failed = self.report(error);
        let end = self.tokens.len() - 1;
        self.at = end;
        self.diagnostics.stop();
        failed
    }

    /// C code is beyond us: say so and step over it.
    fn embedded_c(&mut self) -> Failed {
        let word = self.advance();
        let shown = word.spelling(self.symbols).to_string();
        let error = Diagnostic::error(word.span, format!("`{shown}`: embedded C code is not supported"));
        let failed = self.report(
            error
                .label("C code cannot be checked")
                .help("model what the C code does with Promela statements, for instance in an `inline` or a `d_step`"),
        );
        while self.kind() == TokenKind::String {
            self.advance();
        }
        if self.kind() == TokenKind::LBracket {
            self.skip_balanced();
        }
        if self.kind() == TokenKind::LBrace {
            self.skip_balanced();
        }
        failed
    }

    // Limits.

    /// Counts one level of nesting while `parse` runs.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting >= MAX_NESTING {
            let error = Diagnostic::error(self.token().span, "the text is nested too deeply");
            return Err(self.fatal(error.label(format!("more than {MAX_NESTING} levels"))));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    /// Sets the height of the expression just built from parts.
    fn set_height(&mut self, height: u32, span: Span) -> Parse<()> {
        self.height = height;
        if height > MAX_EXPRESSION_HEIGHT {
            let error = Diagnostic::error(span, "this expression is too large");
            return Err(self.fatal(
                error
                    .label(format!("more than {MAX_EXPRESSION_HEIGHT} operators in a row or inside each other"))
                    .help("compute it in several steps"),
            ));
        }
        Ok(())
    }

    // Recovery.

    /// Steps over a bracketed group, from its opening mark to its closing mark.
    fn skip_balanced(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::LBrace | TokenKind::LParen | TokenKind::LBracket => depth += 1,
                TokenKind::RBrace | TokenKind::RParen | TokenKind::RBracket => depth = depth.saturating_sub(1),
                TokenKind::EndOfInput => return,
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// After an error in a statement: skips to the next separator, branch or end of a block that belongs to the same
    /// sequence.
    fn skip_statement(&mut self) {
        self.parentheses = 0;
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::EndOfInput => return,
                TokenKind::LBrace | TokenKind::Keyword(Keyword::If) | TokenKind::Keyword(Keyword::Do) => depth += 1,
                TokenKind::RBrace | TokenKind::Keyword(Keyword::Fi) | TokenKind::Keyword(Keyword::Od) => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                }
                TokenKind::Semi | TokenKind::Arrow | TokenKind::Options if depth == 0 => return,
                TokenKind::Keyword(
                    Keyword::Proctype
                    | Keyword::DProctype
                    | Keyword::Active
                    | Keyword::Never
                    | Keyword::Ltl
                    | Keyword::Inline
                    | Keyword::Init
                    | Keyword::Typedef,
                ) if self.token().newline_before => return,
                _ => {}
            }
            self.advance();
        }
    }
}

/// Whether a token starts a unit at the top level and can stand nowhere else.
fn starts_unit(token: Token) -> bool {
    matches!(
        token.kind,
        TokenKind::Keyword(
            Keyword::Active
                | Keyword::Proctype
                | Keyword::DProctype
                | Keyword::Init
                | Keyword::Never
                | Keyword::Ltl
                | Keyword::Trace
                | Keyword::NoTrace
                | Keyword::Inline
                | Keyword::Typedef
        )
    )
}
