//! Uniform prices: each unit of time costs the same, wherever it passes.
//!
//! Then the cost of a run is this rate times the time it has taken, plus its impulses, and needs no priced zones: one more
//! clock, which is never set, measures the time, and ordinary zones do the rest (Larsen et al., CAV 2001, treat it as a
//! case of its own, too). There are no facets, so a step has one outcome. The cost of a zone is given by the lower bound
//! of this clock; it is attained if that bound is not strict, because zones are exact.
//!
//! Of two points that differ in the time they have taken only, the earlier one makes the other superfluous. So upper
//! bounds of this clock are taken away, and inclusion modulo simulation treats it as a clock with upper constants only:
//! the smaller value simulates the larger one. Impulses are kept beside the zone; where two differ, the zones are compared
//! as if the difference had been paid by waiting, rounded so that nothing is left out that is cheaper.
//!
//! Fails as priced zones do, if numbers leave their range.

use bughound_dbm::priced::{Operation, PriceError};
use bughound_dbm::{Bound, MAX_CONSTANT, NO_BOUND, Zone, ZoneBuf, ZoneMut};

use super::sight::Sketch;
use super::zones::CostZone;

/// Half of the range in which sums of bounds are exact.
const LARGEST: i32 = MAX_CONSTANT / 4;

/// A zone of the clocks of the model and one for all time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniformZone {
    zone: ZoneBuf,
    /// The sum of the impulses.
    paid: i64,
    /// Per unit of time.
    rate: i64,
}

impl UniformZone {
    /// The place of the clock for all time: the last one.
    fn time(&self) -> usize {
        self.zone.as_zone().dimension() - 1
    }

    /// The same points after a change, if all numbers are exact.
    fn changed(&self, change: impl FnOnce(&mut ZoneMut<'_>) -> bool) -> Result<Vec<UniformZone>, PriceError> {
        let mut changed = self.clone();
        if !change(&mut changed.zone.as_mut()) {
            return Ok(Vec::new());
        }
        if changed.zone.as_zone().magnitude() > LARGEST {
            return Err(PriceError::TimeOutOfRange);
        }
        changed.forget_lateness();
        Ok(vec![changed])
    }

    /// Whoever may arrive may arrive later, at a higher cost.
    fn forget_lateness(&mut self) {
        let (time, rate) = (self.time(), self.rate);
        let mut view = self.zone.as_mut();
        if rate == 0 {
            return view.free(time);
        }
        for other in 0..time {
            view.set_bound(time, other, Bound::INFINITY);
        }
    }
}

impl CostZone for UniformZone {
    fn start(dimension: usize, rate: i64) -> Self {
        let mut start = UniformZone { zone: ZoneBuf::zero(dimension + 1), paid: 0, rate };
        start.forget_lateness();
        start
    }

    fn apply(&self, operation: &Operation) -> Result<Vec<Self>, PriceError> {
        match operation {
            Operation::Require(constraints) => self.changed(|zone| {
                constraints
                    .iter()
                    .all(|c| zone.as_zone().implies(c.left, c.right, c.bound) || zone.tighten(c.left, c.right, c.bound))
            }),
            Operation::Pay(impulse) => {
                if *impulse < 0 {
                    return Err(PriceError::NegativePrice);
                }
                let paid = self.paid.checked_add(*impulse).ok_or(PriceError::CostOutOfRange)?;
                Ok(vec![UniformZone { paid, ..self.clone() }])
            }
            Operation::Reset { clock, value } => self.changed(|zone| {
                zone.reset(*clock, *value);
                true
            }),
            Operation::Copy { to, from } => self.changed(|zone| {
                zone.copy(*to, *from);
                true
            }),
            Operation::Shift { clock, amount } => self.changed(|zone| zone.shift(*clock, *amount)),
            Operation::Free(clock) => self.changed(|zone| {
                zone.free(*clock);
                true
            }),
            Operation::Delay(_) => self.changed(|zone| {
                zone.up();
                true
            }),
        }
    }

    fn least_cost(&self) -> Result<i64, PriceError> {
        let earliest = self.zone.as_zone().bound(0, self.time()).constant().unwrap_or(0);
        let waited = self.rate.checked_mul(-i64::from(earliest));
        waited.and_then(|waited| waited.checked_add(self.paid)).ok_or(PriceError::CostOutOfRange)
    }

    fn clocks(&self) -> ZoneBuf {
        let (zone, n) = (self.zone.as_zone(), self.time());
        let mut clocks = ZoneBuf::universal(n);
        for (i, j) in (0..n * n).map(|pair| (pair / n, pair % n)).filter(|(i, j)| i != j) {
            clocks.as_mut().set_bound(i, j, zone.bound(i, j));
        }
        clocks
    }

    fn word_count(dimension: usize) -> usize {
        (dimension + 1) * (dimension + 1) + 2
    }

    fn to_words(&self) -> Vec<i32> {
        let mut words = self.zone.as_zone().words().to_vec();
        words.extend([self.paid as i32, (self.paid >> 32) as i32]);
        words
    }

    fn from_words(words: &[i32], dimension: usize, rate: i64) -> Self {
        let (matrix, rest) = words.split_at((dimension + 1) * (dimension + 1));
        let paid = i64::from(rest[1]) << 32 | i64::from(rest[0] as u32);
        UniformZone { zone: Zone::new(matrix, dimension + 1).into(), paid, rate }
    }

    fn is_simulated_by(&self, other: &Self, lower: &[i32], upper: &[i32]) -> Result<bool, PriceError> {
        let dearer = other.paid.checked_sub(self.paid).ok_or(PriceError::CostOutOfRange)?;
        let (mut lower, mut upper) = (lower.to_vec(), upper.to_vec());
        lower.push(NO_BOUND);
        if self.rate == 0 {
            upper.push(NO_BOUND);
            return Ok(dearer <= 0 && self.zone.as_zone().is_simulated_by(other.zone.as_zone(), &lower, &upper));
        }
        upper.push(MAX_CONSTANT);
        // As if the other one had waited for so long, rounded up.
        let waited = dearer.div_euclid(self.rate) + i64::from(dearer.rem_euclid(self.rate) != 0);
        let Some(waited) = i32::try_from(waited).ok().filter(|waited| waited.unsigned_abs() <= LARGEST as u32) else {
            return Ok(false);
        };
        let later = |zone: &UniformZone, by: i32| {
            let mut zone = zone.zone.clone();
            if by > 0 {
                zone.as_mut().shift(self.time(), by);
            }
            zone
        };
        let (here, there) = (later(self, -waited), later(other, waited));
        if here.as_zone().magnitude().max(there.as_zone().magnitude()) > 2 * LARGEST {
            return Err(PriceError::TimeOutOfRange);
        }
        Ok(here.as_zone().is_simulated_by(there.as_zone(), &lower, &upper))
    }

    fn show(&self, mut sketch: Sketch<'_>) {
        sketch.clocks(self.zone.as_zone());
        sketch.uniform(self.zone.as_zone());
    }

    fn tidy(_zones: &mut Vec<Self>) -> Result<(), PriceError> {
        Ok(())
    }
}
