//! How clock zones are treated, by the user's choice.

use bughound_semantics::timed::{Abstraction, Extrapolation, Inclusion};

/// `None`: the coarsest treatment that is exact for the question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZoneOptions {
    pub extrapolation: Option<Extrapolation>,
    pub inclusion: Option<Inclusion>,
}

impl ZoneOptions {
    /// For questions after states.
    pub fn reachability(self) -> Abstraction {
        let mut abstraction = Abstraction::REACHABILITY;
        if let Some(inclusion) = self.inclusion {
            abstraction.inclusion = inclusion;
        }
        // Without simulation there are infinitely many zones unless something is forgotten.
        if abstraction.inclusion != Inclusion::Simulation {
            abstraction.extrapolation = Extrapolation::LowerUpperPlus;
        }
        if let Some(extrapolation) = self.extrapolation {
            let endless = extrapolation == Extrapolation::None && abstraction.inclusion != Inclusion::Simulation;
            abstraction.extrapolation = if endless { Extrapolation::LowerUpperPlus } else { extrapolation };
        }
        abstraction
    }

    /// For deadlocks: lower and upper constants and simulation are not exact there, and give way to what is.
    pub fn deadlock(self) -> Abstraction {
        let mut abstraction = Abstraction::DEADLOCK;
        if self.inclusion == Some(Inclusion::Equal) {
            abstraction.inclusion = Inclusion::Equal;
        }
        if self.extrapolation == Some(Extrapolation::MaximalPlus) {
            abstraction.extrapolation = Extrapolation::MaximalPlus;
        }
        abstraction
    }
}
