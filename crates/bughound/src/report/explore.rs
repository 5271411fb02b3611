//! The document of `bughound explore`.

use bughound_markov::Kind;
use bughound_markov::formats::Explicit;
use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::DiagnosticDocument;
use super::stats::StatsDocument;
use super::words::{Schema, constant};
use crate::explore::ExploreReport;
use crate::language::Language;
use crate::verdict::Verdict;

constant! {
    /// The command.
    ExploreCommand = "explore"
}

/// The result of `bughound explore`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExploreDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The model file, as it was named.
    pub file: String,
    /// The language of the model, as in `--language`.
    pub language: String,
    /// The command that was given.
    pub command: ExploreCommand,
    /// How much was seen.
    pub verdict: Extent,
    /// The code that stands for it: 0, 1, 3 or 4.
    pub exit_code: u8,
    /// Why not everything was seen; null if it was.
    pub reason: Option<String>,
    /// The search.
    pub search: String,
    /// What was counted.
    pub stats: StatsDocument,
    /// Optional, of models with probabilities: the Markov model that its states make up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub markov: Option<MarkovDocument>,
    /// Evaluation errors and the like.
    pub warnings: Vec<String>,
    /// Warnings about the model.
    pub diagnostics: Vec<DiagnosticDocument>,
}

/// The size of a Markov model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MarkovDocument {
    /// `dtmc`, `ctmc` or `mdp`.
    pub kind: String,
    /// States.
    pub states: u64,
    /// Entries of the matrix: those of one choice that lead to the same state count once.
    pub transitions: u64,
    /// Choices; as many as states, in chains.
    pub choices: u64,
    /// Initial states.
    pub initial: u64,
    /// States without a step, which stay as they are for ever.
    pub deadlocks: u64,
}

impl MarkovDocument {
    fn new(explicit: &Explicit) -> MarkovDocument {
        let model = &explicit.model;
        MarkovDocument {
            kind: kind_name(model.kind()).to_lowercase(),
            states: model.states() as u64,
            transitions: model.transitions() as u64,
            choices: model.choices() as u64,
            initial: model.initial().len() as u64,
            deadlocks: model.deadlocks().len() as u64,
        }
    }
}

/// As its users write it.
pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Dtmc => "DTMC",
        Kind::Ctmc => "CTMC",
        Kind::Mdp => "MDP",
    }
}

/// How much of a state space was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// All of it.
    Complete,
    /// There is no initial state.
    Violated,
    /// The search does not see everything.
    Inconclusive,
    /// A limit ended it.
    Limit,
}

impl ExploreDocument {
    pub fn new(
        file: &str,
        language: Language,
        report: &ExploreReport,
        diagnostics: Vec<DiagnosticDocument>,
    ) -> ExploreDocument {
        let mut stats = StatsDocument::from(&report.stats);
        stats.deadlocks = stats.deadlocks.filter(|_| report.counts_deadlocks);
        ExploreDocument {
            schema: Schema::Only,
            file: file.into(),
            language: language.name().into(),
            command: ExploreCommand::Only,
            verdict: match report.verdict {
                Verdict::Holds | Verdict::Satisfied => Extent::Complete,
                Verdict::Violated => Extent::Violated,
                Verdict::Inconclusive => Extent::Inconclusive,
                Verdict::Limit => Extent::Limit,
            },
            exit_code: report.verdict.exit_code(),
            reason: report.reason.clone(),
            search: report.search.clone(),
            stats,
            markov: report.explicit.as_ref().map(MarkovDocument::new),
            warnings: report.warnings.clone(),
            diagnostics,
        }
    }
}
