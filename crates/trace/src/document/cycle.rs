//! What is told of the loop of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::{BlockedProcess, ConditionInRun, CycleFacts, InCycle};

/// What is true in the loop of a run, and who moves there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CycleDocument {
    /// The conditions of the formula along the run.
    pub conditions: Vec<ConditionDocument>,
    /// Processes that move in the loop.
    pub moving: Vec<String>,
    /// Processes that do not move, and why they could not in some state of the loop.
    pub idle: Vec<BlockedProcess>,
    /// Processes that could move all the time, but never do.
    pub starved: Vec<String>,
}

impl From<&CycleFacts> for CycleDocument {
    fn from(facts: &CycleFacts) -> CycleDocument {
        CycleDocument {
            conditions: facts.conditions.iter().map(ConditionDocument::from).collect(),
            moving: facts.moving.clone(),
            idle: facts.idle.clone(),
            starved: facts.starved.clone(),
        }
    }
}

/// A condition of the formula along the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionDocument {
    /// The condition.
    pub text: String,
    /// In how many states of the loop it is true.
    pub in_loop: InLoopDocument,
    /// Steps before the state from which on it is always or never true; null if it is neither.
    pub since: Option<usize>,
}

/// In how many states of a loop something is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InLoopDocument {
    Always,
    Never,
    Sometimes,
}

impl From<&ConditionInRun> for ConditionDocument {
    fn from(condition: &ConditionInRun) -> ConditionDocument {
        let (in_loop, since) = match condition.in_loop {
            InCycle::Always => (InLoopDocument::Always, Some(condition.since)),
            InCycle::Never => (InLoopDocument::Never, Some(condition.since)),
            InCycle::Sometimes { .. } => (InLoopDocument::Sometimes, None),
        };
        ConditionDocument { text: condition.text.clone(), in_loop, since }
    }
}
