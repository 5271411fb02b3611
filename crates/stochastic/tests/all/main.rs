//! All integration tests of the crate in one binary: it is linked once.

mod prism;
