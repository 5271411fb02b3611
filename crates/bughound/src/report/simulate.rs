//! The document of `bughound simulate`.

use bughound_trace::{SavedMove, TraceDocument, Values};
use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::DiagnosticDocument;
use super::words::{Schema, constant};

constant! {
    /// The command.
    SimulateCommand = "simulate"
}

/// The result of `bughound simulate`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SimulateDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The model file, as it was named.
    pub file: String,
    /// The language of the model, as in `--language`.
    pub language: String,
    /// The command that was given.
    pub command: SimulateCommand,
    /// 0 after an end that is allowed, 1 after an error of the model, 4 after a limit.
    pub exit_code: u8,
    /// The seed of the random choices.
    pub seed: u64,
    /// The saved trace that was followed; null if there was none.
    pub guide: Option<String>,
    /// Steps that were given by that trace.
    pub guided_steps: usize,
    /// Why the run does not go on: `all-ended`, `end-states`, `deadlock`, `assertion`, `evaluation`, `step-limit`,
    /// `end-of-trace`, `interrupted` or `limit`.
    pub ending: String,
    /// The run.
    pub trace: TraceDocument,
    /// The state at its end.
    pub final_state: Values,
    /// Warnings about the model.
    pub diagnostics: Vec<DiagnosticDocument>,
    /// The moves, as in a saved trace.
    pub moves: Vec<SavedMove>,
}
