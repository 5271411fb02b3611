//! Random models and oracles for tests.
//!
//! * [`random_promela`] makes small legal Promela programs from a seed,
//! * [`constructs`] tells which language constructs a program uses,
//! * [`spin_oracle`] asks SPIN about a program,
//! * [`comparison`] puts a program through all of them,
//! * [`differential`] compares Bughound's answers with SPIN's,
//! * [`engines`] compares the engine with the reference evaluator.

pub mod comparison;
pub mod constructs;
pub mod differential;
pub mod engines;
pub mod random_promela;
pub mod spin_oracle;
