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
    let location = network.location(state.processes[process].location);
    let names = (&network.template(state.processes[process].template).name, location.labels.join(", "));
    Some(format!("the invariant of location {} of {} is false", names.1, names.0))
}
