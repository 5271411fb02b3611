//! Tests of the JANI reader.

mod benchmarks;
mod constructs;
mod errors;
mod properties;
mod small;
