//! All integration tests of the crate in one binary: it is linked once.

mod random_timed_language;
mod timed;
