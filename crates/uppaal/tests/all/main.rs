//! All integration tests of the crate in one binary: it is linked once.

mod behaviour;
mod common;
mod corpus;
mod errors;
mod no_panics;
mod timed;
