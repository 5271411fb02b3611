//! Liveness held to a decision by brute force.
//!
//! Random models and random properties of their runs go through Bughound as a user would ask, with every kind of search,
//! with and without fairness. What the answers must be is decided here a second time, by means that share no code with
//! the automata, the layers, the searches or the engine:
//!
//! * [`graph`] builds all states and steps with the reference evaluator,
//! * [`tableau`] decides formulas on it by sets of subformulas, [`claims`] decides claims by following them,
//! * [`components`] looks for a strongly connected component that has what a violation needs.
//!
//! [`formulas`] and [`claims`] make the properties, [`models`] the models, [`comparison`] compares, and [`with_spin`] asks
//! SPIN as a third party.

pub mod claims;
pub mod comparison;
pub mod components;
pub mod facade;
pub mod formulas;
pub mod graph;
pub mod models;
pub mod tableau;
pub mod with_spin;
