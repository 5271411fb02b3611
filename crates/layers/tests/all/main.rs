//! All integration tests of the crate in one binary: it is linked once.

mod fairness;
#[path = "../../../search/tests/all/support/marked.rs"]
mod marked;
mod one_condition;
mod recording;
