//! Process types and their automata.

use schemars::JsonSchema;
use serde::Serialize;

use crate::explain::automaton::{EdgeRow, LocationRow, ProcessType};
use crate::explain::declarations::VariableFacts;

/// A process type with its automaton.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProcessTypeDocument {
    /// Its name.
    pub name: String,
    /// It is a claim.
    pub claim: bool,
    /// The line of its declaration.
    pub line: u32,
    /// How many process numbers one can have.
    pub started: usize,
    /// Its parameters.
    pub parameters: Vec<VariableFacts>,
    /// Its local variables.
    pub locals: Vec<VariableFacts>,
    /// How many locations it has.
    pub locations: usize,
    /// The locations.
    pub places: Vec<PlaceDocument>,
    /// The number of the initial location.
    pub initial: u32,
    /// The edges.
    pub edges: Vec<EdgeDocument>,
}

impl From<&ProcessType> for ProcessTypeDocument {
    fn from(process: &ProcessType) -> ProcessTypeDocument {
        ProcessTypeDocument {
            name: process.name.clone(),
            claim: process.claim,
            line: process.line,
            started: process.started,
            parameters: process.parameters.clone(),
            locals: process.locals.clone(),
            locations: process.locations.len(),
            places: process.locations.iter().map(PlaceDocument::from).collect(),
            initial: process.initial,
            edges: process.edges.iter().map(EdgeDocument::from).collect(),
        }
    }
}

/// A location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlaceDocument {
    /// Its number.
    pub number: u32,
    /// Its names, or labels.
    pub names: Vec<String>,
    /// Its line.
    pub line: u32,
    /// What must hold while a process is here, as written; null if there is nothing.
    pub invariant: Option<String>,
    /// Time does not pass here.
    pub urgent: bool,
    /// It must be left at once.
    pub committed: bool,
}

impl From<&LocationRow> for PlaceDocument {
    fn from(location: &LocationRow) -> PlaceDocument {
        PlaceDocument {
            number: location.number,
            names: location.labels.clone(),
            line: location.line,
            invariant: Some(location.invariant.clone()).filter(|text| !text.is_empty()),
            urgent: location.urgent,
            committed: location.committed,
        }
    }
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EdgeDocument {
    /// The number of the location that it leaves.
    pub from: u32,
    /// The number of the location that it leads to; 0: the process ends.
    pub to: u32,
    /// The file of the statement.
    pub file: String,
    /// The line of the statement.
    pub line: u32,
    /// The statement.
    pub text: String,
    /// What is special about it: `atomic`, `d_step`, `end`, `accept`, `progress`, `else`.
    pub flags: Vec<String>,
}

impl From<&EdgeRow> for EdgeDocument {
    fn from(edge: &EdgeRow) -> EdgeDocument {
        EdgeDocument {
            from: edge.from,
            to: edge.to,
            file: edge.file.clone(),
            line: edge.line,
            text: edge.text.clone(),
            flags: edge.flags.names().into_iter().map(|(_, name)| name.into()).collect(),
        }
    }
}
