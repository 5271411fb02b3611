//! Heuristics: estimates of how far a state is from an error.

use crate::dependencies::SlotSet;
use crate::state::State;
use crate::step::Move;
use crate::system::TransitionSystem;

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

impl From<u64> for Estimate {
    fn from(value: u64) -> Self {
        Estimate::Finite(value)
    }
}

impl From<Option<u64>> for Estimate {
    /// Nothing is a dead end.
    fn from(value: Option<u64>) -> Self {
        value.map_or(Estimate::DeadEnd, Estimate::Finite)
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

    /// What two heuristics claim that take turns.
    pub fn and(self, other: HeuristicClaims) -> HeuristicClaims {
        HeuristicClaims {
            admissible: self.admissible && other.admissible,
            // Each of two may fall by less than a step costs, and the step from one to the other by more.
            consistent: false,
            safe: self.safe && other.safe,
        }
    }
}

/// A step that a heuristic recommends: who starts it with which edge and, if two act together, who joins with which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PreferredStep {
    /// Process and edge.
    pub first: (u16, u32),
    pub second: Option<(u16, u32)>,
}

impl PreferredStep {
    /// Does a macro step with these moves begin with this one?
    pub fn begins(&self, moves: &[Move]) -> bool {
        let is = |made: &Move, (process, edge): (u16, u32)| made.process == process && made.edge == edge;
        let Some((first, rest)) = moves.split_first() else { return false };
        let mut joining = rest.iter().take_while(|made| made.joins);
        is(first, self.first) && self.second.is_none_or(|second| joining.any(|made| is(made, second)))
    }
}

/// What a heuristic looks at: a state of the system that it was built for and, where a claim watches the system, where the
/// claim is. What layers add besides is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Situation<'a> {
    pub state: State<'a>,
    /// The number of the claim's location.
    pub claim: Option<i32>,
}

impl<'a> From<State<'a>> for Situation<'a> {
    /// Nobody watches.
    fn from(state: State<'a>) -> Self {
        Situation { state, claim: None }
    }
}

/// Estimates distances to errors. Built for one system and one set of errors; has working memory of its own.
pub trait Heuristic: Send {
    fn claims(&self) -> HeuristicClaims;

    fn estimate(&mut self, at: Situation<'_>) -> Estimate;

    /// Does it estimate what time and steps cost in a model with prices? Others count steps, or their weights: in such a
    /// model they guide, and their dead ends count, but a step may cost nothing there, so their estimates bound nothing.
    fn is_about_prices(&self) -> bool {
        false
    }

    /// The slots of a state that its estimates depend on; of a slot in a part of the key that may be missing, whether the part is there,
    /// too. `None`: nobody knows, or on something else besides.
    fn looks_at(&self) -> Option<SlotSet> {
        None
    }

    /// Steps that lead on from the state of the last estimate, as far as the heuristic can tell; empty if it has nothing to
    /// say about steps.
    fn preferred(&self) -> &[PreferredStep] {
        &[]
    }

    /// The estimate in the system without this step, from whatever state it is taken: of a macro step, its first micro step
    /// is left out. `None` if the heuristic cannot leave steps out. It is what tells useless steps from others. What
    /// `preferred` says afterwards belongs to that system, too.
    fn estimate_without(&mut self, _step: &[Move], _at: Situation<'_>) -> Option<Estimate> {
        None
    }

    /// The same for another thread: it shares what was built, and has working memory of its own. `None`: it is built again.
    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        None
    }

    /// Bytes used.
    fn memory(&self) -> u64 {
        0
    }
}

/// A heuristic for the states of a layer, from one for what they project to.
pub(crate) struct Projected<'a> {
    pub layer: &'a dyn TransitionSystem,
    pub heuristic: Box<dyn Heuristic + 'a>,
}

impl Heuristic for Projected<'_> {
    fn claims(&self) -> HeuristicClaims {
        self.heuristic.claims()
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        self.heuristic.estimate(self.layer.situation(at.state))
    }

    fn preferred(&self) -> &[PreferredStep] {
        self.heuristic.preferred()
    }

    fn estimate_without(&mut self, step: &[Move], at: Situation<'_>) -> Option<Estimate> {
        self.heuristic.estimate_without(step, self.layer.situation(at.state))
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(Projected { layer: self.layer, heuristic: self.heuristic.fork()? }))
    }

    fn memory(&self) -> u64 {
        self.heuristic.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preferred_step_is_recognised_by_its_first_moves() {
        let made = |process, edge, joins| Move { process, edge, destination: 0, joins };
        let alone = PreferredStep { first: (1, 7), second: None };
        let both = PreferredStep { first: (1, 7), second: Some((2, 9)) };
        assert!(alone.begins(&[made(1, 7, false)]) && !alone.begins(&[made(0, 7, false)]) && !alone.begins(&[]));
        assert!(both.begins(&[made(1, 7, false), made(3, 8, true), made(2, 9, true)]));
        assert!(!both.begins(&[made(1, 7, false), made(2, 9, false)]), "that is the next micro step");
    }
}
