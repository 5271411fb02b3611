//! Guards, impulses, and setting clocks: how the least cost changes (Larsen et al., CAV 2001).
//!
//! A guard takes points away; the lowest corner moves, and the cost at the new one is that of the same function. An
//! impulse is added. Whoever sets a clock forgets its value: among all points that become the same, the cheapest counts.
//! It lies at the lower bounds of the clock if its coefficient is positive, at its upper bounds if negative; one priced
//! zone for each bound that can be the one ([`facet`](super::facet)), where the bound is put in for the clock.
//!
//! All of this fails if numbers leave their range, and forgetting a clock with a negative coefficient and no upper bound
//! ([`PriceError::NoLeastCost`]).

use super::affine::Affine;
use super::facet::{Counts, End, parts};
use super::{PriceError, PricedZone, exact};
use crate::bound::{Bound, Constraint, MAX_CONSTANT};
use crate::buffer::ZoneBuf;
use crate::change::ZoneMut;

impl PricedZone {
    /// The points that satisfy all constraints; perhaps none.
    pub fn require(&self, constraints: &[Constraint]) -> Result<PricedZone, PriceError> {
        let mut zone = self.zone.clone();
        if zone.as_zone().is_empty() {
            return Ok(self.clone());
        }
        for c in constraints {
            // A weaker constraint than there can be in the zone is none, however large its constant.
            if zone.as_zone().implies(c.left, c.right, c.bound) {
                continue;
            }
            if c.bound.constant().is_some_and(|constant| constant.abs() > MAX_CONSTANT / 4) {
                return Err(PriceError::TimeOutOfRange);
            }
            if !zone.as_mut().tighten(c.left, c.right, c.bound) {
                return Ok(PricedZone::empty(zone));
            }
            exact(zone.as_zone())?;
        }
        PricedZone::on(zone, self.function(), self.attained)
    }

    /// The same points at a higher cost.
    pub fn pay(&self, impulse: i64) -> Result<PricedZone, PriceError> {
        if impulse < 0 {
            return Err(PriceError::NegativePrice);
        }
        let cost = self.cost.checked_add(impulse).ok_or(PriceError::CostOutOfRange)?;
        Ok(PricedZone { cost, ..self.clone() })
    }

    /// `clock := value`
    pub fn reset(&self, clock: usize, value: i32) -> Result<Vec<PricedZone>, PriceError> {
        if value > MAX_CONSTANT / 4 {
            return Err(PriceError::TimeOutOfRange);
        }
        self.set(clock, |mut zone| zone.reset(clock, value))
    }

    /// `to := from`, both clocks.
    pub fn copy(&self, to: usize, from: usize) -> Result<Vec<PricedZone>, PriceError> {
        if to == from { Ok(vec![self.clone()]) } else { self.set(to, |mut zone| zone.copy(to, from)) }
    }

    /// Forgets the value of a clock: it can be anything.
    pub fn free(&self, clock: usize) -> Result<Vec<PricedZone>, PriceError> {
        self.set(clock, |mut zone| zone.free(clock))
    }

    /// `clock := clock + amount`. If the amount is negative, points where the clock would be less than 0 are lost.
    pub fn shift(&self, clock: usize, amount: i32) -> Result<PricedZone, PriceError> {
        if amount.unsigned_abs() > MAX_CONSTANT as u32 / 4 {
            return Err(PriceError::TimeOutOfRange);
        }
        if self.is_empty() {
            return Ok(self.clone());
        }
        let mut zone = self.zone.clone();
        zone.as_mut().shift(clock, amount);
        let mut function = self.function();
        function.constant -= function.coefficients[clock] * i128::from(amount);
        PricedZone::on(zone, function, self.attained)
    }

    /// Forgets a clock and then gives it new values by `setting`, which must not look at the old ones.
    fn set(&self, clock: usize, setting: impl Fn(ZoneMut<'_>)) -> Result<Vec<PricedZone>, PriceError> {
        debug_assert!(0 < clock && clock < self.dimension());
        let forgotten = self.forget(clock)?;
        let set = |(mut zone, function, attained): (ZoneBuf, Affine, bool)| {
            setting(zone.as_mut());
            PricedZone::on(zone, function, attained)
        };
        forgotten.into_iter().map(set).collect()
    }

    /// Parts in which the clock can have any value, with the least costs over its former values, and whether these are
    /// attained. The functions do not depend on the clock.
    fn forget(&self, clock: usize) -> Result<Vec<(ZoneBuf, Affine, bool)>, PriceError> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let mut domain = self.zone.clone();
        domain.as_mut().free(clock);
        let mut function = self.function();
        let factor = std::mem::take(&mut function.coefficients[clock]);
        if factor == 0 {
            return Ok(vec![(domain, function, self.attained)]);
        }
        let counts = if factor > 0 { Counts::Largest } else { Counts::Smallest };
        let ends = self.ends_of(clock, counts);
        if ends.is_empty() {
            return Err(PriceError::NoLeastCost);
        }
        let at_end = |(index, zone): (usize, ZoneBuf)| {
            let (end, mut function) = (&ends[index], function.clone());
            function.add(factor, end.node, i128::from(end.constant));
            (zone, function, self.attained && !end.open)
        };
        Ok(parts(domain.as_zone(), &ends, counts, self.attained)?.into_iter().map(at_end).collect())
    }

    /// The lower bounds of a clock, of which the largest counts, or the upper ones.
    fn ends_of(&self, clock: usize, counts: Counts) -> Vec<End> {
        let others = (0..self.dimension()).filter(|node| *node != clock);
        let end = |node: usize| {
            let (bound, sign): (Bound, i32) = match counts {
                Counts::Largest => (self.zone().bound(node, clock), -1),
                Counts::Smallest => (self.zone().bound(clock, node), 1),
            };
            Some(End { node, constant: sign * bound.constant()?, open: bound.is_strict() })
        };
        others.filter_map(end).collect()
    }
}
