//! Steps between numbered states.

use bughound_kernel::{Marks, StateId};

/// A step, without its moves: those are found again when a path is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    pub to: StateId,
    pub weight: u64,
    pub marks: Marks,
}
