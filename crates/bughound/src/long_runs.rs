//! Long runs: where they are saved, what makes two runs the same, and what cannot be saved.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use bughound_checkpoint::{Error, Fingerprint, Folder, Identity};
use bughound_distributed::cluster;
use bughound_kernel::StopReason;
use bughound_kernel::registry::expression;
use bughound_search::Journal;

use crate::check::CheckRequest;
use crate::model::Model;
use crate::plan::{Layer, Plan, Strategy, plan};
use crate::run::{ReductionMode, RunError, RunOptions};

/// Where a run is saved, and how often.
#[derive(Clone, Debug)]
pub struct Saving {
    pub directory: PathBuf,
    pub every: Duration,
    pub begins: Begins,
}

/// Whether a run is a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// There is nothing in the directory to go on with (`--checkpoint`).
    Anew,
    /// It goes on with what is in the directory (`--resume`).
    WithWhatWasSaved,
}

impl Begins {
    fn option(self) -> &'static str {
        match self {
            Begins::Anew => "--checkpoint",
            Begins::WithWhatWasSaved => "--resume",
        }
    }
}

/// In which part of an identity the model is. What it is then and now says nothing to people.
const MODEL: &str = "the model";

/// Begins to record a check, or goes on with one. What the user should know about it.
pub fn journal_of_check(
    model: &Model,
    request: &CheckRequest,
    saving: &Saving,
) -> Result<(Option<Journal>, Vec<String>), RunError> {
    let plan = plan(model, request)?;
    let mut notes = what_begins_again(&plan, saving)?;
    refuse(&request.run, saving)?;
    if request.run.search.starts_with(CLUSTER) {
        notes.retain(|_| is_first_process());
    } else {
        notes.extend(one_thread(&request.run));
    }
    let mut identity = identity("check", model, &request.run);
    identity.set("the properties", request.selection.join(", "));
    identity
        .set("when it stops (--first, --keep-going, --exhaustive)", format!("{:?}, {:?}", request.stop, request.after));
    identity.set("the options for time and zones", format!("{:?}, fastest {}", request.zones, request.fastest));
    identity.set("--cheapest", format!("{:?}", request.cheapest));
    identity.set("--all", request.different);
    identity.set("--improve", fingerprint(&request.run.improve));
    if request.run.search.starts_with(CLUSTER) {
        identity.set("the number of workers in a process (--threads)", request.run.threads.max(1));
        identity.set("the number of processes", cluster::here().map_or(1, |here| here.processes));
    }
    if let Some(here) = cluster::here() {
        here.save_in(&saving.directory);
        if !is_first_process() {
            return Ok((open_beside_another(saving, identity)?, notes));
        }
    }
    Ok((Some(open(saving, identity, &request.run)?), notes))
}

/// Names of searches by several processes begin with this.
const CLUSTER: &str = "cluster-";

fn is_first_process() -> bool {
    cluster::here().is_none_or(|here| here.process == 0)
}

/// The first process may just be writing.
const RETRIES: u32 = 20;
const UNTIL_RETRY: Duration = Duration::from_millis(50);

/// For a process of several that is not the first one: that one writes what is recorded. What a new run is about to do is not
/// recorded here.
fn open_beside_another(saving: &Saving, identity: Identity) -> Result<Option<Journal>, RunError> {
    if saving.begins == Begins::Anew {
        return Ok(None);
    }
    let mut opened = Journal::beside_another(&saving.directory, identity.clone());
    for _ in 0..RETRIES {
        if matches!(opened, Ok(_) | Err(Error::Mismatch { .. })) {
            break;
        }
        std::thread::sleep(UNTIL_RETRY);
        opened = Journal::beside_another(&saving.directory, identity.clone());
    }
    opened.map(Some).map_err(|error| complaint(saving, &error))
}

/// The same for the exploration of a model.
pub fn journal_of_exploration(model: &Model, options: &RunOptions, saving: &Saving) -> Result<Journal, RunError> {
    let option = saving.begins.option();
    if model.network.stochastic.is_some() {
        return Err(RunError::Usage(format!(
            "{option}: models with probabilities are not explored by a search that can be saved"
        )));
    }
    can_be_saved(&Strategy::for_states(options)?, saving)?;
    refuse(options, saving)?;
    open(saving, identity("explore", model, options), options)
}

fn open(saving: &Saving, identity: Identity, options: &RunOptions) -> Result<Journal, RunError> {
    let open = || {
        let folder = match saving.begins {
            Begins::Anew => Folder::create(&saving.directory)?,
            Begins::WithWhatWasSaved => {
                let folder = Folder::open(&saving.directory)?;
                folder.saved()?.identity().compare(&identity)?;
                folder
            }
        };
        Journal::new(folder, identity.clone(), saving.every, options.limits.until)
    };
    open().map_err(|error| complaint(saving, &error))
}

fn complaint(saving: &Saving, error: &Error) -> RunError {
    let why = match error {
        Error::Mismatch { name, .. } if name == MODEL => "the model, or how it is read, has changed since".into(),
        Error::Occupied(_) => format!("{error}: go on with --resume, or remove it"),
        _ => error.to_string(),
    };
    RunError::Usage(format!("{}: {why}", saving.begins.option()))
}

fn fingerprint(of: &impl std::fmt::Debug) -> Fingerprint {
    let mut print = Fingerprint::default();
    // Nothing can go wrong where nothing is kept.
    let _ = write!(print, "{of:?}");
    print
}

/// What makes two runs the same, however long they may be, and with however many threads.
fn identity(command: &str, model: &Model, run: &RunOptions) -> Identity {
    let limits = &run.limits;
    let unlimited = |limit: Option<u64>| limit.map_or("none".to_string(), |limit| limit.to_string());
    Identity::new()
        .with("bughound", env!("CARGO_PKG_VERSION"))
        .with("the command", command)
        // All files with their places, and everything that was made of them: what is defined, which dialect, added properties.
        .with(MODEL, fingerprint(&(&model.sources, &model.network)))
        .with("--search", &run.search)
        .with("the search for cycles", run.cycle_search.as_deref().unwrap_or(&run.search))
        .with("the search for costs", run.cost_search.as_deref().unwrap_or(&run.search))
        .with("--heuristic", run.heuristic.as_deref().unwrap_or("none"))
        .with("--seed", run.seed)
        .with("--fair", if run.fair { "weak" } else { "no" })
        .with("--dead-variables", if run.dead_variables { "on" } else { "off" })
        .with("--reduction", format!("{:?}", run.reduction).to_lowercase())
        .with("--disk", if run.disk.is_some() { "given" } else { "not given" })
        .with("--max-states", unlimited(limits.states))
        .with("--max-depth", unlimited(limits.depth))
}

fn refuse(run: &RunOptions, saving: &Saving) -> Result<(), RunError> {
    let option = saving.begins.option();
    if run.store.forgets() {
        let why = "a store that keeps hashes cannot give states back to be saved; --store auto, exact and tree can";
        return Err(RunError::Usage(format!("{option}: {why}")));
    }
    if run.reduction == ReductionMode::Check {
        return Err(RunError::Usage(format!("{option}: --reduction check compares in one go what it leaves out")));
    }
    Ok(())
}

/// For those who have asked for several threads.
fn one_thread(run: &RunOptions) -> Option<String> {
    let why = "a search is saved between two steps of one thread, so one thread searches";
    (run.threads > 1 && run.alone == 0).then(|| why.into())
}

fn can_be_saved(search: &Strategy, saving: &Saving) -> Result<(), RunError> {
    if search.search().can_be_saved() {
        return Ok(());
    }
    let name = expression::parse(&search.text).map_or(search.text.clone(), |expression| expression.name);
    let option = saving.begins.option();
    let cannot = "cannot be saved while it is under way; auto, bfs, dijkstra, greedy, astar and their kind can";
    let why = search.search().saves_itself().unwrap_or(cannot);
    Err(RunError::Usage(format!("{option}: `{name}` {why}")))
}

/// Which searches of a check are not saved while they are under way. An error if none is.
fn what_begins_again(plan: &Plan, saving: &Saving) -> Result<Vec<String>, RunError> {
    let mut names = Vec::new();
    let (mut saved, mut others) = (0, 0);
    for job in &plan.jobs {
        if job.layers.is_empty() {
            can_be_saved(&job.search, saving)?;
            saved += 1;
        } else {
            others += 1;
            let what = match job.layers.first() {
                Some(Layer::Chances(_) | Layer::Samples(_)) => "answers about chances",
                Some(Layer::Cheapest) => "cheapest runs",
                Some(Layer::Measures) => "extreme values",
                _ => "properties of infinite runs",
            };
            if !names.contains(&what) {
                names.push(what);
            }
        }
    }
    let names = names.join(" and ");
    match (saved, others) {
        (_, 0) => Ok(Vec::new()),
        (0, _) => {
            let option = saving.begins.option();
            Err(RunError::Usage(format!("{option}: searches for {names} cannot be saved while they are under way")))
        }
        _ => Ok(vec![format!(
            "searches for {names} are not saved while they are under way: they begin again after --resume"
        )]),
    }
}

/// A limit that may be another one in the process that goes on; that on states is part of what makes two runs the same.
pub fn can_go_on_after(stop: Option<StopReason>) -> bool {
    stop.is_some_and(|reason| reason != StopReason::States)
}

/// A run that was to be recorded has failed.
pub fn fail(journal: Option<Journal>) {
    // Why it has failed is what matters.
    let _ = journal.map(Journal::discard);
}

/// The end of a run that was recorded. `is_over`: nobody has to go on with it. What the user should know.
pub fn end(mut journal: Journal, is_over: bool) -> Vec<String> {
    let directory = journal.directory().display().to_string();
    if is_over && !journal.is_closed() {
        return journal.clear().err().map(|error| error.to_string()).into_iter().collect();
    }
    journal.keep();
    let problem =
        journal.problem().map(|why| format!("the last checkpoint could not be written, the one before stays: {why}"));
    let go_on = format!("saved: the same command goes on with --resume {directory} in place of --checkpoint");
    problem.into_iter().chain([go_on]).collect()
}
