//! What keys an object must, may and should not have, with messages that say where and what instead.

use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;

use super::Read;
use super::json::{Field, Json, JsonKind};

/// An object that has to have certain keys.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'j> {
    /// In words: "an edge".
    what: &'static str,
    fields: &'j [Field],
    pub span: Span,
}

impl<'j> Fields<'j> {
    pub fn of(json: &'j Json, what: &'static str) -> Read<Fields<'j>> {
        match &json.kind {
            JsonKind::Object(fields) => Ok(Fields { what, fields, span: json.span }),
            _ => Err(wrong(json, what, "an object")),
        }
    }

    pub fn optional(&self, key: &str) -> Option<&'j Json> {
        self.fields.iter().find(|field| field.key == key).map(|field| &field.value)
    }

    pub fn required(&self, key: &str) -> Read<&'j Json> {
        self.optional(key).ok_or_else(|| {
            // The whole object may be long; its first brace says enough.
            let start = Span { end: self.span.start + 1, ..self.span };
            let keys = self.fields.iter().map(|field| field.key.as_str());
            let message = format!("{} needs the key `{key}`{}", self.what, suggest_present(key, keys));
            Box::new(Diagnostic::error(start, message))
        })
    }

    /// The text of a key.
    pub fn text(&self, key: &str) -> Read<&'j str> {
        text(self.required(key)?, self.what)
    }

    /// The items of a list; none if there is no such key.
    pub fn items(&self, key: &str) -> Read<&'j [Json]> {
        match self.optional(key) {
            None => Ok(&[]),
            Some(json) => list(json, self.what),
        }
    }

    pub fn truth(&self, key: &str) -> Read<bool> {
        match self.optional(key) {
            None => Ok(false),
            Some(Json { kind: JsonKind::Bool(truth), .. }) => Ok(*truth),
            Some(json) => Err(wrong(json, self.what, "true or false")),
        }
    }

    /// Warnings about keys that nobody reads. Extensions (`x-…`) and comments may stand anywhere.
    pub fn strangers(&self, known: &[&str]) -> Vec<Diagnostic> {
        let strange = |field: &&Field| {
            field.key != "comment" && !field.key.starts_with("x-") && !known.contains(&field.key.as_str())
        };
        let warn = |field: &Field| {
            let hint = suggest(&field.key, known.iter().copied());
            let message = format!("{} has no key `{}`{hint}", self.what, field.key);
            Diagnostic::warning(field.key_span, message).label("it is not read")
        };
        self.fields.iter().filter(strange).map(warn).collect()
    }
}

fn suggest_present<'n>(missing: &str, present: impl Iterator<Item = &'n str>) -> String {
    match suggest(missing, present) {
        hint if hint.is_empty() => hint,
        // The question is about what stands there.
        hint => hint.replace("did you mean", "is it").replace("`?)", "` here?)"),
    }
}

/// The text that this is.
pub fn text<'j>(json: &'j Json, what: &str) -> Read<&'j str> {
    match &json.kind {
        JsonKind::Text(text) => Ok(text),
        _ => Err(wrong(json, what, "a text")),
    }
}

/// The list that this is.
pub fn list<'j>(json: &'j Json, what: &str) -> Read<&'j [Json]> {
    match &json.kind {
        JsonKind::List(items) => Ok(items),
        _ => Err(wrong(json, what, "a list")),
    }
}

/// The whole number that this is.
pub fn whole(json: &Json, what: &str) -> Read<i32> {
    match &json.kind {
        JsonKind::Number(number) => number.parse().map_err(|_| wrong(json, what, "a whole number of 32 bits")),
        _ => Err(wrong(json, what, "a whole number")),
    }
}

fn wrong(json: &Json, what: &str, expected: &str) -> Box<Diagnostic> {
    let message = format!("in {what}: expected {expected}, found {}", json.what());
    Box::new(Diagnostic::error(json.span, message).label(format!("expected {expected}")))
}
