//! Priced zones, compared with dynamic programs over points.

mod examples;
mod inclusion;
pub mod oracle;
mod random;
