//! Counterexamples to bounds on probabilities, on the state space as it is generated.

mod chain;
mod decide;
mod detours;
mod likelihood;
mod order;
mod part;
mod paths;
mod space;
mod subsystem;

pub use chain::{Chain, Flow};
pub use decide::{Bounds, Decision, Exploration, Heed, Objective, Threshold, When};
pub use likelihood::Likelihood;
pub use order::{By, Order};
pub use part::{Edge, Part};
pub use paths::{Allowed, Path, Paths, Wanted, list};
pub use space::{Look, Space, Standing, Whole};
pub use subsystem::Minimiser;
