//! Explicit formats.
