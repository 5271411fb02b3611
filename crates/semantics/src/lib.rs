//! From the IR to a transition system.
//!
//! [`DiscreteSystem`] compiles a network and walks it in macro steps: chains of micro steps that nothing can interrupt.
//! The rules are those of SPIN's verifier; `bughound-ir`'s reference evaluator states them a second time, and tests
//! compare the two.

mod claim;
mod clock_bound;
mod code;
mod dependencies;
mod discrete;
mod fractions;
mod instance;
mod joint;
mod machine;
mod micro;
mod perform;
mod pool;
mod probe;
mod protocol;
pub mod reduction;
mod runaway;
mod signals;
pub mod timed;

pub use claim::Claim;
pub use discrete::DiscreteSystem;
pub use fractions::Fractions;
pub use probe::{Compiled, Probe, Viewpoint};
pub use timed::TimedSystem;
