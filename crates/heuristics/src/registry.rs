//! What a registered heuristic says about itself.

use bughound_kernel::Heuristic;
use bughound_kernel::registry::{Args, BuildError, Param};

use crate::context::BuildCx;

/// A heuristic, or why there is none.
pub type Built<'a> = Result<Box<dyn Heuristic + 'a>, BuildError>;

/// A registry line.
#[derive(Clone, Copy)]
pub struct Entry {
    pub name: &'static str,
    pub summary: &'static str,
    pub cite: &'static str,
    pub params: &'static [Param],
    /// The claims in words, with the conditions under which they hold; the built heuristic knows exactly.
    pub claims: &'static str,
    pub build: for<'a> fn(&BuildCx<'a, '_>, &Args) -> Built<'a>,
}
