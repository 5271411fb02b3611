//! JANI models (`.jani`): automata and properties as JSON, from the text to the [tree](crate::tree).
//!
//! `json.rs` reads values with their places, `fields.rs` says which keys objects need. Then, in this order: `header.rs`,
//! `constants.rs`, `variables.rs`, `elements.rs` (the system), `transients.rs` (labels and rewards of locations), `edges.rs`,
//! `rewards.rs`, `properties.rs` with `paths.rs`. `expressions.rs` translates expressions with what `names.rs` knows,
//! `build.rs` checks and computes them, `text.rs` shows them to people.
//!
//! Wrong input ends in diagnostics, never in a panic: a file holds at most [`MAX_FILE_BYTES`] bytes, values nest at most
//! [`MAX_NESTING`] deep.

mod arrays;
mod build;
mod constants;
mod edges;
mod elements;
mod expressions;
mod fields;
mod header;
mod json;
mod model;
mod names;
mod numbers;
mod operators;
mod paths;
mod properties;
mod rewards;
mod text;
mod transients;
mod types;
mod variables;

use std::path::PathBuf;

use bughound_ir::source::{Diagnostic, FileId, Severity, SourceMap};

pub use constants::UndefinedConstant;

use crate::tree::Model;

/// Larger files are refused.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// How deep values may nest in a file, and expressions when functions are expanded.
pub const MAX_NESTING: usize = 500;

/// How many errors are reported at most.
const MAX_ERRORS: usize = 50;

/// A part of a model, or what is wrong with it.
type Read<T> = Result<T, Box<Diagnostic>>;

/// Why a property cannot be answered.
#[derive(Debug)]
enum Refusal {
    Unsupported(String),
    Wrong(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for Refusal {
    fn from(error: Box<Diagnostic>) -> Refusal {
        Refusal::Wrong(error)
    }
}

/// A model, unless there were errors, and all that there is to say about it.
#[derive(Debug)]
pub struct ReadResult {
    /// `None` if and only if there is an error among the diagnostics.
    pub model: Option<Model>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a model given as bytes, with values for the constants that it leaves open: `("N", "3")`, `("p", "1/3")`.
pub fn read(
    sources: &mut SourceMap,
    path: impl Into<PathBuf>,
    bytes: &[u8],
    constants: &[(String, String)],
) -> ReadResult {
    let mut diagnostics = Vec::new();
    let model = parse(sources, path.into(), bytes)
        .map_err(|error| diagnostics.push(*error))
        .ok()
        .and_then(|json| model::read(&json, constants, sources, &mut diagnostics));
    let model = model.filter(|_| !diagnostics.iter().any(Diagnostic::is_error));
    ReadResult { model, diagnostics: tidy(diagnostics) }
}

/// The constants that a file uses and leaves open, in their order; for properties, too. Nothing if the file is no JSON.
pub fn undefined_constants(path: impl Into<PathBuf>, bytes: &[u8]) -> Vec<UndefinedConstant> {
    match parse(&mut SourceMap::default(), path.into(), bytes) {
        Ok(json) => constants::undefined(&json),
        Err(_) => Vec::new(),
    }
}

fn parse(sources: &mut SourceMap, path: PathBuf, bytes: &[u8]) -> Read<json::Json> {
    if bytes.len() > MAX_FILE_BYTES {
        let message = format!("{}: the file is larger than {} MiB", path.display(), MAX_FILE_BYTES >> 20);
        return Err(Diagnostic::new(Severity::Error, None, message).into());
    }
    // Bytes that are not UTF-8 become question marks: they are nearly always in comments.
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => bytes.iter().map(|b| if b.is_ascii() { *b as char } else { '?' }).collect(),
    };
    let file: FileId = sources.add(path, text);
    let text = sources.get(file).map(|file| file.text.clone()).unwrap_or_default();
    json::parse(file, &text)
}

/// Says nothing twice, and not too much.
fn tidy(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = std::collections::HashSet::new();
    let mut tidy: Vec<Diagnostic> = diagnostics;
    tidy.retain(|one| seen.insert((one.severity, one.span, one.message.clone())));
    for severity in [Severity::Error, Severity::Warning] {
        let mut count = 0;
        tidy.retain(|one| {
            count += usize::from(one.severity == severity);
            one.severity != severity || count <= MAX_ERRORS
        });
        if count > MAX_ERRORS {
            let kind = if severity == Severity::Error { "errors" } else { "warnings" };
            let message = format!("and {} more {kind}", count - MAX_ERRORS);
            tidy.push(Diagnostic::new(severity, None, message));
        }
    }
    tidy
}
