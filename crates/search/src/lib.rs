//! Searches.
//!
//! A named algorithm is a file in [`algorithms`] and a line in its list; it builds a [`Search`]. Most searches are one run
//! of one loop ([`engines::best_first()`]), generic over the [open list](open_lists::OpenList) and the
//! [evaluator](evaluators::Priority); the others are series of depth-first passes below a bound
//! ([`engines::depth_first`]). The [`driver`] owns limits, cancellation, progress and statistics. Heuristics and
//! stores come from outside, through the [`Task`].
//!
//! ```no_run
//! # fn example(task: bughound_search::Task<'_>) -> Result<(), Box<dyn std::error::Error>> {
//! use bughound_kernel::registry::expression;
//! use bughound_search::{BuildCx, Controls, algorithms};
//!
//! let expression = expression::parse("astar(h=formula, ties=lifo)")?;
//! let search = algorithms::build(&expression, &BuildCx::default())?;
//! let result = search.start(task, Controls::default())?;
//! for witness in &result.witnesses {
//!     println!("property {} is violated after {} steps", witness.property, witness.length);
//! }
//! # Ok(()) }
//! ```

pub mod algorithms;
pub mod configuration;
pub mod costs;
pub mod driver;
pub mod engines;
pub mod evaluators;
pub mod goals;
mod node_table;
pub mod observer;
pub mod open_lists;
pub mod outlook;
pub mod path;
pub mod phases;
mod preparation;
mod prioritised;
pub mod registry;
pub mod result;
pub mod saving;
pub mod search;
mod shorten;
pub mod trail;

pub use configuration::{BeamSearch, BlindSearch, GuidedSearch, Order};
pub use costs::Costs;
pub use driver::{Controls, Disk, Driver, GoOn, Progress, Snapshot};
pub use engines::best_first::{HalfDone, KnownState, Standing};
pub use goals::{Difference, Goals, InvariantGoal, Place, PropertyIndex, StopPolicy};
pub use observer::{EdgeCoverage, Observer};
pub use preparation::Preparation;
pub use registry::{BuildCx, Claims, Entry, Promise, Searches, Threads};
pub use result::{
    DiskUse, Incompleteness, NetworkUse, QueueAccess, SearchError, SearchResult, SetStatistics, Statistics, Turn,
    TurnEnd, Witness, WorkerCounts,
};
pub use saving::Journal;
pub use search::{HeuristicSource, NoHeuristics, Search, Task};
pub use trail::Trail;
