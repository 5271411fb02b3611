//! Letting time pass at a price (Larsen et al., CAV 2001).
//!
//! In the zone, the cost grows along the direction of time by the sum `R` of the coefficients; while waiting, by the rate
//! `p`. Who wants to be at a point later can go on in the zone as long as possible before waiting, or wait as long as
//! possible:
//! - `p = R`: it is all the same. The same function on the delayed zone.
//! - `p > R`: waiting is dear; as late as possible. Within the zone not at all; beyond it, from the *upper* bound of that
//!   clock which leaves the zone last on the way back. One priced zone for the zone itself and one for each such bound.
//! - `p < R`: waiting is cheap; as early as possible, from the *lower* bound of the clock that leaves the zone first on
//!   the way back. One priced zone for each such bound.
//!
//! From the bound `n` of a clock `x`, the delay is `x - n`: the function grows by `(p - R)(x - n)`, so that it grows by `p`
//! along the direction of time. Fails for negative rates, and if numbers leave their range.

use super::facet::{Counts, End, parts};
use super::{PriceError, PricedZone};
use crate::buffer::ZoneBuf;

impl PricedZone {
    /// The points reached by waiting at this rate, for any time. An invariant is [required](Self::require) afterwards.
    pub fn delay(&self, rate: i64) -> Result<Vec<PricedZone>, PriceError> {
        if rate < 0 {
            return Err(PriceError::NegativePrice);
        }
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let mut later = self.zone.clone();
        later.as_mut().up();
        let function = self.function();
        let excess = i128::from(rate) - function.growth();
        if excess == 0 {
            return Ok(vec![PricedZone::on(later, function, self.attained)?]);
        }
        // The delay is the largest or the smallest of these, as clocks at the point that is reached.
        let (ends, counts) = if excess > 0 {
            (self.since_upper_bounds(), Counts::Largest)
        } else {
            (self.since_lower_bounds(), Counts::Smallest)
        };
        let from_end = |(index, zone): (usize, ZoneBuf)| {
            let (end, mut function) = (&ends[index], function.clone());
            function.add(excess, end.node, i128::from(end.constant));
            PricedZone::on(zone, function, self.attained && !end.open)
        };
        parts(later.as_zone(), &ends, counts, self.attained)?.into_iter().map(from_end).collect()
    }

    /// For each clock, how long ago its upper bound was reached; and 0, because no delay is negative.
    fn since_upper_bounds(&self) -> Vec<End> {
        let since = |clock: usize| {
            let bound = self.zone().bound(clock, 0);
            Some(End { node: clock, constant: -bound.constant()?, open: bound.is_strict() })
        };
        let now = End { node: 0, constant: 0, open: false };
        std::iter::once(now).chain((1..self.dimension()).filter_map(since)).collect()
    }

    /// For each clock, how long ago its lower bound was reached.
    fn since_lower_bounds(&self) -> Vec<End> {
        let since = |clock: usize| {
            let bound = self.zone().bound(0, clock);
            Some(End { node: clock, constant: bound.constant()?, open: bound.is_strict() })
        };
        (1..self.dimension()).filter_map(since).collect()
    }
}
