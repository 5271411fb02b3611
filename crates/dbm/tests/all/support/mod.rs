//! What the tests compare with: random zones, points on grids, and a second matrix that is slow and obvious.
//!
//! Points on a grid of `1 / (clocks + 1)` meet every region of clock values: fractional parts can be in any order. So sets
//! that are unions of zones are equal if they have the same points on the grid, up to a value beyond which only
//! unbounded parts remain.

use bughound_dbm::{Bound, Constraint, Point, Zone, ZoneBuf};
use proptest::prelude::*;

/// So many cases, and more in proportion if `PROPTEST_CASES` asks for more than the usual 256.
pub fn config(cases: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    let factor = (usual.cases / 256).max(1);
    ProptestConfig { cases: cases * factor, failure_persistence: None, ..usual }
}

/// A random constraint with a small constant; those on single clocks are as frequent as those on differences.
pub fn constraint(dimension: usize, largest: i32) -> impl Strategy<Value = Constraint> {
    let n = dimension;
    let pair = prop_oneof![(1..n).prop_map(|x| (x, 0)), (1..n).prop_map(|x| (0, x)), (0..n, 0..n)];
    (pair, -largest..=largest, any::<bool>()).prop_map(move |((i, j), constant, strict)| {
        let constant = if i != 0 && j == 0 { constant.abs() } else { constant };
        let constant = if i == 0 { -constant.abs() } else { constant };
        let bound = if strict { Bound::less_than(constant) } else { Bound::at_most(constant) };
        Constraint::new(i, if i == j { (i + 1) % dimension } else { j }, bound)
    })
}

/// A zone that is not empty: constraints that would make it so are left out.
pub fn zone(dimension: usize, largest: i32) -> impl Strategy<Value = ZoneBuf> {
    let start = prop_oneof![Just(true), Just(false)];
    (start, proptest::collection::vec(constraint(dimension, largest), 0..2 * dimension)).prop_map(
        move |(everything, constraints)| {
            let mut zone = ZoneBuf::universal(dimension);
            if !everything {
                zone = ZoneBuf::zero(dimension);
                zone.as_mut().up();
                (1..dimension).step_by(2).for_each(|clock| zone.as_mut().free(clock));
            }
            for c in constraints {
                let before = zone.clone();
                if !zone.as_mut().tighten(c.left, c.right, c.bound) {
                    zone = before;
                }
            }
            zone
        },
    )
}

/// All points with `dimension - 1` clocks from 0 to `largest` in steps of `1 / unit`.
pub fn grid(dimension: usize, largest: i32, unit: i128) -> impl Iterator<Item = Point> {
    let steps = i128::from(largest) * unit + 1;
    let count = steps.pow(dimension as u32 - 1);
    (0..count).map(move |mut number| {
        let mut values = vec![0];
        for _ in 1..dimension {
            values.push(number % steps);
            number /= steps;
        }
        Point::new(values, unit)
    })
}

/// The same point with other values of one clock, in half units, up to `largest`.
pub fn with_any_value(point: &Point, clock: usize, largest: i32) -> impl Iterator<Item = Point> {
    let fine = point.refined(2).unwrap();
    (0..=i128::from(largest) * fine.denominator()).map(move |value| with_value(&fine, clock, value))
}

pub fn with_value(point: &Point, clock: usize, scaled: i128) -> Point {
    let mut values: Vec<i128> = (0..point.dimension()).map(|i| point.scaled(i)).collect();
    values[clock] = scaled;
    Point::new(values, point.denominator())
}

/// The point some time later (earlier, if negative), measured in units of the denominator; not if a clock were negative.
pub fn moved(point: &Point, units: i128) -> Option<Point> {
    let mut moved = point.clone();
    moved.delay(units);
    (1..moved.dimension()).all(|i| moved.scaled(i) >= 0).then_some(moved)
}

/// A bound as a pair: constant, and whether it may be reached. Nothing is infinite.
pub type Pair = Option<(i128, bool)>;

fn add(a: Pair, b: Pair) -> Pair {
    let ((a, a_reached), (b, b_reached)) = (a?, b?);
    Some((a + b, a_reached && b_reached))
}

pub fn tighter(a: Pair, b: Pair) -> bool {
    match (a, b) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some((a, a_reached)), Some((b, b_reached))) => a < b || (a == b && !a_reached && b_reached),
    }
}

/// A matrix of pairs, for definitions written down literally.
#[derive(Clone, Debug, PartialEq)]
pub struct Slow(pub Vec<Vec<Pair>>);

impl Slow {
    /// The zone with all constants multiplied by `factor`.
    pub fn of(zone: Zone<'_>, factor: i128) -> Slow {
        let n = zone.dimension();
        let pair = |bound: Bound| bound.constant().map(|c| (i128::from(c) * factor, !bound.is_strict()));
        Slow((0..n).map(|i| (0..n).map(|j| pair(zone.bound(i, j))).collect()).collect())
    }

    pub fn tighten(&mut self, i: usize, j: usize, pair: Pair) {
        if tighter(pair, self.0[i][j]) {
            self.0[i][j] = pair;
        }
    }

    /// Shortest paths, until nothing changes. False: there is a negative cycle.
    pub fn close(&mut self) -> bool {
        let n = self.0.len();
        loop {
            let before = self.clone();
            for i in 0..n {
                for k in 0..n {
                    for j in 0..n {
                        let way = add(self.0[i][k], self.0[k][j]);
                        self.tighten(i, j, way);
                    }
                }
                if tighter(self.0[i][i], Some((0, true))) {
                    return false;
                }
            }
            if *self == before {
                return true;
            }
        }
    }

    pub fn into_zone(self) -> ZoneBuf {
        let n = self.0.len();
        let mut zone = ZoneBuf::universal(n);
        for (i, row) in self.0.iter().enumerate() {
            for (j, pair) in row.iter().enumerate() {
                let bound = pair.map_or(Bound::INFINITY, |(c, reached)| Bound::checked(c as i64, !reached).unwrap());
                zone.as_mut().set_bound(i, j, bound);
            }
        }
        zone
    }
}

/// Fails if the words are not those of a canonical zone.
pub fn check_form(zone: Zone<'_>) {
    assert!(zone.is_empty() || zone.is_canonical(), "not canonical: {:?}", zone.words());
}

/// Has the zone exactly the points of the grid for which `expected` says so?
pub fn compare(zone: Zone<'_>, grid: impl Iterator<Item = Point>, expected: impl Fn(&Point) -> bool) {
    check_form(zone);
    for point in grid {
        assert_eq!(zone.contains(&point), expected(&point), "{point} in {zone}");
    }
}
