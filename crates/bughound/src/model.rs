//! Loading: from a file and its options to a network.

use std::fmt;
use std::path::{Path, PathBuf};

use bughound_ir::network::{Network, Property, PropertyKind};
use bughound_ir::source::{Diagnostic, Severity, SourceMap};
use bughound_promela::lower::{LowerOptions, lower};
use bughound_promela::{DiskReader, Options, parse};
use bughound_uppaal::ast::Expectation;

use crate::added::{self, AddedKind, AddedProperty};
use crate::input::{self, MAX_FILE_BYTES};
use crate::language::Language;

/// How a model is read. Part of a saved trace, so that the same model can be read again.
#[derive(Clone, Debug)]
pub struct ModelOptions {
    /// `None`: by the ending of the file, or by its text.
    pub language: Option<Language>,
    pub defines: Vec<(String, Option<String>)>,
    pub undefines: Vec<String>,
    pub include_dirs: Vec<PathBuf>,
    /// Join chains of deterministic local statements into one step.
    pub merge: bool,
    /// Variants of the language, by name.
    pub dialect: Vec<String>,
    /// Properties that are not in the file.
    pub added: Vec<AddedProperty>,
}

impl Default for ModelOptions {
    fn default() -> Self {
        ModelOptions {
            language: None,
            defines: Vec::new(),
            undefines: Vec::new(),
            include_dirs: Vec::new(),
            merge: true,
            dialect: Vec::new(),
            added: Vec::new(),
        }
    }
}

/// A model that was read without errors.
#[derive(Debug)]
pub struct Model {
    pub network: Network,
    pub language: Language,
    /// As the user named it; `-` for the standard input.
    pub file: String,
    /// How it was read.
    pub options: ModelOptions,
    pub sources: SourceMap,
    pub warnings: Vec<Diagnostic>,
    /// What the file says that the answers to properties should be, by their names: true for yes.
    pub expectations: Vec<(String, bool)>,
    /// The names of properties that are not in the file: they were asked for on purpose.
    pub added: Vec<String>,
}

impl Model {
    /// What the file says that the answer to a property should be.
    pub fn expectation(&self, property: &str) -> Option<bool> {
        self.expectations.iter().find(|(name, _)| name == property).map(|(_, yes)| *yes)
    }
}

/// Why there is no model.
#[derive(Debug)]
pub enum LoadError {
    /// The file cannot be read, or nothing is known about its language.
    File { message: String, help: Option<String> },
    /// The file is not a model: errors, and perhaps warnings, with places in the sources.
    Model { diagnostics: Vec<Diagnostic>, sources: SourceMap },
}

impl LoadError {
    fn file(message: impl Into<String>) -> LoadError {
        LoadError::File { message: message.into(), help: None }
    }

    fn with_help(message: impl Into<String>, help: impl Into<String>) -> LoadError {
        LoadError::File { message: message.into(), help: Some(help.into()) }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::File { message, .. } => f.write_str(message),
            LoadError::Model { diagnostics, .. } => {
                let mut errors = diagnostics.iter().filter(|d| d.is_error());
                write!(f, "{}", errors.next().map_or("the model has errors", |d| &d.message))
            }
        }
    }
}

impl std::error::Error for LoadError {}

/// Reads, parses and lowers the model in `file` (`-` is the standard input).
pub fn load(file: &str, options: &ModelOptions) -> Result<Model, LoadError> {
    let path = Path::new(file);
    if file != "-" && path.is_dir() {
        return Err(is_directory(file));
    }
    let named = options.language.or_else(|| if file == "-" { None } else { Language::of_file(path) });
    if let Some(language) = named {
        supported(file, language)?;
    }
    let text = input::read(file, MAX_FILE_BYTES).map_err(LoadError::file)?;
    if let Some(language) = named {
        return load_text(file, &text, language, options);
    }
    let (language, note) = guess(file, &text)?;
    match load_text(file, &text, language, options) {
        Ok(mut model) => {
            model.warnings.insert(0, note);
            Ok(model)
        }
        Err(LoadError::Model { mut diagnostics, sources }) => {
            diagnostics.insert(0, note);
            Err(LoadError::Model { diagnostics, sources })
        }
        Err(error) => Err(error),
    }
}

/// The language of a text whose name does not tell it, and what is said about that.
fn guess(file: &str, text: &[u8]) -> Result<(Language, Diagnostic), LoadError> {
    let ending = Path::new(file).extension().map(|ending| ending.to_string_lossy());
    let (name, silent) = match &ending {
        _ if file == "-" => ("the standard input", "its name says nothing".to_string()),
        Some(ending) => (file, format!("the ending .{ending} says nothing")),
        None => (file, "its name has no ending".to_string()),
    };
    let Some(language) = Language::of_text(text) else {
        let endings: Vec<String> =
            Language::ALL.iter().flat_map(|l| l.endings()).map(|ending| format!(".{ending}")).collect();
        return Err(LoadError::with_help(
            format!("{name}: the language is not known: {silent}, nor does the text"),
            format!("known endings are {}; or add `--language promela` or `--language uppaal`", endings.join(" ")),
        ));
    };
    let message = format!("{name} is read as {}: {silent} (--language decides)", language.title());
    Ok((language, Diagnostic::new(Severity::Note, None, message)))
}

fn supported(file: &str, language: Language) -> Result<(), LoadError> {
    if !language.is_supported() {
        let supported: Vec<&str> = Language::ALL.into_iter().filter(|l| l.is_supported()).map(Language::name).collect();
        return Err(LoadError::with_help(
            format!("{file}: models in {language} are not supported yet"),
            format!("this version reads: {}; `--language` says so if the ending misleads", supported.join(", ")),
        ));
    }
    Ok(())
}

fn is_directory(file: &str) -> LoadError {
    LoadError::with_help(format!("{file}: this is a directory"), "name a model file inside it")
}

/// Parses and lowers a model whose text is at hand.
pub fn load_text(file: &str, text: &[u8], language: Language, options: &ModelOptions) -> Result<Model, LoadError> {
    let mut sources = SourceMap::default();
    let name = if file == "-" { "standard input" } else { file };
    let mut expectations = Vec::new();
    let mut added = added::names(&options.added);
    let (network, diagnostics) = match language {
        Language::Uppaal => load_uppaal(&mut sources, name, text, options, &mut expectations, &mut added),
        _ => load_promela(&mut sources, name, text, options),
    };
    match network {
        Some(network) => {
            let (file, options) = (file.to_string(), options.clone());
            Ok(Model { network, language, file, options, sources, warnings: diagnostics, expectations, added })
        }
        None => Err(LoadError::Model { diagnostics, sources }),
    }
}

fn load_promela(
    sources: &mut SourceMap,
    name: &str,
    text: &[u8],
    options: &ModelOptions,
) -> (Option<Network>, Vec<Diagnostic>) {
    let preprocessing = Options {
        defines: options.defines.clone(),
        undefines: options.undefines.clone(),
        include_dirs: options.include_dirs.clone(),
        explicit_semicolons: options.dialect.iter().any(|d| d == "explicit-semicolons"),
    };
    let parsed = parse(sources, name, text, &preprocessing, &DiskReader);
    let mut diagnostics = parsed.diagnostics;
    let Some(mut ast) = parsed.ast else { return (None, diagnostics) };
    if let Err(errors) = added::add(&mut ast, &options.added, sources, &parsed.definitions) {
        diagnostics.extend(errors);
        return (None, diagnostics);
    }
    let lowered = lower(&ast, sources, lower_options(options));
    diagnostics.extend(lowered.diagnostics);
    (lowered.network, diagnostics)
}

/// The queries of a UPPAAL model are its own, those of the file beside it (`model.q` for `model.xta`), and those that were
/// added.
fn load_uppaal(
    sources: &mut SourceMap,
    name: &str,
    text: &[u8],
    options: &ModelOptions,
    expectations: &mut Vec<(String, bool)>,
    names: &mut Vec<String>,
) -> (Option<Network>, Vec<Diagnostic>) {
    let parsed = bughound_uppaal::parse(sources, name, text);
    let mut diagnostics = parsed.diagnostics;
    let Some(mut ast) = parsed.ast else { return (None, diagnostics) };
    diagnostics.extend(bughound_uppaal::constants::set(&mut ast, &options.defines, sources));
    let mut queries = Vec::new();
    let beside = Path::new(name).with_extension("q");
    if beside.exists() {
        match input::read(&beside.display().to_string(), MAX_FILE_BYTES) {
            Ok(text) => {
                let (found, more) = bughound_uppaal::parse_queries(sources, beside, &text);
                queries.extend(found);
                diagnostics.extend(more);
            }
            // Queries that were meant to be asked must not be passed over in silence.
            Err(message) => diagnostics.push(Diagnostic::new(Severity::Error, None, message)),
        }
    }
    for added in &options.added {
        if matches!(added.kind, AddedKind::Ltl | AddedKind::Claim) {
            let message = format!("--{} is not for UPPAAL models", added.kind.name());
            let help = "ask by a query, such as --query 'A[] p' or --query 'E<> p'";
            diagnostics.push(Diagnostic::new(Severity::Error, None, message).help(help));
            continue;
        }
        let (text, option) = (added.query(), format!("--{}", added.kind.name()));
        let (mut found, mut more) = bughound_uppaal::parse_queries(sources, option.as_str(), text.as_bytes());
        if added.kind != AddedKind::Queries {
            // Of a file, the others can still be answered; what was typed just now can be typed again.
            found.iter_mut().for_each(|query| query.demanded = true);
            more.iter_mut().for_each(|about| about.severity = Severity::Error);
            if found.is_empty() && more.is_empty() {
                let help = "give a query, such as --query 'A[] not deadlock'";
                more.push(Diagnostic::new(Severity::Error, None, format!("{option} is empty")).help(help));
            }
        }
        names.extend(found.iter().map(|query| query.text.clone()));
        queries.extend(found);
        diagnostics.extend(more);
    }
    if diagnostics.iter().any(Diagnostic::is_error) {
        return (None, diagnostics);
    }
    let lowered = bughound_uppaal::lower::lower(&ast, &queries, sources);
    diagnostics.extend(lowered.diagnostics);
    let mut network = lowered.network;
    if let Some(network) = &mut network {
        // A query that cannot be answered must not be passed over in silence.
        for query in lowered.queries {
            if let Some(expected) = query.expectation {
                expectations.push((query.text.clone(), expected == Expectation::Success));
            }
            if let Err(reason) = query.property {
                let kind = PropertyKind::Unsupported { reason };
                network.properties.push(Property { name: query.text, kind, span: None });
            }
        }
    }
    (network, diagnostics)
}

/// Variants of Promela that change what a model means, with what SPIN calls them.
pub const DIALECTS: [(&str, &str); 5] = [
    ("lossy", "a message sent to a full channel is lost (SPIN's -m)"),
    ("inner-unless-first", "of nested `unless`, the innermost escape is tried first (-J)"),
    ("no-priorities", "`priority` means nothing (-o6)"),
    ("flat-scopes", "blocks are no scopes (-O)"),
    ("explicit-semicolons", "the end of a line separates no statements (-o7)"),
];

fn lower_options(options: &ModelOptions) -> LowerOptions {
    let has = |name: &str| options.dialect.iter().any(|d| d == name);
    LowerOptions {
        merge: options.merge,
        lossy_sends: has("lossy"),
        inner_unless_first: has("inner-unless-first"),
        ignore_priorities: has("no-priorities"),
        flat_scopes: has("flat-scopes"),
        warn_truncation: true,
        ..LowerOptions::default()
    }
}
