//! What a registered algorithm says about itself.

use bughound_kernel::registry::{Args, Param};

use crate::configuration::Configuration;

/// What a search promises on finite state spaces, given enough time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Finds an error if there is one; otherwise proves that there is none.
    pub complete: bool,
    /// The first error it reports is a shortest one.
    pub optimal: bool,
}

/// What algorithms are built from besides their arguments.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuildCx {
    /// For everything random that has no seed of its own.
    pub seed: u64,
}

/// A registry line: everything the command line, the pages and the tests need to know.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub name: &'static str,
    pub summary: &'static str,
    pub cite: &'static str,
    pub params: &'static [Param],
    pub claims: Claims,
    pub build: fn(&BuildCx, &Args) -> Configuration,
}
