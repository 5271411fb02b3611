//! The UPPAAL front end of Bughound: from the text of a model to a network.
//!
//! [`parse`] reads `.xml`, `.xta` and `.ta` files, [`parse_queries`] files of queries (`.q`), [`lower::lower`] makes a
//! network of timed processes of them. Wrong input ends in diagnostics, never in a panic, and every limit is reported
//! by name: a file holds at most [`MAX_FILE_BYTES`] bytes and [`lexer::MAX_TOKENS`] tokens; expressions and statements
//! nest at most [`parser::MAX_NESTING`] deep.

pub mod ast;
pub mod constants;
pub mod lexer;
pub mod lower;
pub mod parser;
pub mod text;
mod xml;

use std::path::PathBuf;

use bughound_ir::source::{Diagnostic, Severity, SourceMap, Span};
use parser::Textual;
use text::Fragment;

/// Larger files are refused.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// A model, unless there were errors, and all that there is to say about it.
#[derive(Debug)]
pub struct ParseResult {
    /// `None` if and only if there is an error among the diagnostics.
    pub ast: Option<ast::Model>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a model given as bytes. Whether it is XML is seen from its beginning, not from its name.
pub fn parse(sources: &mut SourceMap, path: impl Into<PathBuf>, bytes: &[u8]) -> ParseResult {
    let mut diagnostics = Vec::new();
    let ast = decode(sources, path.into(), bytes, &mut diagnostics).and_then(|file| {
        let text = sources.get(file).map(|f| f.text.clone()).unwrap_or_default();
        match text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
            true => xml::read(file, &text, &mut diagnostics),
            false => textual(&Fragment::whole(file, &text), &mut diagnostics),
        }
    });
    if let Some(model) = &ast
        && model.system.is_empty()
        && !diagnostics.iter().any(Diagnostic::is_error)
    {
        let span = Span::new(model.file, 0, 0);
        let help = "name the processes that make up the system: `system P, Q;`";
        diagnostics.push(Diagnostic::error(span, "the model has no system line").help(help));
    }
    let ast = ast.filter(|_| !diagnostics.iter().any(Diagnostic::is_error));
    ParseResult { ast, diagnostics }
}

/// Parses a file of queries. What cannot be checked stays in the list, with the reason.
pub fn parse_queries(
    sources: &mut SourceMap,
    path: impl Into<PathBuf>,
    bytes: &[u8],
) -> (Vec<ast::Query>, Vec<Diagnostic>) {
    queries_by(sources, path.into(), bytes, parser::query_file)
}

/// Parses a formula of linear temporal logic; it is a query like others.
pub fn parse_formula(
    sources: &mut SourceMap,
    path: impl Into<PathBuf>,
    bytes: &[u8],
) -> (Vec<ast::Query>, Vec<Diagnostic>) {
    queries_by(sources, path.into(), bytes, |fragment, warnings| {
        parser::formula(fragment, warnings).into_iter().collect()
    })
}

fn queries_by(
    sources: &mut SourceMap,
    path: PathBuf,
    bytes: &[u8],
    parse: impl FnOnce(&Fragment, &mut Vec<Diagnostic>) -> Vec<ast::Query>,
) -> (Vec<ast::Query>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let queries = match decode(sources, path, bytes, &mut diagnostics) {
        Some(file) => {
            let text = sources.get(file).map(|f| f.text.clone()).unwrap_or_default();
            parse(&Fragment::whole(file, &text), &mut diagnostics)
        }
        None => Vec::new(),
    };
    (queries, diagnostics)
}

fn textual(fragment: &Fragment, diagnostics: &mut Vec<Diagnostic>) -> Option<ast::Model> {
    match Textual::parse(fragment) {
        Ok(textual) => {
            diagnostics.extend(textual.warnings);
            Some(ast::Model {
                file: fragment.file,
                declarations: textual.declarations,
                templates: textual.templates,
                instances: textual.instances,
                system: textual.system,
                queries: Vec::new(),
            })
        }
        Err(error) => {
            diagnostics.push(error);
            None
        }
    }
}

/// Adds a file to the sources. Bytes that are not UTF-8 become question marks: they are nearly always old comments, and
/// elsewhere the parser refuses them at their place.
fn decode(
    sources: &mut SourceMap,
    path: PathBuf,
    bytes: &[u8],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<bughound_ir::source::FileId> {
    if bytes.len() > MAX_FILE_BYTES {
        let message = format!("{}: the file is larger than {} MiB", path.display(), MAX_FILE_BYTES >> 20);
        diagnostics.push(Diagnostic::new(Severity::Error, None, message));
        return None;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => bytes.iter().map(|b| if b.is_ascii() { *b as char } else { '?' }).collect(),
    };
    Some(sources.add(path, text))
}
