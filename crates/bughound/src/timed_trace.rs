//! Counterexamples of timed models: the earliest times of the steps of a path, and its replay.

use bughound_ir::expr::Expr;
use bughound_search::Witness;
use bughound_semantics::timed::TimedSystem;
use bughound_trace::{Times, replay_timed};

use crate::check::{PropertyReport, claim};
use crate::check_timed::error_condition;
use crate::properties::{Asked, Question};
use crate::run::RunError;

/// Finds times for the steps of a witness and replays it with an evaluator that knows no zones. A witness without times, or
/// one that does not replay, is a bug, never a result.
pub(crate) fn add(
    system: &TimedSystem,
    asked: &Asked,
    witness: &Witness,
    entry: &mut PropertyReport,
) -> Result<(), RunError> {
    let bug = |why: String| {
        RunError::Internal(format!("the error found for property `{}` could not be confirmed: {why}", asked.name))
    };
    let last = match asked.question {
        _ if witness.failure.is_some() => None,
        Question::Deadlock => Some(Expr::Deadlock),
        _ => error_condition(&asked.question),
    };
    let schedule = system.schedule(&witness.path, last.as_ref());
    let schedule = schedule.ok_or_else(|| bug("its steps have no times".into()))?;
    let times = Times::over(schedule.denominator, &schedule.times, Some(schedule.end));
    let times = times.ok_or_else(|| bug("the times of its steps are no numbers".into()))?;
    let claim = claim(asked, witness.failure, None, false);
    let trace = replay_timed(system.discrete().network(), &witness.path.concat(), &times, &claim);
    let trace = trace.map_err(|error| bug(error.to_string()))?;
    if trace.cost != witness.length {
        return Err(bug(format!("its cost is {}, not {}", trace.cost, witness.length)));
    }
    entry.trace = Some(trace);
    entry.failure = witness.failure;
    entry.proven_shortest = witness.proven_shortest;
    Ok(())
}
