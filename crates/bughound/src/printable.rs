//! Text from models and files on its way to a terminal, and counts as people read them.

use std::borrow::Cow;

/// The text with everything escaped that a terminal would obey instead of showing it: control characters but for the ends of
/// lines and tabs, and characters that change the direction of writing.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_obeyed(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn is_obeyed(c: char) -> bool {
    let directs = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    directs || (c.is_control() && c != '\n' && c != '\t')
}

/// The same, but colours may stay: `ESC [ … m`. For text that was made printable before it was coloured.
pub fn printable_coloured(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        out.push_str(&printable(&rest[..at]));
        let code = &rest[at + 2..];
        let end = code.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(code.len());
        if code[end..].starts_with('m') {
            out.push_str(&rest[at..at + 2 + end + 1]);
            rest = &code[end + 1..];
        } else {
            out.push_str("\\u{1b}[");
            rest = code;
        }
    }
    out.push_str(&printable(rest));
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_obeyed_is_escaped() {
        assert!(matches!(printable("grün\t→ x\n"), Cow::Borrowed(_)));
        assert_eq!(printable("a\u{1b}[2Jb\r\u{7}\u{9b}\u{202e}"), "a\\u{1b}[2Jb\\u{d}\\u{7}\\u{9b}\\u{202e}");
    }

    #[test]
    fn colours_may_stay() {
        assert_eq!(printable_coloured("\u{1b}[1;31merror\u{1b}[0m: x"), "\u{1b}[1;31merror\u{1b}[0m: x");
        assert_eq!(printable_coloured("\u{1b}[2J\u{1b}]0;t\u{7}\u{1b}["), "\\u{1b}[2J\\u{1b}]0;t\\u{7}\\u{1b}[");
    }
}
