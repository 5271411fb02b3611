//! Facets: where a zone ends first in one direction (Larsen, Behrmann, Brinksma, Fehnker, Hune, Pettersson, Romijn, "As
//! cheap as possible", CAV 2001).
//!
//! To reset a clock, or to let time pass, as cheaply as possible means to go from a point along a line to one end of its
//! part within the zone. Which bound of the zone this end belongs to depends on the point. Each *end* here is a bound of
//! the form `clock + constant` for the value (of the clock that is reset) or the delay; the largest of the lower ends, or
//! the smallest of the upper ones, is the one that counts. The points for which a given end counts are a zone again: the
//! differences of ends are differences of clocks. Redundant ends are those that count only where others do, too.
//!
//! **Strict bounds.** An end that does not belong to the zone is only approached, and so it is where it ties with one
//! that does. Therefore, a closed end gets the points where it is beyond all open ones and not behind the closed ones; an
//! open end gets all points where nothing is beyond it. So on each part the end is either reached from all points or from
//! none: whether a cost is attained is a property of a part, not of single points.

use super::{PriceError, exact};
use crate::bound::Bound;
use crate::buffer::ZoneBuf;
use crate::zone::Zone;

/// `node + constant`, the end of a line within a zone.
pub(crate) struct End {
    pub node: usize,
    pub constant: i32,
    /// The end does not belong to the zone.
    pub open: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    Largest,
    Smallest,
}

/// Parts of a domain: the index of the end that counts there, and the zone. Together they are the whole domain; where they
/// overlap, both ends are the same. Without `tell_open` the parts of open ends are not kept apart from those of closed
/// ones.
pub(crate) fn parts(
    domain: Zone<'_>,
    ends: &[End],
    counts: Counts,
    tell_open: bool,
) -> Result<Vec<(usize, ZoneBuf)>, PriceError> {
    let mut parts: Vec<(usize, ZoneBuf)> = Vec::new();
    for (index, end) in ends.iter().enumerate() {
        let Some(part) = part(domain, ends, end, counts, tell_open)? else { continue };
        if domain.is_subset(part.as_zone()) {
            return Ok(vec![(index, part)]);
        }
        // A part without points that only it has lies in one other part: it is convex, and in each point it ties with
        // another end; so it ties with the same one everywhere.
        let like = |other: &usize| !tell_open || ends[*other].open == end.open;
        if parts.iter().any(|(other, zone)| like(other) && part.as_zone().is_subset(zone.as_zone())) {
            continue;
        }
        parts.retain(|(other, zone)| !like(other) || !zone.as_zone().is_subset(part.as_zone()));
        parts.push((index, part));
    }
    Ok(parts)
}

/// Where in the domain this end counts; nothing if nowhere.
fn part(
    domain: Zone<'_>,
    ends: &[End],
    end: &End,
    counts: Counts,
    tell_open: bool,
) -> Result<Option<ZoneBuf>, PriceError> {
    let mut part = ZoneBuf::from(domain);
    for other in ends.iter().filter(|other| !std::ptr::eq(*other, end)) {
        // The other one is not beyond this one.
        let (left, right, distance) = match counts {
            Counts::Largest => (other.node, end.node, end.constant - other.constant),
            Counts::Smallest => (end.node, other.node, other.constant - end.constant),
        };
        let tie_is_lost = tell_open && other.open && !end.open;
        let bound = Bound::checked(i64::from(distance), tie_is_lost).ok_or(PriceError::TimeOutOfRange)?;
        debug_assert!(left != right, "a clock has two ends");
        if !part.as_mut().tighten(left, right, bound) {
            return Ok(None);
        }
        exact(part.as_zone())?;
    }
    Ok(Some(part))
}
