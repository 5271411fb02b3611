//! What it costs to change variables one by one: the causal graph and the local transition graphs of a planning task.
//!
//! - `order`: the causal graph, and an order of the variables that keeps most of it.
//! - `graphs`: by variable, how operators change its value, and what they need of variables earlier in the order.
//! - `costs`: the cost of getting from one value to another.

pub(crate) mod costs;
pub(crate) mod graphs;
mod order;
