//! Estimates for the bound and for the order of successors.

use std::time::Duration;

use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, State, StateId};

use crate::evaluators::Stopwatch;

/// A dead end, proven or not: behind all other successors.
const HOPELESS: u32 = u32::MAX - 1;
const UNKNOWN: u32 = u32::MAX;

pub(super) struct Guide<'h> {
    heuristic: Option<Box<dyn Heuristic + 'h>>,
    claims: HeuristicClaims,
    /// By state id, for states that have one.
    known: Vec<u32>,
    best: Option<u64>,
    stopwatch: Stopwatch,
}

impl<'h> Guide<'h> {
    pub(super) fn new(heuristic: Option<Box<dyn Heuristic + 'h>>) -> Self {
        let claims = heuristic.as_ref().map_or(HeuristicClaims::CONSISTENT, |heuristic| heuristic.claims());
        Guide { heuristic, claims, known: Vec::new(), best: None, stopwatch: Stopwatch::default() }
    }

    /// The estimate in steps; 0 without heuristic.
    #[inline]
    pub(super) fn estimate(&mut self, state: State<'_>, id: Option<StateId>) -> u32 {
        let Some(heuristic) = &mut self.heuristic else { return 0 };
        if let Some(id) = id {
            if id.index() >= self.known.len() {
                self.known.resize(id.index() + 1, UNKNOWN);
            }
            if self.known[id.index()] != UNKNOWN {
                return self.known[id.index()];
            }
        }
        let estimate = match self.stopwatch.estimate(&mut **heuristic, state) {
            Estimate::Finite(value) => value.min(u64::from(HOPELESS) - 1) as u32,
            Estimate::DeadEnd => HOPELESS,
        };
        if let Some(id) = id {
            self.known[id.index()] = estimate;
        }
        let cost = u64::from(estimate);
        if estimate != HOPELESS && self.best.is_none_or(|best| cost < best) {
            self.best = Some(cost);
        }
        estimate
    }

    /// Is it certain that no error lies behind a state with this estimate?
    pub(super) fn is_proof(&self, estimate: u32) -> bool {
        estimate == HOPELESS && self.claims.safe
    }

    /// What is compared with the bound. Estimates that may be too large have no say in it.
    #[inline]
    pub(super) fn f(&self, cost: u64, estimate: u32) -> u64 {
        if self.claims.admissible && estimate != HOPELESS { cost.saturating_add(u64::from(estimate)) } else { cost }
    }

    /// Ids have another meaning from now on.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    pub(super) fn best(&self) -> Option<u64> {
        self.best
    }

    pub(super) fn evaluations(&self) -> (u64, Duration) {
        self.stopwatch.read()
    }

    pub(super) fn memory(&self) -> u64 {
        let heuristic = self.heuristic.as_ref().map_or(0, |heuristic| heuristic.memory());
        (self.known.capacity() * size_of::<u32>()) as u64 + heuristic
    }
}
