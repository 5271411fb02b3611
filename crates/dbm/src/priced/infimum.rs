//! The infimum of the costs over a priced zone, whether it is attained, and where.
//!
//! The infimum over the zone is the least cost on its closure ([`least`](super::least)), and lies at a corner with whole
//! values. It is attained if costs are (see [`priced`](super)) and the face of this cost has points in the zone itself.

use super::least::{closed, face, least};
use super::{PriceError, PricedZone};
use crate::point::Point;

/// The infimum of the costs over a priced zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Infimum {
    pub cost: i64,
    /// Is there a run of exactly this cost? If not, all are more expensive, some by as little as one likes.
    pub attained: bool,
    /// Where the cost is this one: if it is attained a point of the zone, otherwise a corner with whole values, in the
    /// zone or on its boundary.
    pub point: Point,
}

impl PricedZone {
    /// The infimum of the costs; of an empty zone there is none.
    ///
    /// Quick if no coefficient is negative. Fails if the cost falls without end, or numbers leave their range.
    pub fn infimum(&self) -> Result<Option<Infimum>, PriceError> {
        if self.is_empty() {
            return Ok(None);
        }
        let found = least(self.zone(), &self.function()).ok_or(PriceError::NoLeastCost)?;
        let cost = i64::try_from(found.value).map_err(|_| PriceError::CostOutOfRange)?;
        let inside = if self.attained { face(self.zone(), &found.reached)?.as_zone().some_point() } else { None };
        let attained = inside.is_some();
        let point = match inside {
            Some(point) => Some(point),
            None => face(closed(self.zone()).as_zone(), &found.reached)?.as_zone().some_point(),
        };
        let point = point.expect("the least value is at a corner of the closure");
        Ok(Some(Infimum { cost, attained, point }))
    }

    /// Only the cost of [`infimum`](Self::infimum), quicker.
    ///
    /// # Panics
    /// If the zone is empty.
    pub fn least_cost(&self) -> Result<i64, PriceError> {
        assert!(!self.is_empty(), "an empty zone has no cost");
        if self.coefficients.iter().all(|factor| *factor >= 0) {
            return Ok(self.cost);
        }
        let found = least(self.zone(), &self.function()).ok_or(PriceError::NoLeastCost)?;
        i64::try_from(found.value).map_err(|_| PriceError::CostOutOfRange)
    }
}
