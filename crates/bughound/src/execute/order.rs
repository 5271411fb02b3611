//! In which order the searches of a check run, and how much effort each of them gets.
//!
//! Each search first makes an attempt with few states, then one with more, so that no cheap answer waits for a costly one; then
//! they go on one after the other. Once an error is known, others are looked for as far as the request says: not at all, for as
//! long as the first one took, or until everything is decided. Efforts are counted in states, so that runs can be repeated; a
//! clock ends only what comes after an error, and the result says so.
//!
//! Further errors of properties that are violated (`--all`) come behind the attempts, as far as they are cheap, and at last.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bughound_kernel::{Limits, StopReason};

use super::Execution;
use crate::check::{CheckReport, PropertyReport};
use crate::plan::Job;
use crate::run::{Hooks, RunError, RunStats, STOPPED_AT_ERROR};
use crate::verdict::Verdict;

/// What becomes of the other properties once an error is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterError {
    /// They stay undecided. Questions about existence are answered all the same.
    Stop,
    /// Each is given as much effort as the error took, and some seconds at least.
    Try,
    /// All are decided.
    GoOn,
}

/// After an error, others are looked for with so many states and in so much time at least.
const OTHERS_STATES: u64 = 500_000;
const OTHERS_TIME: Duration = Duration::from_secs(2);

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
struct Effort {
    states: u64,
    time: Option<Duration>,
}

impl Effort {
    /// Of an attempt that is followed by more.
    fn first(states: u64) -> Effort {
        Effort { states, time: None }
    }

    fn is_first(self) -> bool {
        self.time.is_none()
    }

    /// For others, after an error that took so much.
    fn like(stats: Option<&RunStats>) -> Effort {
        let counts = stats.map(|stats| &stats.counts);
        Effort {
            states: counts.map_or(0, |counts| counts.stored).max(OTHERS_STATES),
            time: Some(counts.map_or(Duration::ZERO, |counts| counts.elapsed).max(OTHERS_TIME)),
        }
    }

    /// The limits of a search that starts now.
    fn within(self, limits: &Limits) -> Limits {
        let until = self.time.and_then(|time| Instant::now().checked_add(time));
        Limits {
            until: limits.until.into_iter().chain(until).min(),
            states: Some(limits.states.map_or(self.states, |states| states.min(self.states))),
            ..limits.clone()
        }
    }

    /// Was it this that ended a search, and not the limits of the whole check?
    fn has_ended(self, stop: Option<StopReason>, limits: &Limits) -> bool {
        match stop {
            Some(StopReason::States) => limits.states.is_none_or(|states| self.states < states),
            Some(StopReason::Time) => self.time.is_some() && limits.until.is_none_or(|until| Instant::now() < until),
            _ => false,
        }
    }

    /// Why there is no answer after it.
    fn spent(self, stop: Option<StopReason>) -> String {
        let spent = match (stop, self.time) {
            (Some(StopReason::Time), Some(time)) => format!("{:.1} s", time.as_secs_f64()),
            _ => format!("{} states", self.states),
        };
        format!("not decided within {spent} after the first error; --keep-going decides it")
    }
}

impl Execution<'_> {
    /// Decides everything that was asked.
    pub(crate) fn decide_all(&self, hooks: &mut Hooks<'_>, report: &mut CheckReport) -> Result<(), RunError> {
        let mut todo: VecDeque<Job> = self.plan.jobs.clone().into();
        let mut after_error = None;
        let attempts = self.plan.attempts.iter().map(|states| Some(Effort::first(*states)));
        for attempt in attempts.chain([None]) {
            if let (None, Some(states)) = (attempt, self.plan.attempts.last()) {
                let limits = Effort::first(*states).within(self.limits);
                Execution { limits: &limits, ..*self }.find_others_of_all(hooks, report)?;
            }
            let mut later = VecDeque::new();
            while let Some(job) = todo.pop_front() {
                let effort = match (after_error, self.plan.after) {
                    (Some(_), AfterError::Stop) if self.looks_for_errors(&job) => {
                        leave(&job, report);
                        continue;
                    }
                    (Some(effort), AfterError::Try) if self.looks_for_errors(&job) => Some(effort),
                    _ => attempt,
                };
                let spent = self.attempt(&job, effort, hooks, report)?;
                let violated = |p: &&usize| report.properties[**p].verdict == Verdict::Violated;
                if after_error.is_none()
                    && self.looks_for_errors(&job)
                    && let Some(error) = job.questions.iter().find(violated)
                {
                    after_error = Some(Effort::like(report.properties[*error].stats.as_ref()));
                }
                let rest = rest_of(&job, report, self.plan.after);
                if !rest.is_empty() {
                    todo.push_front(job.only(rest));
                } else if spent && effort.is_some_and(Effort::is_first) {
                    later.push_back(job.only(undecided(&job, report)));
                }
                hooks.tell(&report.properties);
            }
            todo = later;
        }
        self.find_others_of_all(hooks, report)
    }

    fn find_others_of_all(&self, hooks: &mut Hooks<'_>, report: &mut CheckReport) -> Result<(), RunError> {
        self.plan.jobs.iter().try_for_each(|job| self.find_others(job, hooks, report))
    }

    /// Not so: it answers a question about something that exists.
    fn looks_for_errors(&self, job: &Job) -> bool {
        job.questions.iter().all(|number| !self.plan.questions[*number].question.is_existential())
    }

    /// Runs a search. True: it was the effort that ended it, and something is left to be decided.
    fn attempt(
        &self,
        job: &Job,
        effort: Option<Effort>,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<bool, RunError> {
        let limits = effort.map(|effort| effort.within(self.limits));
        let execution = Execution { limits: limits.as_ref().unwrap_or(self.limits), ..*self };
        let entries = &job.questions;
        let earlier: Vec<Option<RunStats>> = entries.iter().map(|p| report.properties[*p].stats.take()).collect();
        execution.execute(job, hooks, report)?;
        for (property, earlier) in entries.iter().zip(earlier) {
            let stats = &mut report.properties[*property].stats;
            *stats = match (earlier, stats.take()) {
                (Some(earlier), Some(now)) => Some(earlier.followed_by(&now)),
                (earlier, now) => now.or(earlier),
            };
        }
        let Some(effort) = effort else { return Ok(false) };
        let is_first = effort.is_first();
        let is_short = |p: &PropertyReport| {
            let stored = p.stats.as_ref().map_or(0, |stats| stats.counts.stored);
            p.trace.is_some() && !p.proven_shortest && stored >= effort.states
        };
        if is_first && entries.iter().any(|p| is_short(&report.properties[*p])) {
            // Something was found; what ended it is the search for shorter ways, which has limits of its own.
            let known: Vec<PropertyReport> = entries.iter().map(|p| report.properties[*p].clone()).collect();
            let spent = self.attempt(job, None, hooks, report)?;
            let is_found = |p: &PropertyReport| matches!(p.verdict, Verdict::Violated | Verdict::Satisfied);
            for (property, known) in entries.iter().zip(known) {
                let entry = &mut report.properties[*property];
                if is_found(&known) && !is_found(entry) {
                    // A limit of the whole check has ended it before it was found again.
                    *entry = PropertyReport { stats: entry.stats.take(), ..known };
                }
            }
            return Ok(spent);
        }
        let mut spent = false;
        for property in entries {
            let entry = &mut report.properties[*property];
            let stop = entry.stats.as_ref().and_then(|stats| stats.stop_reason);
            if entry.verdict == Verdict::Limit && effort.has_ended(stop, self.limits) {
                spent = true;
                entry.verdict = Verdict::Inconclusive;
                entry.reason = (!is_first).then(|| effort.spent(stop));
                entry.extremes.clear();
                entry.chance = None;
            }
        }
        Ok(spent)
    }
}

/// What is not looked at any more.
fn leave(job: &Job, report: &mut CheckReport) {
    for property in &job.questions {
        report.properties[*property].reason.get_or_insert(STOPPED_AT_ERROR.into());
    }
}

/// Properties of a search that have no answer yet.
fn undecided(job: &Job, report: &CheckReport) -> Vec<usize> {
    let is_open = |p: &usize| {
        let entry = &report.properties[*p];
        entry.verdict == Verdict::Inconclusive && entry.reason.is_none()
    };
    job.questions.iter().copied().filter(is_open).collect()
}

/// Properties that one search has left undecided because it has found the error of another.
fn rest_of(job: &Job, report: &mut CheckReport, after: AfterError) -> Vec<usize> {
    if after == AfterError::Stop {
        return Vec::new();
    }
    let is_left = |p: &usize| report.properties[*p].reason.as_deref() == Some(STOPPED_AT_ERROR);
    let rest: Vec<usize> = job.questions.iter().copied().filter(is_left).collect();
    for property in &rest {
        report.properties[*property].reason = None;
    }
    rest
}
