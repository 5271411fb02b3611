//! Solving.
