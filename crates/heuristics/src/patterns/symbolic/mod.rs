//! Distances in an abstraction found by sets of states: larger abstractions than those whose states are listed one by one.
//!
//! - `encoding`: the variables of a pattern as bits, what operators need and do as sets.
//! - `steps`: operators, many of them in one relation; what they lead into a set from.
//! - `layers`: the states of one distance after those of another, backwards from the errors.
//! - `table`: all distances in one diagram with numbers at its leaves, which is walked for each state.
//! - `database`: all of it for one pattern, within limits.

pub(crate) mod database;
mod encoding;
mod layers;
mod steps;
mod table;
