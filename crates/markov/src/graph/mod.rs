//! What the graph of a model says without numbers: which values are 0 or 1, components, end components.
//!
//! Everything here is iterative: models have millions of states and recursion would run out of stack.

mod components;
mod end_components;
mod predecessors;
mod reach;

pub(crate) use components::components_of;
pub use components::{Components, bottom_components, components};
pub(crate) use end_components::end_components_among;
pub use end_components::{EndComponents, maximal_end_components};
pub use predecessors::Predecessors;
pub(crate) use reach::{attractor, certain_choices};
pub use reach::{prob0_all, prob0_some, prob1_all, prob1_some};
