//! Cartesian abstractions of a planning task, refined where their cheapest paths are none of the task.
//!
//! An abstract state is a product of sets of values, one for each variable.
//!
//! - `sets`: sets of values and products of them as bits.
//! - `steps`: operators between products.
//! - `transitions`: which operators lead from which abstract state to which others.
//! - `distances`: cheapest ways to an error, kept up to date.
//! - `flaws`: where a cheapest path ceases to be one of the task.
//! - `tree`: the abstract state of a state.
//! - `abstraction`: all of it, and the loop of refinement.

pub(crate) mod abstraction;
mod distances;
mod flaws;
mod sets;
mod steps;
mod transitions;
pub(crate) mod tree;
