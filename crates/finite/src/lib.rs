//! The finite-domain view of a network: variables with few values, and what steps need and do in terms of them.
//!
//! Heuristics that abstract or relax a model are built from it; nothing in it knows what it is used for.
//!
//! - `domains`: the variables and their facts `variable = value`.
//! - `term`, `memory`, `view`, `trial`: steps executed symbolically, over the values before them.
//! - `steps`: all steps of a network, synchronisations as joint steps.
//! - `stuck`: deadlocks, as one process after the other that is blocked.
//! - `collect`: all of it for the errors that are looked for, handed to whoever builds something from it.
//! - `relation`, `ground`, `task`: the network as a planning task, whose operators treat every variable by itself.
//!
//! What is not understood is always possible: clocks, large integers, `timeout`, `enabled`, the order of messages in a
//! channel. So every path of the network is a path of the view, at no higher cost (`cost`).

pub mod collect;
pub mod cost;
pub mod domains;
pub mod ground;
mod memory;
pub mod relation;
mod steps;
mod stuck;
pub mod task;
pub mod term;
pub mod trial;
pub mod view;
