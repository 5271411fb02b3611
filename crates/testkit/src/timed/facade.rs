//! Bughound as a user would call it: a timed model with queries, a search by name, a verdict.

use std::time::{Duration, Instant};

use bughound::added::{AddedKind, AddedProperty};
use bughound::check::{AfterError, CheckRequest, Extremes, check};
use bughound::language::Language;
use bughound::model::{Model, ModelOptions, load_text};
use bughound::run::{Hooks, ReductionMode, RunError, RunOptions};
use bughound::verdict::Verdict;
use bughound::zones::ZoneOptions;
use bughound_ir::network::Network;
use bughound_ir::question::Question;
use bughound_kernel::Limits;
use bughound_search::StopPolicy;

use crate::timed::extremes::Extreme;

/// A model with queries that were added to it, as with `--query`.
pub struct Subject {
    model: Model,
}

/// How Bughound is asked.
#[derive(Clone, Debug)]
pub struct Manner {
    pub search: String,
    pub heuristic: Option<String>,
    pub zones: ZoneOptions,
    pub seed: u64,
    pub threads: usize,
}

/// What Bughound says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Answer {
        verdict: Verdict,
        /// Of the counterexample or witness.
        cost: Option<u64>,
        proven_shortest: bool,
        /// A limit ended the search: of what it had found until then nothing need be shortest.
        limited: bool,
        /// Of `sup` and `inf`: as [`Answer::Extremes`](crate::timed::oracle::Answer::Extremes) has them.
        extremes: Vec<Option<Vec<Extreme>>>,
        /// There is no verdict because of an error of the model.
        model_error: bool,
    },
    /// Questions of this kind are not answered.
    NotChecked(String),
    /// The search is not for this model, or not with this heuristic.
    Refused(String),
}

/// Runs that need more than this on models with a few thousand regions are given up.
const MOST_TIME: Duration = Duration::from_secs(1);
const MOST_STATES: u64 = 30_000;

fn limits() -> Limits {
    Limits { until: Some(Instant::now() + MOST_TIME), states: Some(MOST_STATES), ..Limits::default() }
}

impl Subject {
    /// Loads a model. `Err`: why it is none.
    pub fn load(text: &str, queries: &[String]) -> Result<Subject, String> {
        let query = |text: &String| AddedProperty { kind: AddedKind::Query, text: text.clone() };
        let options = ModelOptions { added: queries.iter().map(query).collect(), ..ModelOptions::default() };
        let model = load_text("random.xta", text.as_bytes(), Language::Uppaal, &options);
        Ok(Subject { model: model.map_err(|error| error.to_string())? })
    }

    pub fn network(&self) -> &Network {
        &self.model.network
    }

    /// What the front end has made of a query.
    pub fn question(&self, query: &str) -> Option<&Question> {
        self.model.network.properties.iter().find(|property| property.name == query).map(|property| &property.question)
    }

    /// Asks one query. `Err`: what is never right, such as a trace that does not replay.
    pub fn ask(&self, query: &str, manner: &Manner) -> Result<Reply, String> {
        let run = RunOptions {
            search: manner.search.clone(),
            searches: bughound::searches::ALL,
            cycle_search: None,
            cost_search: None,
            heuristic: manner.heuristic.clone(),
            improve: None,
            hints: Vec::new(),
            seed: manner.seed,
            fair: false,
            dead_variables: true,
            store: Default::default(),
            threads: manner.threads,
            alone: 0,
            disk: None,
            limits: limits(),
            reduction: ReductionMode::default(),
        };
        let request = CheckRequest {
            selection: vec![query.to_string()],
            stop: StopPolicy::FirstError,
            after: AfterError::Stop,
            run,
            zones: manner.zones,
            ..CheckRequest::default()
        };
        let report = match check(&self.model, &request, Hooks::default()) {
            Ok(report) => report,
            Err(RunError::Usage(why)) => return Ok(Reply::Refused(why)),
            Err(RunError::Internal(why)) => return Err(format!("no answer: {why}")),
        };
        let [found] = &report.properties[..] else {
            return Err(format!("{} properties instead of one", report.properties.len()));
        };
        if let Some(reason) = found.reason.as_ref().filter(|reason| reason.starts_with("not checked")) {
            return Ok(Reply::NotChecked(reason.clone()));
        }
        let cost = found.trace.as_ref().map(|trace| trace.cost);
        let extremes = found.extremes.iter().map(values).collect();
        let limited = found.stats.as_ref().is_some_and(|stats| {
            let stored = stats.counts.stored + stats.counts.displaced;
            stats.counts.elapsed >= MOST_TIME || stored >= MOST_STATES
        });
        let model_error = found.verdict == Verdict::Inconclusive && found.failure.is_some();
        let (verdict, proven_shortest) = (found.verdict, found.proven_shortest);
        Ok(Reply::Answer { verdict, cost, proven_shortest, limited, extremes, model_error })
    }
}

fn values(found: &Extremes) -> Option<Vec<Extreme>> {
    let values = found.values?;
    let value = |value: i128, open: bool| Extreme::Value { value: value as i32, reached: !open };
    let least = found.least.then(|| value(values.lower, values.lower_open));
    let greatest = found.greatest.then(|| match values.upper {
        Some(upper) => value(upper, values.upper_open),
        None => Extreme::Infinite,
    });
    Some(least.into_iter().chain(greatest).collect())
}
