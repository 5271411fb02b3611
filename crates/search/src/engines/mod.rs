//! The loops of the searches. Named algorithms are configurations of these.

mod beam_stack;
pub mod best_first;
mod crew;
pub mod cycles;
pub mod depth_first;
pub mod ending;
mod errors;
mod expansion;
mod guide;
mod hunt;
mod improving;
pub mod layered;
mod memory_limited;
mod meter;
mod pool;
mod random_walk;

pub use beam_stack::beam_stack;
pub use best_first::{Revisit, Setup, best_first, best_first_together};
pub use cycles::{CycleSearch, Effort, Finish, Tighten, Way};
pub use depth_first::{BitArray, DepthFirst, KEEPS_PATHS, Pass, Plan, Remember};
pub use layered::{FORGETS, Layered, Locality};
pub use memory_limited::memory_limited;
pub use random_walk::{Walks, random_walk};

/// What an error means for the rest of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// It is a result; the stop policy of the task says whether to go on.
    Take,
    /// Cheaper ones are wanted: the bound falls below the cost of what is found (branch and bound).
    Improve,
}
