//! The loops of the searches. Named algorithms are configurations of these.

pub mod best_first;
mod hunt;
mod priority;

pub use best_first::{Revisit, Setup, best_first};
pub use priority::{Arrival, ByDepth, ByLength, Priority, Rank};

use bughound_kernel::TransitionSystem;

use crate::goals::{Goals, StopPolicy};

/// What is to be searched for, and where.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub system: &'a dyn TransitionSystem,
    pub goals: &'a Goals,
    pub stop: StopPolicy,
}
