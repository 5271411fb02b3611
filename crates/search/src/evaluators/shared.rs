//! One heuristic for several threads: they take turns. For those that take long to be built, and cannot be forked.

use std::sync::{Arc, Mutex, PoisonError};

use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Move, PreferredStep, Situation};

/// A handle on a heuristic that others have handles on, too.
pub struct TakingTurns<'h> {
    heuristic: Arc<Mutex<Box<dyn Heuristic + 'h>>>,
    claims: HeuristicClaims,
    /// What it has said with the last estimate of this handle.
    preferred: Vec<PreferredStep>,
}

impl<'h> TakingTurns<'h> {
    pub fn new(heuristic: Box<dyn Heuristic + 'h>) -> Self {
        let claims = heuristic.claims();
        TakingTurns { heuristic: Arc::new(Mutex::new(heuristic)), claims, preferred: Vec::new() }
    }

    pub fn another(&self) -> Self {
        TakingTurns { heuristic: Arc::clone(&self.heuristic), claims: self.claims, preferred: Vec::new() }
    }

    fn ask<T>(&mut self, ask: impl FnOnce(&mut dyn Heuristic) -> T) -> T {
        let mut heuristic = self.heuristic.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = ask(&mut **heuristic);
        self.preferred.clear();
        self.preferred.extend_from_slice(heuristic.preferred());
        answer
    }
}

impl Heuristic for TakingTurns<'_> {
    fn claims(&self) -> HeuristicClaims {
        self.claims
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        self.ask(|heuristic| heuristic.estimate(at))
    }

    fn preferred(&self) -> &[PreferredStep] {
        &self.preferred
    }

    fn estimate_without(&mut self, step: &[Move], at: Situation<'_>) -> Option<Estimate> {
        self.ask(|heuristic| heuristic.estimate_without(step, at))
    }

    /// Its part of what is shared.
    fn memory(&self) -> u64 {
        let heuristic = self.heuristic.lock().unwrap_or_else(PoisonError::into_inner);
        heuristic.memory() / Arc::strong_count(&self.heuristic) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts its estimates, and prefers the step whose edge is that number.
    struct Counting(Vec<PreferredStep>);

    impl Heuristic for Counting {
        fn claims(&self) -> HeuristicClaims {
            HeuristicClaims::SAFE
        }

        fn estimate(&mut self, _at: Situation<'_>) -> Estimate {
            let number = self.0.first().map_or(0, |step| step.first.1) + 1;
            self.0 = vec![PreferredStep { first: (0, number), second: None }];
            Estimate::Finite(number.into())
        }

        fn preferred(&self) -> &[PreferredStep] {
            &self.0
        }

        fn memory(&self) -> u64 {
            100
        }
    }

    #[test]
    fn what_it_prefers_belongs_to_the_estimate_of_the_same_handle() {
        let mut one = TakingTurns::new(Box::new(Counting(Vec::new())));
        let mut other = one.another();
        assert_eq!(one.estimate(Situation::default()), Estimate::Finite(1));
        assert_eq!(other.estimate(Situation::default()), Estimate::Finite(2));
        assert_eq!((one.preferred()[0].first, other.preferred()[0].first), ((0, 1), (0, 2)));
        assert_eq!((one.claims(), one.memory() + other.memory()), (HeuristicClaims::SAFE, 100));
    }
}
