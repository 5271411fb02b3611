//! Pattern databases: true distances in an abstraction that keeps some variables and clocks and forgets the others.
//!
//! - `pattern`: what is kept.
//! - `projection`, `timing`: the operators of the task, seen through a pattern; zones over the clocks that are kept.
//! - `rows`, `zones`, `space`: all states of the abstraction, and their distances to an error.
//! - `database`: the distances, looked up for states of the network; `symbolic`: the same with sets of states.
//! - `relaxed`: plans that ignore what operators take away, for the choice of patterns.
//! - `choice`: ways to choose a pattern; `accuracy`: what a choice leaves out.
//! - `additive`, `cliques`: patterns whose distances can be added.
//! - `collection`: several databases; `climbing`, `sample`: ways to choose them.

pub(crate) mod accuracy;
mod additive;
pub(crate) mod choice;
pub(crate) mod climbing;
mod cliques;
pub(crate) mod collection;
pub(crate) mod database;
mod execution;
mod names;
pub(crate) mod pattern;
mod projection;
mod relaxed;
mod rows;
mod sample;
mod space;
pub(crate) mod symbolic;
mod timing;
mod zones;
