//! From text to tokens.
//!
//! Comments (except annotations such as `/*@cost 5*/`), blanks and joined lines (`\` at the end) vanish here; line ends stay, because directives and SPIN's implied
//! semicolons need them. What is not a token becomes [`TokenKind::Invalid`]: the preprocessor reports it unless it lies in
//! a part that is skipped.

use crate::token::{LexError, Symbol, Symbols, Token, TokenKind};
use bughound_ir::source::{Diagnostic, FileId, Span};
use logos::{Lexer, Logos};

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"([ \t\x0b\x0c\r]|\\\r?\n|//([^\n\\]|\\\r?\n|\\[^\n\r])*\\?)+")]
enum Raw {
    #[regex(r"\n")]
    Newline,
    /// Emitted like a token and dropped by the caller unless it has no end: a long row of skipped ones would recurse.
    #[token("/*", comment)]
    Comment,
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex(r"[0-9][A-Za-z0-9_]*")]
    Number,
    #[regex(r#""([^"\\\n]|\\\r?\n|\\[^\n])*""#)]
    String,
    #[regex(r#""([^"\\\n]|\\\r?\n|\\[^\n])*"#)]
    UnterminatedString,
    #[regex(r"'([^'\\\n]|\\[^\n])'")]
    Char,
    #[token("'")]
    Quote,
    #[token("\0")]
    Nul,
    #[token("\u{fffd}")]
    NotUtf8,
    #[token(";")]
    Semi,
    #[token("->")]
    Arrow,
    #[token("::")]
    Options,
    #[token(":")]
    Colon,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("...")]
    Ellipsis,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("=")]
    Assign,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("++")]
    PlusPlus,
    #[token("--")]
    MinusMinus,
    #[token("&&")]
    And,
    #[token("||")]
    Or,
    #[token("&")]
    Amp,
    #[token("|")]
    Bar,
    #[token("^")]
    Caret,
    #[token("~")]
    Tilde,
    #[token("!")]
    Bang,
    #[token("!!")]
    BangBang,
    #[token("?")]
    Query,
    #[token("??")]
    QueryQuery,
    #[token("@")]
    At,
    #[token("#")]
    Hash,
    #[token("##")]
    HashHash,
    #[token("\\")]
    Backslash,
}

/// Takes a block comment to its end, or to the end of the text if it has none.
fn comment(lexer: &mut Lexer<Raw>) {
    let rest = lexer.remainder();
    let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
    lexer.bump(length);
}

fn kind_of(raw: Raw) -> TokenKind {
    macro_rules! same {
        ($($name:ident)*) => {
            match raw {
                $(Raw::$name => TokenKind::$name,)*
                Raw::Comment => TokenKind::Invalid(LexError::UnterminatedComment),
                Raw::UnterminatedString => TokenKind::Invalid(LexError::UnterminatedString),
                Raw::Quote => TokenKind::Invalid(LexError::BadCharacterLiteral),
                Raw::Nul => TokenKind::Invalid(LexError::NulByte),
                Raw::NotUtf8 => TokenKind::Invalid(LexError::NotUtf8),
            }
        };
    }
    same! {
        Newline Word Number String Char Semi Arrow Options Colon Comma Dot DotDot Ellipsis LParen RParen LBrace RBrace
        LBracket RBracket Assign Equal NotEqual Less LessEqual Greater GreaterEqual ShiftLeft ShiftRight Plus Minus
        Star Slash Percent PlusPlus MinusMinus And Or Amp Bar Caret Tilde Bang BangBang Query QueryQuery At Hash
        HashHash Backslash
    }
}

/// What a comment says to Bughound: the cost in `/*@cost 5*/`. `None` for any other comment.
fn annotation(comment: &str) -> Option<Result<u32, LexError>> {
    let text = comment.strip_prefix("/*@")?.strip_suffix("*/")?;
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let (name, value) = text.split_at(text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len()));
    Some(match name {
        "cost" => value.trim().parse().map_err(|_| LexError::BadCost),
        _ => Err(LexError::UnknownAnnotation),
    })
}

/// All tokens of a text, line ends included.
pub fn tokenize(text: &str, file: FileId, symbols: &mut Symbols) -> Vec<Token> {
    let mut tokens = Vec::new();
    let nothing = symbols.intern("");
    let mut previous_end = 0;
    let mut newline_before = true;
    let mut cost = None;
    let mut lexer = Raw::lexer(text);
    while let Some(raw) = lexer.next() {
        let range = lexer.span();
        if raw == Ok(Raw::Comment) && range.len() >= 4 && lexer.slice().ends_with("*/") {
            match annotation(lexer.slice()) {
                None => {}
                Some(Ok(value)) => cost = Some(value),
                Some(Err(error)) => {
                    let span = Span::new(file, range.start, range.end);
                    tokens.push(Token::new(TokenKind::Invalid(error), symbols.intern(lexer.slice()), span));
                }
            }
            continue;
        }
        let kind = raw.map_or(TokenKind::Invalid(LexError::UnexpectedCharacter), kind_of);
        let text = match kind {
            TokenKind::Word | TokenKind::Number | TokenKind::String | TokenKind::Char => symbols.intern(lexer.slice()),
            TokenKind::Invalid(LexError::UnexpectedCharacter) => symbols.intern(lexer.slice()),
            _ => nothing,
        };
        let mut token = Token::new(kind, text, Span::new(file, range.start, range.end));
        token.space_before = range.start > previous_end;
        token.newline_before = newline_before;
        newline_before = kind == TokenKind::Newline;
        if kind != TokenKind::Newline {
            token.cost = cost.take();
        }
        previous_end = range.end;
        tokens.push(token);
    }
    tokens
}

/// The text as one token, if it is one: for `##`.
pub fn single_token(text: &str, symbols: &mut Symbols) -> Option<(TokenKind, Symbol)> {
    match tokenize(text, FileId(0), symbols).as_slice() {
        [token]
            if !matches!(token.kind, TokenKind::Invalid(_) | TokenKind::Newline)
                && token.span.end as usize == text.len()
                && token.span.start == 0 =>
        {
            Some((token.kind, token.text))
        }
        _ => None,
    }
}

/// The message for a piece of text that is no token.
pub fn lex_error(error: LexError, token: &Token, symbols: &Symbols) -> Diagnostic {
    match error {
        LexError::UnterminatedString => Diagnostic::error(token.span, "this string has no end")
            .label("no closing `\"` on this line")
            .help("write line breaks in a string as `\\n`"),
        LexError::UnterminatedComment => {
            let start = token.span.start;
            let opening = Span { file: token.span.file, start, end: start + 2 };
            Diagnostic::error(opening, "this comment has no end").label("no closing `*/` follows")
        }
        LexError::BadCharacterLiteral => Diagnostic::error(token.span, "malformed character constant")
            .label("expected one character in single quotes, such as 'a' or '\\n'"),
        LexError::NulByte => Diagnostic::error(token.span, "NUL byte in the text")
            .label("this is not a Promela text file, or it is damaged"),
        LexError::NotUtf8 => Diagnostic::error(token.span, "the text is not valid UTF-8 here")
            .label("not a character")
            .help("outside comments and strings, Promela needs plain ASCII"),
        LexError::BadCost => {
            let message = format!("`{}` gives no cost", symbols.text(token.text).escape_debug());
            let help = format!("a cost is a number from 0 to {}, as in `/*@cost 5*/`", u32::MAX);
            Diagnostic::error(token.span, message).label("not a cost").help(help)
        }
        LexError::UnknownAnnotation => {
            let message = format!("the annotation `{}` means nothing", symbols.text(token.text).escape_debug());
            Diagnostic::warning(token.span, message).label("ignored").help("known: `/*@cost 5*/` before a statement")
        }
        LexError::UnexpectedCharacter => {
            let text: String = symbols.text(token.text).chars().take(8).collect();
            Diagnostic::error(token.span, format!("unexpected character `{}`", text.escape_debug()))
                .label("no token of Promela starts like this")
        }
    }
}

/// The value of a number as SPIN reads it, or what is wrong with it.
///
/// SPIN converts to `long` and then cuts to 32 bits without a word; the second part of the answer says that it did.
pub fn number_value(text: &str) -> Result<(i32, bool), String> {
    if text.bytes().any(|b| !b.is_ascii_digit()) {
        return Err(if text.starts_with("0x") || text.starts_with("0X") {
            "Promela has no hexadecimal numbers: write the value in decimal".to_string()
        } else {
            format!("`{text}` is neither a number nor a name")
        });
    }
    match text.parse::<u64>() {
        Ok(value) if value <= i32::MAX as u64 => Ok((value as i32, false)),
        Ok(value) if value <= u32::MAX as u64 => Ok((value as u32 as i32, true)),
        _ => Err(format!("the number is too large: an `int` holds at most {}", i32::MAX)),
    }
}

/// The value of a character constant, given with its quotes.
pub fn char_value(text: &str) -> i32 {
    let mut inner = text.trim_start_matches('\'').chars();
    match (inner.next(), inner.next()) {
        (Some('\\'), Some(escaped)) => match escaped {
            'n' => 10,
            'r' => 13,
            't' => 9,
            'f' => 12,
            other => other as i32,
        },
        (Some(plain), _) => plain as i32,
        // Only `'''` has nothing left, and that is no token.
        (None, _) => '\'' as i32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_belong_to_the_next_token() {
        let costs = |text: &str| -> Vec<Option<u32>> {
            tokenize(text, FileId(0), &mut Symbols::new()).iter().map(|t| t.cost).collect()
        };
        assert_eq!(costs("/*@cost 5*/ a b"), [Some(5), None]);
        assert_eq!(costs("a; /*@cost  0 */ // why\n/* more */ b"), [None, None, None, Some(0)]);
        assert_eq!(costs("/*@cost 1*/ /*@cost 4294967295*/ a"), [Some(u32::MAX)]);
        assert_eq!(costs("/* @cost 5*/ a /*@*/ b /*@(#)x*/ c"), [None, None, None]);
        let bad = |text: &str| kinds(text)[0];
        for text in ["/*@cost*/", "/*@cost -1*/", "/*@cost x*/", "/*@cost 4294967296*/", "/*@cost5 1*/"] {
            let known = !text.contains("cost5");
            let error = if known { LexError::BadCost } else { LexError::UnknownAnnotation };
            assert_eq!(bad(text), TokenKind::Invalid(error), "{text}");
        }
    }

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut symbols = Symbols::new();
        tokenize(text, FileId(0), &mut symbols).iter().map(|t| t.kind).collect()
    }

    #[test]
    fn longest_marks_win() {
        use TokenKind::*;
        assert_eq!(
            kinds("q!!a??b<->[]->--"),
            [Word, BangBang, Word, QueryQuery, Word, Less, Arrow, LBracket, RBracket, Arrow, MinusMinus]
        );
        assert_eq!(kinds("0..3"), [Number, DotDot, Number]);
    }

    #[test]
    fn comments_and_joined_lines_vanish_but_line_ends_stay() {
        use TokenKind::*;
        assert_eq!(kinds("a // b\nc /* d\n e */ f\\\ng"), [Word, Newline, Word, Word, Word]);
        assert_eq!(kinds("a // b \\\n still comment\nc"), [Word, Newline, Word]);
        assert_eq!(kinds("/**/a/***/b"), [Word, Word]);
        assert_eq!(kinds("//"), []);
        assert_eq!(kinds("// x \\"), []);
    }

    #[test]
    fn what_is_no_token_is_marked() {
        use LexError::*;
        assert_eq!(kinds("\"abc\nx")[0], TokenKind::Invalid(UnterminatedString));
        assert_eq!(kinds("a /* b"), [TokenKind::Word, TokenKind::Invalid(UnterminatedComment)]);
        assert_eq!(kinds("\0"), [TokenKind::Invalid(NulByte)]);
        assert_eq!(kinds("\u{fffd}"), [TokenKind::Invalid(NotUtf8)]);
        assert_eq!(kinds("'ab'")[0], TokenKind::Invalid(BadCharacterLiteral));
        assert!(matches!(kinds("$")[0], TokenKind::Invalid(UnexpectedCharacter)));
        assert!(matches!(kinds("é")[0], TokenKind::Invalid(UnexpectedCharacter)));
    }

    #[test]
    fn spans_blanks_and_line_starts() {
        let mut symbols = Symbols::new();
        let tokens = tokenize("ab c\n d", FileId(3), &mut symbols);
        assert_eq!(tokens[1].span, Span::new(FileId(3), 3, 4));
        assert!(tokens[0].newline_before && !tokens[1].newline_before && tokens[3].newline_before);
        assert!(!tokens[0].space_before && tokens[1].space_before);
    }

    #[test]
    fn numbers_are_cut_to_32_bits_or_refused() {
        assert_eq!(number_value("007"), Ok((7, false)));
        assert_eq!(number_value("2147483647"), Ok((i32::MAX, false)));
        assert_eq!(number_value("4294967295"), Ok((-1, true)));
        assert!(number_value("4294967296").unwrap_err().contains("too large"));
        assert!(number_value(&"9".repeat(1000)).unwrap_err().contains("too large"));
        assert!(number_value("0x1F").unwrap_err().contains("hexadecimal"));
        assert!(number_value("12ab").is_err());
    }

    #[test]
    fn character_constants() {
        assert_eq!(char_value("'a'"), 97);
        assert_eq!(char_value("'\\n'"), 10);
        assert_eq!(char_value("'\\''"), 39);
        assert_eq!(kinds("'\\n' ' '"), [TokenKind::Char, TokenKind::Char]);
    }

    #[test]
    fn pasted_text_must_be_one_token() {
        let mut symbols = Symbols::new();
        assert!(single_token("x1", &mut symbols).is_some());
        assert!(single_token("&&", &mut symbols).is_some());
        assert!(single_token("a b", &mut symbols).is_none());
        assert!(single_token("", &mut symbols).is_none());
        assert!(single_token("//", &mut symbols).is_none());
    }
}
