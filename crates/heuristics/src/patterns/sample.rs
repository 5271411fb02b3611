//! States of a task that random walks lead to. They must be the same on every machine, so there is a generator here.

use bughound_ir::network::Network;

use super::pattern::Pattern;
use super::projection::Projection;
use crate::finite::relation::Value;
use crate::finite::task::Task;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    /// A number below `most`.
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % most.max(1) as u64) as usize
    }
}

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
    let mut random = Random(0x0b5e_55ed);
    let mut states = Vec::with_capacity(walks);
    for initial in task.initial.iter().cycle().take(walks) {
        let mut state = initial.clone();
        let mut values: Vec<u16> = state.iter().map(|value| *value as u16).collect();
        for _ in 0..random.below(depth + 1) {
            if !projection.step(&mut values, &mut |most| random.below(most)) {
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
