//! All integration tests of the crate in one binary: it is linked once.

mod enumerate;
mod jani;
mod prism;
mod tables;
mod values;
