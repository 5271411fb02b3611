//! Searches by several workers, each of which owns a part of the states, in threads, processes, machines: on timely dataflow.

pub mod algorithms;
mod beam;
mod board;
pub mod cluster;
mod crew;
mod departing;
mod exchange;
mod finish;
mod moment;
mod nodes;
mod owner;
mod parcel;
mod pause;
mod saving;
mod sent;
mod share;
mod worker;

pub use algorithms::ALL;
