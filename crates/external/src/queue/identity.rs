//! What a search is about, as a name: processes work together only if it is the same for them.
//!
//! It is a fingerprint of everything a search is asked, of the [system](bughound_kernel::TransitionSystem::fingerprint), and of what
//! it does: the domains of all slots, the initial states, what the first states lead to, and what some long random walks meet. So
//! another model has another name, and so has another version of Bughound that reads it otherwise.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use bughound_kernel::{Explorer, Outcome, Random, State, StateBuf};
use bughound_search::{Driver, Task};
use xxhash_rust::xxh3::Xxh3;

/// Changes with the format of what lies in the folder.
const VERSION: u64 = 1;
const FIRST_STATES: usize = 2_000;
const WALKS: usize = 50;
const LENGTH: usize = 200;

/// If the search is told to end, the name means nothing.
pub(super) fn of(parts: u32, task: Task<'_>, driver: &Driver<'_>) -> String {
    let mut name = Xxh3::new();
    let made_of = (env!("CARGO_PKG_VERSION"), task.system.fingerprint());
    let asked = (VERSION, made_of, parts, driver.max_depth(), task.goals, task.stop, task.system.layout());
    name.update(format!("{asked:?}").as_bytes());
    let mut explorer = task.system.explorer();
    explorer.heed(driver.stop_signal());
    let mut initial: Vec<StateBuf> = Vec::new();
    explorer.initial(&mut |state| initial.push(state.into()));
    let mut seen: HashSet<StateBuf> = HashSet::new();
    let mut open: VecDeque<StateBuf> = initial.iter().cloned().collect();
    while let Some(state) = open.pop_front().filter(|_| seen.len() < FIRST_STATES && driver.stopped().is_none()) {
        if seen.insert(state.clone()) {
            open.extend(successors(&mut *explorer, &state, task, &mut name));
        }
    }
    for walk in 0..WALKS {
        let mut random = Random::new(walk as u64);
        let mut state = initial.get(walk % initial.len().max(1)).cloned();
        for _ in 0..LENGTH {
            let Some(at) = state.filter(|_| driver.stopped().is_none()) else { break };
            let next = successors(&mut *explorer, &at, task, &mut name);
            state = (!next.is_empty()).then(|| next[random.below(next.len())].clone());
        }
    }
    format!("{:032x}", name.digest128())
}

/// Where the steps of a state lead; all of it becomes part of the name.
fn successors(explorer: &mut dyn Explorer, from: &StateBuf, task: Task<'_>, name: &mut Xxh3) -> Vec<StateBuf> {
    put(name, from.as_state());
    for goal in &task.goals.invariants {
        name.update(&[u8::from(explorer.holds(goal.atom, from.as_state()))]);
    }
    let mut next = Vec::new();
    let expansion = explorer.successors(from.as_state(), &mut |step| {
        name.update(&step.weight.to_le_bytes());
        match step.outcome {
            Outcome::State(state) => {
                put(name, state);
                next.push(state.into());
            }
            Outcome::Failure(failure) => name.update(format!("{failure:?}").as_bytes()),
        }
        ControlFlow::Continue(())
    });
    name.update(&[u8::from(expansion.deadlock), u8::from(expansion.cut)]);
    next
}

fn put(name: &mut Xxh3, state: State<'_>) {
    name.update(&(state.key.len() as u64).to_le_bytes());
    state.key.iter().for_each(|value| name.update(&value.to_le_bytes()));
}
