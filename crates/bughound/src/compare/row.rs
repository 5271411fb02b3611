//! The result of one search among others.

use std::time::Duration;

use bughound_search::Statistics;

use crate::check::CheckReport;
use crate::run::RunStats;
use crate::verdict::Verdict;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// An error (or the state asked for), confirmed by the independent evaluator.
    Found,
    /// There is none: the search was complete.
    None,
    Limit,
    Inconclusive,
    /// Interrupted before it began.
    Skipped,
    /// A bug in the tool: what was found could not be confirmed.
    Unconfirmed,
}

impl Answer {
    pub fn name(self) -> &'static str {
        match self {
            Answer::Found => "found",
            Answer::None => "none",
            Answer::Limit => "limit",
            Answer::Inconclusive => "inconclusive",
            Answer::Skipped => "skipped",
            Answer::Unconfirmed => "error",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Row {
    pub search: String,
    pub answer: Answer,
    /// Whose error was found.
    pub property: Option<String>,
    /// Steps of the trace.
    pub length: Option<u64>,
    /// Cost of the trace, if the model gives costs.
    pub cost: Option<u64>,
    pub proven_shortest: bool,
    /// Why the answer is no better than it is.
    pub reason: Option<String>,
    /// `None` if nothing was searched.
    pub stats: Option<RunStats>,
}

impl Row {
    fn empty(search: &str, answer: Answer, reason: Option<String>) -> Row {
        Row {
            search: search.to_string(),
            answer,
            property: None,
            length: None,
            cost: None,
            proven_shortest: false,
            reason,
            stats: None,
        }
    }

    pub(super) fn skipped(search: &str) -> Row {
        Row::empty(search, Answer::Skipped, None)
    }

    pub(super) fn unconfirmed(search: &str, why: String) -> Row {
        Row::empty(search, Answer::Unconfirmed, Some(why))
    }

    /// The result of a check of one property, or of properties that one search decides.
    pub(super) fn of(report: CheckReport) -> Row {
        let traces = report.properties.iter().filter_map(|p| p.trace.as_ref().map(|trace| (p, trace)));
        if let Some((property, trace)) = traces.min_by_key(|(_, trace)| trace.cost) {
            return Row {
                property: Some(property.name.clone()),
                length: Some(trace.length),
                cost: trace.has_costs.then_some(trace.cost),
                proven_shortest: property.proven_shortest,
                stats: report.stats,
                ..Row::empty(&report.search, Answer::Found, None)
            };
        }
        let answer = match report.verdict {
            // Without a trace, a violation is the proof that what was asked for does not exist.
            Verdict::Holds | Verdict::Satisfied | Verdict::Violated => Answer::None,
            Verdict::Limit => Answer::Limit,
            Verdict::Inconclusive => Answer::Inconclusive,
        };
        let reason = report.properties.iter().find(|p| p.verdict == report.verdict).and_then(|p| p.reason.clone());
        Row { stats: report.stats, ..Row::empty(&report.search, answer, reason.filter(|_| answer != Answer::None)) }
    }

    pub fn counts(&self) -> Option<&Statistics> {
        self.stats.as_ref().map(|stats| &stats.counts)
    }

    pub fn cpu_time(&self) -> Option<Duration> {
        self.stats.as_ref()?.cpu_time
    }

    /// Microseconds for one estimate; `None` without heuristic.
    pub fn microseconds_per_evaluation(&self) -> Option<f64> {
        let counts = self.counts().filter(|counts| counts.evaluated > 0)?;
        Some(counts.evaluation_time.as_secs_f64() * 1e6 / counts.evaluated as f64)
    }

    /// Estimates in a second of the time that they take; `None` without heuristic, or if it takes no time to speak of.
    pub fn evaluations_per_second(&self) -> Option<f64> {
        self.microseconds_per_evaluation().filter(|time| *time > 0.0).map(|time| 1e6 / time)
    }
}
