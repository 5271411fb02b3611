//! What every run shares: the search by name, limits, and the numbers that come back.

use std::time::Duration;

use bughound_kernel::{Limits, StopReason, StopSignal, TransitionSystem};
use bughound_search::{
    Controls, Disk, Goals, HeuristicSource, Incompleteness, Journal, Observer, Progress, SearchError, SearchResult,
    Searches, Statistics, StopPolicy, Task, Trail,
};
use bughound_store::{StoreKind, Stores};

use crate::check::PropertyReport;
use crate::machine::{cpu_time, own_memory, peak_memory};
use crate::plan::Strategy;
use crate::verdict::Verdict;

/// The search of a check that names none.
pub const DEFAULT_SEARCH: &str = "auto";

/// How a run is to be made.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// A search expression such as `bfs` or `astar(h=formula)`.
    pub search: String,
    /// What names of searches mean: [all](crate::searches::ALL), or others besides.
    pub searches: Searches<'static>,
    /// Another one for accepting cycles.
    pub cycle_search: Option<String>,
    /// Another one for cheapest runs.
    pub cost_search: Option<String>,
    /// The heuristic of searches that are not given one.
    pub heuristic: Option<String>,
    /// Conditions on states: where they are true, steps are taken first. For searches with sets of states.
    pub hints: Vec<String>,
    /// A known way to the error: the search looks for shorter ones.
    pub improve: Option<Trail>,
    pub seed: u64,
    /// Only weakly fair runs count: a process that can always go on does so at last.
    pub fair: bool,
    /// Values that make no difference any more are forgotten.
    pub dead_variables: bool,
    pub limits: Limits,
    /// How states without clocks are kept.
    pub store: StoreKind,
    /// How many threads may search.
    pub threads: usize,
    /// The first one is alone until a search has generated so many states; 0 if others begin with it.
    pub alone: u64,
    /// Where states may be kept that memory has no room for.
    pub disk: Option<Disk>,
    /// Whether steps are left out that need not be taken.
    pub reduction: ReductionMode,
}

/// Whether steps are left out that need not be taken (partial order reduction).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReductionMode {
    /// Every step is taken.
    Off,
    /// Steps are left out where this loses nothing that was asked for.
    #[default]
    Auto,
    /// The same, and a note says where and why nothing is left out.
    On,
    /// The same, and what is left out is compared with the state space itself, and the answers with those of a search that
    /// takes all steps.
    Check,
}

impl ReductionMode {
    /// The user wants it, and is told where it cannot be had.
    pub fn is_wanted(self) -> bool {
        matches!(self, ReductionMode::On | ReductionMode::Check)
    }
}

/// Is told of all properties.
pub type Listener<'a> = dyn FnMut(&[PropertyReport]) + 'a;

/// What the outside world has to say while a run is under way.
#[derive(Default)]
pub struct Hooks<'a> {
    /// Ends it from outside, wherever it is.
    pub stop: StopSignal,
    pub progress: Option<&'a mut dyn FnMut(&Progress)>,
    /// Is told what is known of the properties each time that something is decided.
    pub decided: Option<&'a mut Listener<'a>>,
    /// Where searches are recorded, so that another process can go on with them.
    pub journal: Option<&'a mut Journal>,
}

impl Hooks<'_> {
    pub(crate) fn tell(&mut self, properties: &[PropertyReport]) {
        if let Some(decided) = &mut self.decided {
            decided(properties);
        }
    }
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

/// The numbers of a run.
#[derive(Clone, Debug)]
pub struct RunStats {
    pub counts: Statistics,
    pub complete: bool,
    /// Of the whole process, from its start to the end of this run.
    pub peak_memory_bytes: u64,
    /// Time on the processor for the search and for building what it needs; `None` where it cannot be measured.
    pub cpu_time: Option<Duration>,
    /// The search, and the heuristic that guided it if one did; `several` if there were different ones.
    pub search: String,
    pub heuristic: Option<String>,
    /// The limit that ended it.
    pub stop_reason: Option<StopReason>,
    /// If a reduction was checked: the states whose chosen steps were compared with all of them.
    pub compared: Option<u64>,
}

impl RunStats {
    /// Adds the numbers of a run that came after this one and served the same end.
    pub fn add(&mut self, later: &RunStats) {
        let elapsed = self.counts.elapsed + later.counts.elapsed;
        self.counts.add_phase(&later.counts);
        self.counts.elapsed = elapsed;
        self.peak_memory_bytes = self.peak_memory_bytes.max(later.peak_memory_bytes);
        self.compared = self.compared.into_iter().chain(later.compared).reduce(|before, after| before + after);
        self.cpu_time = self.cpu_time.zip(later.cpu_time).map(|(before, after)| before + after);
    }

    /// The numbers of two runs that came one after the other, and how the later one ended.
    pub fn followed_by(mut self, later: &RunStats) -> RunStats {
        self.add(later);
        (self.complete, self.stop_reason) = (later.complete, later.stop_reason);
        if self.search != later.search {
            self.search = SEVERAL.into();
        }
        if self.heuristic != later.heuristic {
            self.heuristic = None;
        }
        self
    }
}

/// What is said where one name would be too few.
const SEVERAL: &str = "several searches";

/// Time between two progress reports.
pub(crate) const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Runs a search over the system with a store of its own. `recorded_as`: what it is about, if all that it finds out is in its result.
#[allow(clippy::too_many_arguments)]
pub(crate) fn search(
    system: &dyn TransitionSystem,
    goals: &Goals,
    stop: StopPolicy,
    heuristics: &dyn HeuristicSource,
    strategy: &Strategy,
    limits: &Limits,
    hooks: &mut Hooks<'_>,
    observer: Option<&mut dyn Observer>,
    recorded_as: Option<String>,
) -> Result<(SearchResult, RunStats), RunError> {
    let cpu_before = cpu_time();
    let stop_signal = hooks.stop.clone();
    let stores =
        Stores::new(system).of_kind(strategy.store).with_budget(limits.memory).heeding(&stop_signal, limits.until);
    let mut report = |now: &Progress| {
        if let Some(progress) = &mut hooks.progress {
            progress(now);
        }
    };
    let task = Task { system, goals, stop, stores: &stores, heuristics };
    let controls = Controls {
        limits: limits.clone(),
        stop: hooks.stop.clone(),
        progress: Some(&mut report),
        progress_interval: PROGRESS_INTERVAL,
        // Taken apart and put together again, so that the object may live shorter than its reference says.
        observer: match observer {
            Some(observer) => Some(observer),
            None => None,
        },
        threads: strategy.threads,
        alone: strategy.alone,
        resident: Some(own_memory),
        journal: match (&mut hooks.journal, recorded_as) {
            (Some(journal), Some(label)) => Some((&mut **journal, format!("{}; {label}", strategy.text))),
            _ => None,
        },
        disk: strategy.disk.clone(),
        beyond_memory: Some(bughound_external::go_on),
    };
    let result = strategy.search().start(task, controls).map_err(|error| match error {
        SearchError::Build(error) => strategy.wrong(error),
        lost @ SearchError::PathLost { .. } => RunError::Internal(lost.to_string()),
        SearchError::Resume(why) => RunError::Usage(format!("--resume: {why}")),
    })?;
    let stats = RunStats {
        counts: result.stats.clone(),
        complete: result.complete,
        peak_memory_bytes: peak_memory(),
        cpu_time: cpu_before.zip(cpu_time()).map(|(before, after)| after.saturating_sub(before)),
        search: strategy.text.clone(),
        heuristic: strategy.heuristic.clone(),
        stop_reason: result.stop_reason,
        compared: None,
    };
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
