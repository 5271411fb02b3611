//! Trace files: everything needed to replay a counterexample later, from the model file.

use std::fmt;

use bughound_ir::rational::NotAFraction;
use bughound_kernel::Move;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::TraceDocument;
use crate::replay::Trace;
use crate::timing::Times;

/// What stands in the field `format` of a trace file.
pub const FORMAT: &str = "bughound-trace/1";

/// One move of a saved path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SavedMove {
    /// The number of the process.
    pub process: u16,
    /// The number of the edge in the model as it is read.
    pub edge: u32,
    /// Optional: which of the destinations of the edge; 0 if it is not there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub destination: u16,
    /// Optional: the move belongs to the same step as the one before; false if it is not there.
    #[serde(default, skip_serializing_if = "is_false")]
    pub joins: bool,
}

fn is_zero(n: &u16) -> bool {
    *n == 0
}

fn is_false(b: &bool) -> bool {
    !*b
}

impl From<Move> for SavedMove {
    fn from(m: Move) -> Self {
        SavedMove { process: m.process, edge: m.edge, destination: m.destination, joins: m.joins }
    }
}

impl From<SavedMove> for Move {
    fn from(m: SavedMove) -> Self {
        Move { process: m.process, edge: m.edge, destination: m.destination, joins: m.joins }
    }
}

/// A trace file. `shown` is for people and scripts; the replay uses the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SavedTrace {
    /// The format and its version: `bughound-trace/1`.
    #[schemars(extend("const" = FORMAT))]
    pub format: String,
    /// Fingerprint of what the replay uses of this file but for the places of the files, which may have been moved.
    #[serde(default)]
    pub seal: String,
    /// The model file as the user named it.
    pub file: String,
    /// The directory from which `file` and the include directories are meant.
    #[serde(default)]
    pub directory: String,
    /// The language of the model, as in `--language`.
    pub language: String,
    /// Fingerprint of the model as it was read.
    pub fingerprint: String,
    /// Macros that were defined, such as `N=3`.
    #[serde(default)]
    pub defines: Vec<String>,
    /// Macros that were undefined.
    #[serde(default)]
    pub undefines: Vec<String>,
    /// Where included files were looked for.
    #[serde(default)]
    pub include_dirs: Vec<String>,
    /// Chains of deterministic local statements were joined.
    pub merge: bool,
    /// Variants of the language, by name.
    #[serde(default)]
    pub dialect: Vec<String>,
    /// Properties from the command line: kind and text.
    #[serde(default)]
    pub added: Vec<(String, String)>,
    /// The property that is violated.
    pub property: String,
    /// Optional: its kind. A formula may have the name of a property that every model has.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The moves of the run.
    pub moves: Vec<SavedMove>,
    /// Optional, for a timed model: when the micro steps happen, such as `7/2`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<String>,
    /// Optional, for a timed model: the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_time: Option<String>,
    /// For a failing step at the end: its kind (`assertion` or `evaluation`), edge and code; null if there is none.
    #[serde(default)]
    pub failure: Option<(String, u32, u32)>,
    /// Optional, for a run that goes on for ever: micro steps before its loop. All of them: it comes to rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_start: Option<usize>,
    /// Optional: the loop leaves out no process that could always move.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fair: bool,
    /// The trace as in a result document.
    #[serde(default)]
    #[schemars(with = "TraceDocument")]
    pub shown: serde_json::Value,
}

/// Why a trace file cannot be used.
#[derive(Debug)]
pub enum LoadTraceError {
    NotJson(String),
    /// JSON, but not of a trace.
    NotATrace(String),
    OtherFormat(String),
    /// Somebody has written in it: the trace may still be one, but not the one that was found.
    Changed,
}

impl fmt::Display for LoadTraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadTraceError::NotJson(error) => write!(f, "the file is not JSON: {error}"),
            LoadTraceError::NotATrace(error) => write!(f, "the file is not a saved trace: {error}"),
            LoadTraceError::OtherFormat(format) => {
                write!(f, "the file has the format `{format}`; this version reads `{FORMAT}`")
            }
            LoadTraceError::Changed => f.write_str("the trace was changed after it was saved; save it again"),
        }
    }
}

impl std::error::Error for LoadTraceError {}

impl SavedTrace {
    /// With the seal that it deserves.
    pub fn to_text(&self) -> String {
        let sealed = SavedTrace { seal: self.due_seal(), ..self.clone() };
        let mut text = serde_json::to_string_pretty(&sealed).unwrap_or_default();
        text.push('\n');
        text
    }

    pub fn from_text(text: &str) -> Result<SavedTrace, LoadTraceError> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| LoadTraceError::NotJson(error.to_string()))?;
        match value.get("format").and_then(|format| format.as_str()) {
            Some(FORMAT) => {}
            Some(other) => return Err(LoadTraceError::OtherFormat(other.to_string())),
            None if value.get("schema").is_some() => {
                let why = "this is a result document; `--save-trace FILE` writes traces";
                return Err(LoadTraceError::NotATrace(why.into()));
            }
            None => return Err(LoadTraceError::NotATrace("it has no field `format`".into())),
        }
        let saved: SavedTrace =
            serde_json::from_value(value).map_err(|error| LoadTraceError::NotATrace(error.to_string()))?;
        if saved.seal == saved.due_seal() { Ok(saved) } else { Err(LoadTraceError::Changed) }
    }

    /// FNV-1a, 64 bits: it is against mistakes, not against malice.
    fn due_seal(&self) -> String {
        let (nowhere, shown) = (String::new(), serde_json::Value::Null);
        let sealed = SavedTrace {
            seal: nowhere.clone(),
            file: nowhere.clone(),
            directory: nowhere,
            include_dirs: Vec::new(),
            shown,
            ..self.clone()
        };
        let text = serde_json::to_string(&sealed).unwrap_or_default();
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
    }

    /// The times of a timed run; nothing for other models.
    pub fn times(&self) -> Result<Option<Times>, LoadTraceError> {
        if self.times.is_empty() && self.end_time.is_none() {
            return Ok(None);
        }
        let number = |text: &String| text.parse().map_err(|e: NotAFraction| LoadTraceError::NotATrace(e.to_string()));
        let steps = self.times.iter().map(number).collect::<Result<_, _>>()?;
        let end = self.end_time.as_ref().map(number).transpose()?;
        Ok(Some(Times { steps, end }))
    }

    /// What the fields `times` and `end_time` are for this trace.
    pub fn times_of(trace: &Trace) -> (Vec<String>, Option<String>) {
        let Some(timing) = &trace.timing else { return (Vec::new(), None) };
        (timing.steps.iter().map(|step| step.time.to_string()).collect(), Some(timing.end.time.to_string()))
    }

    pub fn moves(&self) -> Vec<Move> {
        self.moves.iter().map(|m| Move::from(*m)).collect()
    }
}
