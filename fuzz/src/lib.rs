//! What the fuzz targets share: texts made of tokens, trees as text for comparison, and the walk that compares the
//! engine with the reference evaluator.

pub mod facade;
pub mod tokens;
pub mod tree;
pub mod walk;
