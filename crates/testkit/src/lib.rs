//! Random models and oracles for tests.
//!
//! * [`random_promela`] makes small legal Promela programs from a seed,
//! * [`constructs`] tells which language constructs a program uses,
//! * [`spin_oracle`] asks SPIN about a program,
//! * [`both_ways`] compares the two ways to compute steps,
//! * [`chances`] holds answers about probabilistic models to brute force with exact numbers,
//! * [`comparison`] puts a program through all of them,
//! * [`differential`] compares Bughound's answers with SPIN's,
//! * [`engines`] compares the engine with the reference evaluator,
//! * [`distances`] knows the true distances to errors and holds heuristics to their claims,
//! * [`conditions`] makes random conditions on states,
//! * [`dead_variables`] compares random programs with and without the values that make no difference,
//! * [`search_pairs`] holds searches with heuristics to breadth-first search on random programs,
//! * [`heuristic_claims`] checks heuristics on random programs with them,
//! * [`kills`] kills runs of the program and has them go on from their checkpoints,
//! * [`liveness`] holds verdicts on infinite runs to a decision by brute force,
//! * [`sets`] holds searches with sets of states to breadth-first search,
//! * [`stores`] compares stores, threads and both ways to compute steps by what they count,
//! * [`switches`] reorders the steps of traces of random programs,
//! * [`trails`] has SPIN replay our counterexamples, and Bughound SPIN's,
//! * [`timed`] holds verdicts on timed models to a decision by brute force,
//! * [`reduction`] compares reduced state spaces with whole ones,
//! * [`reduced_runs`] holds runs that are left after a reduction to a decision by brute force,
//! * [`reduced_verdicts`] compares the answers of searches that leave things out with those of others,
//! * [`seeds`] does the work for many seeds at a time.

pub mod both_ways;
pub mod chances;
pub mod comparison;
pub mod conditions;
pub mod constructs;
pub mod dead_variables;
pub mod differential;
pub mod distances;
pub mod engines;
pub mod heuristic_claims;
pub mod kills;
pub mod liveness;
pub mod random_promela;
pub mod reduced_runs;
pub mod reduced_verdicts;
pub mod reduction;
pub mod search_pairs;
pub mod seeds;
pub mod sets;
pub mod spin_oracle;
pub mod stores;
pub mod switches;
pub mod timed;
pub mod trails;
