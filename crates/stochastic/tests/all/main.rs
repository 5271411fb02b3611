//! All integration tests of the crate in one binary: it is linked once.

mod bundled;
mod enumerate;
mod jani;
mod prism;
mod tables;
mod values;
