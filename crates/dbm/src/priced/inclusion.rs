//! Inclusion of priced zones: is everything that one offers offered by the other at no higher cost?
//!
//! The zone must be in the other one, and the difference of the costs at least 0: an affine function is minimised over
//! the zone ([`least`](super::least)), which takes no more than a look at the coefficients if none of the differences is
//! negative. Costs at the lowest corner are compared before that. Where one cost is attained and the other only
//! approached, equal is not enough: otherwise a search would drop a run of least cost in favour of runs that are all a
//! little more expensive.

use super::affine::Affine;
use super::least::{face, least};
use super::{PriceError, PricedZone};
use crate::zone::Zone;

impl PricedZone {
    /// Is each point of this zone in the other one, at a cost that is no higher, and attained there if it is here and
    /// the costs are equal?
    ///
    /// Exact. Fails only if bounds leave their range.
    pub fn is_included_in(&self, other: &PricedZone) -> Result<bool, PriceError> {
        if self.is_empty() {
            return Ok(true);
        }
        if !self.zone().is_subset(other.zone()) {
            return Ok(false);
        }
        let excess = self.function().minus(&other.function());
        is_nowhere_cheaper(self.zone(), &excess, self.attained && !other.attained)
    }
}

/// Is a function at least 0 at all points of a zone, which must not be empty; with `strictly`, more than 0?
pub(super) fn is_nowhere_cheaper(zone: Zone<'_>, excess: &Affine, strictly: bool) -> Result<bool, PriceError> {
    if excess.at_lowest_corner(zone) < 0 {
        return Ok(false);
    }
    match least(zone, excess) {
        None => Ok(false),
        Some(found) if found.value != 0 || !strictly => Ok(found.value >= 0),
        Some(found) => Ok(face(zone, &found.reached)?.as_zone().is_empty()),
    }
}
