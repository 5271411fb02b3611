//! Models written in Rust: every search against brute force, limits, mistakes of models, and the examples.

mod examples;
mod graphs;
mod limits;
mod mistakes;
mod oracle;
