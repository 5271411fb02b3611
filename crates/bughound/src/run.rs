//! What every run shares: the search by name, limits, and the numbers that come back.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bughound_kernel::registry::expression;
use bughound_kernel::{Limits, TransitionSystem};
use bughound_search::{
    BuildCx, Configuration, Controls, Goals, Incompleteness, Observer, Progress, SearchError, SearchResult, Statistics,
    StopPolicy, Task, algorithms,
};
use bughound_store::ExactStore;

use crate::machine::peak_memory;
use crate::verdict::Verdict;

/// How a run is to be made.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// A search expression such as `bfs` or `random-dfs(seed=3)`.
    pub search: String,
    pub seed: u64,
    pub limits: Limits,
}

/// What the outside world has to say while a run is under way.
#[derive(Default)]
pub struct Hooks<'a> {
    pub cancel: Option<&'a AtomicBool>,
    pub progress: Option<&'a mut dyn FnMut(&Progress)>,
}

/// Why there is no result.
#[derive(Debug)]
pub enum RunError {
    /// The search expression or the selection of properties is wrong: the user's mistake.
    Usage(String),
    /// A bug in the tool.
    Internal(String),
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunError::Usage(message) | RunError::Internal(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for RunError {}

impl From<SearchError> for RunError {
    fn from(error: SearchError) -> Self {
        RunError::Internal(error.to_string())
    }
}

/// The numbers of a run.
#[derive(Clone, Debug)]
pub struct RunStats {
    pub counts: Statistics,
    pub complete: bool,
    /// Of the whole process, from its start to the end of this run.
    pub peak_memory_bytes: u64,
}

/// Time between two progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Builds the search that an expression describes.
pub fn build_search(options: &RunOptions) -> Result<Configuration, RunError> {
    let usage =
        |error: expression::ExpressionError| RunError::Usage(format!("--search: {}", error.render(&options.search)));
    let parsed = expression::parse(&options.search).map_err(usage)?;
    algorithms::build(&parsed, &BuildCx { seed: options.seed }).map_err(usage)
}

/// Runs a search over the system with a store of its own.
pub fn search(
    system: &dyn TransitionSystem,
    goals: &Goals,
    stop: StopPolicy,
    options: &RunOptions,
    hooks: &mut Hooks<'_>,
    observer: Option<&mut dyn Observer>,
) -> Result<(SearchResult, RunStats), RunError> {
    let search = build_search(options)?;
    let mut store = ExactStore::new(system.layout());
    if let Some(bytes) = options.limits.memory {
        store = store.with_budget(bytes);
    }
    let mut report = |now: &Progress| {
        if let Some(progress) = &mut hooks.progress {
            progress(now);
        }
    };
    let controls = Controls {
        limits: options.limits.clone(),
        cancel: hooks.cancel,
        progress: Some(&mut report),
        progress_interval: PROGRESS_INTERVAL,
        // Taken apart and put together again, so that the object may live shorter than its reference says.
        observer: match observer {
            Some(observer) => Some(observer),
            None => None,
        },
    };
    let result = search.run(Task { system, goals, stop }, &mut store, controls)?;
    let stats = RunStats { counts: result.stats.clone(), complete: result.complete, peak_memory_bytes: peak_memory() };
    Ok((result, stats))
}

/// The reason for no verdict on a property after another one was found violated.
pub const STOPPED_AT_ERROR: &str = "not decided: the search stopped at the first error; --keep-going continues";

/// The verdict on what a search did not find, and why it is no better than that.
pub fn verdict_without_witness(result: &SearchResult) -> (Verdict, Option<String>) {
    if result.complete {
        return (Verdict::Holds, None);
    }
    if let Some(reason) = result.stop_reason {
        return (Verdict::Limit, Some(reason.describe().to_string()));
    }
    if result.incomplete_because.contains(&Incompleteness::StoppedAtError) {
        return (Verdict::Inconclusive, Some(STOPPED_AT_ERROR.into()));
    }
    let reasons: Vec<String> = result.incomplete_because.iter().map(ToString::to_string).collect();
    (Verdict::Inconclusive, Some(reasons.join("; ")))
}
