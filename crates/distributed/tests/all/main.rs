//! All integration tests of the crate in one binary: it is linked once.

mod graphs;
mod processes;
mod saving;
#[path = "../../../search/tests/all/support/mod.rs"]
#[allow(dead_code, reason = "the tests of searches use the rest of it")]
mod support;
