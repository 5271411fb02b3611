//! Timed models: random ones, a decision of queries by brute force on clock regions, and Bughound's answers beside it.
//!
//! * [`models`] and [`queries`] make texts from a seed; [`constructs`] counts what is in them,
//! * [`regions`], [`ceilings`], [`graph`]: the region graph, from the reference evaluator at single points in time,
//! * [`oracle`], [`extremes`]: what is true of it,
//! * [`claims`] holds heuristics to what they claim,
//! * [`facade`] asks Bughound, [`comparison`] holds the answers against each other.

pub mod ceilings;
pub mod claims;
pub mod comparison;
pub mod constructs;
pub mod extremes;
pub mod facade;
pub mod graph;
pub mod models;
pub mod oracle;
pub mod queries;
pub mod regions;
