//! The monotonic relaxation of a network: variables collect values instead of changing them.
//!
//! Facts `variable = value` come from the finite-domain view of the network, in `finite`.
//!
//! - `builder`, `conditions`, `rules`: steps as rules from facts to facts.
//! - `problem`: all of it for a network and its errors, and how to read a state.
//! - `merging`, `graph`: fewer rules for the same costs, as the search looks at them.
//! - `reading`: a state as facts that come and go; `ready`: the rules that are applicable with them.
//! - `countdown`: what rules wait for, 64 at a time.
//! - `queue`, `propagation`: the cost of every fact from a state on, as maximum or sum over preconditions.
//! - `plan`: rules that together get from the state to an error.
//!
//! What is not understood is always possible: clocks, large integers, `timeout`, `enabled`, the order of messages in a
//! channel. Guards are tested condition by condition, each on any values collected so far. So every path of the network is
//! one of the relaxation, and what is out of reach here is out of reach there.

mod builder;
mod conditions;
mod countdown;
mod graph;
mod merging;
#[cfg(test)]
mod oracle;
pub(crate) mod plan;
pub(crate) mod problem;
pub(crate) mod propagation;
mod queue;
mod reading;
mod ready;
mod rules;

pub(crate) use builder::Detail;
