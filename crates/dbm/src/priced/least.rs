//! The least value of an affine function over a zone, and where it is.
//!
//! On the closure of the zone this is the dual of a cheapest [`flow`] along the bounds of the matrix. If all coefficients
//! are at least 0, everything flows from the reference, and the least value is at the lowest corner. By complementary
//! slackness, the least value is found at exactly those points of the closure where the bounds that carry flow are
//! reached: a zone again, a *face* of the first, with whole corners. It is attained in the zone itself if the same face
//! has points there; a face of a strict bound has none.

use super::affine::Affine;
use super::flow::{Flow, cheapest};
use super::{PriceError, exact};
use crate::bound::{AT_MOST_ZERO, Bound, INFINITE};
use crate::buffer::ZoneBuf;
use crate::zone::Zone;

pub(crate) struct Least {
    pub value: i128,
    /// Pairs of clocks whose bound is reached where the value is.
    pub reached: Vec<(usize, usize)>,
}

/// The least value on the closure of a zone, which must not be empty. Nothing if it falls without end.
pub(crate) fn least(zone: Zone<'_>, function: &Affine) -> Option<Least> {
    debug_assert!(!zone.is_empty());
    let mut needs = function.coefficients.clone();
    needs[0] = -function.growth();
    let Flow { cost, edges } = cheapest(&needs, &|i, j| length(zone, i, j), true)?;
    Some(Least { value: function.constant - cost, reached: edges.into_iter().map(|(i, j, _)| (i, j)).collect() })
}

/// The constant of a bound.
pub(crate) fn length(zone: Zone<'_>, i: usize, j: usize) -> Option<i128> {
    zone.bound(i, j).constant().map(i128::from)
}

/// The points of a zone in which these bounds are reached; none, if one of them is strict.
pub(crate) fn face(zone: Zone<'_>, reached: &[(usize, usize)]) -> Result<ZoneBuf, PriceError> {
    let mut face = ZoneBuf::from(zone);
    for &(i, j) in reached {
        let opposite = Bound::at_most(-(zone.word(i, j) >> 1));
        if !face.as_mut().tighten(j, i, opposite) {
            break;
        }
        exact(face.as_zone())?;
    }
    Ok(face)
}

/// The zone with its boundary. No bound can be tightened afterwards: constants do not change.
pub(crate) fn closed(zone: Zone<'_>) -> ZoneBuf {
    let mut closed = ZoneBuf::from(zone);
    if !zone.is_empty() {
        closed.as_mut().words.iter_mut().filter(|word| **word != INFINITE).for_each(|word| *word |= AT_MOST_ZERO);
    }
    closed
}
