//! Sets as binary decision diagrams, for searches that compute with them and for heuristics that are made by such searches.
//!
//! - `diagrams`: what of OxiDD is used, with its memory under control.
//! - `order`: which variables lie next to each other.

mod diagrams;
mod order;

pub use diagrams::{Diagrams, NoRoom, Renaming, Room, Set, TooManyBits};
pub use order::order;
