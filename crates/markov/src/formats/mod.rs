//! Explicit formats: PRISM's `.tra`, `.lab`, `.srew`, `.trew` and Storm's DRN, read and written.
//!
//! Numbers are exact both ways: decimals are what they say, and what is no short decimal is written as a fraction (which Storm
//! reads and PRISM, that writes decimals itself, does not). Nothing that is read panics: mistakes are said with their line.

mod drn;
mod explicit;
mod prism;

pub use drn::{read_drn, write_drn};
pub use explicit::{Explicit, FormatError};
pub use prism::{PrismFiles, PrismRewards, read_prism, write_lab, write_srew, write_tra, write_trew};
