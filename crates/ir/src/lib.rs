//! The typed model IR: one network of processes for every input language, so that every search and every heuristic
//! works for every language.
//!
//! Start with [`network`]; [`expr`] and [`edge`] hold what processes compute and do. Expressions and actions are data:
//! the reference evaluator, the engine's compiler, the analyses and the printers all walk them.

pub mod analysis;
pub mod builder;
pub mod chance;
pub mod claims;
mod comparison;
pub mod edge;
pub mod expr;
pub mod frames;
pub mod ltl;
pub mod monitor;
pub mod network;
pub mod numbering;
pub mod pricing;
pub mod processes;
pub mod question;
pub mod rational;
pub mod real;
pub mod reference;
pub mod source;
pub mod stochastic;
pub mod targets;
pub mod types;

/// For front ends, which do not see the kernel.
pub use bughound_kernel::registry::suggest;
