//! All integration tests of the crate in one binary: it is linked once.

mod classes_of_patterns;
mod hoa;
mod semantics;
mod spin;
mod support;
