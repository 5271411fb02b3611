//! Runs searches on a model and makes answers of what they find.

use std::collections::HashSet;
use std::time::Duration;

use bughound_kernel::registry::{BuildError, Expression, expression};
use bughound_kernel::{AtomId, Limits, StopReason, StopSignal, Verdict};
use bughound_search::{
    BuildCx, Controls, Goals, Incompleteness, InvariantGoal, Progress, Search, SearchError, SearchResult, Statistics,
    StopPolicy, Task, algorithms,
};

use crate::error::CheckError;
use crate::guide::{ESTIMATE, Guide};
use crate::model::RustModel;
use crate::property::{Property, PropertyKind};
use crate::replay::replay;
use crate::report::{Answer, Report};
use crate::space::Space;

/// Time between two progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Is told how a search gets on.
type Listener<'m> = dyn FnMut(&Progress) + 'm;

/// A check of a model, before it is made.
///
/// A property with an estimate is decided by a search of its own, which the estimate guides. All others are decided together
/// by one search.
pub struct Checker<'m, M: RustModel> {
    model: &'m M,
    search: String,
    seed: u64,
    limits: Limits,
    stop: StopSignal,
    first_error: bool,
    progress: Option<Box<Listener<'m>>>,
}

/// Properties that one search decides, by their places in the list.
struct Job {
    properties: Vec<usize>,
    stop: StopPolicy,
}

impl<'m, M: RustModel> Checker<'m, M> {
    pub fn new(model: &'m M) -> Self {
        Checker {
            model,
            search: "auto".into(),
            seed: 0,
            limits: Limits::default(),
            stop: StopSignal::default(),
            first_error: false,
            progress: None,
        }
    }

    /// The search as an expression, such as `bfs`, `astar`, `greedy(ties=low-h)` or `auto`, which is the default:
    /// `bughound list searches` names all. Searches with estimates use that of the property; `h=blind` uses none.
    pub fn search(mut self, expression: impl Into<String>) -> Self {
        self.search = expression.into();
        self
    }

    /// For searches that draw random numbers. The same seed gives the same run.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Ends each search early. A limit makes no wrong answers: what is not decided is [`Verdict::Limit`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Ends the check when the signal is raised, from whatever thread.
    pub fn stop_signal(mut self, signal: StopSignal) -> Self {
        self.stop = signal;
        self
    }

    /// Once a property is violated, the others are left undecided.
    pub fn first_error(mut self) -> Self {
        self.first_error = true;
        self
    }

    /// Is told now and then how a search gets on.
    pub fn progress(mut self, listener: impl FnMut(&Progress) + 'm) -> Self {
        self.progress = Some(Box::new(listener));
        self
    }

    /// Decides all properties of the model.
    pub fn check(mut self) -> Result<Report<M>, CheckError> {
        let properties = self.model.properties();
        let mut names = HashSet::new();
        if let Some(twice) = properties.iter().find(|property| !names.insert(property.name())) {
            return Err(CheckError::SameName(twice.name().to_string()));
        }
        let jobs = self.jobs(&properties);
        self.execute(&properties, &jobs)
    }

    /// Goes through all reachable states, and looks for nothing: the statistics tell how many there are.
    pub fn explore(mut self) -> Result<Statistics, CheckError> {
        let job = Job { properties: Vec::new(), stop: StopPolicy::Exhaustive };
        self.execute(&[], &[job]).map(|report| report.statistics)
    }

    fn jobs(&self, properties: &[Property<M>]) -> Vec<Job> {
        let (guided, plain): (Vec<usize>, Vec<usize>) =
            (0..properties.len()).partition(|place| properties[*place].claims().is_some());
        let (errors, questions): (Vec<usize>, Vec<usize>) = plain
            .into_iter()
            // What stops at the first error must not stop at an example.
            .partition(|place| !self.first_error || properties[*place].kind() != PropertyKind::Sometimes);
        let for_errors = if self.first_error { StopPolicy::FirstError } else { StopPolicy::EveryProperty };
        let one_by_one = guided.into_iter().map(|place| (vec![place], StopPolicy::FirstError));
        one_by_one
            .chain([(errors, for_errors), (questions, StopPolicy::EveryProperty)])
            .filter(|(properties, _)| !properties.is_empty())
            .map(|(properties, stop)| Job { properties, stop })
            .collect()
    }

    fn execute(&mut self, properties: &[Property<M>], jobs: &[Job]) -> Result<Report<M>, CheckError> {
        let search = self.build_search()?;
        let space = Space::new(self.model, properties, self.limits.memory, self.stop.clone())
            .map_err(|_| CheckError::OutOfMemory)?;
        if !space.has_initial_states() {
            return Err(CheckError::NoInitialState);
        }
        let mut answers: Vec<Option<Answer<M>>> = properties.iter().map(|_| None).collect();
        let mut statistics = Statistics::default();
        let mut is_over = false;
        for job in jobs {
            if is_over {
                break;
            }
            let result = self.run(&*search, &space, job);
            if space.is_full() && self.stop.reason() == Some(StopReason::Memory) {
                // The signal was raised from here, not by its owner, who may want to use it again.
                self.stop.lower();
            }
            let result = result?;
            let elapsed = statistics.elapsed + result.stats.elapsed;
            statistics.add_phase(&result.stats);
            statistics.elapsed = elapsed;
            for &place in &job.properties {
                let answer = answer_of(&space, place, &result)?;
                is_over |= self.first_error && answer.verdict == Verdict::Violated;
                answers[place] = Some(answer);
            }
        }
        let answers = answers.into_iter().zip(properties);
        let answers = answers.map(|(answer, property)| answer.unwrap_or_else(|| undecided(property))).collect();
        Ok(Report { answers, statistics })
    }

    fn build_search(&self) -> Result<Box<dyn Search>, CheckError> {
        let parsed = expression::parse(&self.search).map_err(|error| self.wrong_search(&error))?;
        let estimate = Expression::named(ESTIMATE);
        let cx = BuildCx { seed: self.seed, heuristic: Some(&estimate), ..BuildCx::default() };
        algorithms::build(&parsed, &cx).map_err(|error| self.wrong_search(&error))
    }

    fn wrong_search(&self, error: &BuildError) -> CheckError {
        CheckError::Search(error.render(&self.search))
    }

    fn run(&mut self, search: &dyn Search, space: &Space<'_, M>, job: &Job) -> Result<SearchResult, CheckError> {
        let mut goals = Goals::none();
        for &property in &job.properties {
            let expected = match space.properties[property].kind() {
                PropertyKind::NoDeadlock => {
                    goals.deadlock = Some(property);
                    continue;
                }
                PropertyKind::Always => true,
                PropertyKind::Sometimes => false,
            };
            goals.invariants.push(InvariantGoal { property, atom: AtomId(property as u32), expected });
        }
        let mut asked = job.properties.iter().map(|place| &space.properties[*place]);
        let guiding = asked.find(|property| property.claims().is_some());
        let guide = Guide { space, guiding };
        let mut report = |now: &Progress| {
            if let Some(progress) = &mut self.progress {
                progress(now);
            }
        };
        let controls = Controls {
            limits: self.limits.clone(),
            stop: self.stop.clone(),
            progress: Some(&mut report),
            progress_interval: PROGRESS_INTERVAL,
            observer: None,
            threads: 1,
            resident: None,
            alone: 0,
            journal: None,
            disk: None,
            beyond_memory: None,
        };
        let task = Task { system: space, goals: &goals, stop: job.stop, stores: space, heuristics: &guide };
        search.start(task, controls).map_err(|error| match error {
            SearchError::Build(error) => self.wrong_search(&error),
            SearchError::PathLost { property } => CheckError::NotRepeatable {
                property: space.properties[property].name().to_string(),
                step: 0,
                what: "the way to its end is not found again",
            },
            // Nothing is ever recorded here.
            SearchError::Resume(_) => CheckError::NotRepeatable {
                property: String::new(),
                step: 0,
                what: "the search was to go on with something that nobody has saved",
            },
        })
    }
}

fn answer_of<M: RustModel>(space: &Space<'_, M>, place: usize, result: &SearchResult) -> Result<Answer<M>, CheckError> {
    let property = &space.properties[place];
    // A search knows one property about deadlocks; what it finds answers all of them.
    let is_about_deadlocks = |place: usize| space.properties[place].kind() == PropertyKind::NoDeadlock;
    let answers = |found: usize| found == place || is_about_deadlocks(found) && is_about_deadlocks(place);
    let witness = result.witnesses.iter().find(|witness| answers(witness.property));
    let trace = witness
        .map(|witness| replay(space.model, property, space.read(witness.start.as_state()), witness))
        .transpose()?;
    let is_question = property.kind() == PropertyKind::Sometimes;
    let verdict = match (&trace, is_question) {
        (Some(_), true) => Verdict::Satisfied,
        (Some(_), false) => Verdict::Violated,
        // What was searched for and is nowhere: bad news for a question, good news for all else.
        (None, true) if result.complete => Verdict::Violated,
        (None, false) if result.complete => Verdict::Holds,
        _ if result.stop_reason.is_some() => Verdict::Limit,
        _ => Verdict::Inconclusive,
    };
    let undecided = matches!(verdict, Verdict::Limit | Verdict::Inconclusive);
    let incomplete_because = if undecided { result.incomplete_because.clone() } else { Vec::new() };
    Ok(Answer {
        property: property.name().to_string(),
        kind: property.kind(),
        verdict,
        trace,
        incomplete_because,
        statistics: result.stats.clone(),
    })
}

/// The answer to a property that was not looked at because another one is violated.
fn undecided<M: RustModel>(property: &Property<M>) -> Answer<M> {
    Answer {
        property: property.name().to_string(),
        kind: property.kind(),
        verdict: Verdict::Inconclusive,
        trace: None,
        incomplete_because: vec![Incompleteness::StoppedAtError],
        statistics: Statistics::default(),
    }
}
