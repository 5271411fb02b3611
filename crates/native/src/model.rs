//! The trait of models written in Rust.

use std::hash::Hash;

use crate::property::Property;

/// A model: states, actions that lead from state to state, and properties.
///
/// All methods must depend on their arguments only. A model that answers differently when it is asked again (because it
/// iterates over a `HashMap`, say) is found out when a trace is executed once more, and is an error then.
pub trait RustModel: Sync + Sized {
    /// States are kept once each and compared exactly. Small states make fast searches.
    type State: Clone + Eq + Hash + Send + Sync;

    /// What leads from one state to another.
    type Action;

    fn initial_states(&self) -> Vec<Self::State>;

    /// Adds all actions that may be possible in a state, always in the same order.
    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>);

    /// The state that an action leads to; `None` if it is not possible after all.
    fn next_state(&self, state: &Self::State, action: &Self::Action) -> Option<Self::State>;

    fn properties(&self) -> Vec<Property<Self>>;

    /// What a step costs. Shortest traces are those that cost least; without this, those with the fewest steps.
    fn cost(&self, _state: &Self::State, _action: &Self::Action) -> u64 {
        1
    }

    /// May the system rest in this state? A state without steps is a deadlock unless it may.
    fn may_end(&self, _state: &Self::State) -> bool {
        false
    }

    /// Who acts, for searches that count how often another one takes over (`icb`).
    fn actor(&self, _state: &Self::State, _action: &Self::Action) -> u16 {
        0
    }

    /// Bytes that a state holds besides its own size, such as the contents of its vectors: they count for the memory limit.
    fn held_bytes(&self, _state: &Self::State) -> u64 {
        0
    }
}
