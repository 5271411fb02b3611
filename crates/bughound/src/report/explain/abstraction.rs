//! What pattern databases keep of a model.

use bughound_heuristics::PatternDiagnosis;
use schemars::JsonSchema;
use serde::Serialize;

use crate::explain::abstraction::Abstraction;

/// The abstractions for one property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AbstractionDocument {
    /// The property.
    pub property: String,
    /// What kind of property it is.
    pub kind: String,
    /// Why there is no abstraction; null if there is one.
    pub reason: Option<String>,
    /// An abstraction has no error, or no state that is asked for, so the model has none.
    pub safe: bool,
    /// A lower bound on the cost of an error; null if it is safe or there is no abstraction.
    pub estimate: Option<u64>,
    /// What is kept, one entry for each pattern; null if there is no abstraction.
    pub patterns: Option<Vec<PatternDocument>>,
    /// Numbers of patterns, from 0, whose distances are added; null if there is no abstraction.
    pub sums: Option<Vec<Vec<usize>>>,
    /// Each pattern is for one of the errors; null if there is no abstraction.
    pub for_each_error: Option<bool>,
}

impl From<&Abstraction> for AbstractionDocument {
    fn from(abstraction: &Abstraction) -> AbstractionDocument {
        let known = abstraction.diagnosis.as_ref().ok();
        AbstractionDocument {
            property: abstraction.property.clone(),
            kind: abstraction.kind.into(),
            reason: abstraction.diagnosis.as_ref().err().cloned(),
            safe: known.is_some_and(|known| known.estimate.is_none()),
            estimate: known.and_then(|known| known.estimate),
            patterns: known.map(|known| known.patterns.iter().map(PatternDocument::from).collect()),
            sums: known.map(|known| known.sums.clone()),
            for_each_error: known.map(|known| known.for_each_error),
        }
    }
}

/// What one pattern keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PatternDocument {
    /// Names of what it keeps.
    pub keeps: Vec<String>,
    /// Names of what it leaves out.
    pub leaves_out: Vec<String>,
    /// Abstract states.
    pub states: usize,
    /// The distance of the abstract initial state; null: infinite.
    pub distance: Option<u64>,
    /// The cost of a relaxed plan with everything; null: infinite.
    pub relaxed_everything: Option<u64>,
    /// The cost of a relaxed plan with what is kept; null: infinite.
    pub relaxed_kept: Option<u64>,
    /// These two are the same.
    pub relatively_accurate: bool,
    /// No variable that is left out can keep anything from happening.
    pub only_safe_variables_left_out: bool,
    /// No clock that is left out can keep anything from happening.
    pub only_simple_clocks_left_out: bool,
}

impl From<&PatternDiagnosis> for PatternDocument {
    fn from(pattern: &PatternDiagnosis) -> PatternDocument {
        PatternDocument {
            keeps: pattern.kept.clone(),
            leaves_out: pattern.left_out.clone(),
            states: pattern.states,
            distance: pattern.distance,
            relaxed_everything: pattern.relaxed_everything,
            relaxed_kept: pattern.relaxed_kept,
            relatively_accurate: pattern.is_relatively_accurate(),
            only_safe_variables_left_out: pattern.only_safe_variables_left_out,
            only_simple_clocks_left_out: pattern.only_simple_clocks_left_out,
        }
    }
}
