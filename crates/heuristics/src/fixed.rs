//! For the tests of heuristics that are made of other heuristics.

use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation};

/// Says and claims the same of every state.
pub struct Fixed(pub Estimate, pub HeuristicClaims);

impl Heuristic for Fixed {
    fn claims(&self) -> HeuristicClaims {
        self.1
    }

    fn estimate(&mut self, _at: Situation<'_>) -> Estimate {
        self.0
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(Fixed(self.0, self.1)))
    }
}
