//! All integration tests of the crate in one binary: it is linked once.

mod broadcast;
mod common;
mod conditions;
mod knuth_yao;
mod priced;
mod random_signals;
mod runaway;
mod timed;
mod weights;
