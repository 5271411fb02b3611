//! Inclusion of priced zones up to simulation, for clocks that grow without bound (the idea of Bouyer, Colange, Markey,
//! "Symbolic optimal reachability in weighted timed automata", CAV 2016, there with one constant per clock; here with
//! lower and upper constants as in [`simulation`](crate::simulation), and computed in another way).
//!
//! If a point `v` is simulated by `w`, then whatever can be done from `v` can be done from `w` with the same delays, so at
//! the same cost from there on. A priced zone is superfluous if each of its points `v` is simulated by points `w` of the
//! other one whose costs come down to the cost of `v`. Zones are not extrapolated: their costs are not known outside.
//!
//! Simulation allows for each clock an interval of values `w(x)`, which depends on how `v(x)` is to the constants of the
//! clock: the same value; from the lower constant up to `v(x)`; from `v(x)` on; or anything above the lower constant. The
//! zone is cut into *cells* in which this is the same for all points. In a cell, pairs of `v` and `w` are a zone `W` in
//! more clocks. The least cost `g(v)` of the `w` for a given `v` is a convex function, affine in parts. A part is found
//! from any point `v`: a cheapest flow ([`flow`](super::flow)) for this `v` gives a function that is nowhere greater than
//! `g`, and equal to it exactly where the bounds that carry the flow can be reached in `W`, which is a zone (duality and
//! complementary slackness, as in [`least`](super::least)). The function is compared with the cost on the whole cell;
//! if it is nowhere greater, the part where it is `g` is settled, and the next point is taken from the rest of the cell.
//!
//! Exact, at a price: there can be exponentially many cells, in the number of clocks that are around their constants within
//! one zone. The quick answers come first. Sound for reachability only, and only if guards do not compare differences of
//! clocks.

use super::affine::Affine;
use super::flow::cheapest;
use super::inclusion::is_nowhere_cheaper;
use super::least::{closed, face, least, length};
use super::{PriceError, PricedZone, exact};
use crate::bound::{Bound, MAX_CONSTANT, NO_BOUND};
use crate::buffer::ZoneBuf;
use crate::extrapolate::check_constants;
use crate::federation::Federation;
use crate::point::Point;

/// Which values of a clock simulate a value `t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    Same,
    /// `t` and what is below, but above the lower constant.
    Below,
    /// `t` and what is above.
    Above,
    /// All above the lower constant.
    Any,
}

impl PricedZone {
    /// Is each point of this zone simulated by points of the other one at no higher cost, given the largest lower and
    /// upper constants of the clocks (see [`Zone::is_simulated_by`](crate::Zone::is_simulated_by))? Equal costs have to be attained there if they are
    /// here, as for [`is_included_in`](Self::is_included_in).
    ///
    /// Fails if bounds or constants leave the range in which zones of twice as many clocks are exact.
    pub fn is_simulated_by(&self, other: &PricedZone, lower: &[i32], upper: &[i32]) -> Result<bool, PriceError> {
        check_constants(self.dimension(), lower, upper);
        if self.is_empty() {
            return Ok(true);
        }
        if !self.zone().is_simulated_by(other.zone(), lower, upper) {
            return Ok(false);
        }
        if self.is_included_in(other)? {
            return Ok(true);
        }
        // Nothing in the other zone is as cheap as the cheapest here.
        let (here, there) = (least(self.zone(), &self.function()), least(other.zone(), &other.function()));
        if there.is_some_and(|there| here.is_none_or(|here| here.value < there.value)) {
            return Ok(false);
        }
        let constants = lower.iter().chain(upper).filter(|constant| **constant != NO_BOUND);
        let magnitude =
            constants.copied().chain([self.zone().magnitude(), other.zone().magnitude()]).max().unwrap_or(0);
        if (magnitude as usize + 1).saturating_mul(2 * self.dimension()) > MAX_CONSTANT as usize {
            return Err(PriceError::TimeOutOfRange);
        }
        let pair = Pair { here: self, there: other, lower, upper };
        pair.all_cells(self.zone.clone(), &mut vec![Values::Same])
    }
}

struct Pair<'a> {
    here: &'a PricedZone,
    there: &'a PricedZone,
    lower: &'a [i32],
    upper: &'a [i32],
}

impl Pair<'_> {
    /// Are the points of `cell` simulated at no higher cost? Cuts the cell by the constants of the clocks for which
    /// `values` says nothing yet.
    fn all_cells(&self, cell: ZoneBuf, values: &mut Vec<Values>) -> Result<bool, PriceError> {
        let clock = values.len();
        if clock == self.here.dimension() {
            return Cell::new(self, cell, values)?.map_or(Ok(false), |cell| cell.is_simulated());
        }
        let (lower, upper) = (self.lower[clock], self.upper[clock]);
        let middle = if lower < upper { Values::Below } else { Values::Above };
        let (first, second) = (lower.min(upper), lower.max(upper));
        for (above, up_to, what) in
            [(NO_BOUND, Some(first), Values::Same), (first, Some(second), middle), (second, None, Values::Any)]
        {
            let mut part = cell.clone();
            let left = (above == NO_BOUND || part.as_mut().tighten(0, clock, Bound::less_than(-above)))
                && up_to.is_none_or(|end| end != NO_BOUND && part.as_mut().tighten(clock, 0, Bound::at_most(end)));
            if !left {
                continue;
            }
            values.push(what);
            let simulated = self.all_cells(part, values)?;
            values.pop();
            if !simulated {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Points in which the clocks are in the same way to their constants, with the points that simulate them.
struct Cell<'a> {
    pair: &'a Pair<'a>,
    points: ZoneBuf,
    /// For each clock of a simulating point its number in `both`: its own, if it has the same value.
    numbers: Vec<usize>,
    /// The clocks of points and, behind them, those of simulating points that can have other values.
    both: ZoneBuf,
}

impl<'a> Cell<'a> {
    /// Nothing if no point is simulated.
    fn new(pair: &'a Pair<'a>, points: ZoneBuf, values: &[Values]) -> Result<Option<Cell<'a>>, PriceError> {
        let n = values.len();
        let mut size = n;
        let mut number = |(clock, what): (usize, &Values)| {
            size += usize::from(*what != Values::Same);
            if *what == Values::Same { clock } else { size - 1 }
        };
        let numbers: Vec<usize> = values.iter().enumerate().map(&mut number).collect();
        let mut both = ZoneBuf::universal(size);
        let mut tighten = |i: usize, j: usize, bound: Bound| {
            let bound = both.as_zone().bound(i, j).min(bound);
            both.as_mut().set_bound(i, j, bound);
        };
        for i in 0..n {
            for j in (0..n).filter(|j| *j != i) {
                tighten(i, j, points.as_zone().bound(i, j));
                tighten(numbers[i], numbers[j], pair.there.zone().bound(i, j));
            }
            let other = numbers[i];
            if values[i] == Values::Below {
                tighten(other, i, Bound::ZERO_LE);
            }
            if values[i] == Values::Above {
                tighten(i, other, Bound::ZERO_LE);
            }
            if matches!(values[i], Values::Below | Values::Any) && pair.lower[i] != NO_BOUND {
                tighten(0, other, Bound::less_than(-pair.lower[i]));
            }
        }
        if !both.as_mut().close() {
            return Ok(None);
        }
        exact(both.as_zone())?;
        Ok(Some(Cell { pair, points, numbers, both }))
    }

    fn is_simulated(&self) -> Result<bool, PriceError> {
        let mut rest = Federation::empty(self.points.as_zone().dimension());
        rest.add(self.points.as_zone());
        loop {
            let Some(point) = rest.zones().next().and_then(|zone| zone.some_point()) else { return Ok(true) };
            let Some((bound_below, reached)) = self.cost_around(&point) else {
                // The costs of simulating points fall without end, in a direction that is the same for all points.
                return Ok(true);
            };
            let excess = self.pair.here.function().minus(&bound_below);
            if !is_nowhere_cheaper(self.points.as_zone(), &excess, false)? {
                return Ok(false);
            }
            let tight = self.onto_points(face(closed(self.both.as_zone()).as_zone(), &reached)?);
            debug_assert!(tight.as_zone().contains(&point), "the part of a point does not contain it");
            if !self.stays_attained(&excess, &tight, &reached)? {
                return Ok(false);
            }
            rest.subtract(tight.as_zone());
            rest.zones().try_for_each(exact)?;
        }
    }

    /// Where costs are equal, is the cost of the simulating points attained if it is for the point?
    fn stays_attained(&self, excess: &Affine, tight: &ZoneBuf, reached: &[(usize, usize)]) -> Result<bool, PriceError> {
        if !self.pair.here.attained {
            return Ok(true);
        }
        let mut here = self.points.clone();
        let n = here.as_zone().dimension();
        for (i, j) in (0..n * n).map(|pair| (pair / n, pair % n)) {
            if !here.as_mut().tighten(i, j, tight.as_zone().bound(i, j)) {
                return Ok(true);
            }
            exact(here.as_zone())?;
        }
        let Some(found) = least(here.as_zone(), excess).filter(|found| found.value == 0) else { return Ok(true) };
        let equal = face(here.as_zone(), &found.reached)?;
        if equal.as_zone().is_empty() {
            return Ok(true);
        }
        let attained = self.onto_points(face(self.both.as_zone(), reached)?);
        Ok(self.pair.there.attained && equal.as_zone().is_subset(attained.as_zone()))
    }

    /// The points that have simulating points in a zone of both.
    fn onto_points(&self, both: ZoneBuf) -> ZoneBuf {
        let mut points = self.points.clone();
        if both.as_zone().is_empty() {
            points.as_mut().make_empty();
            return points;
        }
        let n = points.as_zone().dimension();
        for i in 0..n {
            for j in 0..n {
                points.as_mut().set_bound(i, j, both.as_zone().bound(i, j));
            }
        }
        points
    }

    /// A function of points that is nowhere greater than the least cost of the points that simulate them, and equal to it
    /// at this point and wherever the given bounds of `both` can be reached. Nothing if there is no least cost.
    fn cost_around(&self, point: &Point) -> Option<(Affine, Vec<(usize, usize)>)> {
        let n = point.dimension();
        let (size, unit) = (self.both.as_zone().dimension(), point.denominator());
        let cost = self.pair.there.function();
        let mut function = Affine { constant: cost.constant, coefficients: vec![0; n] };
        // Node 0 stands for all clocks of the point, which are fixed; the others are the further clocks.
        let mut needs = vec![0; size - n + 1];
        for (clock, factor) in cost.coefficients.iter().enumerate().skip(1) {
            match self.numbers[clock].checked_sub(n) {
                None => function.coefficients[clock] += factor,
                Some(further) => {
                    needs[further + 1] += factor;
                    needs[0] -= factor;
                }
            }
        }
        let edge = |from: usize, to: usize| self.tightest(point, from, to);
        let long = |from: usize, to: usize| {
            let (i, j) = edge(from, to)?;
            Some(length(self.both.as_zone(), i, j)? * unit + self.value(point, j) - self.value(point, i))
        };
        let flow = cheapest(&needs, &long, false)?;
        let mut reached = Vec::new();
        for (from, to, amount) in flow.edges {
            let (i, j) = edge(from, to).expect("there is no flow without an edge");
            // The least cost is that of the flow with the sign turned; an edge is as long as its bound, seen from the
            // fixed value at one of its ends.
            function.constant -= amount * length(self.both.as_zone(), i, j).expect("there is no flow without a bound");
            if i < n {
                function.add(amount, i, 0);
            }
            if j < n {
                function.add(-amount, j, 0);
            }
            reached.push((i, j));
        }
        Some((function, reached))
    }

    /// The value of a clock if it is fixed by the point, otherwise 0.
    fn value(&self, point: &Point, clock: usize) -> i128 {
        if clock < point.dimension() { point.scaled(clock) } else { 0 }
    }

    /// The bound between two nodes of the network that is tightest at this point.
    fn tightest(&self, point: &Point, from: usize, to: usize) -> Option<(usize, usize)> {
        let n = point.dimension();
        let clocks = |node: usize| if node == 0 { 0..n } else { n + node - 1..n + node };
        let pairs = clocks(from).flat_map(|i| clocks(to).map(move |j| (i, j)));
        let long = |(i, j): (usize, usize)| {
            let bound = length(self.both.as_zone(), i, j)?;
            Some(bound * point.denominator() + self.value(point, j) - self.value(point, i))
        };
        pairs.filter_map(|pair| Some((long(pair)?, pair))).min().map(|(_, pair)| pair)
    }
}
