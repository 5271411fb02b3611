//! The document of `bughound explain`.

mod abstraction;
mod process;

use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::DiagnosticDocument;
use super::words::{Schema, constant};
use crate::explain::abstraction::Abstraction;
use crate::explain::declarations::{ChannelFacts, SignalFacts, VariableFacts};
use crate::explain::dependencies::EdgeDependencies;
use crate::explain::{Explanation, ForgottenFacts, PropertyFacts, Summary};

pub use abstraction::{AbstractionDocument, PatternDocument};
pub use process::{EdgeDocument, PlaceDocument, ProcessTypeDocument};

constant! {
    /// The command.
    ExplainCommand = "explain"
}

/// The result of `bughound explain`: the model as it was read.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExplainDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The command that was given.
    pub command: ExplainCommand,
    /// 1 if there is a warning that is denied, otherwise 0.
    pub exit_code: u8,
    /// The model file, as it was named.
    pub file: String,
    /// The language of the model, as in `--language`.
    pub language: String,
    /// The size of the model.
    pub summary: SummaryDocument,
    /// Process types with their automata. Numbers of locations are SPIN's.
    pub process_types: Vec<ProcessTypeDocument>,
    /// Global variables.
    pub variables: Vec<VariableFacts>,
    /// Channels with messages.
    pub channels: Vec<ChannelFacts>,
    /// Channels of timed models.
    pub signals: Vec<SignalFacts>,
    /// Names of the clocks.
    pub clocks: Vec<String>,
    /// The properties of the model.
    pub properties: Vec<NumberedProperty>,
    /// What `check` does by default, in words.
    pub strategy: Vec<String>,
    /// Variables whose values its searches forget, and where.
    pub forgotten: Vec<ForgottenFacts>,
    /// What every edge reads and writes; null unless asked for: they are many where many processes can exist.
    pub dependencies: Option<Vec<EdgeDependencies>>,
    /// What a pattern database keeps of the model, for each property; null unless asked for.
    pub abstractions: Option<Vec<AbstractionDocument>>,
    /// What is suspicious about the model.
    pub warnings: Vec<WarningDocument>,
    /// Warnings of those who read the model.
    pub diagnostics: Vec<DiagnosticDocument>,
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WarningDocument {
    /// Its name, as in `--allow` and `--deny`.
    pub name: String,
    /// It is denied, and counts as an error.
    pub denied: bool,
    #[serde(flatten)]
    pub diagnostic: DiagnosticDocument,
}

impl ExplainDocument {
    /// `dependencies` and `abstractions`: if they were asked for.
    pub fn new(
        explanation: &Explanation,
        dependencies: Option<Vec<EdgeDependencies>>,
        abstractions: Option<&[Abstraction]>,
        warnings: Vec<WarningDocument>,
        diagnostics: Vec<DiagnosticDocument>,
    ) -> ExplainDocument {
        let properties = explanation.properties.iter();
        ExplainDocument {
            schema: Schema::Only,
            command: ExplainCommand::Only,
            exit_code: u8::from(warnings.iter().any(|warning| warning.denied)),
            file: explanation.file.clone(),
            language: explanation.language.into(),
            summary: SummaryDocument::new(&explanation.summary, explanation.processes.len()),
            process_types: explanation.processes.iter().map(ProcessTypeDocument::from).collect(),
            variables: explanation.variables.clone(),
            channels: explanation.channels.clone(),
            signals: explanation.signals.clone(),
            clocks: explanation.clocks.clone(),
            properties: properties.map(NumberedProperty::from).collect(),
            strategy: explanation.strategy.clone(),
            forgotten: explanation.forgotten.clone(),
            dependencies,
            abstractions: abstractions.map(|all| all.iter().map(AbstractionDocument::from).collect()),
            warnings,
            diagnostics,
        }
    }
}

/// A property that can be selected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NumberedProperty {
    /// The number by which it can be selected, from 1.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// What kind of property it is, such as `deadlock`, `assertion`, `invariant`, `ltl`.
    pub kind: String,
}

impl From<&PropertyFacts> for NumberedProperty {
    fn from(property: &PropertyFacts) -> NumberedProperty {
        NumberedProperty { number: property.number, name: property.name.clone(), kind: property.kind.into() }
    }
}

/// The size of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SummaryDocument {
    /// The files that it was read from.
    pub files: Vec<String>,
    /// Names of the processes that exist at the start.
    pub start: Vec<String>,
    /// Who can have each process number.
    pub processes: Vec<PossibleProcess>,
    /// How many process types there are.
    pub process_types: usize,
    /// Locations that a process can be at, of all process types.
    pub locations: usize,
    /// Edges of all process types.
    pub edges: usize,
    /// Bits of the largest state.
    pub state_bits: u64,
    /// Bytes of the largest state.
    pub state_bytes: u64,
    /// Numbers that a state is made of.
    pub slots: usize,
}

/// Who can have a process number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PossibleProcess {
    /// The process number.
    pub pid: usize,
    /// Process types.
    pub types: Vec<String>,
}

impl SummaryDocument {
    fn new(summary: &Summary, process_types: usize) -> SummaryDocument {
        let possible = summary.possible.iter().enumerate();
        SummaryDocument {
            files: summary.files.clone(),
            start: summary.start.clone(),
            processes: possible.map(|(pid, types)| PossibleProcess { pid, types: types.clone() }).collect(),
            process_types,
            locations: summary.locations,
            edges: summary.edges,
            state_bits: summary.state_bits,
            state_bytes: summary.state_bits.div_ceil(8),
            slots: summary.slots,
        }
    }
}
