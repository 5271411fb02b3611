//! The document of `bughound compare`.

use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::DiagnosticDocument;
use super::property::NamedProperty;
use super::stats::StatsDocument;
use super::words::{Schema, constant};
use crate::compare::{Answer, Comparison, Row};
use crate::language::Language;

constant! {
    /// The command.
    CompareCommand = "compare"
}

/// The result of `bughound compare`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CompareDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The model file, as it was named.
    pub file: String,
    /// The language of the model, as in `--language`.
    pub language: String,
    /// The command that was given.
    pub command: CompareCommand,
    /// What the searches have found out together.
    pub verdict: Finding,
    /// 0 if some search has finished and all that have agree, 3, 4 or 5 otherwise.
    pub exit_code: u8,
    /// The properties that the searches look for a violation (or a witness) of.
    pub properties: Vec<NamedProperty>,
    /// Properties that no row is about, since they need searches of their own.
    pub left_out: Vec<String>,
    /// One row for each search, in the order of the command.
    pub rows: Vec<RowDocument>,
    /// Results that cannot both be true. Each is a bug of the program.
    pub contradictions: Vec<String>,
    /// Ctrl-C came before the last row.
    pub interrupted: bool,
    /// Warnings about the model.
    pub diagnostics: Vec<DiagnosticDocument>,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Finding {
    /// An error (or the state asked for) was found.
    Found,
    /// There is none.
    None,
    /// A limit ended it.
    Limit,
    /// No answer.
    Inconclusive,
    /// Interrupted before it began.
    Skipped,
    /// A bug of the program: what was found could not be confirmed, or is contradicted.
    Error,
}

impl From<Answer> for Finding {
    fn from(answer: Answer) -> Finding {
        match answer {
            Answer::Found => Finding::Found,
            Answer::None => Finding::None,
            Answer::Limit => Finding::Limit,
            Answer::Inconclusive => Finding::Inconclusive,
            Answer::Skipped => Finding::Skipped,
            Answer::Unconfirmed => Finding::Error,
        }
    }
}

/// The result of one search.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RowDocument {
    /// The search.
    pub search: String,
    /// How it ended.
    pub verdict: Finding,
    /// Why that is no better than it is; null if there is nothing to say.
    pub reason: Option<String>,
    /// Whose error was found; null if none was.
    pub property: Option<String>,
    /// Steps of its trace; null if there is none.
    pub length: Option<u64>,
    /// Cost of its trace; null if there is none, or if the model gives no costs.
    pub cost: Option<u64>,
    /// No trace is shorter.
    pub proven_shortest: bool,
    /// Time for one estimate; null without heuristic.
    pub microseconds_per_evaluation: Option<f64>,
    /// Estimates in a second of the time that they take; null without heuristic.
    pub evaluations_per_second: Option<f64>,
    /// The numbers of the search; null if nothing was searched.
    pub stats: Option<StatsDocument>,
}

impl From<&Row> for RowDocument {
    fn from(row: &Row) -> RowDocument {
        // The memory of the whole process says nothing about one search among others.
        let stats = |stats| StatsDocument { peak_memory_bytes: None, ..StatsDocument::from(stats) };
        RowDocument {
            search: row.search.clone(),
            verdict: row.answer.into(),
            reason: row.reason.clone(),
            property: row.property.clone(),
            length: row.length,
            cost: row.cost,
            proven_shortest: row.proven_shortest,
            microseconds_per_evaluation: row.microseconds_per_evaluation(),
            evaluations_per_second: row.evaluations_per_second(),
            stats: row.stats.as_ref().map(stats),
        }
    }
}

impl CompareDocument {
    pub fn new(
        file: &str,
        language: Language,
        comparison: &Comparison,
        diagnostics: Vec<DiagnosticDocument>,
    ) -> CompareDocument {
        let properties = comparison.properties.iter();
        CompareDocument {
            schema: Schema::Only,
            file: file.into(),
            language: language.name().into(),
            command: CompareCommand::Only,
            verdict: comparison.answer().into(),
            exit_code: comparison.exit_code(),
            properties: properties.map(|p| NamedProperty { name: p.name.clone(), kind: p.kind.into() }).collect(),
            left_out: comparison.left_out.clone(),
            rows: comparison.rows.iter().map(RowDocument::from).collect(),
            contradictions: comparison.contradictions.clone(),
            interrupted: comparison.interrupted,
            diagnostics,
        }
    }
}
