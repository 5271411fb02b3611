//! One step of a trace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MomentDocument, Scalar};
use crate::changes::Change;
use crate::replay::{Participant, Place, TraceStep};
use crate::timing::{Moment, Timing};

/// One step: the process that moves, what it does, and what changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepDocument {
    /// Its number, from 1.
    pub number: usize,
    #[serde(flatten)]
    pub who: ParticipantDocument,
    /// Optional: the other processes that move in the same step, such as the receiver of a rendezvous.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partners: Vec<ParticipantDocument>,
    /// Optional, in models with probabilities: the probability of what was drawn among the updates of the processes that move;
    /// in continuous time, the rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// What has another value than before.
    pub changes: Vec<ChangeDocument>,
    /// Optional: processes that start with this step, such as `P(1)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub started: Vec<String>,
    /// Optional: processes that end with this step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<String>,
    /// Optional: what the model prints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<String>,
    /// Optional: what goes wrong in this step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// The next step belongs to the same uninterrupted chain.
    pub keeps_control: bool,
    /// The time from the step before; null in models without clocks.
    pub delay: Option<f64>,
    /// Optional, in timed models: when the step happens.
    #[serde(flatten)]
    pub moment: Option<MomentDocument>,
}

impl StepDocument {
    pub(super) fn of(number: usize, step: &TraceStep, moment: Option<(&Timing, &Moment)>) -> StepDocument {
        let mut who = step.participants.iter().map(ParticipantDocument::from);
        StepDocument {
            number,
            who: who.next().unwrap_or_default(),
            partners: who.collect(),
            chance: step.chance.as_ref().map(|chance| chance.number.to_f64().value()),
            changes: step.changes.iter().map(ChangeDocument::from).collect(),
            started: step.started.clone(),
            ended: step.ended.clone(),
            printed: step.printed.clone(),
            failures: step.failures.clone(),
            keeps_control: step.keeps_control,
            delay: moment.map(|(_, moment)| moment.delay.as_f64()),
            moment: moment.map(|(timing, moment)| MomentDocument::of(timing, moment)),
        }
    }
}

/// A process that takes part in a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ParticipantDocument {
    /// Its name, such as `P(1)`.
    pub process: String,
    /// Its number.
    pub pid: usize,
    /// Where the statement is.
    pub source: Place,
    /// The statement.
    pub text: String,
    /// Optional: where the code of the statement was called, outermost first, in languages that paste code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub called_at: Vec<Place>,
    /// Optional: the location before the step, in languages that name locations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Optional: the location behind the step, in languages that name locations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

impl From<&Participant> for ParticipantDocument {
    fn from(who: &Participant) -> ParticipantDocument {
        let (from, to) = who.route.clone().unzip();
        ParticipantDocument {
            process: who.process.clone(),
            pid: who.pid,
            source: who.source.clone(),
            text: who.text.clone(),
            called_at: who.calls.clone(),
            from,
            to,
        }
    }
}

/// A variable that changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeDocument {
    /// The variable.
    pub name: String,
    /// Its value before; null if its process starts with this step.
    pub old: Option<Scalar>,
    /// Its value behind the step; null if its process ends with it.
    pub new: Option<Scalar>,
}

impl From<&Change> for ChangeDocument {
    fn from(change: &Change) -> ChangeDocument {
        let value = |text: &Option<String>| text.as_deref().map(Scalar::from);
        ChangeDocument { name: change.name.clone(), old: value(&change.old), new: value(&change.new) }
    }
}
