//! More errors than one, each different from the others (`--all`).
//!
//! The errors that are known count no more, and the search is run again: so every search can do it, and what it proves of an
//! error it proves of this one, not of the first. All properties have their turn before: see `order`.

use std::fmt;

use bughound_ir::frames::LOCATION;
use bughound_ir::network::Network;
use bughound_ir::question::Question;
use bughound_search::{Difference, Goals, Place, SearchResult};

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
        self.different > 1 && job.conclusion == Conclusion::Errors && job.layers.is_empty()
    }

    /// What a search has found counts as known when others are looked for.
    pub(super) fn note_first_errors(&self, result: &SearchResult) {
        let mut known = self.known_errors.borrow_mut();
        for witness in &result.witnesses {
            // An earlier search may have found a longer way, to another place.
            known.retain(|(property, _)| *property != witness.property);
            known.push((witness.property, witness.place.clone()));
        }
    }

    /// Looks for errors that differ from those that are known, as many as are wanted. It can be called again, with more effort.
    /// To be called when all questions have had their turn: no first answer waits for a further error of something else.
    pub(super) fn find_others(
        &self,
        job: &Job,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let is_violated = |number: &usize| report.properties[*number].verdict == Verdict::Violated;
        let job = &job.only(job.questions.iter().copied().filter(is_violated).collect());
        let all_are_known = |number: &usize| report.properties[*number].others == Some(Others::None);
        if !self.wants_several(job) || job.questions.iter().all(all_are_known) {
            return Ok(());
        }
        let Some(mut prepared) = self.prepare(job, report) else { return Ok(()) };
        let known = self.known_errors.borrow().clone();
        note_known(&mut prepared.goals, known);
        let others = loop {
            let found = job.questions.iter().map(|number| report.properties[*number].errors()).sum::<usize>();
            if found >= self.different {
                break Others::Perhaps(format!("--all {} shows no more", self.different));
            }
            let (result, stats) = self.search_states(job, &prepared, hooks, None)?;
            for &number in &job.questions {
                let entry = &mut report.properties[number];
                entry.stats = Some(together(entry.stats.take(), &stats));
                self.add_error(number, &prepared, &result, &stats, hooks, entry)?;
            }
            report.count(&stats);
            if result.witnesses.is_empty() {
                break match verdict_without_witness(&result) {
                    (Verdict::Holds, _) => Others::None,
                    (_, why) => Others::Perhaps(why.unwrap_or_default()),
                };
            }
            let new: Vec<_> = result.witnesses.iter().map(|found| (found.property, found.place.clone())).collect();
            self.known_errors.borrow_mut().extend(new.iter().cloned());
            note_known(&mut prepared.goals, new);
            hooks.tell(&report.properties);
        };
        for &number in &job.questions {
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
fn note_known(goals: &mut Goals, known: Vec<(usize, Place)>) {
    if let Some(difference) = &mut goals.difference {
        difference.known.extend(known);
    }
}

/// Errors in states are different if the processes are at different locations.
pub(super) fn difference(network: &Network) -> Difference {
    let slots = network.frames.processes.iter().map(|frame| frame.base + LOCATION).collect();
    Difference { slots, known: Vec::new() }
}
