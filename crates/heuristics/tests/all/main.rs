//! Tests of heuristics that need a search.

mod least_cost;
