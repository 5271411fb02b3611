//! What was found out about a property.

use bughound_trace::TraceDocument;
use bughound_trace::schedule::ScheduleDocument;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counterexample::CounterexampleDocument;
use super::stats::StatsDocument;
use super::words::VerdictWord;
use crate::answer::Answer;
use crate::chances::MostProbable;
use crate::check::{Cheapest, CheckReport, Extremes, Fastest, Others, PropertyReport};
use crate::expected::Expected;
use crate::verdict::Verdict;

/// A property by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedProperty {
    /// Its name.
    pub name: String,
    /// What kind of property it is, such as `deadlock`, `assertion`, `invariant`, `ltl`.
    pub kind: String,
}

/// A property with what was found out about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PropertyDocument {
    /// The number by which it can be selected, from 1; null for what is checked only if it is named.
    pub number: Option<usize>,
    /// Its name.
    pub name: String,
    /// What kind of property it is, such as `deadlock`, `assertion`, `invariant`, `ltl`.
    pub kind: String,
    /// The verdict.
    pub verdict: VerdictWord,
    /// The answer; null if there is none. That of a question after the values of several quantities stands with each of
    /// them in `extremes`.
    pub answer: Option<Answer>,
    /// Why the verdict is no better than it is; null if there is nothing to say.
    pub reason: Option<String>,
    /// No counterexample (or witness) is shorter than that of the trace.
    pub proven_shortest: bool,
    /// For infinite runs: no path and cycle of the product with the claim are shorter. The model may have a shorter one.
    pub proven_for_claim: bool,
    /// The search that decided it, or was to.
    pub search: String,
    /// The heuristic of that search; null if it has none.
    pub heuristic: Option<String>,
    /// The numbers of the search that decided it; null if there was none.
    pub stats: Option<StatsDocument>,
    /// Optional, for a trace of a timed model with a loop: the loop takes finite time however often it is gone through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zeno: Option<bool>,
    /// Optional, for a trace of a timed model: the zones of clock values along it, the first one included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<String>,
    /// Optional, with `--fastest`: how fast the run of the trace is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fastest: Option<FastestDocument>,
    /// Optional, for a cheapest run: the infimum of the costs of runs along the trace, if a run is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// Optional, for a cheapest run: the run of the trace costs just that; otherwise all cost more, if ever so little.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attained: Option<bool>,
    /// Optional, for a cheapest run: no run costs less than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<u64>,
    /// Optional, for a cheapest run: by which part of the least cost `cost` is above it, at most; 0 if it is proven to be the
    /// least. Left out where it can be any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// Optional, for a cheapest run in a model with time: who does what from when to when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<ScheduleDocument>,
    /// Optional, for questions after extreme values: the values, as far as they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extremes: Vec<ExtremesDocument>,
    /// Optional: what the model file expects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expectation>,
    /// Optional: the result that PRISM's comment `// RESULT` says, as it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_result: Option<String>,
    /// Optional: whether that is so; only if something is expected and there is an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_expected: Option<bool>,
    /// Optional: the error of the model that is in the way of an answer; `trace` leads to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_error: Option<String>,
    /// Optional: the counterexample, or the witness of a question after existence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceDocument>,
    /// Optional, for a violated bound on a probability: a part of the model that suffices to violate it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<CounterexampleDocument>,
    /// Optional, with `--paths`: the most probable paths to what the question asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_probable: Option<MostProbable>,
    /// Optional, with `--all`: different errors besides that of `trace`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_errors: Option<Vec<ErrorOfProperty>>,
    /// Optional, with `--all`: there are no other errors than these. False: that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_errors_known: Option<bool>,
}

/// One of several errors of a property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorOfProperty {
    /// No way to this error is shorter.
    pub proven_shortest: bool,
    /// The way to it.
    pub trace: TraceDocument,
}

impl ErrorOfProperty {
    fn new(error: &PropertyReport) -> Option<ErrorOfProperty> {
        let trace = error.trace.as_deref().map(TraceDocument::from)?;
        Some(ErrorOfProperty { proven_shortest: error.proven_shortest, trace })
    }
}

impl PropertyDocument {
    /// `report`: the check that the property belongs to.
    pub fn new(property: &PropertyReport, report: &CheckReport) -> PropertyDocument {
        let (stats, cheapest) = (property.stats.as_ref(), property.cheapest.as_ref());
        let is_model_error = property.shows_model_error();
        let (expected, expected_result) = match &property.expected {
            Some(Expected::Truth(true)) => (Some(Expectation::Success), None),
            Some(Expected::Truth(false)) => (Some(Expectation::Failure), None),
            Some(Expected::Result(result)) => (None, Some(result.clone())),
            None => (None, None),
        };
        PropertyDocument {
            number: property.number,
            name: property.name.clone(),
            kind: property.kind.into(),
            verdict: property.verdict.into(),
            answer: property.answer(),
            reason: property.reason.clone(),
            proven_shortest: property.proven_shortest,
            proven_for_claim: property.proven_for_claim,
            search: stats.map_or(&report.search, |stats| &stats.search).clone(),
            heuristic: stats.map_or(&report.heuristic, |stats| &stats.heuristic).clone(),
            stats: stats.map(StatsDocument::from),
            zeno: property.zeno,
            zones: property.zones.clone(),
            fastest: property.fastest.map(FastestDocument::from),
            cost: cheapest.and_then(|cheapest| cheapest.cost),
            attained: cheapest.and_then(|cheapest| cheapest.cost.map(|_| cheapest.attained)),
            lower_bound: cheapest.map(|cheapest| cheapest.lower_bound),
            gap: cheapest.and_then(Cheapest::gap),
            schedule: cheapest.and_then(|cheapest| cheapest.schedule.as_ref()).map(ScheduleDocument::from),
            extremes: property.extremes.iter().map(|of| ExtremesDocument::new(of, property.verdict)).collect(),
            expected,
            expected_result,
            as_expected: property.as_expected(),
            model_error: property.trace.as_ref().filter(|_| is_model_error).map(|trace| trace.reason.headline.clone()),
            trace: property.trace.as_deref().map(TraceDocument::from),
            counterexample: property.counterexample.as_deref().map(CounterexampleDocument::from),
            most_probable: property.most_probable.as_deref().cloned(),
            more_errors: property
                .others
                .as_ref()
                .map(|_| property.more_errors.iter().filter_map(ErrorOfProperty::new).collect()),
            all_errors_known: property.others.as_ref().map(|others| *others == Others::None),
        }
    }
}

/// What a model file expects of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Expectation {
    /// It holds, or what is asked for exists.
    Success,
    /// It does not.
    Failure,
}

/// How fast the run of a trace is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FastestDocument {
    /// There is no faster one.
    pub proven: bool,
    /// Runs along these steps take so long at least.
    pub time: i64,
    /// One takes just so long; otherwise all take longer, if ever so little.
    pub reached: bool,
}

impl From<Fastest> for FastestDocument {
    fn from(fastest: Fastest) -> FastestDocument {
        FastestDocument { proven: fastest.proven, time: fastest.time as i64, reached: !fastest.open }
    }
}

/// The values that a quantity can have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExtremesDocument {
    /// The quantity, as it was asked for.
    pub of: String,
    /// Some state has a value.
    pub exists: bool,
    /// The answer for this quantity; null until it is known, and if no state has a value.
    pub answer: Option<Answer>,
    /// Optional: the greatest value, if it was asked for and some state has a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sup: Option<ExtremeValue>,
    /// Optional: the least value, if it was asked for and some state has a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inf: Option<ExtremeValue>,
}

/// The greatest or least value of a quantity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExtremeValue {
    /// The value; null if there is none: the quantity grows without bound.
    pub value: Option<i64>,
    /// Some state has this value; otherwise it is only approached.
    pub reached: bool,
}

impl ExtremesDocument {
    fn new(extremes: &Extremes, verdict: Verdict) -> ExtremesDocument {
        let values = extremes.values;
        let value =
            |value: Option<i128>, open: bool| ExtremeValue { value: value.map(|value| value as i64), reached: !open };
        ExtremesDocument {
            of: extremes.of.clone(),
            exists: values.is_some(),
            answer: Answer::of_extremes(extremes).filter(|_| verdict == Verdict::Satisfied),
            sup: values.filter(|_| extremes.greatest).map(|values| value(values.upper, values.upper_open)),
            inf: values.filter(|_| extremes.least).map(|values| value(Some(values.lower), values.lower_open)),
        }
    }
}
