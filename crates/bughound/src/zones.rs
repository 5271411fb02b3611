//! How clock zones are treated, by the user's choice.

use bughound_semantics::timed::{Abstraction, Extrapolation, Inclusion};

/// `None`: the coarsest treatment that is exact for the question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZoneOptions {
    pub extrapolation: Option<Extrapolation>,
    pub inclusion: Option<Inclusion>,
    /// One zone for each discrete state, the convex hull of all: what is found has to be confirmed.
    pub hull: bool,
    /// Of runs, only those count whose time goes on for ever.
    pub non_zeno: bool,
}

impl ZoneOptions {
    /// For questions after states.
    pub fn reachability(self) -> Abstraction {
        self.applied(Abstraction::REACHABILITY, Extrapolation::LowerUpperPlus)
    }

    /// For deadlocks: lower and upper constants are not exact there, and give way to the largest ones. Hulls stay: a point
    /// that is stuck is so in every zone that has it.
    pub fn deadlock(self) -> Abstraction {
        let extrapolation = self.extrapolation.map(|extrapolation| match extrapolation {
            Extrapolation::LowerUpper => Extrapolation::Maximal,
            Extrapolation::LowerUpperPlus => Extrapolation::MaximalPlus,
            exact => exact,
        });
        ZoneOptions { extrapolation, ..self }.applied(Abstraction::DEADLOCK, Extrapolation::MaximalPlus)
    }

    /// Without simulation there are infinitely many zones unless something is forgotten.
    fn applied(self, default: Abstraction, coarsest: Extrapolation) -> Abstraction {
        let inclusion = self.inclusion.unwrap_or(default.inclusion);
        let extrapolation = match self.extrapolation.unwrap_or(default.extrapolation) {
            Extrapolation::None if inclusion != Inclusion::Simulation => coarsest,
            other => other,
        };
        Abstraction { extrapolation, inclusion, hull: self.hull, ..default }
    }
}
