//! The searches that expressions can name: the lists of all crates that have some, in the order in which users see them.

use bughound_search::{Entry, Searches, algorithms};

const LISTS: &[&[Entry]] =
    &[algorithms::ALL, bughound_external::ALL, bughound_distributed::ALL, bughound_symbolic::ALL];

/// Every search of every crate.
pub const ALL: Searches<'static> = Searches(LISTS);
