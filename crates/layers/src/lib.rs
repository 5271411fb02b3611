//! Layers: transition systems over transition systems.
//!
//! - [`ClaimProduct`] lets a claim move along with a system.
//! - [`AllRuns`] follows all runs of a claim at once, so that lassos are lassos of the model and not of the product.
//! - [`Reduced`] fixes for each state which of its steps are taken, so that infinite runs are kept up to repeated states.
//! - [`WeakFairness`] marks steps so that cycles on which a process is treated unfairly are not accepting.
//! - [`OneCondition`] turns several conditions on infinite runs into one, for searches that know only one.
//! - [`Recording`] turns the search for an accepting cycle into the search for a state, so that every search for states
//!   finds lassos, and a search for shortest paths finds shortest ones.

mod all_runs;
mod claim_product;
mod fairness;
mod one_condition;
mod recording;
mod reduced;
mod way_back;

pub use all_runs::AllRuns;
pub use claim_product::ClaimProduct;
pub use fairness::WeakFairness;
pub use one_condition::OneCondition;
pub use recording::Recording;
pub use reduced::Reduced;
