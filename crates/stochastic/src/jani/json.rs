//! JSON with places: every value knows which bytes of the file it is.
//!
//! Numbers keep their text, because 0.1 has to be one tenth. Nesting and the number of values are limited, so that no file can
//! exhaust the stack or the memory.

use std::collections::HashMap;

use bughound_ir::source::{Diagnostic, FileId, Span};

use super::{MAX_NESTING, Read};

/// More values than this are refused.
const MAX_VALUES: usize = 4_000_000;

#[derive(Clone, Debug)]
pub struct Json {
    pub kind: JsonKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum JsonKind {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<Field>),
}

/// An entry of an object.
#[derive(Clone, Debug)]
pub struct Field {
    pub key: String,
    pub key_span: Span,
    pub value: Json,
}

impl Json {
    /// In words, for messages.
    pub fn what(&self) -> &'static str {
        match &self.kind {
            JsonKind::Null => "null",
            JsonKind::Bool(_) => "a truth value",
            JsonKind::Number(_) => "a number",
            JsonKind::Text(_) => "a text",
            JsonKind::List(_) => "a list",
            JsonKind::Object(_) => "an object",
        }
    }

    /// The value of a field of an object; nothing if this is something else.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match &self.kind {
            JsonKind::Object(fields) => fields.iter().find(|field| field.key == key).map(|field| &field.value),
            _ => None,
        }
    }
}

/// Reads a whole file.
pub fn parse(file: FileId, text: &str) -> Read<Json> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut parser = Parser { file, text, at: start, values: 0 };
    parser.skip_space();
    if parser.at == text.len() {
        let message = "the file is empty";
        return Err(parser.error(message).help("a JANI model is a JSON object: { \"jani-version\": 1, … }").into());
    }
    let value = parser.value(0)?;
    parser.skip_space();
    if parser.at < text.len() {
        return Err(parser
            .error("there is more after the end of the model")
            .label("expected the end of the file")
            .into());
    }
    Ok(value)
}

struct Parser<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    values: usize,
}

impl Parser<'_> {
    /// An error at the next character.
    fn error(&self, message: impl Into<String>) -> Diagnostic {
        let length = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        Diagnostic::error(Span::new(self.file, self.at, self.at + length), message)
    }

    fn expected(&self, what: &str) -> Box<Diagnostic> {
        let found = match self.text[self.at..].chars().next() {
            None => "the file ends here".to_string(),
            Some(c) => format!("found `{}`", c.escape_debug()),
        };
        Box::new(self.error(format!("this is not well-formed JSON: expected {what}")).label(found))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Steps over a character if it is the next one.
    fn accept(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Read<Json> {
        self.skip_space();
        if depth > MAX_NESTING {
            let message = format!("values are nested more than {MAX_NESTING} deep");
            return Err(self.error(message).label("too deep").into());
        }
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(self.error(format!("the file has more than {MAX_VALUES} values")).into());
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => JsonKind::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Json { kind, span: Span::new(self.file, start, self.at) })
    }

    fn word(&mut self) -> Read<JsonKind> {
        let words = [("true", JsonKind::Bool(true)), ("false", JsonKind::Bool(false)), ("null", JsonKind::Null)];
        for (word, kind) in words {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(kind);
            }
        }
        Err(self.expected("a value"))
    }

    fn list(&mut self, depth: usize) -> Read<JsonKind> {
        self.at += 1;
        let mut items = Vec::new();
        if self.accept(b']') {
            return Ok(JsonKind::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.accept(b']') {
                return Ok(JsonKind::List(items));
            }
            if !self.accept(b',') {
                return Err(self.expected("`,` or `]`"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Read<JsonKind> {
        self.at += 1;
        let mut fields: Vec<Field> = Vec::new();
        if self.accept(b'}') {
            return Ok(JsonKind::Object(fields));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.expected("a key in quotes"));
            }
            let start = self.at;
            let key = self.string()?;
            let key_span = Span::new(self.file, start, self.at);
            if !self.accept(b':') {
                return Err(self.expected("`:`"));
            }
            let value = self.value(depth + 1)?;
            fields.push(Field { key, key_span, value });
            if self.accept(b'}') {
                no_key_twice(&fields)?;
                return Ok(JsonKind::Object(fields));
            }
            if !self.accept(b',') {
                return Err(self.expected("`,` or `}`"));
            }
        }
    }

    fn number(&mut self) -> Read<JsonKind> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let first = self.at;
        self.digits()?;
        if self.at - first > 1 && self.text.as_bytes()[first] == b'0' {
            self.at = first;
            return Err(self.expected("a number without zeros in front"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(JsonKind::Number(self.text[start..self.at].to_string()))
    }

    fn digits(&mut self) -> Read<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.expected("a digit")) } else { Ok(()) }
    }

    fn string(&mut self) -> Read<String> {
        self.at += 1;
        let mut decoded = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(plain) = rest.find(|c: char| matches!(c, '"' | '\\') || (c as u32) < 0x20) else {
                self.at = self.text.len();
                return Err(self.expected("the closing quote of a text"));
            };
            decoded.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(decoded);
                }
                Some(b'\\') => {
                    self.at += 1;
                    decoded.push(self.escape()?);
                }
                _ => return Err(self.expected("the closing quote of a text, on the same line")),
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let plain = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte as char,
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.code_point();
            }
            _ => return Err(self.expected("an escape such as `\\n` or `\\u2227`")),
        };
        self.at += 1;
        Ok(plain)
    }

    /// What follows `\u`; large code points are two of them.
    fn code_point(&mut self) -> Read<char> {
        let first = self.unit()?;
        let is_high = (0xd800..0xdc00).contains(&first);
        if is_high && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let second = self.unit()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or('\u{fffd}'));
            }
        }
        // Half of a pair stands for no character.
        Ok(char::from_u32(first).unwrap_or('\u{fffd}'))
    }

    fn unit(&mut self) -> Read<u32> {
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(unit) = digits.and_then(|d| u32::from_str_radix(d, 16).ok()) else {
            return Err(self.expected("four hexadecimal digits"));
        };
        self.at += 4;
        Ok(unit)
    }
}

fn no_key_twice(fields: &[Field]) -> Read<()> {
    let mut seen: HashMap<&str, Span> = HashMap::new();
    // Comments say nothing, so they may say it twice.
    for field in fields.iter().filter(|field| field.key != "comment") {
        if let Some(first) = seen.insert(&field.key, field.key_span) {
            let message = format!("the key `{}` is given twice", field.key);
            return Err(Diagnostic::error(field.key_span, message).related(first, "first given here").into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Json, String> {
        parse(FileId(0), text).map_err(|d| d.message)
    }

    #[test]
    fn values_know_their_places() {
        let text = "\u{feff} {\"a\": [1.50, true, null, \"x\\u2227\\ud83d\\ude00\\n\"]}";
        let json = read(text).unwrap();
        let JsonKind::List(items) = &json.get("a").unwrap().kind else { panic!("a list") };
        assert!(matches!(&items[0].kind, JsonKind::Number(n) if n == "1.50"));
        assert_eq!(&text[items[0].span.start as usize..items[0].span.end as usize], "1.50");
        assert!(matches!(&items[3].kind, JsonKind::Text(t) if t == "x∧😀\n"));
    }

    #[test]
    fn broken_texts_are_refused_with_a_reason() {
        let cases = [
            ("", "the file is empty"),
            ("  \n", "the file is empty"),
            ("{", "this is not well-formed JSON: expected a key in quotes"),
            ("{\"a\" 1}", "this is not well-formed JSON: expected `:`"),
            ("[1 2]", "this is not well-formed JSON: expected `,` or `]`"),
            ("[01]", "this is not well-formed JSON: expected a number without zeros in front"),
            ("[1.]", "this is not well-formed JSON: expected a digit"),
            ("[\"a", "this is not well-formed JSON: expected the closing quote of a text"),
            ("[\"a\n\"]", "this is not well-formed JSON: expected the closing quote of a text, on the same line"),
            ("[\"\\q\"]", "this is not well-formed JSON: expected an escape such as `\\n` or `\\u2227`"),
            ("[\"\\u12é\"]", "this is not well-formed JSON: expected four hexadecimal digits"),
            ("[nul]", "this is not well-formed JSON: expected a value"),
            ("[] x", "there is more after the end of the model"),
            ("{\"a\":1,\"a\":2}", "the key `a` is given twice"),
        ];
        for (text, message) in cases {
            assert_eq!(read(text).unwrap_err(), message, "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        for open in ["[", "{\"a\":"] {
            let message = read(&open.repeat(100_000)).unwrap_err();
            assert_eq!(message, format!("values are nested more than {MAX_NESTING} deep"));
        }
    }
}
