//! Brute force: slow, obvious, exact. Used by the tests and by the example `random`.

pub mod chain;
pub mod check;
pub mod process;
pub mod raw;
pub mod series;
