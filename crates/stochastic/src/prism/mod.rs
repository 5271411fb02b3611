//! PRISM's language: models (`.prism`, `.pm`, `.nm`, `.sm`) and properties (`.props`, `.pctl`, `.csl`).
//!
//! [`Reader`] takes a model, any number of property texts, and the values of constants, which may belong to either; it makes a
//! [`Model`] of them. [`read_properties`] reads properties about a model that exists already, whatever language it was written
//! in. Wrong input ends in diagnostics, never in a panic, and every limit is reported by name: a file holds at most
//! [`MAX_FILE_BYTES`] bytes and [`MAX_TOKENS`] tokens; expressions nest at most [`MAX_NESTING`] deep.

pub mod arithmetic;
mod ast;
mod elaborate;
mod fold;
mod lexer;
mod parser;
pub mod print;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bughound_ir::source::{Diagnostic, FileId, Severity, SourceMap, Span};

use crate::tree::{Model, Property, Type};
use elaborate::Given;

pub use lexer::MAX_TOKENS;
pub use parser::MAX_NESTING;

/// Larger files are refused.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// A model with its properties, unless there were errors, and all that there is to say about it.
#[derive(Debug)]
pub struct ReadResult {
    /// `None` if and only if there is an error among the diagnostics.
    pub model: Option<Model>,
    pub diagnostics: Vec<Diagnostic>,
    /// All files read.
    pub sources: Arc<SourceMap>,
}

/// A constant that has to be given a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndefinedConstant {
    pub name: String,
    pub ty: Type,
}

/// A model and properties that are parsed, but whose constants may still lack values.
#[derive(Debug, Default)]
pub struct Reader {
    sources: SourceMap,
    model: Option<ParsedModel>,
    properties: Vec<ast::Properties>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Debug)]
struct ParsedModel {
    name: String,
    file: FileId,
    ast: ast::Model,
}

impl Reader {
    /// Reads into sources that may hold other files already.
    pub fn new(sources: SourceMap) -> Self {
        Reader { sources, ..Reader::default() }
    }

    /// The text of the model. Only the first one counts.
    pub fn model(&mut self, path: impl Into<PathBuf>, bytes: &[u8]) {
        let path = path.into();
        let name = name_of(&path);
        let Some(file) = decode(&mut self.sources, path, bytes, &mut self.diagnostics) else { return };
        match parser::model(file, text(&self.sources, file)) {
            Ok(ast) if self.model.is_none() => self.model = Some(ParsedModel { name, file, ast }),
            Ok(_) => {
                let span = Span::new(file, 0, 0);
                self.diagnostics.push(Diagnostic::error(span, "only one model can be read at a time"));
            }
            Err(error) => self.diagnostics.push(error),
        }
    }

    /// A file of properties, or the text of a query.
    pub fn properties(&mut self, path: impl Into<PathBuf>, bytes: &[u8]) {
        let Some(file) = decode(&mut self.sources, path.into(), bytes, &mut self.diagnostics) else { return };
        let parsed = parser::properties(file, text(&self.sources, file), &mut self.diagnostics);
        self.properties.push(parsed);
    }

    /// Constants without a value that the model needs.
    pub fn undefined_in_model(&self) -> Vec<UndefinedConstant> {
        let Some(model) = &self.model else { return Vec::new() };
        elaborate::undefined_in_model(&model.ast).into_iter().map(|(name, ty)| UndefinedConstant { name, ty }).collect()
    }

    /// Constants without a value that the model or some property needs.
    pub fn undefined(&self) -> Vec<UndefinedConstant> {
        let mut undefined = self.undefined_in_model();
        let Some(model) = &self.model else { return undefined };
        for file in &self.properties {
            for (name, ty) in elaborate::undefined_in_properties(&model.ast, file) {
                let constant = UndefinedConstant { name, ty };
                if !undefined.contains(&constant) {
                    undefined.push(constant);
                }
            }
        }
        undefined
    }

    /// The model with these values of its constants. May be called again with others.
    ///
    /// A property that needs a constant without a value stays in the list with that as the reason; for the model it is an error.
    pub fn finish(&self, constants: &[(String, String)]) -> ReadResult {
        let sources = Arc::new(self.sources.clone());
        let mut diagnostics = self.diagnostics.clone();
        let given = Given(constants);
        let mut result = None;
        if let Some(ParsedModel { name, file, ast }) = &self.model {
            let declared = ast.constants.iter().chain(self.properties.iter().flat_map(|file| &file.constants));
            diagnostics.extend(given.unknown(declared.map(|constant| &*constant.name.text)));
            let whole = Span::new(*file, 0, 0);
            let mut of_model = Vec::new();
            result = elaborate::model(ast, name.clone(), whole, Arc::clone(&sources), given, &mut of_model);
            diagnostics.extend(of_model);
        } else if diagnostics.is_empty() {
            diagnostics.push(Diagnostic::new(Severity::Error, None, "there is no model"));
        }
        if let Some(model) = &mut result {
            for file in &self.properties {
                let properties = elaborate::properties(model, file, given, &mut diagnostics);
                model.properties.extend(properties);
            }
        }
        let model = result.filter(|_| !diagnostics.iter().any(Diagnostic::is_error));
        ReadResult { model, diagnostics, sources }
    }
}

/// Reads a model without properties.
pub fn read(
    sources: &mut SourceMap,
    path: impl Into<PathBuf>,
    bytes: &[u8],
    constants: &[(String, String)],
) -> ReadResult {
    let mut reader = Reader::new(std::mem::take(sources));
    reader.model(path, bytes);
    let result = reader.finish(constants);
    *sources = reader.sources;
    result
}

/// Reads properties about a model. Names that they use are the variables, labels, rewards and definitions of the model.
///
/// `constants` may name constants that neither the properties nor the model have: somebody else may need them. Properties with
/// errors stay in the list, with the reason.
pub fn read_properties(
    sources: &mut SourceMap,
    path: impl Into<PathBuf>,
    bytes: &[u8],
    model: &Model,
    constants: &[(String, String)],
) -> (Vec<Property>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let Some(file) = decode(sources, path.into(), bytes, &mut diagnostics) else { return (Vec::new(), diagnostics) };
    let parsed = parser::properties(file, text(sources, file), &mut diagnostics);
    let properties = elaborate::properties(model, &parsed, Given(constants), &mut diagnostics);
    (properties, diagnostics)
}

fn name_of(path: &Path) -> String {
    path.file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy().into_owned())
}

fn text(sources: &SourceMap, file: FileId) -> &str {
    sources.get(file).map_or("", |file| &*file.text)
}

/// Adds a file to the sources. Bytes that are not UTF-8 become question marks: they are nearly always old comments, and
/// elsewhere the parser refuses them at their place.
fn decode(sources: &mut SourceMap, path: PathBuf, bytes: &[u8], diagnostics: &mut Vec<Diagnostic>) -> Option<FileId> {
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
