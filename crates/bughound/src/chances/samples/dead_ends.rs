//! Proofs that a run cannot reach its goal any more, so that it need not go on for ever.
//!
//! Two proofs, both tried at steps 64, 128, 256 and so on of a run, so that they take no more than a share of its time:
//!
//! - all states that can be reached from here, if they are few: up to as many as the run has steps, and 4,096 at most. A run that
//!   has got into a part of `m` states without the goal ends after about twice `m` steps (and 64 at least);
//! - a heuristic whose dead ends are safe, built for the goal as for a search. It sees through parts of any size, if it sees
//!   anything: variables that never come back to a value, processes that have ended.
//!
//! Neither says anything that is not certain. What the first proof has gone through is remembered up to a size, so that
//! later runs end as soon as they get there.

use std::collections::{HashSet, VecDeque};

use bughound_kernel::registry::{BuildError, Expression};
use bughound_kernel::{Estimate, Heuristic, State};
use bughound_search::HeuristicSource;

use super::asked::Condition;
use super::runs::{Runs, Trouble};

/// Shorter runs are not worth a proof.
const FIRST: u64 = 64;
/// States that are gone through for one proof, at most.
const MOST: usize = 4096;
/// States that are remembered, at most.
const REMEMBERED: usize = 1 << 16;

/// Relaxed plans see most dead ends of the cheap heuristics, and no heuristic is asked often.
const USUAL: &str = "hmax";

pub struct DeadEnds<'h> {
    source: Option<&'h dyn HeuristicSource>,
    heuristic: Option<Box<dyn Heuristic + 'h>>,
    known: HashSet<Box<[i32]>>,
    pub found: u64,
}

impl<'h> DeadEnds<'h> {
    /// The heuristic is built when a run becomes long.
    pub fn new(source: &'h dyn HeuristicSource) -> DeadEnds<'h> {
        DeadEnds { source: Some(source), heuristic: None, known: HashSet::new(), found: 0 }
    }

    /// With a heuristic that is at hand. One that is not safe is not asked.
    pub fn with(heuristic: Box<dyn Heuristic + 'h>) -> DeadEnds<'h> {
        let heuristic = Some(heuristic).filter(|heuristic| heuristic.claims().safe);
        DeadEnds { source: None, heuristic, known: HashSet::new(), found: 0 }
    }

    /// Was it proven before?
    pub fn are_known(&self, key: &[i32]) -> bool {
        !self.known.is_empty() && self.known.contains(key)
    }

    pub fn are_due(&self, steps: u64) -> bool {
        steps >= FIRST && steps.is_power_of_two()
    }

    /// Tries to prove that the goal cannot be reached from here.
    pub fn prove(
        &mut self,
        runs: &mut Runs<'_, '_, '_>,
        goal: &Condition,
        key: &[i32],
        steps: u64,
    ) -> Result<bool, Trouble> {
        let is_proven = self.all_is_seen(runs, goal, key, (steps as usize).min(MOST))? || self.is_estimated(runs, key);
        self.found += u64::from(is_proven);
        Ok(is_proven)
    }

    /// Goes through all that can be reached, if that is no more than so many states.
    fn all_is_seen(
        &mut self,
        runs: &mut Runs<'_, '_, '_>,
        goal: &Condition,
        key: &[i32],
        most: usize,
    ) -> Result<bool, Trouble> {
        let mut seen: HashSet<Box<[i32]>> = HashSet::from([key.into()]);
        let mut open: VecDeque<Box<[i32]>> = VecDeque::from([key.into()]);
        while let Some(state) = open.pop_front() {
            runs.look(&state)?;
            if runs.holds(goal, &state) {
                return Ok(false);
            }
            for next in runs.next_states() {
                if !seen.contains(next) {
                    if seen.len() == most {
                        return Ok(false);
                    }
                    seen.insert(next.into());
                    open.push_back(next.into());
                }
            }
        }
        if self.known.len() + seen.len() <= REMEMBERED {
            self.known.extend(seen);
        }
        Ok(true)
    }

    fn is_estimated(&mut self, runs: &mut Runs<'_, '_, '_>, key: &[i32]) -> bool {
        if let Some(source) = self.source.take() {
            let usual = Expression::named(USUAL);
            let built = build(runs, source, &usual);
            // Some models are beyond it. That is no error: nobody has asked for it.
            self.heuristic = built.ok().filter(|heuristic| heuristic.claims().safe);
        }
        let estimate = self.heuristic.as_mut().map(|heuristic| heuristic.estimate(State::discrete(key).into()));
        estimate.is_some_and(Estimate::is_dead_end)
    }
}

/// Builds a heuristic within the limits of the runs.
pub fn build<'h>(
    runs: &mut Runs<'_, '_, '_>,
    source: &'h dyn HeuristicSource,
    expression: &Expression,
) -> Result<Box<dyn Heuristic + 'h>, BuildError> {
    runs.driver().prepare(expression, |watch| source.build(expression, None, watch))
}
