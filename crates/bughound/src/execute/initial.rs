//! Models without a state to start from.

use bughound_ir::network::Network;
use bughound_ir::reference::{ClockValues, Obstacle, Reference};

/// Why there is no initial state, if there is none: a value of it has no meaning, or an invariant does not hold in it.
pub(crate) fn obstacle(network: &Network) -> Option<String> {
    let reference = Reference::discrete(network);
    let state = match reference.initial() {
        Ok(state) => state,
        Err(error) => return Some(error.to_string()),
    };
    let named = |process: usize, what: &str| {
        let location = network.location(state.processes[process].location);
        let name = &network.template(state.processes[process].template).name;
        Some(format!("the invariant of location {} of {name} {what}", location.labels.join(", ")))
    };
    if let Err((process, error)) = reference.conditions_hold(&state) {
        return named(process, &format!("has no value: {error}"));
    }
    let in_data = state.processes.iter().enumerate().find(|(pid, process)| {
        let conditions = &network.location(process.location).conditions;
        !conditions.iter().all(|condition| reference.value(&state, Some(*pid), condition).is_ok_and(|v| v != 0))
    });
    let process = match in_data {
        Some((pid, _)) => pid,
        None => match reference.meet_invariants(&state, &ClockValues::zero(network)) {
            Err(Obstacle::Invariant { process, .. }) => process,
            _ => return None,
        },
    };
    named(process, "is false")
}
