//! All tests of the crate in one binary.

mod enumerate;
mod jani;
mod tables;
mod values;
