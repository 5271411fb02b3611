//! Shorter witnesses: a search below the length of a known one.
//!
//! A complete search for paths shorter than the witness either finds one or proves that there is none, whatever its
//! heuristic.

use crate::driver::Driver;
use crate::goals::{Goals, PropertyIndex, StopPolicy};
use crate::result::{Incompleteness, SearchError, SearchResult, Witness};
use crate::search::{Search, Task};

/// What became of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortened {
    /// The witness is a shortest one.
    Proven,
    /// It is shorter than before, or not; more effort might shorten it further.
    Unproven,
}

/// Replaces a witness by shorter ones as long as `bounded` finds any. `bounded` makes a search that considers no path
/// longer than its argument. The statistics of the searches are added to those of `result`.
pub fn shorten(
    task: Task<'_>,
    result: &mut SearchResult,
    property: PropertyIndex,
    driver: &mut Driver<'_>,
    bounded: &mut dyn FnMut(u64, &Witness) -> Box<dyn Search>,
) -> Result<Shortened, SearchError> {
    let shortened = attempts(task, result, property, driver, bounded);
    driver.know(None);
    shortened
}

fn attempts(
    task: Task<'_>,
    result: &mut SearchResult,
    property: PropertyIndex,
    driver: &mut Driver<'_>,
    bounded: &mut dyn FnMut(u64, &Witness) -> Box<dyn Search>,
) -> Result<Shortened, SearchError> {
    let (goals, all) = (only(task.goals, property), task.goals.properties());
    let Some(at) = result.witnesses.iter().position(|witness| witness.property == property) else {
        return Ok(Shortened::Unproven);
    };
    loop {
        let witness = &mut result.witnesses[at];
        driver.know(Some(witness.length));
        if witness.proven_shortest || witness.length == 0 {
            witness.proven_shortest = true;
            return Ok(Shortened::Proven);
        }
        let bound = witness.length - 1;
        let task = Task { goals: &goals, stop: StopPolicy::FirstError, ..task };
        let attempt = bounded(bound, witness).run(task, driver)?;
        result.stats.add_phase(&attempt.stats);
        if task.goals.properties() == all {
            result.at_least = result.at_least.max(attempt.at_least);
            driver.know_at_least(result.at_least);
        }
        let below = attempt.incomplete_because.iter().all(|reason| *reason == Incompleteness::DepthBound(bound));
        match attempt.witnesses.into_iter().next() {
            Some(shorter) => result.witnesses[at] = shorter,
            None => {
                result.witnesses[at].proven_shortest = below;
                return Ok(if below { Shortened::Proven } else { Shortened::Unproven });
            }
        }
        // A limit holds for the whole run: it is not worth another attempt.
        if attempt.stop_reason.is_some() {
            return Ok(Shortened::Unproven);
        }
    }
}

/// The part of the goals that belongs to one property.
fn only(goals: &Goals, property: PropertyIndex) -> Goals {
    let this = |asked: Option<PropertyIndex>| asked.filter(|other| *other == property);
    Goals {
        deadlock: this(goals.deadlock),
        assertion: this(goals.assertion),
        evaluation: this(goals.evaluation),
        cycle: this(goals.cycle),
        difference: goals.difference.clone(),
        hints: goals.hints.clone(),
        invariants: goals.invariants.iter().filter(|goal| goal.property == property).copied().collect(),
    }
}
