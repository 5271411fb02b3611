//! Brute force: slow, obvious, exact. Used by the tests and by the examples `random` and `counterexamples`.

// Each of its users needs only a part of it.
#![allow(dead_code)]

pub mod chain;
pub mod check;
pub mod counterexamples;
pub mod growth;
pub mod known;
pub mod paths;
pub mod process;
pub mod raw;
pub mod series;
pub mod shapes;
pub mod spaces;
pub mod subsystems;
pub mod verdicts;
pub mod walks;
