//! Why: the reason at the end of a trace, with the values that make it plain.

mod blocked;
mod condition;

use bughound_ir::edge::EdgeId;
use bughound_ir::reference::{EvalError, FailureInfo, MicroStep, RefState, Reference};
use bughound_kernel::FailureKind;

use crate::claim::Claim;
use crate::expression::Viewpoint;
use crate::naming;
use crate::replay::Place;

pub use blocked::{BlockedProcess, Wait};
pub use condition::FalsePart;

/// The reason for a violation.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Reason {
    /// One line: what happened.
    pub headline: String,
    /// Where, if it is one place.
    pub source: Option<Place>,
    /// For a deadlock: every process, where it stands and why it does not move.
    pub blocked: Vec<BlockedProcess>,
    /// For a condition: the parts that decide it, with the values in them.
    pub parts: Vec<FalsePart>,
}

/// The reason when there is no first state.
pub(crate) fn no_initial_state(error: EvalError) -> Reason {
    Reason { headline: format!("the initial values cannot be computed: {error}"), ..Reason::default() }
}

/// The reason for a claim that was found true.
pub(crate) fn explain(
    reference: Reference<'_>,
    last: Option<&MicroStep>,
    state: &RefState,
    claim: &Claim<'_>,
) -> Reason {
    match claim {
        Claim::Deadlock => blocked::explain(reference, state),
        Claim::Failure(failure) => {
            let infos = last.into_iter().flat_map(|step| step.soft_failures.iter().chain(step.result.as_ref().err()));
            match infos.into_iter().find(|info| info.failure == *failure) {
                Some(info) => failed(reference, state, info),
                None => Reason::default(),
            }
        }
        Claim::Condition { condition, expected } => {
            let view = Viewpoint { reference, state, own: None };
            condition::explain(view, condition, *expected)
        }
        Claim::NoInitialState => Reason::default(),
    }
}

fn failed(reference: Reference<'_>, before: &RefState, info: &FailureInfo) -> Reason {
    let network = reference.network();
    let source = Place::of(network, network.edge(EdgeId(info.failure.edge)).span);
    let process = naming::process_in(network, before, info.process);
    let headline = match info.failure.kind {
        FailureKind::Assertion => format!("{} in {process}", info.message),
        FailureKind::Evaluation => format!("evaluation error in {process}: {}", info.message),
    };
    Reason { headline, source: Some(source), ..Reason::default() }
}
