//! From text to tokens, and the comments that record results.

use std::rc::Rc;

use bughound_ir::source::{Diagnostic, FileId, Span};

/// A file with more tokens than this is refused: no hand could have written it, and it would need much memory.
pub const MAX_TOKENS: usize = 5_000_000;

#[derive(Clone, Debug, PartialEq)]
pub enum Tok {
    /// A name or a keyword. Points inside of names are for variables of JANI automata.
    Word(Rc<str>),
    /// A number as it is written.
    Number(Rc<str>),
    /// What stands between quotation marks.
    Text(Rc<str>),
    Symbol(&'static str),
    /// A quotation mark without its partner on the same line.
    Unclosed,
    /// A character that no token begins with.
    Stray(char),
    End,
}

#[derive(Clone, Debug)]
pub struct Token {
    pub tok: Tok,
    pub span: Span,
    /// It is the first one on its line.
    pub new_line: bool,
}

/// What a file is made of.
#[derive(Debug)]
pub struct Tokens {
    /// The last one is [`Tok::End`].
    pub tokens: Vec<Token>,
    /// Comments that begin with `RESULT`, from the two slashes to the end of the line.
    pub results: Vec<Span>,
}

/// Longer ones before their prefixes. `<-`, `||` and `|[` are not among them: `x<-1` and `a||b` would be torn apart.
const SYMBOLS: &[&str] = &[
    "<=>", "<=", ">=", "!=", "=>", "->", "..", "<", ">", "=", "+", "-", "*", "/", "&", "|", "^", "!", "?", ":", ";",
    ",", "(", ")", "[", "]", "{", "}", "'", ".",
];

fn is_word_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Where the word that begins at `at` ends. A single point followed by a letter goes on with the word.
fn word_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at;
    loop {
        end += text[end..].find(|c| !is_word_character(c)).unwrap_or(text.len() - end);
        let goes_on =
            bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
        if !goes_on {
            return end;
        }
        end += 1;
    }
}

fn digits_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// Where the number that begins at `at` ends: `3`, `0.5`, `.5`, `1e-3`. `0..3` is three tokens.
fn number_end(bytes: &[u8], at: usize) -> usize {
    let mut end = digits_end(bytes, at);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits_end(bytes, end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let digits = end + 1 + sign;
        if bytes.get(digits).is_some_and(u8::is_ascii_digit) {
            end = digits_end(bytes, digits);
        }
    }
    end
}

/// All tokens of a text.
pub fn lex(file: FileId, text: &str) -> Result<Tokens, Diagnostic> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut results = Vec::new();
    let mut at = 0;
    let mut new_line = true;
    while at < bytes.len() {
        let rest = &text[at..];
        let start = at;
        let byte = bytes[at];
        if byte == b'\n' {
            new_line = true;
            at += 1;
            continue;
        }
        let first = rest.chars().next().unwrap_or(' ');
        if first.is_whitespace() || first == '\u{feff}' {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("//") {
            let length = rest.find('\n').unwrap_or(rest.len());
            if rest[2..length].trim_start().starts_with("RESULT") {
                results.push(Span::new(file, at, at + length));
            }
            at += length;
            continue;
        }
        let tok = if byte.is_ascii_alphabetic() || byte == b'_' {
            at = word_end(text, at);
            Tok::Word(text[start..at].into())
        } else if byte.is_ascii_digit() || (byte == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)) {
            at = number_end(bytes, at);
            Tok::Number(text[start..at].into())
        } else if byte == b'"' {
            match rest[1..].find(['"', '\n']) {
                Some(length) if rest.as_bytes()[length + 1] == b'"' => {
                    at += length + 2;
                    Tok::Text(rest[1..length + 1].into())
                }
                _ => {
                    at += 1;
                    Tok::Unclosed
                }
            }
        } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            at += symbol.len();
            Tok::Symbol(symbol)
        } else {
            at += first.len_utf8();
            Tok::Stray(first)
        };
        tokens.push(Token { tok, span: Span::new(file, start, at), new_line });
        new_line = false;
        if tokens.len() > MAX_TOKENS {
            let message = format!("the text has more than {MAX_TOKENS} tokens");
            return Err(Diagnostic::error(Span::new(file, start, at), message));
        }
    }
    let end = text.len();
    tokens.push(Token { tok: Tok::End, span: Span::new(file, end, end), new_line: true });
    Ok(Tokens { tokens, results })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Tok> {
        lex(FileId(0), text).unwrap().tokens.into_iter().map(|t| t.tok).collect()
    }

    fn symbols(text: &str) -> Vec<Tok> {
        tokens(text).into_iter().filter(|t| matches!(t, Tok::Symbol(_))).collect()
    }

    #[test]
    fn ranges_and_numbers() {
        let number = |text: &str| Tok::Number(text.into());
        assert_eq!(tokens("0..3"), [number("0"), Tok::Symbol(".."), number("3"), Tok::End]);
        assert_eq!(tokens("lo..hi")[1], Tok::Symbol(".."));
        assert_eq!(
            tokens(".5 1e-3 2.5E+4 7e"),
            [number(".5"), number("1e-3"), number("2.5E+4"), number("7"), Tok::Word("e".into()), Tok::End]
        );
        assert_eq!(tokens("sender.n")[0], Tok::Word("sender.n".into()));
    }

    #[test]
    fn symbols_are_not_torn_apart() {
        assert_eq!(symbols("x<-1"), [Tok::Symbol("<"), Tok::Symbol("-")]);
        assert_eq!(symbols("a<=>b"), [Tok::Symbol("<=>")]);
        assert_eq!(symbols("P=? [ F<=3 x ]").len(), 5);
    }

    #[test]
    fn byte_order_marks_line_ends_and_comments() {
        let read = lex(FileId(0), "\u{feff}dtmc\r\n// ü\r\n// RESULT: 1/2\r\nx").unwrap();
        assert_eq!(read.tokens.len(), 3);
        assert!(read.tokens[1].new_line);
        assert_eq!(read.results.len(), 1);
        assert_eq!(tokens("\"a\nb\"")[0], Tok::Unclosed);
        assert_eq!(tokens("ü")[0], Tok::Stray('ü'));
    }
}
