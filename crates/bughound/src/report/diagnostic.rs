//! Errors and warnings with their places.

use bughound_ir::source::{Diagnostic, Severity, SourceMap};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An error or a warning, with its place if it has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosticDocument {
    /// How bad it is.
    pub severity: SeverityWord,
    /// What is wrong.
    pub message: String,
    /// The file; null if it is about no place.
    pub file: Option<String>,
    /// The line, from 1; null if it is about no place.
    pub line: Option<u32>,
    /// The column, from 1; null if it is about no place.
    pub column: Option<u32>,
    /// What is to be said about the place itself; null if there is nothing.
    pub label: Option<String>,
    /// What can be done about it; null if nobody knows.
    pub help: Option<String>,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Severity")]
pub enum SeverityWord {
    Error,
    Warning,
    Note,
}

impl DiagnosticDocument {
    /// An error without a place.
    pub fn error(message: &str, help: Option<&str>) -> DiagnosticDocument {
        DiagnosticDocument {
            severity: SeverityWord::Error,
            message: message.into(),
            file: None,
            line: None,
            column: None,
            label: None,
            help: help.map(String::from),
        }
    }

    pub fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> DiagnosticDocument {
        let severity = match diagnostic.severity {
            Severity::Error => SeverityWord::Error,
            Severity::Warning => SeverityWord::Warning,
            Severity::Note => SeverityWord::Note,
        };
        let span = diagnostic.span;
        DiagnosticDocument {
            severity,
            message: diagnostic.message.clone(),
            file: span.map(|span| sources.path(span).display().to_string()),
            line: span.map(|span| sources.line(span)),
            column: span.map(|span| sources.column(span)),
            label: Some(diagnostic.label.clone()).filter(|label| !label.is_empty()),
            help: diagnostic.help.clone(),
        }
    }

    pub fn all(diagnostics: &[Diagnostic], sources: &SourceMap) -> Vec<DiagnosticDocument> {
        diagnostics.iter().map(|diagnostic| DiagnosticDocument::new(diagnostic, sources)).collect()
    }
}
