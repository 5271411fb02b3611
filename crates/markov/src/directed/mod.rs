//! Counterexamples to bounds on probabilities, on the state space as it is generated.

mod chain;
mod counterexample;
mod decide;
mod detours;
mod likelihood;
mod order;
mod part;
mod paths;
mod smallest;
mod space;
mod subsystem;
mod ways;

pub use chain::{Chain, Flow};
pub use counterexample::{Beyond, Proof, Subsystem, subsystem};
pub use decide::{Bounds, Decision, Exploration, Heed, Objective, Threshold, When};
pub use likelihood::Likelihood;
pub use order::{By, Order};
pub use part::{Edge, Part};
pub use paths::{Path, Paths, Wanted, list};
pub use smallest::{Prover, Smallest};
pub use space::{Look, Space, Standing, Whole};
pub use subsystem::Minimiser;
pub use ways::Ways;
