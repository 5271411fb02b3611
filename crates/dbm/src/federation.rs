//! Federations: sets of points that are not convex, as lists of zones.
//!
//! What a zone lacks is a complement. Subtraction cuts a zone along the bounds of another one, so the pieces are disjoint.
//! This is what deadlocks need: the states of a zone that have no enabled edge now or later are the zone minus all
//! [`down`](crate::ZoneMut::down) of guards.

use crate::buffer::ZoneBuf;
use crate::change::ZoneMut;
use crate::point::Point;
use crate::zone::Zone;

/// A union of zones, none of which is empty.
#[derive(Clone, Debug)]
pub struct Federation {
    zones: Vec<ZoneBuf>,
    dimension: usize,
}

impl Federation {
    /// No points.
    pub fn empty(dimension: usize) -> Self {
        Federation { zones: Vec::new(), dimension }
    }

    /// The points of a zone without those of another one, in disjoint pieces.
    pub fn difference(zone: Zone<'_>, without: Zone<'_>) -> Self {
        let mut pieces = Federation::empty(zone.dimension());
        cut(zone, without, &mut pieces.zones, &mut |_| ());
        pieces
    }

    pub fn dimension(&self) -> usize {
        self.dimension
    }

    pub fn zones(&self) -> impl ExactSizeIterator<Item = Zone<'_>> {
        self.zones.iter().map(ZoneBuf::as_zone)
    }

    pub fn is_empty(&self) -> bool {
        self.zones.is_empty()
    }

    /// Adds the points of a zone.
    pub fn add(&mut self, zone: Zone<'_>) {
        debug_assert!(zone.dimension() == self.dimension);
        if !zone.is_empty() {
            self.zones.push(zone.into());
        }
    }

    /// Takes away the points of a zone. Zones that were disjoint stay so.
    pub fn subtract(&mut self, zone: Zone<'_>) {
        self.subtract_with(zone, &mut |_| ());
    }

    /// The same; `contain` sees every zone on the way after each cut, to keep its bounds in their range.
    pub fn subtract_with(&mut self, zone: Zone<'_>, contain: &mut dyn FnMut(&mut ZoneMut<'_>)) {
        let mut pieces = Vec::with_capacity(self.zones.len());
        for part in &self.zones {
            cut(part.as_zone(), zone, &mut pieces, contain);
        }
        self.zones = pieces;
    }

    /// Takes away the points of another federation.
    pub fn subtract_all(&mut self, other: &Federation) {
        other.zones().for_each(|zone| self.subtract(zone));
    }

    /// Keeps the points that are in the zone, too. False: there are none.
    pub fn intersect(&mut self, zone: Zone<'_>) -> bool {
        self.change(|mut part| part.intersect(zone))
    }

    /// Keeps the points that are in the other federation, too. False: there are none.
    pub fn intersect_all(&mut self, other: &Federation) -> bool {
        let mut common = Vec::new();
        for zone in other.zones() {
            let mut parts = self.clone();
            parts.intersect(zone);
            common.append(&mut parts.zones);
        }
        self.zones = common;
        !self.is_empty()
    }

    /// Works on each zone and keeps those for which `operation` says that points are left. False: there are none.
    pub fn change(&mut self, mut operation: impl FnMut(ZoneMut<'_>) -> bool) -> bool {
        self.zones.retain_mut(|zone| operation(zone.as_mut()));
        !self.is_empty()
    }

    pub fn contains(&self, point: &Point) -> bool {
        self.zones().any(|zone| zone.contains(point))
    }

    /// Is every point of the zone in the federation?
    pub fn includes(&self, zone: Zone<'_>) -> bool {
        if self.zones().any(|part| zone.is_subset(part)) {
            return true;
        }
        let mut rest = Federation::empty(self.dimension);
        rest.add(zone);
        rest.subtract_all(self);
        rest.is_empty()
    }

    /// Has a zone no point in the federation?
    pub fn is_disjoint(&self, zone: Zone<'_>) -> bool {
        let mut common = ZoneBuf::universal(self.dimension);
        self.zones().all(|part| {
            common.set(part);
            !common.as_mut().intersect(zone)
        })
    }

    /// Leaves out zones that are in another one, and puts two zones together where their hull has no further points.
    pub fn reduce(&mut self) {
        let mut done = 0;
        while done < self.zones.len() {
            let zone = self.zones[done].clone();
            let mut merged = None;
            for other in 0..self.zones.len() {
                if other == done {
                    continue;
                }
                let mut hull = zone.clone();
                hull.as_mut().hull(self.zones[other].as_zone());
                let mut rest = Federation::difference(hull.as_zone(), zone.as_zone());
                rest.subtract(self.zones[other].as_zone());
                if rest.is_empty() {
                    merged = Some((other, hull));
                    break;
                }
            }
            match merged {
                // The larger zone may now fit with those that came before.
                Some((other, hull)) => {
                    self.zones[done.min(other)] = hull;
                    self.zones.swap_remove(done.max(other));
                    done = 0;
                }
                None => done += 1,
            }
        }
    }
}

/// Adds the disjoint pieces of a zone that are outside of another one.
fn cut(zone: Zone<'_>, without: Zone<'_>, pieces: &mut Vec<ZoneBuf>, contain: &mut dyn FnMut(&mut ZoneMut<'_>)) {
    debug_assert!(zone.dimension() == without.dimension());
    if zone.is_empty() {
        return;
    }
    let mut rest = ZoneBuf::from(zone);
    if !rest.as_mut().intersect(without) {
        // Without this, what is not touched at all would be cut in pieces.
        pieces.push(zone.into());
        return;
    }
    rest.set(zone);
    for constraint in without.constraints() {
        let outside = constraint.negated().expect("constraints have bounds");
        if rest.as_zone().satisfies(outside.left, outside.right, outside.bound) {
            let mut piece = rest.clone();
            piece.as_mut().tighten(outside.left, outside.right, outside.bound);
            contain(&mut piece.as_mut());
            pieces.push(piece);
            rest.as_mut().tighten(constraint.left, constraint.right, constraint.bound);
            contain(&mut rest.as_mut());
        }
    }
}
