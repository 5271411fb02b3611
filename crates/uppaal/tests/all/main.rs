//! All integration tests of the crate in one binary: it is linked once.

mod behaviour;
mod common;
mod corpus;
mod costs;
mod errors;
mod no_panics;
mod timed;
