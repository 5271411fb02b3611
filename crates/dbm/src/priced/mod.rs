//! Priced zones: zones of clock values with the least cost of reaching each of them (Larsen, Behrmann, Brinksma, Fehnker,
//! Hune, Pettersson, Romijn, "As cheap as possible: efficient cost-optimal reachability for priced timed automata",
//! CAV 2001; inclusion after Bouyer, Colange, Markey, "Symbolic optimal reachability in weighted timed automata",
//! CAV 2016).
//!
//! A [`PricedZone`] is a zone, the cost at its *lowest corner* (all lower bounds at once; a point of its closure), and a
//! whole coefficient per clock. Operations give the least costs after an [`Operation`], which is not always affine: then
//! they give several priced zones, and the least cost at a point is the least of those that contain it. Overlaps are
//! allowed; costs there are never too small.
//!
//! # What "attained" means
//!
//! Each priced zone stands for the runs along one symbolic path. Its function gives for each point `v` of the zone (not of
//! its closure) the **infimum** of the costs of those runs that end in `v`. It is *attained* if one of them has exactly
//! this cost, and *approached* otherwise: a strict guard, passed before, `x > 1`, of a clock that has been reset since
//! makes all runs a little more expensive than their infimum, and the zone shows no trace of it.
//!
//! One flag per priced zone says it for all its points. That is exact, not only sound, because operations split zones
//! accordingly (see `facet.rs`). By induction, for an operation with a best choice of where to come from:
//! - the least cost does not depend on the choice (coefficient 0, or cost grows in the zone by the same rate as while
//!   waiting): each point of the fibre will do; the flag stays;
//! - otherwise the only best choice is one end of the fibre. If it does not belong to the zone, nothing is attained; if it
//!   does, what is attained there is attained here. Parts are cut so that one of the two holds for all their points.
//!
//! Guards and impulses choose nothing. Where several priced zones contain a point, the least cost is attained if it is in
//! one of those that have it. The infimum over all points ([`PricedZone::infimum`]) is attained if the flag says so and
//! the zone (not only its closure) has a point of this cost.
//!
//! # Range
//!
//! Costs and coefficients have 64 bits; everything is computed in 128 bits and then checked. Zones weaken bounds that leave
//! their range, which would make costs too small, so a priced zone has an error before that happens
//! ([`PriceError::TimeOutOfRange`]): above a quarter of [`MAX_CONSTANT`]. No sum of three bounds
//! leaves the range then, and no operation on zones used here forms longer ones.
//!
//! # How a search uses it
//!
//! ```
//! use bughound_dbm::priced::{Operation, PricedZone, Stages, without_superfluous};
//! use bughound_dbm::{Bound, Constraint};
//!
//! # fn main() -> Result<(), bughound_dbm::priced::PriceError> {
//! // Two clocks. In the first location (rate 3) wait while x <= 5; the edge needs x > 1, costs 2, resets y. In the second
//! // one (rate 1) wait; the goal needs y >= 2.
//! let (x, y) = (1, 2);
//! let start = [Operation::Delay(3), Operation::Require(vec![Constraint::upper(x, Bound::at_most(5))])];
//! let step = [
//!     Operation::Require(vec![Constraint::lower(x, 1, true).unwrap()]),
//!     Operation::Pay(2),
//!     Operation::Reset { clock: y, value: 0 },
//!     // Here: the invariant that must hold on entering; no Delay if the location is urgent or committed.
//!     Operation::Delay(1),
//!     Operation::Require(vec![]), // the invariant
//! ];
//! let goal = Operation::Require(vec![Constraint::lower(y, 2, false).unwrap()]);
//!
//! // A state of the search is a location vector with one priced zone. Successors: one state for each priced zone.
//! let initial = PricedZone::zero(3, 0);
//! let waiting = Stages::explore(&initial, &start)?;
//! let parent = &waiting.last()[0];
//! let mut successors = Stages::explore(parent, &step)?.last().to_vec();
//! without_superfluous(&mut successors)?;
//! // Best first: the key is least_cost() + remaining. Passed states: drop what is_included_in or is_simulated_by another.
//! let child = &successors[0];
//! assert_eq!(child.least_cost()?, 5);
//! // At the goal: the infimum, whether it is attained, and a point where it is.
//! let end = Stages::explore(child, &[goal])?;
//! let infimum = end.last()[0].infimum()?.unwrap();
//! assert_eq!((infimum.cost, infimum.attained), (7, false));
//! // The schedule: from the end to the start, state by state, with the stages of each step.
//! let before = end.back(0, &infimum.point).unwrap()[0].point.clone();
//! let again = Stages::explore(parent, &step)?;
//! let piece = again.last().iter().position(|zone| zone == child).unwrap();
//! let moments = again.back(piece, &before).unwrap();
//! assert_eq!((moments[3].delay, moments[3].point.denominator()), (2, 1)); // two units in the second location
//! assert_eq!(moments[0].point.to_string(), "(1, 1)"); // where the parent is left: at the end that is not reached
//! # Ok(())
//! # }
//! ```
//!
//! States keep priced zones as words ([`PricedZone::to_words`], [`PricedZone::from_words`]). The words of the matrix come
//! first, so that [`Zone`] can be asked for inclusion before anything is unpacked.
//!
//! A run that realises an *attained* infimum satisfies all bounds, strict ones too; its times are whole if the bounds are
//! closed. If the infimum is only approached, the run that comes out is at the limit, breaks some strict bounds and has
//! whole times. Runs that come as close as one likes lie between it and any proper run along the same path
//! ([`part_way`], on the vectors of the times of their steps): the cost is affine in these times, the bounds convex.

mod affine;
mod change;
mod delay;
mod error;
mod facet;
mod flow;
mod inclusion;
mod infimum;
mod least;
mod origin;
mod simulated;
mod stages;
mod words;

pub use error::PriceError;
pub use infimum::Infimum;
pub use origin::{Moment, part_way};
pub use stages::{Operation, Stages, without_superfluous};

use crate::bound::MAX_CONSTANT;
use crate::buffer::ZoneBuf;
use crate::point::Point;
use crate::zone::Zone;
use affine::Affine;
use std::fmt;

/// A zone with an affine cost: the infimum of the costs of all runs to a point, for each point.
///
/// Equal if the zone, the costs and whether they are attained are, unless the zone is empty.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PricedZone {
    zone: ZoneBuf,
    /// At the lowest corner.
    cost: i64,
    /// That of the reference is 0, and so are those of clocks whose difference to an earlier one is fixed.
    coefficients: Vec<i64>,
    attained: bool,
}

impl PricedZone {
    /// All clocks are 0, at this cost.
    pub fn zero(dimension: usize, cost: i64) -> PricedZone {
        PricedZone { zone: ZoneBuf::zero(dimension), cost, coefficients: vec![0; dimension], attained: true }
    }

    /// A zone with a cost at its lowest corner and a coefficient for each clock (0 for the reference).
    ///
    /// # Panics
    /// If the number of coefficients is not the dimension of the zone, or the first of them not 0.
    pub fn new(zone: ZoneBuf, cost: i64, coefficients: &[i64], attained: bool) -> Result<PricedZone, PriceError> {
        let dimension = zone.as_zone().dimension();
        assert!(coefficients.len() == dimension && coefficients[0] == 0, "not the coefficients of clocks");
        let raw = PricedZone { zone, cost, coefficients: coefficients.to_vec(), attained };
        let function = if raw.is_empty() { Affine::zero(dimension) } else { raw.function() };
        PricedZone::on(raw.zone, function, attained)
    }

    /// A function on a zone, if all numbers can be stored.
    fn on(zone: ZoneBuf, mut function: Affine, attained: bool) -> Result<PricedZone, PriceError> {
        if zone.as_zone().is_empty() {
            return Ok(PricedZone::empty(zone));
        }
        exact(zone.as_zone())?;
        function.reduce(zone.as_zone());
        let cost = function.at_lowest_corner(zone.as_zone());
        let cost = i64::try_from(cost).map_err(|_| PriceError::CostOutOfRange)?;
        Ok(PricedZone { zone, cost, coefficients: function.stored()?, attained })
    }

    fn empty(zone: ZoneBuf) -> PricedZone {
        let dimension = zone.as_zone().dimension();
        PricedZone { zone, cost: 0, coefficients: vec![0; dimension], attained: true }
    }

    /// The cost as a function of all clock values.
    fn function(&self) -> Affine {
        let coefficients: Vec<i128> = self.coefficients.iter().map(|factor| i128::from(*factor)).collect();
        let mut function = Affine { constant: 0, coefficients };
        function.constant = i128::from(self.cost) - function.at_lowest_corner(self.zone());
        function
    }

    pub fn zone(&self) -> Zone<'_> {
        self.zone.as_zone()
    }

    pub fn dimension(&self) -> usize {
        self.zone().dimension()
    }

    pub fn is_empty(&self) -> bool {
        self.zone().is_empty()
    }

    /// The cost at the lowest corner, that is where each clock has its lower bound. If no coefficient is negative, there
    /// is none less.
    pub fn corner_cost(&self) -> i64 {
        self.cost
    }

    /// By how much the cost grows with each clock, if the others stay the same.
    pub fn coefficients(&self) -> &[i64] {
        &self.coefficients
    }

    /// Is there, for each point of the zone, a run with exactly the cost given here? Otherwise each is a little more
    /// expensive.
    pub fn is_attained(&self) -> bool {
        self.attained
    }

    /// The cost at a point, in units of one over the point's denominator. The point should be in the closure of the
    /// zone. Nothing if the zone is empty, or the point so far away that numbers overflow.
    pub fn cost_at(&self, point: &Point) -> Option<i128> {
        debug_assert!(self.dimension() == point.dimension());
        if self.is_empty() { None } else { self.function().at(point) }
    }
}

/// Have the bounds of the zone stayed so far within their range that sums of three are exact?
fn exact(zone: Zone<'_>) -> Result<(), PriceError> {
    if zone.magnitude() <= MAX_CONSTANT / 4 { Ok(()) } else { Err(PriceError::TimeOutOfRange) }
}

impl fmt::Display for PricedZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.zone(), self.cost)?;
        for (clock, factor) in self.coefficients.iter().enumerate().filter(|(_, factor)| **factor != 0) {
            let (sign, factor) = (if *factor < 0 { '-' } else { '+' }, factor.unsigned_abs());
            match affine::lowest(self.zone(), clock) {
                0 => write!(f, " {sign} {factor} x{clock}")?,
                lowest => write!(f, " {sign} {factor} (x{clock} - {lowest})")?,
            }
        }
        f.write_str(if self.attained { "" } else { ", not attained" })
    }
}

impl fmt::Debug for PricedZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
