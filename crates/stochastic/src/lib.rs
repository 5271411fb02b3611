//! The front ends for probabilistic models: PRISM's language and JANI.
//!
//! Both readers write the same tree ([`tree::Model`]): automata with guarded edges, which synchronise as vectors say. What comes
//! after that, the network, is made of it once.

pub mod jani;
pub mod lower;
pub mod prism;
pub mod tree;
