//! Traces, executed once more by the model alone: neither the numbers of states nor the search are asked.

use bughound_search::Witness;

use crate::error::CheckError;
use crate::model::RustModel;
use crate::property::Property;
use crate::report::{Trace, TraceStep};

/// Follows the actions of a witness from a state and makes sure that it ends where the property is decided.
pub(crate) fn replay<M: RustModel>(
    model: &M,
    property: &Property<M>,
    start: &M::State,
    witness: &Witness,
) -> Result<Trace<M::Action, M::State>, CheckError> {
    let differs = |step: usize, what| CheckError::NotRepeatable { property: property.name().to_string(), step, what };
    if !model.initial_states().contains(start) {
        return Err(differs(0, "its first state is not an initial state any more"));
    }
    let mut state = start.clone();
    let mut steps = Vec::with_capacity(witness.path.len());
    // Before each step.
    let mut costs = vec![0_u64];
    for (number, moves) in witness.path.iter().enumerate() {
        let [made] = moves[..] else { return Err(differs(number, "it is not one action")) };
        let mut actions = Vec::new();
        model.actions(&state, &mut actions);
        if made.edge as usize >= actions.len() {
            return Err(differs(number, "there are fewer actions"));
        }
        let action = actions.swap_remove(made.edge as usize);
        let Some(next) = model.next_state(&state, &action) else {
            return Err(differs(number, "the action is not possible any more"));
        };
        costs.push(costs[number].saturating_add(model.cost(&state, &action)));
        steps.push(TraceStep { action, state: next.clone() });
        state = next;
    }
    let cost = costs[steps.len()];
    if !property.is_decided_in(model, &state) {
        return Err(differs(steps.len(), "its last state does not decide the property"));
    }
    if cost != witness.length {
        return Err(differs(steps.len(), "it costs something else"));
    }
    let trace = Trace { start: start.clone(), steps, cost, proven_shortest: witness.proven_shortest };
    if property.claims().is_some_and(|claims| claims.admissible) {
        for (step, (state, before)) in trace.states().zip(costs).enumerate() {
            let (estimate, rest) = (property.estimate_of(model, state).finite(), cost - before);
            if estimate.is_none_or(|estimate| estimate > rest) {
                return Err(CheckError::WrongClaim { property: property.name().to_string(), step, estimate, rest });
            }
        }
    }
    Ok(trace)
}
