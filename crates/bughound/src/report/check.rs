//! The document of `bughound check`.

use bughound_trace::Place;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::diagnostic::DiagnosticDocument;
use super::property::PropertyDocument;
use super::stats::StatsDocument;
use super::words::{OverallVerdict, Schema, constant};
use crate::check::CheckReport;
use crate::coverage::UnreachedIn;
use crate::language::Language;

constant! {
    /// The command.
    CheckCommand = "check"
}

/// The result of `bughound check`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The model file, as it was named.
    pub file: String,
    /// The language of the model, as in `--language`.
    pub language: String,
    /// The command that was given.
    pub command: CheckCommand,
    /// The verdict on all properties together.
    pub verdict: OverallVerdict,
    /// The code that stands for the verdict: 0, 1, 3 or 4.
    pub exit_code: u8,
    /// The properties that were asked for.
    pub properties: Vec<PropertyDocument>,
    /// What was not checked although the model has something to say about it, and the like.
    pub notes: Vec<String>,
    /// The numbers of all searches together; null if nothing was searched.
    pub stats: Option<StatsDocument>,
    /// Deadlocks that the largest search has seen; null if nothing was searched.
    pub deadlocks: Option<u64>,
    /// Statements that are never executed, by process type; null unless everything was seen.
    pub unreached: Option<Vec<UnreachedDocument>>,
    /// Warnings about the model.
    pub diagnostics: Vec<DiagnosticDocument>,
}

impl CheckDocument {
    pub fn new(
        file: &str,
        language: Language,
        report: &CheckReport,
        diagnostics: Vec<DiagnosticDocument>,
    ) -> CheckDocument {
        CheckDocument {
            schema: Schema::Only,
            file: file.into(),
            language: language.name().into(),
            command: CheckCommand::Only,
            verdict: report.verdict.into(),
            exit_code: report.verdict.exit_code(),
            properties: report.properties.iter().map(|p| PropertyDocument::new(p, report)).collect(),
            notes: report.notes.clone(),
            stats: report.stats.as_ref().map(StatsDocument::from),
            deadlocks: report.stats.as_ref().map(|stats| stats.counts.deadlocks),
            unreached: report.unreached.as_ref().map(|all| all.iter().map(UnreachedDocument::from).collect()),
            diagnostics,
        }
    }
}

/// What is never executed of a process type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreachedDocument {
    /// The process type; `init` for the initial process.
    pub proctype: String,
    /// The statements that are never executed.
    pub statements: Vec<UnreachedStatement>,
    /// How many statements the process type has.
    pub of: usize,
}

/// A statement that is never executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreachedStatement {
    /// Where it is.
    pub source: Place,
    /// The statement.
    pub text: String,
}

impl From<&UnreachedIn> for UnreachedDocument {
    fn from(unreached: &UnreachedIn) -> UnreachedDocument {
        let statements = unreached.statements.iter().map(|statement| UnreachedStatement {
            source: Place { file: statement.file.clone(), line: statement.line },
            text: statement.text.clone(),
        });
        UnreachedDocument { proctype: unreached.template.clone(), statements: statements.collect(), of: unreached.of }
    }
}
