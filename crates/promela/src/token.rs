//! Tokens, interned names and the keywords of Promela.
//!
//! Until the preprocessor has run, keywords are ordinary words: `#define byte int` must work.

use bughound_ir::source::Span;
use std::collections::HashMap;
use std::sync::Arc;

/// Index of a text in [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The texts of all words, numbers and literals, each stored once. The keywords come first.
#[derive(Clone, Debug)]
pub struct Symbols {
    index: HashMap<Arc<str>, Symbol>,
    texts: Vec<Arc<str>>,
}

impl Symbols {
    pub fn new() -> Self {
        let mut symbols = Symbols { index: HashMap::new(), texts: Vec::new() };
        for keyword in Keyword::ALL {
            symbols.intern(keyword.text());
        }
        symbols
    }

    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.index.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.index.insert(text, symbol);
        symbol
    }

    pub fn text(&self, symbol: Symbol) -> &Arc<str> {
        &self.texts[symbol.0 as usize]
    }
}

impl Default for Symbols {
    fn default() -> Self {
        Self::new()
    }
}

macro_rules! keywords {
    ($($variant:ident $text:literal)*) => {
        /// The reserved words. `in` is none of them: it has a meaning only in the head of a `for`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Keyword { $($variant),* }

        impl Keyword {
            pub const ALL: &'static [Keyword] = &[$(Keyword::$variant),*];

            pub fn text(self) -> &'static str {
                match self { $(Keyword::$variant => $text),* }
            }
        }
    };
}

keywords! {
    Active "active" Assert "assert" Atomic "atomic" Bit "bit" Bool "bool" Break "break" Byte "byte"
    CCode "c_code" CDecl "c_decl" CExpr "c_expr" CState "c_state" CTrack "c_track" DProctype "D_proctype" Do "do"
    Chan "chan" Else "else" Empty "empty" Enabled "enabled" Eval "eval" False "false" Fi "fi" For "for" Full "full"
    GetPriority "get_priority" Goto "goto" Hidden "hidden" If "if" Init "init" Inline "inline" Int "int" Len "len"
    Local "local" Ltl "ltl" Mtype "mtype" NEmpty "nempty" Never "never" NFull "nfull" NoTrace "notrace" Np "np_"
    Od "od" Of "of" PcValue "pc_value" Pid "pid" Printf "printf" Printm "printm" Priority "priority"
    Proctype "proctype" Provided "provided" Return "return" Run "run" DStep "d_step" Select "select"
    SetPriority "set_priority" Short "short" Skip "skip" Timeout "timeout" Trace "trace" True "true" Show "show"
    Typedef "typedef" Unless "unless" Unsigned "unsigned" Xr "xr" Xs "xs"
}

impl Keyword {
    /// The keyword with this text, if it is one: the keywords are the first symbols.
    pub fn of(symbol: Symbol) -> Option<Keyword> {
        Self::ALL.get(symbol.0 as usize).copied()
    }
}

/// Why a piece of text is not a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexError {
    UnterminatedString,
    UnterminatedComment,
    BadCharacterLiteral,
    NulByte,
    NotUtf8,
    UnexpectedCharacter,
    /// `/*@cost …*/` without a number that can be a cost.
    BadCost,
    /// `/*@name …*/` with a name that means nothing.
    UnknownAnnotation,
}

macro_rules! punctuation {
    ($($variant:ident $text:literal)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum TokenKind {
            /// A name, or before the preprocessor has finished also a keyword.
            Word,
            Keyword(Keyword),
            /// Starts with a digit.
            Number,
            /// With its quotes.
            Char,
            /// With its quotes.
            String,
            /// End of a line outside comments; only before the preprocessor.
            Newline,
            Invalid(LexError),
            EndOfInput,
            $($variant),*
        }

        impl TokenKind {
            /// The text of a punctuation mark or keyword.
            pub fn fixed_text(self) -> Option<&'static str> {
                match self {
                    TokenKind::Keyword(k) => Some(k.text()),
                    $(TokenKind::$variant => Some($text),)*
                    _ => None,
                }
            }
        }
    };
}

punctuation! {
    Semi ";" Arrow "->" Options "::" Colon ":" Comma "," Dot "." DotDot ".." LParen "(" RParen ")" LBrace "{"
    RBrace "}" LBracket "[" RBracket "]" Assign "=" Equal "==" NotEqual "!=" Less "<" LessEqual "<=" Greater ">"
    GreaterEqual ">=" ShiftLeft "<<" ShiftRight ">>" Plus "+" Minus "-" Star "*" Slash "/" Percent "%" PlusPlus "++"
    MinusMinus "--" And "&&" Or "||" Amp "&" Bar "|" Caret "^" Tilde "~" Bang "!" BangBang "!!" Query "?"
    QueryQuery "??" At "@" Hash "#" HashHash "##" Backslash "\\" Ellipsis "..."
}

/// Where a token stands in the text and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    /// First on its line. SPIN takes such a line end for a `;` in many places.
    pub newline_before: bool,
    pub space_before: bool,
    /// Met while its own macro was being expanded: never expanded any more.
    pub no_expand: bool,
    /// The text of words, numbers and literals.
    pub text: Symbol,
    /// The outermost macro that produced it: index into the list of definitions, counted from 1; 0 for none.
    pub macro_id: u32,
    /// From an annotation `/*@cost n*/` directly before it.
    pub cost: Option<u32>,
    /// The place in the file; for a token out of a macro, the place where the outermost macro is used.
    pub span: Span,
}

impl Token {
    pub fn new(kind: TokenKind, text: Symbol, span: Span) -> Self {
        let cost = None;
        Token { kind, newline_before: false, space_before: false, no_expand: false, text, macro_id: 0, cost, span }
    }

    /// The token as it would be written.
    pub fn spelling<'a>(&self, symbols: &'a Symbols) -> &'a str {
        match self.kind.fixed_text() {
            Some(text) => text,
            None => symbols.text(self.text),
        }
    }

    /// For messages: what was found instead of what was expected.
    pub fn describe(&self, symbols: &Symbols) -> String {
        match self.kind {
            TokenKind::EndOfInput => "the end of the input".to_string(),
            TokenKind::Newline => "the end of the line".to_string(),
            TokenKind::Keyword(k) => format!("keyword `{}`", k.text()),
            TokenKind::String => {
                let text = symbols.text(self.text);
                if text.chars().count() > 30 { "a string".to_string() } else { format!("string {text}") }
            }
            _ => format!("`{}`", self.spelling(symbols)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_the_first_symbols() {
        let mut symbols = Symbols::new();
        let proctype = symbols.intern("proctype");
        assert_eq!(Keyword::of(proctype), Some(Keyword::Proctype));
        let other = symbols.intern("in");
        assert_eq!(Keyword::of(other), None);
        assert_eq!(symbols.intern("in"), other);
        assert_eq!(&**symbols.text(other), "in");
    }
}
