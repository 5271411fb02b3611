//! A trace for other programs: the `trace` of a result document, and what a saved trace shows.
//!
//! The types are the format: JSON is written from them, and its schema is made of them.

mod cycle;
mod step;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::changes::ValueOf;
use crate::explain::{BlockedProcess, FalsePart};
use crate::lasso::LassoShape;
use crate::replay::{Place, Trace};
use crate::timing::{Moment, Timing};

pub use cycle::{ConditionDocument, CycleDocument, InLoopDocument};
pub use step::{ChangeDocument, ParticipantDocument, StepDocument};

/// The value of a variable: a number as a number, a truth value of a model with probabilities as such, everything else (the
/// name of an `mtype`, the contents of a channel, a fraction) as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Scalar {
    Number(i64),
    Truth(bool),
    Text(String),
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Scalar {
        match (text.parse(), text.parse()) {
            (Ok(number), _) => Scalar::Number(number),
            (_, Ok(truth)) => Scalar::Truth(truth),
            _ => Scalar::Text(text.into()),
        }
    }
}

/// Values by the names of their variables, in the order of the model.
pub type Values = IndexMap<String, Scalar>;

/// Values by name.
pub fn values_document(values: &[ValueOf]) -> Values {
    values.iter().map(|v| (v.name.clone(), Scalar::from(v.value.as_str()))).collect()
}

/// A run of the model, step by step, and why it ends as it does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceDocument {
    /// Number of the steps.
    pub length: u64,
    /// Sum of the costs of the steps: the length, unless the model gives costs.
    pub cost: u64,
    /// Steps before the loop; null if the run does not go on for ever.
    pub loop_start: Option<usize>,
    /// The loop; null if the run does not go on for ever.
    pub r#loop: Option<LoopDocument>,
    /// What the run shows, in one line.
    pub reason: String,
    /// Where that is in the source; null if it is not one place.
    pub reason_source: Option<Place>,
    /// Optional: after a deadlock or an error of a protocol, the processes concerned and why they do not move.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<BlockedProcess>,
    /// Optional: the parts of a condition that decide it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartDocument>,
    /// Optional: of a run that goes on for ever, what is true in its loop and who moves there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<CycleDocument>,
    /// The initial state.
    pub initial: Values,
    /// The steps, in their order.
    pub steps: Vec<StepDocument>,
    /// Optional, in timed models: the time from the last step to the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<f64>,
    /// Optional, in timed models: the end of the run.
    #[serde(flatten)]
    pub end: Option<MomentDocument>,
}

impl From<&Trace> for TraceDocument {
    fn from(trace: &Trace) -> TraceDocument {
        let timing = trace.timing.as_ref();
        let steps = trace.steps.iter().enumerate().map(|(at, step)| {
            let moment = timing.and_then(|timing| timing.steps.get(at).map(|moment| (timing, moment)));
            StepDocument::of(at + 1, step, moment)
        });
        TraceDocument {
            length: trace.length,
            cost: trace.cost,
            loop_start: trace.lasso.map(|lasso| lasso.loop_start),
            r#loop: trace.lasso.map(LoopDocument::from),
            reason: trace.reason.headline.clone(),
            reason_source: trace.reason.source.clone(),
            blocked: trace.reason.blocked.clone(),
            parts: trace.reason.parts.iter().map(PartDocument::from).collect(),
            cycle: trace.reason.cycle.as_ref().map(CycleDocument::from),
            initial: values_document(&trace.initial),
            steps: steps.collect(),
            delay: timing.map(|timing| timing.end.delay.as_f64()),
            end: timing.map(|timing| MomentDocument::of(timing, &timing.end)),
        }
    }
}

/// A point of a timed run. Times stand there twice: as numbers for those who calculate, and exactly, as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MomentDocument {
    /// Optional, in timed models: `delay` as an exact fraction such as `7/2`.
    pub delay_exact: String,
    /// Optional, in timed models: the time since the start of the run.
    pub time: f64,
    /// Optional, in timed models: `time` as an exact fraction such as `7/2`.
    pub time_exact: String,
    /// Optional, in timed models: the values of the clocks, behind the step if there is one.
    pub clocks: Values,
}

impl MomentDocument {
    fn of(timing: &Timing, moment: &Moment) -> MomentDocument {
        MomentDocument {
            delay_exact: moment.delay.to_string(),
            time: moment.time.as_f64(),
            time_exact: moment.time.to_string(),
            clocks: values_document(&timing.values(moment)),
        }
    }
}

/// The loop of a run that goes on for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoopDocument {
    /// Steps before the loop.
    pub start: usize,
    /// Steps of the loop; 0 if the run comes to rest.
    pub length: usize,
    /// No process that could move all the time is left out for ever.
    pub fair: bool,
}

impl From<LassoShape> for LoopDocument {
    fn from(lasso: LassoShape) -> LoopDocument {
        LoopDocument { start: lasso.loop_start, length: lasso.loop_length, fair: lasso.fair }
    }
}

/// A part of a condition that decides it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartDocument {
    /// The part.
    pub text: String,
    /// Its truth value at the end of the run.
    pub value: bool,
    /// The variables in it.
    pub values: Values,
}

impl From<&FalsePart> for PartDocument {
    fn from(part: &FalsePart) -> PartDocument {
        let values = part.values.iter().map(|(name, value)| (name.clone(), Scalar::from(value.as_str())));
        PartDocument { text: part.text.clone(), value: part.is_true, values: values.collect() }
    }
}
