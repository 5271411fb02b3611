//! Saving counterexamples and replaying saved ones.

use std::fmt;
use std::path::Path;

use bughound_ir::reference::EvalError;
use bughound_kernel::{Failure, FailureKind};
use bughound_search::Trail;
use bughound_trace::{FORMAT, LoadTraceError, SavedTrace, Trace, TraceDocument, replay, replay_timed};

use crate::added::{AddedKind, AddedProperty};
use crate::check::{PropertyReport, claim};
use crate::execute::replay_run;
use crate::input::{MAX_TRACE_BYTES, read_text};
use crate::language::Language;
use crate::model::{LoadError, Model, ModelOptions, load};
use crate::properties::{named, selector};
use bughound_ir::question::{Property, Question};

/// Why a saved trace cannot be shown.
#[derive(Debug)]
pub enum SavedTraceError {
    /// The trace file cannot be read.
    File(String),
    Format(LoadTraceError),
    /// The model cannot be read (any more).
    Model(LoadError),
    /// The model or the trace has changed, or the trace does not replay.
    Mismatch(String),
}

impl fmt::Display for SavedTraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SavedTraceError::File(message) | SavedTraceError::Mismatch(message) => f.write_str(message),
            SavedTraceError::Format(error) => error.fmt(f),
            SavedTraceError::Model(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SavedTraceError {}

/// Fingerprint of a model: every file that was read and the shape of the network that came out (FNV-1a, 64 bits).
pub fn fingerprint(model: &Model) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |bytes: &[u8]| {
        for byte in bytes.iter().chain(&(bytes.len() as u64).to_le_bytes()) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for file in 0..model.sources.len() as u32 {
        if let Some(file) = model.sources.get(bughound_ir::source::FileId(file)) {
            mix(file.text.as_bytes());
        }
    }
    let network = &model.network;
    for count in [network.templates.len(), network.locations.len(), network.edges.len()] {
        mix(&(count as u64).to_le_bytes());
    }
    format!("{hash:016x}")
}

/// What must be known of a model before it is given away to a check.
#[derive(Clone, Debug)]
pub struct Origin {
    pub file: String,
    pub language: Language,
    pub fingerprint: String,
    pub options: ModelOptions,
}

impl Origin {
    pub fn of(model: &Model, options: &ModelOptions) -> Origin {
        Origin {
            file: model.file.clone(),
            language: model.language,
            fingerprint: fingerprint(model),
            options: options.clone(),
        }
    }

    /// The trace file for a property that has a trace.
    pub fn save(&self, report: &PropertyReport) -> Option<SavedTrace> {
        let trace = report.trace.as_deref()?;
        let define = |(name, value): &(String, Option<String>)| match value {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        };
        let failure = report.failure.map(|f| {
            let kind = match f.kind {
                FailureKind::Assertion => "assertion",
                FailureKind::Evaluation => "evaluation",
            };
            (kind.to_string(), f.edge, f.code)
        });
        let (times, end_time) = SavedTrace::times_of(trace);
        Some(SavedTrace {
            format: FORMAT.into(),
            seal: String::new(),
            file: self.file.clone(),
            directory: std::env::current_dir().map(|d| d.display().to_string()).unwrap_or_default(),
            language: self.language.name().into(),
            fingerprint: self.fingerprint.clone(),
            defines: self.options.defines.iter().map(define).collect(),
            undefines: self.options.undefines.clone(),
            include_dirs: self.options.include_dirs.iter().map(|d| d.display().to_string()).collect(),
            merge: self.options.merge,
            dialect: self.options.dialect.clone(),
            added: self.options.added.iter().map(|a| (a.kind.name().into(), a.text.clone())).collect(),
            property: report.name.clone(),
            kind: report.kind.into(),
            moves: trace.moves.iter().map(|m| (*m).into()).collect(),
            times,
            end_time,
            failure,
            loop_start: report.cycle,
            fair: report.fair,
            shown: serde_json::to_value(TraceDocument::from(trace)).unwrap_or_default(),
        })
    }
}

/// `NAME=VALUE` or `NAME`.
pub fn parse_define(text: &str) -> (String, Option<String>) {
    match text.split_once('=') {
        Some((name, value)) => (name.to_string(), Some(value.to_string())),
        None => (text.to_string(), None),
    }
}

/// A saved trace that was replayed.
#[derive(Debug)]
pub struct Replayed {
    pub trace: Trace,
    pub saved: SavedTrace,
    /// The model file that was read.
    pub file: String,
    pub model: Model,
    pub kind: &'static str,
}

fn read_saved(path: &str) -> Result<SavedTrace, SavedTraceError> {
    let text = read_text(path, MAX_TRACE_BYTES).map_err(SavedTraceError::File)?;
    SavedTrace::from_text(&text).map_err(SavedTraceError::Format)
}

/// Reads a trace file and its model, and replays the trace.
pub fn replay_file(path: &str) -> Result<Replayed, SavedTraceError> {
    let saved = read_saved(path)?;
    let options = options_of(&saved)?;
    let file = find_model(&saved, path);
    let model = load(&file, &options).map_err(SavedTraceError::Model)?;
    let mismatch = SavedTraceError::Mismatch;
    if fingerprint(&model) != saved.fingerprint {
        return Err(mismatch(format!("{file} has changed since the trace was saved; check it again")));
    }
    let (trace, asked) =
        replay_saved(&saved, &model).map_err(|why| mismatch(format!("{path} does not fit {file}: {why}")))?;
    Ok(Replayed { trace, kind: asked.question.kind(), saved, file, model })
}

/// The property of a saved trace.
pub fn property_of(saved: &SavedTrace, model: &Model) -> Option<Property> {
    let is_meant = |asked: &Property| saved.kind.is_empty() || saved.kind == asked.question.kind();
    named(&model.network, &saved.property).into_iter().find(is_meant)
}

/// Replays a trace in a model that was read as it says; and its property.
pub fn replay_saved(saved: &SavedTrace, model: &Model) -> Result<(Trace, Property), SavedTraceError> {
    let mismatch = SavedTraceError::Mismatch;
    let Some(asked) = property_of(saved, model) else {
        return Err(mismatch(format!("the model has no property `{}`", saved.property)));
    };
    let failure = failure_of(saved)?;
    let (moves, times) = (saved.moves(), saved.times().map_err(SavedTraceError::Format)?);
    let claim = claim(&asked, failure, saved.loop_start, saved.fair);
    let replayed = match (&asked.question, times, saved.loop_start) {
        (Question::Run(_) | Question::Ltl(_), Some(times), Some(start)) => {
            replay_run(&model.network, &asked, &moves, &times, start)
        }
        (_, Some(times), _) => replay_timed(&model.network, &moves, &times, &claim),
        (_, None, _) => replay(&model.network, &moves, &claim),
    };
    let trace = replayed.map_err(|error| mismatch(error.to_string()))?;
    Ok((trace, asked))
}

/// The way to the error of a saved trace, to be improved in a model that was loaded already; and a word that selects its
/// property.
pub fn trail_of(model: &Model, path: &str) -> Result<(Trail, String), SavedTraceError> {
    let saved = read_saved(path)?;
    if fingerprint(model) != saved.fingerprint {
        let message = format!("{path} was saved for another model, or {} has changed since", model.file);
        return Err(SavedTraceError::Mismatch(message));
    }
    if saved.loop_start.is_some() {
        let message = format!("{path} shows a loop; only traces that end in an error can be improved");
        return Err(SavedTraceError::Mismatch(message));
    }
    // What the evaluator cannot follow, no search can.
    let (_, asked) = replay_saved(&saved, model)
        .map_err(|why| SavedTraceError::Mismatch(format!("{path} does not fit {}: {why}", model.file)))?;
    let trail = Trail { property: 0, moves: saved.moves(), failure: failure_of(&saved)? };
    Ok((trail, selector(model, &asked)))
}

/// How the model of a saved trace was read.
pub fn options_of(saved: &SavedTrace) -> Result<ModelOptions, SavedTraceError> {
    let language = Language::from_name(&saved.language)
        .ok_or_else(|| SavedTraceError::Mismatch(format!("unknown language `{}`", saved.language)))?;
    let mut added = Vec::new();
    for (kind, text) in &saved.added {
        let kind = AddedKind::from_name(kind)
            .ok_or_else(|| SavedTraceError::Mismatch(format!("unknown kind of property `{kind}`")))?;
        added.push(AddedProperty { kind, text: text.clone() });
    }
    Ok(ModelOptions {
        language: Some(language),
        defines: saved.defines.iter().map(|d| parse_define(d)).collect(),
        undefines: saved.undefines.clone(),
        include_dirs: saved.include_dirs.iter().map(Into::into).collect(),
        merge: saved.merge,
        dialect: saved.dialect.clone(),
        added,
    })
}

/// The model where the user named it; else in the directory of that time; else beside the trace file.
fn find_model(saved: &SavedTrace, trace_file: &str) -> String {
    if saved.file == "-" || Path::new(&saved.file).exists() {
        return saved.file.clone();
    }
    let name = Path::new(&saved.file).file_name().unwrap_or_default();
    let beside = Path::new(trace_file).parent().unwrap_or(Path::new("")).join(name);
    let places = [Path::new(&saved.directory).join(&saved.file), beside];
    places.iter().find(|p| p.exists()).map_or(saved.file.clone(), |p| p.display().to_string())
}

fn failure_of(saved: &SavedTrace) -> Result<Option<Failure>, SavedTraceError> {
    let Some((kind, edge, code)) = &saved.failure else { return Ok(None) };
    let kind = match kind.as_str() {
        "assertion" => FailureKind::Assertion,
        "evaluation" if EvalError::from_code(*code).is_some() => FailureKind::Evaluation,
        other => return Err(SavedTraceError::Mismatch(format!("unknown failure `{other}` with code {code}"))),
    };
    Ok(Some(Failure { kind, edge: *edge, code: *code }))
}
