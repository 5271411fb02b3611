//! All integration tests of the crate in one binary: it is linked once.

mod extrapolation;
mod federations;
mod fischer;
mod operations;
mod points;
mod priced;
mod support;
