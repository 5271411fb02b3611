//! Backwards: from a point after an operation to one before it that realises the cost.
//!
//! Only two operations choose: letting time pass chooses the delay, and setting a clock the value it had before. The
//! possible choices are an interval, the cost is affine in it, so the best is one of its ends; if the cost does not depend
//! on it, any will do. If the best end does not belong to the zone, it is given all the same: the cost is then only
//! approached, and the point before lies on the boundary. If the best end does belong to the zone, or any will do, then
//! from a point of the zone after the operation comes a point of the zone before. For points on the boundary, everything
//! is taken to be closed.

use super::PricedZone;
use super::least::closed;
use crate::bound::Bound;
use crate::interval::Interval;
use crate::point::Point;
use crate::zone::Zone;

/// The state of a run before an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The values of the clocks before the operation.
    pub point: Point,
    /// How long the operation takes, in units of one over the denominator of the point. Only a delay takes time.
    pub delay: i128,
}

impl PricedZone {
    /// A point of this zone or its boundary from which `after` is reached by waiting at this rate, as cheaply as
    /// possible. Nothing if there is none, or if numbers overflow.
    pub fn before_delay(&self, rate: i64, after: &Point) -> Option<Moment> {
        let excess = i128::from(rate) - self.function().growth();
        let possible = |zone: Zone<'_>| {
            let mut delays = Interval { lower: 0, lower_open: false, upper: None, upper_open: true };
            for clock in 1..self.dimension() {
                let value = after.scaled(clock);
                let (lower, upper) = (zone.bound(0, clock), zone.bound(clock, 0));
                if let Some(limit) = scaled(upper, after) {
                    delays.at_least(value - limit, upper.is_strict());
                }
                if let Some(limit) = scaled(lower, after) {
                    delays.at_most(value + limit, lower.is_strict());
                }
            }
            delays
        };
        self.best(after, excess, possible, |point, delay| {
            point.delay(-delay);
            delay
        })
    }

    /// A point of this zone or its boundary that is as `after` in all clocks but this one, as cheap as possible: where
    /// `after` comes from if the clock was reset, set to another one, or freed. Nothing if there is none, or if numbers
    /// overflow.
    pub fn before_set(&self, clock: usize, after: &Point) -> Option<Point> {
        let factor = i128::from(self.coefficients[clock]);
        let possible = |zone: Zone<'_>| {
            let mut values = Interval { lower: 0, lower_open: false, upper: None, upper_open: true };
            for other in (0..self.dimension()).filter(|other| *other != clock) {
                let (lower, upper) = (zone.bound(other, clock), zone.bound(clock, other));
                if let Some(limit) = scaled(lower, after) {
                    values.at_least(after.scaled(other) - limit, lower.is_strict());
                }
                if let Some(limit) = scaled(upper, after) {
                    values.at_most(after.scaled(other) + limit, upper.is_strict());
                }
            }
            values
        };
        let moment = self.best(after, factor, possible, |point, value| {
            point.set_scaled(clock, value);
            0
        });
        moment.map(|moment| moment.point)
    }

    /// The best choice out of an interval, where the cost grows by `slope` with it, in the zone if it can be, otherwise in
    /// its closure. `go` changes the point according to the choice and tells the delay.
    fn best(
        &self,
        after: &Point,
        slope: i128,
        possible: impl Fn(Zone<'_>) -> Interval,
        go: impl Fn(&mut Point, i128) -> i128,
    ) -> Option<Moment> {
        if self.is_empty() {
            return None;
        }
        let closure = closed(self.zone());
        let mut choices = possible(self.zone());
        if choices.is_empty() {
            choices = possible(closure.as_zone());
        }
        if choices.is_empty() {
            return None;
        }
        let (choice, factor) = match slope.signum() {
            1 => (choices.lower, 1),
            -1 => (choices.upper?, 1),
            _ => choices.least(),
        };
        let mut point = after.refined(factor)?;
        let delay = go(&mut point, choice);
        closure.as_zone().contains(&point).then_some(Moment { point, delay })
    }
}

/// The constant of a bound in units of a point.
fn scaled(bound: Bound, point: &Point) -> Option<i128> {
    bound.constant().map(|constant| i128::from(constant) * point.denominator())
}

/// The point that lies on the way from one point to another after `numerator / denominator` of it; nothing if numbers
/// overflow.
///
/// Also for runs, as vectors of the times of their steps: between a run at the limit of strict bounds, whose cost is the
/// infimum, and a proper run along the same path there are proper runs of all costs in between.
///
/// # Panics
/// If the denominator is not positive.
pub fn part_way(from: &Point, to: &Point, numerator: i128, denominator: i128) -> Option<Point> {
    assert!(denominator > 0 && from.dimension() == to.dimension(), "no part of the way");
    let unit = from.denominator().checked_mul(to.denominator())?.checked_mul(denominator)?;
    let value = |clock: usize| {
        let here = from.scaled(clock).checked_mul(to.denominator())?;
        let there = to.scaled(clock).checked_mul(from.denominator())?;
        here.checked_mul(denominator)?.checked_add(there.checked_sub(here)?.checked_mul(numerator)?)
    };
    Some(Point::new((0..from.dimension()).map(value).collect::<Option<_>>()?, unit).reduced())
}
