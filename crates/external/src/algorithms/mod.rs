//! The named searches. To add one: a file here, its `mod` line and its line in [`ALL`].

mod external_astar;
mod external_bfs;
mod external_queue;
mod semi_external_dfs;

use bughound_search::Entry;

/// Every search of this crate, in the order in which they are listed to users.
pub const ALL: &[Entry] =
    &[external_bfs::ENTRY, external_astar::ENTRY, semi_external_dfs::ENTRY, external_queue::ENTRY];
