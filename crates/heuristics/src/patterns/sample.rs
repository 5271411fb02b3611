//! States of a task that random walks lead to.

use bughound_finite::relation::Value;
use bughound_finite::task::Task;
use bughound_ir::network::Network;
use bughound_kernel::Random;

use super::pattern::Pattern;
use super::projection::Projection;

/// The last states of so many walks of at most `depth` steps from the initial states. Walks do not enter states that are
/// known to be hopeless: neither does a search.
pub fn sample(
    network: &Network,
    task: &Task,
    walks: usize,
    depth: usize,
    hopeless: &mut dyn FnMut(&[Value]) -> bool,
) -> Vec<Vec<Value>> {
    let untimed = Pattern::everything(task, 0);
    let projection = Projection::new(network, task, &untimed);
    let mut random = Random::new(0x0b5e_55ed);
    // Not `below`: other numbers would give other heuristics, and recorded counts with them.
    let mut below = |most: usize| (random.draw() % most.max(1) as u64) as usize;
    let mut states = Vec::with_capacity(walks);
    for initial in task.initial.iter().cycle().take(walks) {
        let mut state = initial.clone();
        let mut values: Vec<u16> = state.iter().map(|value| *value as u16).collect();
        for _ in 0..below(depth + 1) {
            if !projection.step(&mut values, &mut below) {
                break;
            }
            let next: Vec<Value> = values.iter().map(|value| Value::from(*value)).collect();
            if hopeless(&next) {
                break;
            }
            state = next;
        }
        states.push(state);
    }
    states
}
