//! Heuristics: estimates of how far a state is from an error.

use crate::state::State;

/// What a heuristic says about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Estimate {
    /// About so many micro steps (or so much cost) to the nearest error.
    Finite(u64),
    /// No error can be reached from here, as far as the heuristic can tell; proof only if it claims to be safe.
    DeadEnd,
}

impl Estimate {
    pub const ZERO: Estimate = Estimate::Finite(0);

    pub fn finite(self) -> Option<u64> {
        match self {
            Estimate::Finite(value) => Some(value),
            Estimate::DeadEnd => None,
        }
    }

    pub fn is_dead_end(self) -> bool {
        self == Estimate::DeadEnd
    }
}

/// What is certain about the estimates of a heuristic. Tests compare each claim with true distances.
///
/// The distance of a state is the least cost of a path from it to an error: to a deadlock or a state that violates a
/// condition, the failing step included where a step fails; infinite if there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HeuristicClaims {
    /// Never more than the distance.
    pub admissible: bool,
    /// Falls by at most the weight of a step, and is 0 at errors: no state need be opened again.
    pub consistent: bool,
    /// A dead end is proof that no error can be reached.
    pub safe: bool,
}

impl HeuristicClaims {
    /// Claims nothing: estimates may be too large, and dead ends are guesses.
    pub const NONE: HeuristicClaims = HeuristicClaims { admissible: false, consistent: false, safe: false };
    /// Estimates may be too large, but dead ends are proof (or never reported).
    pub const SAFE: HeuristicClaims = HeuristicClaims { admissible: false, consistent: false, safe: true };
    /// Admissible heuristics are safe: an infinite estimate that is not too large is proof.
    pub const ADMISSIBLE: HeuristicClaims = HeuristicClaims { admissible: true, consistent: false, safe: true };
    pub const CONSISTENT: HeuristicClaims = HeuristicClaims { admissible: true, consistent: true, safe: true };
}

/// Estimates distances to errors. Built for one system and one set of errors; has working memory of its own.
pub trait Heuristic {
    fn claims(&self) -> HeuristicClaims;

    fn estimate(&mut self, state: State<'_>) -> Estimate;

    /// Bytes used.
    fn memory(&self) -> u64 {
        0
    }
}
