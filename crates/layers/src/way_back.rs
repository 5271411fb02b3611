//! How far a state of [`Recording`] is from the end of a lasso.
//!
//! Before a state is recorded, a heuristic for the system below says how far it is to where something can go wrong. From then
//! on, what is missing is the way back: the estimate is the number of slots that differ from the recorded state. It is no
//! lower bound, so 0 stands for it where the heuristic is admissible: the way back may cost nothing (a run at rest).

use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Layer, Move, PreferredStep, Situation, TransitionSystem};

use crate::recording::Recording;

pub struct WayBack<'a> {
    pub layer: &'a Recording<'a>,
    pub heuristic: Box<dyn Heuristic + 'a>,
}

impl Heuristic for WayBack<'_> {
    fn claims(&self) -> HeuristicClaims {
        self.heuristic.claims()
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        match self.layer.recorded(at.state) {
            None => self.heuristic.estimate(self.layer.situation(at.state)),
            Some(_) if self.heuristic.claims().admissible => Estimate::ZERO,
            Some(recorded) => {
                let current = self.layer.project(at.state).key;
                let differing = current.iter().zip(recorded.key).filter(|(a, b)| a != b).count();
                Estimate::Finite((differing + current.len().abs_diff(recorded.key.len())) as u64)
            }
        }
    }

    fn preferred(&self) -> &[PreferredStep] {
        self.heuristic.preferred()
    }

    fn estimate_without(&mut self, step: &[Move], at: Situation<'_>) -> Option<Estimate> {
        match self.layer.recorded(at.state) {
            None => self.heuristic.estimate_without(step, self.layer.situation(at.state)),
            Some(_) => None,
        }
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(WayBack { layer: self.layer, heuristic: self.heuristic.fork()? }))
    }

    fn memory(&self) -> u64 {
        self.heuristic.memory()
    }
}
