//! The document of `bughound check` with several models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{CheckCommand, CheckDocument};
use super::error::{ErrorDocument, StoppedDocument};
use super::words::Schema;
use crate::verdict::Verdict;

/// The result of `bughound check` with several models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FilesDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The command that was given.
    pub command: CheckCommand,
    /// The worst of the verdicts on the models.
    pub verdict: FilesVerdict,
    /// The code that stands for it.
    pub exit_code: u8,
    /// For each model the document that a check of it alone would have written, in the order of the command.
    pub files: Vec<ModelDocument>,
}

impl FilesDocument {
    pub fn new(exit_code: u8, files: Vec<ModelDocument>) -> FilesDocument {
        let verdict = FilesVerdict::of(exit_code);
        FilesDocument { schema: Schema::Only, command: CheckCommand::Only, verdict, exit_code, files }
    }
}

/// What became of one of several models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ModelDocument {
    /// It was checked.
    Checked(Box<CheckDocument>),
    /// Time or memory was over before its check could end, or begin.
    Stopped(StoppedDocument),
    /// It could not be checked.
    Failed(ErrorDocument),
}

/// The verdict on several models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FilesVerdict {
    /// Everything holds in all of them.
    Holds,
    /// Something is violated in one of them.
    Violated,
    /// No answer to something.
    Inconclusive,
    /// A limit came before everything was decided.
    Limit,
    /// One of them could not be checked, and nothing is violated.
    Error,
}

impl FilesVerdict {
    /// That goes with an exit code.
    pub fn of(code: u8) -> FilesVerdict {
        let verdicts = [
            (Verdict::Holds, FilesVerdict::Holds),
            (Verdict::Violated, FilesVerdict::Violated),
            (Verdict::Inconclusive, FilesVerdict::Inconclusive),
            (Verdict::Limit, FilesVerdict::Limit),
        ];
        let found = verdicts.into_iter().find(|(verdict, _)| verdict.exit_code() == code);
        found.map_or(FilesVerdict::Error, |(_, verdict)| verdict)
    }
}
