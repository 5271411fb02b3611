//! Searches whose states lie on disk.
//!
//! A state is a [`row`] of words. Rows lie in [runs](run), in the order of their hashes, in [blocks](block) that are
//! compressed and checked; [levels] keep few runs of many. What is still to be expanded lies in [buckets](open) by cost and
//! estimate. The [engine] takes one bucket after the other. Files lie on a [medium], in a [space] that counts bytes.

pub mod algorithms;
pub mod batch;
pub mod block;
mod blocks;
pub mod budget;
mod directory;
pub mod engine;
pub mod hashes;
pub mod levels;
pub mod medium;
pub mod merge;
pub mod open;
pub mod patience;
pub mod queue;
pub mod row;
pub mod run;
pub mod search;
pub mod semi;
pub mod space;
mod trouble;

pub use algorithms::ALL;
pub use directory::remove_all;
pub use medium::{Medium, OnDisk};
pub use queue::SharedExternal;
pub use search::{External, go_on};
pub use semi::SemiExternal;
pub use space::{Space, Traffic};
pub use trouble::Trouble;
