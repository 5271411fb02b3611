//! From text to tokens.

use std::rc::Rc;

use bughound_ir::source::{Diagnostic, Span};

use crate::text::Fragment;

/// A model with more tokens than this is refused: no hand could have written it, and it would need much memory.
pub const MAX_TOKENS: usize = 5_000_000;

#[derive(Clone, Debug, PartialEq)]
pub enum Tok {
    /// A name or a keyword.
    Word(Rc<str>),
    Number(i64),
    /// A number with a fraction: only statistical models have them.
    Real,
    Text,
    Symbol(&'static str),
    /// A character that no token begins with.
    Stray(char),
    End,
}

#[derive(Clone, Debug)]
pub struct Token {
    pub tok: Tok,
    pub span: Span,
    /// Where it begins in the decoded text.
    pub start: usize,
    pub end: usize,
    /// It is the first one on its line. A line that ends with `\` goes on with the next.
    pub new_line: bool,
}

/// Longer ones before their prefixes.
const SYMBOLS: &[&str] = &[
    "<->", "<<=", ">>=", "-->", "-u->", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>",
    "<=", ">=", "==", "!=", "&&", "||", "<?", ">?", ":=", "**", "<", ">", "=", "+", "-", "*", "/", "%", "&", "|", "^",
    "!", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{", "}", "'", "#", "~",
];

/// All tokens of a fragment, the last one being [`Tok::End`].
pub fn lex(fragment: &Fragment) -> Result<Vec<Token>, Diagnostic> {
    let text = fragment.text.as_str();
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
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
        if byte == b'\\' && matches!(rest.trim_start_matches(['\\', ' ', '\t', '\r']).chars().next(), None | Some('\n'))
        {
            at += rest.find('\n').map_or(rest.len(), |end| end + 1);
            continue;
        }
        if byte.is_ascii_whitespace() || rest.starts_with('\u{feff}') {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            let Some(end) = rest.find("*/") else {
                let span = fragment.span(at, at + 2);
                return Err(Diagnostic::error(span, "this comment does not end").help("close it with `*/`"));
            };
            new_line |= rest[..end].contains('\n');
            at += end + 2;
            continue;
        }
        let tok = if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' {
            at += rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
            Tok::Word(text[start..at].into())
        } else if byte.is_ascii_digit() {
            at += rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            if bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
                at += 1;
                at += text[at..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - at);
                Tok::Real
            } else {
                // Too large a number saturates; the parser refuses it where a number is used.
                Tok::Number(text[start..at].parse().unwrap_or(i64::MAX))
            }
        } else if byte == b'"' {
            at += rest[1..].find('"').map_or(rest.len(), |end| end + 2);
            Tok::Text
        } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            at += symbol.len();
            Tok::Symbol(symbol)
        } else {
            let stray = rest.chars().next().unwrap_or(' ');
            at += stray.len_utf8();
            Tok::Stray(stray)
        };
        tokens.push(Token { tok, span: fragment.span(start, at), start, end: at, new_line });
        new_line = false;
        if tokens.len() > MAX_TOKENS {
            let message = format!("the model has more than {MAX_TOKENS} tokens");
            return Err(Diagnostic::error(fragment.span(start, at), message));
        }
    }
    let end = text.len();
    tokens.push(Token { tok: Tok::End, span: fragment.span(end, end), start: end, end, new_line: true });
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_ir::source::FileId;

    fn words(text: &str) -> Vec<Tok> {
        let tokens = lex(&Fragment::whole(FileId(0), text)).unwrap();
        tokens.into_iter().map(|t| t.tok).collect()
    }

    #[test]
    fn symbols_are_as_long_as_possible() {
        let symbols = |text: &str| words(text).len() - 1;
        assert_eq!(symbols("<<= << <= < <? --> -- -> := A[] E<>"), 15);
        assert_eq!(words("x'==0")[1], Tok::Symbol("'"));
        assert_eq!(words("3.5 3..4")[0], Tok::Real);
    }

    #[test]
    fn lines_and_comments() {
        let tokens = lex(&Fragment::whole(FileId(0), "a /* x\n */ b // c\nd \\\ne")).unwrap();
        let new_lines: Vec<bool> = tokens.iter().map(|t| t.new_line).collect();
        assert_eq!(new_lines, [true, true, true, false, true]);
        assert!(lex(&Fragment::whole(FileId(0), "a /* x")).unwrap_err().message.contains("does not end"));
    }
}
