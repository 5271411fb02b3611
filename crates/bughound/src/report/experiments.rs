//! The document of `bughound check` with ranges of constants.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::CheckCommand;
use super::files::{FilesVerdict, ModelDocument};
use super::words::Schema;

/// The result of `bughound check` with ranges in `--const`: experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentsDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The command that was given.
    pub command: CheckCommand,
    /// The model file, as it was named.
    pub file: String,
    /// The worst of the verdicts.
    pub verdict: FilesVerdict,
    /// The code that stands for it.
    pub exit_code: u8,
    /// One for each valuation of the constants, in the order of the ranges.
    pub experiments: Vec<ExperimentDocument>,
}

/// The check with one valuation of the constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentDocument {
    /// The constants that were given, by their names.
    pub constants: BTreeMap<String, String>,
    /// The document that a check with these constants alone would have written.
    pub result: ModelDocument,
}

impl ExperimentDocument {
    /// `constants`: as `NAME=VALUE`.
    pub fn new(constants: &[String], result: ModelDocument) -> ExperimentDocument {
        let pairs = constants.iter().filter_map(|constant| constant.split_once('='));
        let constants = pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect();
        ExperimentDocument { constants, result }
    }
}

impl ExperimentsDocument {
    pub fn new(file: &str, exit_code: u8, experiments: Vec<ExperimentDocument>) -> ExperimentsDocument {
        ExperimentsDocument {
            schema: Schema::Only,
            command: CheckCommand::Only,
            file: file.into(),
            verdict: FilesVerdict::of(exit_code),
            exit_code,
            experiments,
        }
    }
}
