//! All integration tests of the crate in one binary: it is linked once.

mod covers;
mod faults;
mod graphs;
mod queue;
mod runs;
mod saving;
mod semi;
#[path = "../../../search/tests/all/support/mod.rs"]
#[allow(dead_code, reason = "the tests of searches use the rest of it")]
mod support;
mod taking_over;
mod trials;
