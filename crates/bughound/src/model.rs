//! Loading: from a file and its options to a network.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bughound_ir::network::Network;
use bughound_ir::source::{Diagnostic, Severity, SourceMap};

use crate::added::AddedProperty;
use crate::expected::Expected;
use crate::front_end::{self, Conventions, FrontEnd, Read};
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
    pub network: Arc<Network>,
    pub language: Language,
    /// As the user named it; `-` for the standard input.
    pub file: String,
    /// How it was read.
    pub options: ModelOptions,
    pub sources: SourceMap,
    pub warnings: Vec<Diagnostic>,
    /// What the file says that the answers to properties should be, by their names.
    pub expectations: Vec<(String, Expected)>,
    /// The names of properties that are not in the file: they were asked for on purpose.
    pub added: Vec<String>,
    /// The names of those of the file that were asked for once more.
    pub repeated: Vec<String>,
}

impl Model {
    /// What the users of its language are used to.
    pub fn conventions(&self) -> Conventions {
        front_end::of(self.language).map_or(Conventions::default(), |front_end| front_end.conventions())
    }

    /// Do runs cost something, by their steps or while time passes?
    pub fn has_costs(&self) -> bool {
        self.network.pricing.is_some() || self.network.has_costs()
    }

    /// What the file says that the answer to a property should be.
    pub fn expectation(&self, property: &str) -> Option<Expected> {
        self.expectations.iter().find(|(name, _)| name == property).map(|(_, expected)| expected.clone())
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
    // A name that is no text is shown with this sign, and the file is not found by what is shown.
    if file.contains(char::REPLACEMENT_CHARACTER) && !path.exists() {
        let why = format!("{file}: the name of this file is not text in UTF-8");
        return Err(LoadError::with_help(why, "rename the file"));
    }
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
            format!(
                "known endings are {}; or add `--language`, such as `--language promela` ({})",
                endings.join(" "),
                Language::ALL.map(Language::name).join(", "),
            ),
        ));
    };
    let message = format!("{name} is read as {}: {silent} (--language decides)", language.title());
    Ok((language, Diagnostic::new(Severity::Note, None, message)))
}

fn supported(file: &str, language: Language) -> Result<&'static dyn FrontEnd, LoadError> {
    front_end::of(language).ok_or_else(|| {
        let supported: Vec<&str> = Language::ALL.into_iter().filter(|l| l.is_supported()).map(Language::name).collect();
        LoadError::with_help(
            format!("{file}: models in {language} are not supported yet"),
            format!("this version reads: {}; `--language` says so if the ending misleads", supported.join(", ")),
        )
    })
}

fn is_directory(file: &str) -> LoadError {
    LoadError::with_help(format!("{file}: this is a directory"), "name a model file inside it")
}

/// Parses and lowers a model whose text is at hand.
pub fn load_text(file: &str, text: &[u8], language: Language, options: &ModelOptions) -> Result<Model, LoadError> {
    let front_end = supported(file, language)?;
    let mut sources = SourceMap::default();
    let name = if file == "-" { "standard input" } else { file };
    let Read { network, diagnostics, expectations, added, repeated } =
        front_end.read(&mut sources, name, text, options);
    let Some(network) = network else { return Err(LoadError::Model { diagnostics, sources }) };
    let (network, file, options) = (Arc::new(network), file.to_string(), options.clone());
    Ok(Model { network, language, file, options, sources, warnings: diagnostics, expectations, added, repeated })
}
