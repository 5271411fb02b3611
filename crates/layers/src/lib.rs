//! Layers: transition systems over transition systems.
//!
//! - [`WeakFairness`] marks steps so that cycles on which a process is treated unfairly are not accepting.
//! - [`OneCondition`] turns several conditions on infinite runs into one, for searches that know only one.
//! - [`Recording`] turns the search for an accepting cycle into the search for a state, so that every search for states
//!   finds lassos, and a search for shortest paths finds shortest ones.

mod fairness;
mod one_condition;
mod recording;

pub use fairness::WeakFairness;
pub use one_condition::OneCondition;
pub use recording::{LASSO_CLOSED, Recording};
