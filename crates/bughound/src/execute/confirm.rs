//! What a search has found is shown only if the independent evaluator confirms it.

use bughound_ir::network::Network;
use bughound_ir::question::{Property, Question};
use bughound_kernel::Failure;
use bughound_search::Witness;
use bughound_trace::{Claim, Lasso, Violated, replay, with_few_switches};

use super::initial;
use crate::check::PropertyReport;
use crate::run::RunError;
use crate::verdict::Verdict;

/// A model whose initial values have no meaning has no states at all: that is an evaluation error, not a proof.
pub(super) fn without_initial_state(
    network: &Network,
    asked: &[Property],
    properties: &mut [PropertyReport],
) -> Result<bool, RunError> {
    let Some(obstacle) = initial::obstacle(network) else { return Ok(false) };
    for (report, asked) in properties.iter_mut().zip(asked) {
        if asked.question == Question::Assertion {
            report.verdict = Verdict::Violated;
            report.proven_shortest = true;
            let replayed = replay(network, &[], &Claim::NoInitialState);
            report.trace = Some(replayed.map_err(|error| RunError::Internal(error.to_string()))?.into());
        } else if report.reason.is_none() {
            report.reason = Some(format!("there is no initial state: {obstacle}"));
        }
    }
    Ok(true)
}

/// Replays a witness with the independent evaluator. A witness that does not replay is a bug, never a result.
pub(super) fn add_trace(
    network: &Network,
    asked: &Property,
    witness: &Witness,
    entry: &mut PropertyReport,
) -> Result<(), RunError> {
    let claim = claim(asked, witness.failure, entry.cycle, entry.fair);
    let bug = |why: String| {
        RunError::Internal(format!("the error found for property `{}` could not be confirmed: {why}", asked.name))
    };
    let moves = witness.path.concat();
    let trace = replay(network, &moves, &claim).map_err(|error| bug(error.to_string()))?;
    // Searches add up weights: what they call length is the cost.
    if trace.cost != witness.length {
        return Err(bug(format!("its cost is {}, not {}", trace.cost, witness.length)));
    }
    entry.trace = Some(with_few_switches(network, trace, &claim).into());
    entry.failure = witness.failure;
    entry.proven_shortest = witness.proven_shortest;
    Ok(())
}

/// What a trace for this property claims to show. `cycle`: micro steps before its loop, if it has one.
pub fn claim(asked: &Property, failure: Option<Failure>, cycle: Option<usize>, fair: bool) -> Claim<'_> {
    if let Some(failure) = failure {
        return Claim::Failure(failure);
    }
    let lasso = |of, loop_start| Claim::Lasso(Lasso { of, loop_start, fair, constants: &[] });
    match (&asked.question, cycle) {
        (Question::Invariant(condition) | Question::Protocol(_, condition), _) => {
            Claim::Condition { condition, expected: true }
        }
        (Question::Reach(condition), _) => Claim::Condition { condition, expected: false },
        (Question::Assertion, _) => Claim::NoInitialState,
        (Question::Deadlock | Question::Extremes(_) | Question::Chance(_) | Question::Unsupported(_), _) => {
            Claim::Deadlock
        }
        (Question::Run(run), start) => {
            let formula = &run.formula;
            let of = if run.is_asked_for() { Violated::Nothing { formula } } else { Violated::Formula { formula } };
            lasso(of, start.unwrap_or(0))
        }
        (Question::Never(template), Some(start)) => lasso(Violated::Never(*template), start),
        (Question::Never(template), None) => Claim::Never(*template),
        (Question::Ltl(formula) | Question::Acceptance(formula) | Question::NonProgress(formula), Some(start)) => {
            lasso(Violated::Formula { formula }, start)
        }
        (Question::Ltl(formula) | Question::Acceptance(formula) | Question::NonProgress(formula), None) => {
            Claim::Prefix { formula }
        }
    }
}
