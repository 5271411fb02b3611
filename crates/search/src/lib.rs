//! Searches.
//!
//! One loop ([`engines::best_first`]) serves every explicit search. It is generic over the store, the
//! [open list](open_lists::OpenList) and the [priority](engines::Priority); a named algorithm is a
//! [`Configuration`] of it and a line in the list of [`algorithms`]. The [`driver`] owns limits, cancellation, progress
//! and statistics.
//!
//! ```no_run
//! # fn example(system: &dyn bughound_kernel::TransitionSystem, store: &mut dyn bughound_kernel::StateStore)
//! # -> Result<(), Box<dyn std::error::Error>> {
//! use bughound_kernel::registry::expression;
//! use bughound_search::{BuildCx, Controls, Goals, StopPolicy, Task, algorithms};
//!
//! let expression = expression::parse("random-dfs(seed=3)")?;
//! let search = algorithms::build(&expression, &BuildCx { seed: 0 })?;
//! let goals = Goals { deadlock: Some(0), assertion: Some(1), ..Goals::none() };
//! let task = Task { system, goals: &goals, stop: StopPolicy::FirstError };
//! let result = search.run(task, store, Controls::default())?;
//! for witness in &result.witnesses {
//!     println!("property {} is violated after {} steps", witness.property, witness.length);
//! }
//! # Ok(()) }
//! ```

pub mod algorithms;
pub mod configuration;
pub mod driver;
pub mod engines;
pub mod goals;
mod node_table;
pub mod observer;
pub mod open_lists;
pub mod path;
pub mod random;
pub mod registry;
pub mod result;

pub use configuration::{Configuration, Order};
pub use driver::{Controls, Driver, Progress, Snapshot};
pub use engines::Task;
pub use goals::{Goals, InvariantGoal, PropertyIndex, StopPolicy};
pub use observer::{EdgeCoverage, Observer};
pub use registry::{BuildCx, Claims, Entry};
pub use result::{Incompleteness, SearchError, SearchResult, Statistics, Witness};
