//! All integration tests of the crate in one binary: it is linked once.

mod bounded_depth_first;
mod bounded_memory;
mod claims;
mod covers;
mod cycle_limits;
mod cycles;
mod depth_first;
mod expecting;
mod exploring;
mod forgetting;
mod lassos_of_models;
mod limits;
mod saving;
mod shortest;
mod support;
