//! All integration tests of the crate in one binary: it is linked once.

mod claim_product;
mod fairness;
#[path = "../../../search/tests/all/support/marked.rs"]
#[allow(dead_code, reason = "the tests of searches use the rest of it")]
mod marked;
mod one_condition;
mod recording;
