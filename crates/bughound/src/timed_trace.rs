//! Counterexamples of timed models: a schedule for the path, and its replay.

use bughound_search::Witness;
use bughound_semantics::timed::TimedSystem;

use crate::check::{PropertyReport, add_trace};
use crate::properties::Asked;
use crate::run::RunError;

/// Replays a witness with the independent evaluator.
pub(crate) fn add(
    system: &TimedSystem,
    asked: &Asked,
    witness: &Witness,
    entry: &mut PropertyReport,
) -> Result<(), RunError> {
    add_trace(system.discrete().network(), asked, witness, entry)
}
