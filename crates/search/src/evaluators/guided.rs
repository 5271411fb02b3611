//! Keys from costs and estimates: f = a·g + b·h (Pohl 1970). A* is 1·g + 1·h, greedy search 0·g + 1·h.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::{Estimate, Growing, Heuristic, HeuristicClaims, OutOfMemory};

use crate::evaluators::{Arrival, Priority, Rank, Stopwatch};
use crate::saving::{Ids, Snapshot};

/// How cost (g) and estimate (h) are weighed: f = cost·g + estimate·h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    pub cost: u64,
    pub estimate: u64,
}

impl Weights {
    pub const ASTAR: Weights = Weights { cost: 1, estimate: 1 };
    pub const GREEDY: Weights = Weights { cost: 0, estimate: 1 };

    /// f = g + w·h, in thousandths of `w`.
    pub fn by_factor(w: f64) -> Weights {
        Weights::fraction(1000, (w * 1000.0).round() as u64)
    }

    /// f = α·g + (1 − α)·h, in thousandths of α.
    pub fn by_share(alpha: f64) -> Weights {
        let cost = (alpha * 1000.0).round() as u64;
        Weights::fraction(cost, 1000 - cost.min(1000))
    }

    /// Small numbers make small keys, and the queue likes small keys.
    fn fraction(cost: u64, estimate: u64) -> Weights {
        let (mut a, mut b) = (cost, estimate);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Weights { cost: cost / a.max(1), estimate: estimate / a.max(1) }
    }
}

/// The key: smaller f first; among equals, less still to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Guidance {
    pub f: u64,
    /// The estimate.
    pub h: u64,
    /// The cost.
    pub g: u64,
}

/// Rank of dead ends that are no proof: behind everything else, but not lost.
const HOPELESS: u32 = u32::MAX - 1;
/// Where there is no estimate so far.
const UNKNOWN: u32 = 0;

pub struct Guided<'h> {
    heuristic: Box<dyn Heuristic + 'h>,
    claims: HeuristicClaims,
    weights: Weights,
    /// By state id, plus one: a state reached again need not be estimated again, by whatever worker.
    estimates: Arc<Growing<AtomicU32>>,
    best: Option<u64>,
    /// No error at a higher cost matters.
    bound: Option<u64>,
    /// Nor does one at this cost or a higher one.
    below: Option<u64>,
    at_once: bool,
    stopwatch: Stopwatch,
    /// Another worker counts the memory of the heuristic.
    borrows: bool,
}

impl<'h> Guided<'h> {
    pub fn new(heuristic: Box<dyn Heuristic + 'h>, weights: Weights) -> Self {
        let claims = heuristic.claims();
        let (estimates, stopwatch) = (Arc::default(), Stopwatch::default());
        let at_once = weights.cost == 0;
        let (best, bound, below, borrows) = (None, None, None, false);
        Guided { heuristic, claims, weights, estimates, best, bound, below, at_once, stopwatch, borrows }
    }

    /// What it asks.
    pub fn into_heuristic(self) -> Box<dyn Heuristic + 'h> {
        self.heuristic
    }

    /// States from which no error can be reached at this cost or less are left out. Only admissible estimates can tell.
    pub fn within(mut self, bound: Option<u64>) -> Self {
        self.bound = bound.filter(|_| self.claims.admissible);
        self
    }

    pub fn claims(&self) -> HeuristicClaims {
        self.claims
    }

    /// From now on no more is claimed than this.
    pub fn claim(&mut self, claims: HeuristicClaims) {
        self.claims = claims;
        self.bound = self.bound.filter(|_| claims.admissible);
    }

    /// The estimate tells where to look first, and nothing else.
    pub fn only_ordering(mut self) -> Self {
        self.claims = HeuristicClaims::NONE;
        self.bound = None;
        self
    }

    /// Errors count as soon as they are generated.
    pub fn taking_errors_at_once(mut self) -> Self {
        self.at_once = true;
        self
    }

    /// For a worker besides another one, with a heuristic of its own that claims as much or more: what one of them has
    /// estimated the other need not. `borrows`: what was built is counted by the other one.
    pub fn sharing(mut self, with: &Guided<'_>, borrows: bool) -> Self {
        self.estimates = Arc::clone(&with.estimates);
        self.claim(with.claims);
        self.borrows = borrows;
        self
    }

    /// Is nothing behind a state cheap enough any more?
    fn loses(&self, g: u64, h: u64) -> bool {
        let least = if self.claims.admissible { g.saturating_add(h) } else { g };
        self.below.is_some_and(|below| least >= below)
    }

    fn estimate(&mut self, arrival: &Arrival<'_>) -> u32 {
        // Where there is no room for it, an estimate is made again and again.
        let place = self.estimates.reserve(arrival.id.0).ok().map(|row| &row[0]);
        let known = place.map_or(UNKNOWN, |place| place.load(Ordering::Relaxed));
        if known != UNKNOWN {
            return known - 1;
        }
        let estimate = match self.stopwatch.estimate(&mut *self.heuristic, arrival.state) {
            Estimate::Finite(value) => value.min(u64::from(HOPELESS) - 1) as u32,
            Estimate::DeadEnd => HOPELESS,
        };
        if let Some(place) = place {
            place.store(estimate + 1, Ordering::Relaxed);
        }
        estimate
    }
}

impl Priority for Guided<'_> {
    type Key = Guidance;

    fn rank(&mut self, arrival: &Arrival<'_>) -> Rank<Guidance> {
        let estimate = self.estimate(arrival);
        if estimate == HOPELESS && self.claims.safe {
            return Rank::Prune;
        }
        let h = u64::from(estimate);
        if self.bound.is_some_and(|bound| arrival.cost.saturating_add(h) > bound) || self.loses(arrival.cost, h) {
            return Rank::Beyond;
        }
        if self.best.is_none_or(|best| h < best) {
            self.best = Some(h);
        }
        let g = arrival.cost;
        let f = self.weights.cost.saturating_mul(g).saturating_add(self.weights.estimate.saturating_mul(h));
        Rank::Open(Guidance { f, h, g })
    }

    fn rank_error(&self, cost: u64) -> Guidance {
        Guidance { f: self.weights.cost.saturating_mul(cost), h: 0, g: cost }
    }

    fn finds_cheapest_first(&self) -> bool {
        let weighs_costs_enough = self.weights.cost >= self.weights.estimate && self.weights.cost > 0;
        weighs_costs_enough && (self.claims.admissible || self.weights.estimate == 0) && !self.at_once
    }

    /// On the way to a cheapest error there is always an open state with a·g + b·h ≤ a·(g + h) ≤ a·cost.
    fn error_floor(&self, key: Guidance) -> u64 {
        key.f.div_ceil(self.weights.cost.max(1))
    }

    fn improve_below(&mut self, cost: u64) {
        self.below = Some(cost);
    }

    fn is_beaten(&self, key: Guidance) -> bool {
        self.loses(key.g, key.h)
    }

    fn takes_errors_at_once(&self) -> bool {
        self.at_once
    }

    fn prunes_safely(&self) -> bool {
        self.claims.safe
    }

    fn best_estimate(&self) -> Option<u64> {
        self.best
    }

    fn estimate_in(&self, key: Guidance) -> Option<u64> {
        Some(key.h)
    }

    fn evaluations(&self) -> (u64, Duration) {
        self.stopwatch.read()
    }

    fn memory(&self) -> u64 {
        // Its part of what workers share.
        let own = if self.borrows { 0 } else { self.heuristic.memory() };
        self.estimates.memory() / Arc::strong_count(&self.estimates) as u64 + own
    }
}

impl Record for Guidance {
    fn write(&self, to: &mut Writer) {
        [self.f, self.h, self.g].into_iter().for_each(|number| to.number(number));
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        Ok(Guidance { f: from.number()?, h: from.number()?, g: from.number()? })
    }
}

/// The heuristic is built again. It need not be as good as before if it had less time: so its estimates are saved.
impl Snapshot for Guided<'_> {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        for id in ids.iter() {
            to.number(self.estimates.get(id.0).map_or(UNKNOWN, |known| known.load(Ordering::Relaxed)).into());
        }
        self.best.write(to);
        self.below.write(to);
        self.stopwatch.write(to);
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        for id in ids.iter() {
            let known = from.small()?;
            if known != UNKNOWN {
                let place = self.estimates.reserve(id.0).map_err(|OutOfMemory| from.out_of_memory())?;
                place[0].store(known, Ordering::Relaxed);
            }
        }
        self.best = Record::read(from)?;
        self.below = Record::read(from)?;
        self.stopwatch = Record::read(from)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_small_and_exact() {
        assert_eq!(Weights::by_factor(5.0), Weights { cost: 1, estimate: 5 });
        assert_eq!(Weights::by_factor(1.5), Weights { cost: 2, estimate: 3 });
        assert_eq!(Weights::by_share(0.5), Weights::ASTAR);
        assert_eq!(Weights::by_share(0.0), Weights::GREEDY);
        assert_eq!(Weights::by_share(1.0), Weights { cost: 1, estimate: 0 });
        assert_eq!(Weights::by_share(0.2), Weights { cost: 1, estimate: 4 });
    }
}
