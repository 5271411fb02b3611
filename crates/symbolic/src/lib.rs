//! Searches that compute with sets of states, kept as binary decision diagrams.
//!
//! Nothing here knows a language or a network. A system tells its [`Dependencies`](bughound_kernel::Dependencies): which groups of
//! steps it has, and which slots each of them looks at and writes. What the steps do is learned from its explorer, once for each
//! combination of values that a group looks at and that some state reached has (`space.rs`, `projection.rs`, `group.rs`). Then the
//! steps of a group are taken by whole sets (`forward.rs`, `closure.rs`).

mod astar;
mod closure;
mod diagrams;
mod estimates;
mod fair;
mod forward;
mod group;
mod lasso;
mod product;
mod projection;
mod pulse;
mod rows;
mod runs;
mod saturation;
mod space;
mod symbolic;
mod trial;
mod variables;

use bughound_search::Entry;

/// The searches of this crate, in the order in which users see them.
pub const ALL: &[Entry] = &[symbolic::ENTRY, astar::ENTRY];
