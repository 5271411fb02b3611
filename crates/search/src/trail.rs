//! A trail that is there already, in place of a search that finds one.

use std::ops::ControlFlow;

use bughound_kernel::{Failure, Move, Outcome, StateBuf};

use crate::driver::Driver;
use crate::goals::{Place, PropertyIndex};
use crate::result::{Incompleteness, SearchError, SearchResult, Statistics, Witness};
use crate::search::{Search, Task};

/// A known way to an error, move by move.
#[derive(Clone, Debug)]
pub struct Trail {
    pub property: PropertyIndex,
    pub moves: Vec<Move>,
    /// The failing step at its end, if it ends in one.
    pub failure: Option<Failure>,
}

/// Walks along the trail; there is an error if the system cannot do so.
impl Search for Trail {
    /// It takes no time worth saving.
    fn can_be_saved(&self) -> bool {
        true
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let lost = || SearchError::PathLost { property: self.property };
        let mut explorer = task.system.explorer();
        let mut starts = Vec::new();
        explorer.initial(&mut |state| starts.push(StateBuf::from(state)));
        let start = starts.into_iter().next().ok_or_else(lost)?;
        let mut here = start.clone();
        let mut path: Vec<Vec<Move>> = Vec::new();
        let (mut at, mut length) = (0, 0_u64);
        let mut stats = Statistics::default();
        while at < self.moves.len() {
            let rest = &self.moves[at..];
            let mut taken: Option<(usize, u64, Option<StateBuf>)> = None;
            stats.expanded += 1;
            explorer.successors(here.as_state(), &mut |step| {
                if !rest.starts_with(step.moves) {
                    return ControlFlow::Continue(());
                }
                let is_last = step.moves.len() == rest.len();
                let next = match step.outcome {
                    Outcome::State(_) if is_last && self.failure.is_some() => return ControlFlow::Continue(()),
                    Outcome::State(state) => Some(StateBuf::from(state)),
                    Outcome::Failure(failure) if is_last && Some(failure) == self.failure => None,
                    Outcome::Failure(_) => return ControlFlow::Continue(()),
                };
                taken = Some((step.moves.len(), step.weight, next));
                ControlFlow::Break(())
            });
            // A step without moves (a claim that goes on where the system rests) leads nowhere new.
            let (moves, weight, next) = taken.filter(|(moves, ..)| *moves > 0).ok_or_else(lost)?;
            path.push(rest[..moves].to_vec());
            length = length.saturating_add(weight);
            at += moves;
            if let Some(next) = next {
                here = next;
            }
        }
        let witness = Witness {
            property: self.property,
            start,
            path,
            failure: self.failure,
            place: Place::new(),
            length,
            proven_shortest: false,
            loop_start: None,
        };
        stats.elapsed = driver.elapsed();
        Ok(SearchResult {
            saw_everything: false,
            witnesses: vec![witness],
            stats,
            complete: false,
            at_least: 0,
            stop_reason: None,
            incomplete_because: vec![Incompleteness::StoppedAtError],
        })
    }
}
