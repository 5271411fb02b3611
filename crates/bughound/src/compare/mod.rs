//! Several searches on the same model and the same errors, for tables like those of the papers.
//!
//! Each search is a check of its own, with its own store and the same limits, one after the other.

mod agreement;
mod expressions;
mod row;

use std::time::{Duration, Instant};

use bughound_kernel::StopReason;
use bughound_search::StopPolicy;

use crate::check::{AfterError, CheckRequest, check_as_planned};
use crate::execute::rehearse;
use crate::model::Model;
use crate::plan::{IN_SEARCH, Plan, plan};
use crate::properties::{listed, select};
use crate::run::{Hooks, RunError, RunOptions};
use crate::verdict::{EXIT_INTERNAL, Verdict};
use crate::zones::ZoneOptions;
use bughound_ir::question::Property;

pub use agreement::contradictions;
pub use expressions::split;
pub use row::{Answer, Row};

/// The searches of a comparison that names none: blind, guided, and the two that promise most.
pub const DEFAULT_SEARCHES: [&str; 5] = ["bfs", "dfs", "greedy", "astar", "auto"];

/// What is to be compared.
#[derive(Clone, Debug)]
pub struct CompareRequest {
    /// Names and groups of properties that one search can decide; empty: all such properties.
    pub selection: Vec<String>,
    /// Search expressions, in the order of the rows.
    pub searches: Vec<String>,
    /// For every search alike; its own `search` is not used.
    pub run: RunOptions,
    /// The most that a search may take; the end of all of them holds besides.
    pub each: Option<Duration>,
    pub zones: ZoneOptions,
}

/// A property that the searches look for a violation (or a witness) of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    pub name: String,
    pub kind: &'static str,
}

#[derive(Debug)]
pub struct Comparison {
    pub properties: Vec<Compared>,
    /// Properties that no row is about, since they need searches of their own.
    pub left_out: Vec<String>,
    pub rows: Vec<Row>,
    /// Results that cannot both be true. Each is a bug in the tool.
    pub contradictions: Vec<String>,
    /// Ctrl-C came before the last row.
    pub interrupted: bool,
}

impl Comparison {
    /// What the searches together have found out.
    pub fn answer(&self) -> Answer {
        let has = |answer| self.rows.iter().any(|row| row.answer == answer);
        if !self.contradictions.is_empty() {
            return Answer::Unconfirmed;
        }
        let order = [Answer::Unconfirmed, Answer::Found, Answer::None, Answer::Limit];
        order.into_iter().find(|answer| has(*answer)).unwrap_or(Answer::Inconclusive)
    }

    /// 0 if some search has finished and all that have agree.
    pub fn exit_code(&self) -> u8 {
        match self.answer() {
            Answer::Unconfirmed => EXIT_INTERNAL,
            _ if self.interrupted => Verdict::Limit.exit_code(),
            Answer::Found | Answer::None => Verdict::Holds.exit_code(),
            Answer::Limit => Verdict::Limit.exit_code(),
            Answer::Inconclusive | Answer::Skipped => Verdict::Inconclusive.exit_code(),
        }
    }
}

/// Runs the searches one after the other. All of them are checked before the first one starts.
pub fn compare(model: &Model, request: &CompareRequest, mut hooks: Hooks<'_>) -> Result<Comparison, RunError> {
    let (asked, left_out) = choose(model, request)?;
    let checks: Vec<CheckRequest> = request.searches.iter().map(|search| one(search, request, &asked)).collect();
    let plans: Result<Vec<Plan>, RunError> = checks.iter().map(|check| plan(model, check)).collect();
    let plans = plans.map_err(named)?;
    for (check, plan) in checks.iter().zip(&plans) {
        rehearse(model, check, plan).map_err(named)?;
    }
    let mut rows = Vec::new();
    let count = checks.len();
    for (at, (mut one, plan)) in checks.into_iter().zip(&plans).enumerate() {
        if hooks.stop.is_raised() {
            rows.push(Row::skipped(&one.run.search));
            continue;
        }
        let own = request.each.and_then(|each| Instant::now().checked_add(each));
        let shared = one.run.limits.until.map(|until| share(until, count - at));
        one.run.limits.until = own.into_iter().chain(shared).min();
        let progress: Option<&mut dyn FnMut(&_)> = match &mut hooks.progress {
            Some(progress) => Some(&mut **progress),
            None => None,
        };
        match check_as_planned(model, &one, plan, Hooks { stop: hooks.stop.clone(), progress, ..Hooks::default() }) {
            Ok(report) => rows.push(Row::of(report)),
            // What the other searches have found must not be lost.
            Err(RunError::Internal(why)) => rows.push(Row::unconfirmed(&one.run.search, why)),
            Err(wrong) => return Err(named(wrong)),
        }
    }
    let properties = asked.iter().map(|a| Compared { name: a.name.clone(), kind: a.question.kind() }).collect();
    let contradictions = contradictions(&rows);
    Ok(Comparison {
        properties,
        left_out,
        rows,
        contradictions,
        interrupted: hooks.stop.reason() == Some(StopReason::Interrupted),
    })
}

/// The end of the first of so many searches that have the time until then: each gets the same part of what is left, so that
/// the first ones do not take the time of the others, and what they do not need is for those behind them.
fn share(until: Instant, searches: usize) -> Instant {
    let now = Instant::now();
    now + until.saturating_duration_since(now) / searches.max(1) as u32
}

fn one(search: &str, request: &CompareRequest, asked: &[Property]) -> CheckRequest {
    CheckRequest {
        selection: asked.iter().map(|property| property.name.clone()).collect(),
        stop: StopPolicy::FirstError,
        after: AfterError::Stop,
        run: RunOptions { search: search.to_string(), ..request.run.clone() },
        zones: request.zones,
        ..CheckRequest::default()
    }
}

/// The option is another one here.
fn named(error: RunError) -> RunError {
    match error {
        RunError::Usage(message) => match message.strip_prefix(IN_SEARCH) {
            Some(rest) => RunError::Usage(format!("--searches: {rest}")),
            None => RunError::Usage(message),
        },
        bug => bug,
    }
}

/// What one search per row can decide, and the names of the rest.
fn choose(model: &Model, request: &CompareRequest) -> Result<(Vec<Property>, Vec<String>), RunError> {
    let chosen = select(listed(model), &request.selection)?;
    if chosen.len() == 1 {
        return Ok((chosen, Vec::new()));
    }
    let (together, others): (Vec<Property>, Vec<Property>) =
        chosen.into_iter().partition(|asked| asked.question.is_safety());
    let left_out: Vec<String> = others.iter().map(|property| property.name.clone()).collect();
    match request.selection.is_empty() {
        false if !others.is_empty() => {
            let names: Vec<&str> = together.iter().chain(&others).map(|p| p.name.as_str()).collect();
            let message = "each row is one search, and these properties need several; choose one of them";
            Err(RunError::Usage(format!("{message}: {}", names.join(", "))))
        }
        _ if together.is_empty() => {
            let message = "choose the property to compare searches on";
            Err(RunError::Usage(format!("{message}: {}", left_out.join(", "))))
        }
        _ => Ok((together, left_out)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(answers: &[Answer]) -> Comparison {
        let rows = answers.iter().map(|answer| Row { answer: *answer, ..Row::skipped("s") }).collect();
        Comparison { properties: vec![], left_out: vec![], rows, contradictions: vec![], interrupted: false }
    }

    #[test]
    fn exit_codes() {
        use Answer::*;
        let code = |answers: &[Answer]| comparison(answers).exit_code();
        assert_eq!((code(&[Found, Limit]), code(&[None, Inconclusive]), code(&[Limit, Limit])), (0, 0, 4));
        assert_eq!((code(&[Inconclusive]), code(&[Found, Unconfirmed]), code(&[])), (3, 5, 3));
        let interrupted = Comparison { interrupted: true, ..comparison(&[Found, Limit, Skipped]) };
        assert_eq!(interrupted.exit_code(), 4);
        let wrong = Comparison { contradictions: vec!["x".into()], ..comparison(&[Found, None]) };
        assert_eq!(wrong.exit_code(), 5);
    }
}
