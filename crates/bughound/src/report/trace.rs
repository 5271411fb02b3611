//! The document of `bughound trace`.

use bughound_trace::{Trace, TraceDocument};
use schemars::JsonSchema;
use serde::Serialize;

use super::words::{Schema, constant};
use crate::language::Language;

constant! {
    /// The command.
    TraceCommand = "trace"
}

/// The result of `bughound trace`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReplayDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The model file that was read.
    pub file: String,
    /// The language of the model, as in `--language`.
    pub language: String,
    /// The command that was given.
    pub command: TraceCommand,
    /// The property that the trace is about.
    pub property: String,
    /// What kind of property that is.
    pub kind: String,
    /// Always 0: what cannot be replayed is an error.
    pub exit_code: u8,
    /// The trace, replayed.
    pub trace: TraceDocument,
}

impl ReplayDocument {
    pub fn new(file: &str, language: Language, property: &str, kind: &str, trace: &Trace) -> ReplayDocument {
        ReplayDocument {
            schema: Schema::Only,
            file: file.into(),
            language: language.name().into(),
            command: TraceCommand::Only,
            property: property.into(),
            kind: kind.into(),
            exit_code: 0,
            trace: trace.into(),
        }
    }
}
