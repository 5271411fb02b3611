//! The joints of Bughound: ids, states, steps and the traits at which the crates meet.
//!
//! Nothing here knows a language, a search or a store. Read [`system`] first: a model is a [`TransitionSystem`], a
//! thread walks it with an [`Explorer`], and what it meets is [`State`]s and [`Step`]s. A [`Layer`] is a system on another one.

pub mod components;
pub mod contexts;
pub mod delays;
pub mod dependencies;
pub mod growing;
pub mod heuristic;
pub mod layer;
pub mod layout;
pub mod limits;
pub mod marks;
pub mod random;
pub mod registry;
pub mod state;
pub mod step;
pub mod store;
pub mod system;
pub mod verdict;
pub mod watch;

pub use components::Components;
pub use contexts::{Contexts, StepClass};
pub use dependencies::{Access, Dependencies, Mover, Partners, SlotSet, StepGroup};
pub use growing::Growing;
pub use heuristic::{Estimate, Heuristic, HeuristicClaims, PreferredStep, Situation};
pub use layer::{Layer, LayerSteps};
pub use layout::{Layout, Slot};
pub use limits::{Limits, StopReason, StopSignal};
pub use marks::Marks;
pub use random::Random;
pub use state::{State, StateBuf, StateId};
pub use step::{Changes, Failure, FailureKind, Move, Outcome, Price, Step};
pub use store::{ApproximateSet, Lookup, MOST_EXPECTED, OutOfMemory, Presence, StateStore, StoreSource};
pub use system::{
    AtomId, ClaimReader, ClaimRuns, Cycles, Expansion, Explorer, Keep, LeftOut, Locations, Part, Parts, Region,
    TransitionSystem, Watcher,
};
pub use verdict::Verdict;
pub use watch::{Ration, Unwatched, Watch};
