//! Bughound as a user would call it: a model with constants and questions, answers.

use std::time::{Duration, Instant};

use bughound::added::{AddedKind, AddedProperty};
use bughound::chances::{ChanceOptions, ExploreBy, Outcome};
use bughound::check::{AfterError, CheckRequest, PropertyReport, check};
use bughound::language::Language;
use bughound::model::{Model, ModelOptions, load_text};
use bughound::run::{Hooks, RunError, RunOptions};
use bughound::verdict::Verdict;
use bughound_kernel::Limits;

use crate::chances::{jani, syntax};

/// A model with what is asked about it.
pub struct Subject {
    model: Model,
}

/// What Bughound says.
#[derive(Clone, Debug)]
pub struct Reply {
    pub verdict: Verdict,
    pub outcome: Option<Outcome>,
    pub reason: Option<String>,
    /// Of the run that shows it.
    pub length: Option<u64>,
    pub proven_shortest: bool,
    /// States, transitions, steps and deadlocks.
    pub counts: Option<[u64; 4]>,
    /// How the states were explored.
    pub search: Option<String>,
    /// There is a counterexample to a bound.
    pub is_shown: bool,
}

/// How a search is asked.
#[derive(Clone, Debug)]
pub struct Manner {
    pub search: &'static str,
    pub heuristic: Option<&'static str>,
    pub threads: usize,
}

/// How a bound is decided on as many states as it takes.
#[derive(Clone, Debug)]
pub struct Direction {
    pub by: ExploreBy,
    pub heuristic: Option<&'static str>,
    pub smallest: bool,
}

const MOST_TIME: Duration = Duration::from_secs(30);

impl Subject {
    /// `Err`: why it is not accepted.
    pub fn load(model: &syntax::Model, asked: &[(AddedKind, String)]) -> Result<Subject, String> {
        let added = asked.iter().map(|(kind, text)| AddedProperty { kind: *kind, text: text.clone() });
        let options = ModelOptions { added: added.collect(), defines: model.given(), ..ModelOptions::default() };
        let model = load_text("random.prism", model.to_string().as_bytes(), Language::Prism, &options);
        Ok(Subject { model: model.map_err(|error| error.to_string())? })
    }

    /// The same model as JANI, with these properties.
    pub fn load_jani(model: &syntax::Model, properties: &[String]) -> Result<Subject, String> {
        let options = ModelOptions { defines: model.given(), ..ModelOptions::default() };
        let text = jani::text(model, properties);
        let model = load_text("random.jani", text.as_bytes(), Language::Jani, &options);
        Ok(Subject { model: model.map_err(|error| error.to_string())? })
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Asks everything at once. `Err`: what is never right.
    pub fn ask_all(&self, manner: Option<&Manner>) -> Result<Vec<Reply>, String> {
        let mut run = options();
        if let Some(Manner { search, heuristic, threads }) = manner {
            run.search = search.to_string();
            run.heuristic = heuristic.map(str::to_string);
            run.threads = *threads;
        }
        self.check(CheckRequest { run, ..CheckRequest::default() })
    }

    /// Asks a bound alone, so that not all states need be seen.
    pub fn ask_directed(&self, direction: &Direction) -> Result<Vec<Reply>, String> {
        let Direction { by, heuristic, smallest } = direction;
        let run = RunOptions { heuristic: heuristic.map(str::to_string), ..options() };
        let chances = ChanceOptions { by: *by, smallest: *smallest, ..ChanceOptions::default() };
        self.check(CheckRequest { run, chances, ..CheckRequest::default() })
    }

    fn check(&self, request: CheckRequest) -> Result<Vec<Reply>, String> {
        let request = CheckRequest { after: AfterError::GoOn, ..request };
        match check(&self.model, &request, Hooks::default()) {
            Ok(report) => Ok(report.properties.iter().map(reply).collect()),
            Err(RunError::Usage(why)) => Err(format!("refused: {why}")),
            Err(RunError::Internal(why)) => Err(format!("internal error: {why}")),
        }
    }
}

fn options() -> RunOptions {
    let limits = Limits { until: Some(Instant::now() + MOST_TIME), ..Limits::default() };
    RunOptions { limits, ..CheckRequest::default().run }
}

fn reply(report: &PropertyReport) -> Reply {
    let counts = report.stats.as_ref().map(|stats| {
        let counts = &stats.counts;
        [counts.stored, counts.transitions, counts.generated, counts.deadlocks]
    });
    Reply {
        verdict: report.verdict,
        outcome: report.chance.clone(),
        reason: report.reason.clone(),
        length: report.trace.as_ref().map(|trace| trace.cost),
        proven_shortest: report.proven_shortest,
        counts,
        search: report.stats.as_ref().map(|stats| stats.search.clone()),
        is_shown: report.counterexample.is_some(),
    }
}
