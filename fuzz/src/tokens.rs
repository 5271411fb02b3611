//! Texts made of tokens, so that a fuzzer gets past the lexer with every byte.

use bughound_promela::token::Keyword;

/// What a token is made of besides keywords. Names occur in few spellings, so that uses meet declarations.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    ";", "->", "::", ":", ",", ".", "..", "(", ")", "{", "}", "[", "]", "=", "==", "!=", "<", "<=", ">", ">=", "<<", ">>",
    "+", "-", "*", "/", "%", "++", "--", "&&", "||", "&", "|", "^", "~", "!", "!!", "?", "??", "@", "#", "##", "\\", "...",
    "\n", ";\n", "[]", "<>", "<->", "U", "W", "V", "X", "in", "_", "_pid", "_nr_pr", "_last", "_priority", "a", "b", "x",
    "y", "q", "P", "Q", "T", "f", "L", "m", "end1", "progress", "accept", "0", "1", "2", "3", "255", "2147483647",
    "4294967295", "0x1F", "'a'", "'\\n'", "'\\f'", "'\\''", "'\u{7}'", "'é'", "\"%d %e\\n\"", "\"\"", "#define", "#undef",
    "#if", "#ifdef", "#else", "#endif",
    "\n#define M ", "\n#define F(x,y) ", "M", "F(", "always", "eventually", "until", "weakuntil", "release", "next",
    "implies", "equivalent",
];

/// Pieces of text with a legal start: with them a random list of tokens is a model more often.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "active proctype P() {", "proctype Q(byte x; chan q) {", "init {", "}", "if\n:: ", "\n:: ", "\nfi;", "do\n:: ",
    "\nod;", "atomic {", "d_step {", "byte x;", "int a[3] = 1;", "chan q = [2] of { byte, mtype };", "mtype = { a, b, m };",
    "typedef T { int a; byte b[2] }", "T y;", "inline f(a, b) {", "f(x, y);", "q!a,1;", "q?x,_;", "q??[a,x]", "q?<x,b>",
    "q!!m(2);", "run P();", "run Q(1, q)", "else -> ", "goto L;", "L: ", "assert(", "(x == ", "x = x + 1;", "for (x : 1 .. 3) {",
    "for (x in a) {", "select (x : 0 .. 3);", "unless {", "printf(\"%d\", x);", "timeout -> ", "provided (", "priority 2",
    "never {", "ltl p {", "P@L", "P[0]:x", "(x -> 1 : 2)", "eval(x)", "len(q)", "nfull(q)", "hidden byte x;", "xr q;",
    "unsigned x : 3;", "mtype:T = { x, y };", "mtype:T a;", "set_priority(0, 2);", "enabled(0)", "pc_value(1)", "x++;", "break;",
    "skip;", "D_proctype P() {", "active [2] proctype P() {", "chan q[2] = [0] of { byte };", "return x;", "x = f(1, 2);",
];

/// The token with this number.
pub fn token(number: u8) -> &'static str {
    let number = number as usize;
    let keywords = Keyword::ALL.len();
    match Keyword::ALL.get(number) {
        Some(keyword) => keyword.text(),
        None => match OTHERS.get(number - keywords) {
            Some(text) => text,
            None => PIECES[(number - keywords - OTHERS.len()) % PIECES.len()],
        },
    }
}

/// One token for each byte; a byte 255 is followed by one that chooses among the pieces.
pub fn text(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut bytes = bytes.iter();
    while let Some(&byte) = bytes.next() {
        let word = match byte {
            255 => PIECES[bytes.next().copied().unwrap_or(0) as usize % PIECES.len()],
            _ => token(byte),
        };
        text.push_str(word);
        text.push(' ');
    }
    text
}

/// A text as a list of words, strings, marks and blanks that together make the text.
pub fn split(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => 0,
        ' ' | '\t' => 1,
        _ => 2,
    };
    let mut parts = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        let now = class(c);
        if at > start && (last != Some(now) || now == 2) {
            parts.push(&text[start..at]);
            start = at;
        }
        last = Some(now);
    }
    parts.push(&text[start..]);
    parts
}

/// Changes a text at the level of its tokens, as four bytes for each change say: what to do, where (two bytes), and with
/// which token.
pub fn mutate(text: &str, changes: &[u8]) -> String {
    let mut parts: Vec<&str> = split(text);
    for change in changes.chunks_exact(4).take(16) {
        if parts.is_empty() {
            break;
        }
        let at = u16::from_le_bytes([change[1], change[2]]) as usize % parts.len();
        match change[0] % 6 {
            0 => parts[at] = token(change[3]),
            1 => {
                parts.remove(at);
            }
            2 => parts.insert(at, token(change[3])),
            3 => {
                let other = (at + change[3] as usize) % parts.len();
                parts.swap(at, other);
            }
            4 => {
                // Repeats a few tokens.
                let end = (at + 1 + change[3] as usize % 16).min(parts.len());
                let copy = parts[at..end].to_vec();
                parts.splice(end..end, copy);
            }
            _ => {
                let end = (at + 1 + change[3] as usize % 8).min(parts.len());
                parts.drain(at..end);
            }
        }
    }
    let mut text = String::new();
    for part in parts {
        // A new token must not run together with its neighbour.
        text.push_str(part);
        if !part.trim().is_empty() && part.len() > 1 {
            text.push(' ');
        }
    }
    text
}
