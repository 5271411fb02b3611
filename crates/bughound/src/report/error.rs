//! The documents of commands that have no result: wrong usage, models that cannot be read, bugs, and limits that nothing but
//! the end of the program could keep.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::diagnostic::DiagnosticDocument;
use super::words::{Schema, VerdictWord, constant};
use crate::answer::Answer;
use crate::check::{CheckReport, PropertyReport};
use crate::verdict::Verdict;

constant! {
    /// There is no verdict.
    ErrorVerdict = "error"
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The file that the command is about, as it was named; empty if the arguments are wrong.
    pub file: String,
    /// The command that was given; empty if there is none of that name.
    #[schemars(extend("enum" = ["check", "compare", "explore", "explain", "trace", "simulate", "translate", "list", "completions", ""]))]
    pub command: String,
    /// There is none.
    pub verdict: ErrorVerdict,
    /// 2 for wrong usage or input, 1 for a model that has no initial state, 5 for a bug of the program.
    pub exit_code: u8,
    /// What is wrong; with a model, its warnings as well.
    pub errors: Vec<DiagnosticDocument>,
}

impl ErrorDocument {
    pub fn new(command: &str, file: &str, exit_code: u8, errors: Vec<DiagnosticDocument>) -> ErrorDocument {
        let (command, file) = (command.into(), file.into());
        ErrorDocument { schema: Schema::Only, file, command, verdict: ErrorVerdict::Only, exit_code, errors }
    }
}

/// What was known when a limit, or Ctrl-C, ended the program before it could write its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoppedDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The file that the command is about, as it was named.
    pub file: String,
    /// The command that was given.
    #[schemars(extend("enum" = ["check", "compare", "explore", "explain", "trace", "simulate"]))]
    pub command: String,
    /// What is known: `violated` if something is, otherwise `limit`.
    pub verdict: StoppedVerdict,
    /// 1 or 4, for the verdict.
    pub exit_code: u8,
    /// What ended it.
    pub reason: String,
    /// What is known of the properties; empty for other commands than `check`.
    pub properties: Vec<StoppedProperty>,
    /// The reason once more.
    pub errors: Vec<DiagnosticDocument>,
}

/// The verdict of a program that was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StoppedVerdict {
    Violated,
    Limit,
}

/// What was known of a property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoppedProperty {
    /// Its name.
    pub name: String,
    /// What kind of property it is.
    pub kind: String,
    /// The verdict.
    pub verdict: VerdictWord,
    /// The answer; null if there is none yet.
    pub answer: Option<Answer>,
    /// Why the verdict is no better than it is; null if there is nothing to say.
    pub reason: Option<String>,
}

impl From<&PropertyReport> for StoppedProperty {
    fn from(property: &PropertyReport) -> StoppedProperty {
        StoppedProperty {
            name: property.name.clone(),
            kind: property.kind.into(),
            verdict: property.verdict.into(),
            answer: property.answer(),
            reason: property.reason.clone(),
        }
    }
}

impl StoppedDocument {
    /// `report`: what was known.
    pub fn new(command: &str, file: &str, reason: &str, report: &CheckReport) -> StoppedDocument {
        let verdict = match report.verdict {
            Verdict::Violated => StoppedVerdict::Violated,
            _ => StoppedVerdict::Limit,
        };
        StoppedDocument {
            schema: Schema::Only,
            file: file.into(),
            command: command.into(),
            verdict,
            exit_code: report.verdict.exit_code(),
            reason: reason.into(),
            properties: report.properties.iter().map(StoppedProperty::from).collect(),
            errors: vec![DiagnosticDocument::error(reason, None)],
        }
    }
}
