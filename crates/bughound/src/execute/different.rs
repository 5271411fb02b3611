//! More errors than one, each different from the others (`--all`).
//!
//! The errors that are known count no more, and the search is run again: so every search can do it, and what it proves of an
//! error it proves of this one, not of the first.

use std::fmt;

use bughound_ir::frames::LOCATION;
use bughound_ir::network::Network;
use bughound_ir::question::Question;
use bughound_search::{Difference, Goals, SearchResult, Witness};

use super::Execution;
use super::states::Prepared;
use crate::check::{CheckReport, PropertyReport};
use crate::plan::{Conclusion, Job};
use crate::run::{Hooks, RunError, RunStats, verdict_without_witness};
use crate::verdict::Verdict;

/// Several statements may be at fault in one state, and only one state for each combination of locations is shown.
const SAME_LOCATIONS: &str = "errors with all processes at the same locations count as one";

/// Are there more errors than those that are shown?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Others {
    /// These are all different errors that there are.
    None,
    /// Perhaps; and why that is not known.
    Perhaps(String),
}

impl fmt::Display for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Others::None => f.write_str("there are no others"),
            Others::Perhaps(why) => write!(f, "there may be others: {why}"),
        }
    }
}

impl Execution<'_> {
    /// Does a job look for several errors?
    pub(super) fn wants_several(&self, job: &Job) -> bool {
        self.different > 1 && job.conclusion == Conclusion::Errors
    }

    /// Looks for errors that differ from those of `first`, as many as are wanted.
    pub(super) fn find_others(
        &self,
        job: &Job,
        prepared: &mut Prepared<'_>,
        first: &SearchResult,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let is_violated =
            |report: &CheckReport, number: &usize| report.properties[*number].verdict == Verdict::Violated;
        if !job.questions.iter().any(|number| is_violated(report, number)) {
            return Ok(());
        }
        // What is known is told while others are looked for.
        hooks.tell(&report.properties);
        note_known(&mut prepared.goals, &first.witnesses);
        let others = loop {
            let found = job.questions.iter().map(|number| report.properties[*number].errors()).sum::<usize>();
            if found >= self.different {
                break Others::Perhaps(format!("--all {} shows no more", self.different));
            }
            let (result, stats) = self.search_states(job, prepared, hooks, None)?;
            for &number in &job.questions {
                if is_violated(report, &number) {
                    let entry = &mut report.properties[number];
                    entry.stats = Some(together(entry.stats.take(), &stats));
                    self.add_error(number, prepared, &result, &stats, hooks, entry)?;
                } else {
                    let before = report.properties[number].stats.take();
                    self.answer(number, job, prepared, (&result, &stats), hooks, report)?;
                    let entry = &mut report.properties[number];
                    entry.stats = Some(together(before, &stats));
                }
            }
            report.count(&stats);
            if result.witnesses.is_empty() {
                break match verdict_without_witness(&result) {
                    (Verdict::Holds, _) => Others::None,
                    (_, why) => Others::Perhaps(why.unwrap_or_default()),
                };
            }
            note_known(&mut prepared.goals, &result.witnesses);
        };
        for number in job.questions.iter().filter(|number| is_violated(report, number)).copied().collect::<Vec<_>>() {
            let is_protocol = matches!(self.plan.questions[number].question, Question::Protocol(..));
            report.properties[number].others = Some(match &others {
                Others::None if is_protocol => Others::Perhaps(SAME_LOCATIONS.into()),
                others => others.clone(),
            });
        }
        Ok(())
    }

    /// Adds an error to those of a property that is violated in any case.
    fn add_error(
        &self,
        number: usize,
        prepared: &Prepared<'_>,
        result: &SearchResult,
        stats: &RunStats,
        hooks: &mut Hooks<'_>,
        entry: &mut PropertyReport,
    ) -> Result<(), RunError> {
        let Some(witness) = result.witnesses.iter().find(|witness| witness.property == number) else { return Ok(()) };
        let asked = &self.plan.questions[number];
        let mut error = PropertyReport::undecided(asked);
        (error.verdict, error.stats) = (Verdict::Violated, Some(stats.clone()));
        if prepared.states.confirm(&self.plan.network, asked, witness, self.zones.hull, &mut error)?.is_err() {
            return Ok(());
        }
        self.mind_model_errors(number, result, hooks, &mut error)?;
        if error.verdict == Verdict::Violated {
            entry.more_errors.push(error);
        }
        Ok(())
    }
}

fn together(before: Option<RunStats>, now: &RunStats) -> RunStats {
    before.map_or_else(|| now.clone(), |before| before.followed_by(now))
}

/// From now on these count no more.
fn note_known(goals: &mut Goals, witnesses: &[Witness]) {
    if let Some(difference) = &mut goals.difference {
        difference.known.extend(witnesses.iter().map(|witness| (witness.property, witness.place.clone())));
    }
}

/// Errors in states are different if the processes are at different locations.
pub(super) fn difference(network: &Network) -> Difference {
    let slots = network.frames.processes.iter().map(|frame| frame.base + LOCATION).collect();
    Difference { slots, known: Vec::new() }
}
