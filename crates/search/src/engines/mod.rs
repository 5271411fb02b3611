//! The loops of the searches. Named algorithms are configurations of these.

pub mod best_first;
mod hunt;

pub use best_first::{Revisit, Setup, best_first};
