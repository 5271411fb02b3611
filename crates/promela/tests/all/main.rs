//! All integration tests of the crate in one binary: it is linked once.

mod lowering;
mod parse_shared_models;
mod robustness;
