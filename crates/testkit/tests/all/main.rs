//! All integration tests of the crate in one binary: it is linked once.

mod both_ways;
mod chances;
mod dead_variables;
mod differential;
mod examples;
mod heuristic_claims;
mod heuristics;
mod liveness;
mod patterns;
mod random_programs;
mod reduced_runs;
mod reduced_verdicts;
mod reduction;
mod relaxation;
mod sets;
mod steps_first;
mod stores;
mod switches;
mod timed;
mod timed_claims;
mod timed_formulas;
mod trails;
