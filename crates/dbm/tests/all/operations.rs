//! Each operation gives the points that its definition says, seen on grids of points.

use crate::support::*;
use bughound_dbm::{Bound, Point, Relation, Zone, ZoneBuf};
use proptest::prelude::*;

/// Constants of the zones.
const LARGEST: i32 = 3;
/// Points are compared up to here. Differences of clocks can be twice the constants.
const HORIZON: i32 = 7;

/// A zone and a grid that fits: fine for two clocks, as fine as can be afforded for three.
fn case() -> impl Strategy<Value = (ZoneBuf, i128)> {
    prop_oneof![
        zone(2, LARGEST).prop_map(|z| (z, 6)),
        zone(3, LARGEST).prop_map(|z| (z, 3)),
        zone(3, LARGEST).prop_map(|z| (z, 2)),
        zone(4, LARGEST).prop_map(|z| (z, 1)),
    ]
}

/// Two zones with the same clocks.
fn pair() -> impl Strategy<Value = (ZoneBuf, ZoneBuf, i128)> {
    prop_oneof![
        (zone(2, LARGEST), zone(2, LARGEST)).prop_map(|(a, b)| (a, b, 6)),
        (zone(3, LARGEST), zone(3, LARGEST)).prop_map(|(a, b)| (a, b, 3)),
        (zone(4, 2), zone(4, 2)).prop_map(|(a, b)| (a, b, 2)),
    ]
}

fn points(zone: Zone<'_>, unit: i128) -> impl Iterator<Item = Point> {
    grid(zone.dimension(), HORIZON, unit)
}

/// Delays back until a clock would be negative, in steps of half a unit.
fn earlier(point: &Point) -> impl Iterator<Item = Point> {
    let fine = point.refined(2).unwrap();
    (0..).map_while(move |units: i128| moved(&fine, -units))
}

/// Delays in steps of half a unit, long enough for each zone of these tests.
fn later(point: &Point) -> impl Iterator<Item = Point> {
    let fine = point.refined(2).unwrap();
    let longest = fine.denominator() * i128::from(HORIZON + 1);
    (0..=longest).map_while(move |units| moved(&fine, units))
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn closing_again_changes_nothing((zone, _) in case()) {
        let mut again = zone.clone();
        prop_assert!(again.as_mut().close());
        prop_assert_eq!(&again, &zone);
        check_form(zone.as_zone());
    }

    #[test]
    fn closing_gives_shortest_paths(dimension in 2usize..6, entries in proptest::collection::vec((-4i32..9, 0..3), 25)) {
        // Any matrix, also one that is far from canonical and often empty.
        let mut zone = ZoneBuf::universal(dimension);
        for (number, (constant, kind)) in entries.iter().take(dimension * dimension).enumerate() {
            let (i, j) = (number / dimension, number % dimension);
            let constant = if i == 0 { -constant.abs() } else { *constant };
            let bound = match kind {
                _ if i == j => Bound::ZERO_LE,
                0 => Bound::at_most(constant),
                1 => Bound::less_than(constant),
                _ if i == 0 => Bound::ZERO_LE,
                _ => Bound::INFINITY,
            };
            zone.as_mut().set_bound(i, j, bound);
        }
        let mut slow = Slow::of(zone.as_zone(), 1);
        let satisfiable = slow.close();
        prop_assert_eq!(zone.as_mut().close(), satisfiable);
        prop_assert_eq!(zone.as_zone().is_empty(), !satisfiable);
        if satisfiable {
            prop_assert_eq!(zone, slow.into_zone());
        }
    }

    #[test]
    fn tightening_is_closing_with_one_more_bound((zone, c) in (2usize..6).prop_flat_map(|n| (zone(n, 6), constraint(n, 6)))) {
        let mut quick = zone.clone();
        let mut slow = Slow::of(zone.as_zone(), 1);
        slow.tighten(c.left, c.right, c.bound.constant().map(|k| (i128::from(k), !c.bound.is_strict())));
        let satisfiable = slow.close();
        prop_assert_eq!(zone.as_zone().satisfies(c.left, c.right, c.bound), satisfiable);
        prop_assert_eq!(quick.as_mut().tighten(c.left, c.right, c.bound), satisfiable);
        prop_assert_eq!(quick.as_zone().is_empty(), !satisfiable);
        if satisfiable {
            prop_assert_eq!(zone.as_zone().implies(c.left, c.right, c.bound), quick == zone);
            prop_assert_eq!(quick, slow.into_zone());
        }
    }

    #[test]
    fn intersection_has_the_common_points((a, b, unit) in pair()) {
        let mut both = a.clone();
        let left = both.as_mut().intersect(b.as_zone());
        prop_assert_eq!(left, !both.as_zone().is_empty());
        compare(both.as_zone(), points(a.as_zone(), unit), |p| a.as_zone().contains(p) && b.as_zone().contains(p));
        let mut other_way = b.clone();
        other_way.as_mut().intersect(a.as_zone());
        prop_assert!(both.as_zone().same(other_way.as_zone()));
    }

    #[test]
    fn the_hull_is_the_smallest_zone_around_both((a, b, _) in pair()) {
        let mut hull = a.clone();
        hull.as_mut().hull(b.as_zone());
        check_form(hull.as_zone());
        prop_assert!(a.as_zone().is_subset(hull.as_zone()) && b.as_zone().is_subset(hull.as_zone()));
        for limit in [0, 3, bughound_dbm::MAX_CONSTANT] {
            let size = |zone: &ZoneBuf| zone.as_zone().size(limit);
            prop_assert!(size(&a).max(size(&b)) <= size(&hull));
        }
        // Each bound is reached, or nearly, in one of the two: any tighter one would lose points.
        for i in 0..a.as_zone().dimension() {
            for j in 0..a.as_zone().dimension() {
                let bound = hull.as_zone().bound(i, j);
                if let Some(outside) = bound.negated() {
                    let nearly = Bound::from_word(outside.word() + 1);
                    let reached = a.as_zone().satisfies(j, i, nearly) || b.as_zone().satisfies(j, i, nearly);
                    prop_assert!(i == j || reached);
                }
            }
        }
    }

    #[test]
    fn waiting_leads_up((zone, unit) in case()) {
        let mut up = zone.clone();
        up.as_mut().up();
        compare(up.as_zone(), points(zone.as_zone(), unit), |p| earlier(p).any(|q| zone.as_zone().contains(&q)));
    }

    #[test]
    fn down_waits_for_the_zone((zone, unit) in case()) {
        let mut down = zone.clone();
        down.as_mut().down();
        compare(down.as_zone(), points(zone.as_zone(), unit), |p| later(p).any(|q| zone.as_zone().contains(&q)));
    }

    #[test]
    fn resets_set_a_clock((zone, unit) in case(), value in 0..5i32, clock in 1usize..4) {
        let clock = 1 + clock % (zone.as_zone().dimension() - 1);
        let mut after = zone.clone();
        after.as_mut().reset(clock, value);
        let horizon = HORIZON + 4;
        compare(after.as_zone(), points(zone.as_zone(), unit), |p| {
            let set = p.scaled(clock) == i128::from(value) * p.denominator();
            set && with_any_value(p, clock, horizon).any(|q| zone.as_zone().contains(&q))
        });
        let mut before = zone.clone();
        let left = before.as_mut().before_reset(clock, value);
        prop_assert_eq!(left, !before.as_zone().is_empty());
        compare(before.as_zone(), points(zone.as_zone(), unit), |p| {
            let mut q = p.clone();
            q.reset(clock, value);
            zone.as_zone().contains(&q)
        });
    }

    #[test]
    fn copies_make_two_clocks_equal((zone, unit) in case(), to in 1usize..4, from in 1usize..4) {
        let clocks = zone.as_zone().dimension() - 1;
        let (to, from) = (1 + to % clocks, 1 + from % clocks);
        let mut after = zone.clone();
        after.as_mut().copy(to, from);
        compare(after.as_zone(), points(zone.as_zone(), unit), |p| {
            let possible = || with_any_value(p, to, HORIZON + 4).any(|q| zone.as_zone().contains(&q));
            if to == from { zone.as_zone().contains(p) } else { p.scaled(to) == p.scaled(from) && possible() }
        });
        let mut before = zone.clone();
        let left = before.as_mut().before_copy(to, from);
        prop_assert_eq!(left, !before.as_zone().is_empty());
        compare(before.as_zone(), points(zone.as_zone(), unit), |p| {
            let mut q = p.clone();
            q.copy(to, from);
            zone.as_zone().contains(&q)
        });
    }

    #[test]
    fn shifts_move_a_clock((zone, unit) in case(), amount in -4..5i32, clock in 1usize..4) {
        let clock = 1 + clock % (zone.as_zone().dimension() - 1);
        let mut after = zone.clone();
        let left = after.as_mut().shift(clock, amount);
        prop_assert_eq!(left, !after.as_zone().is_empty());
        compare(after.as_zone(), points(zone.as_zone(), unit), |p| {
            let mut q = p.clone();
            q.shift(clock, -amount);
            q.scaled(clock) >= 0 && zone.as_zone().contains(&q)
        });
    }

    #[test]
    fn free_clocks_have_any_value((zone, unit) in case(), clock in 1usize..4) {
        let clock = 1 + clock % (zone.as_zone().dimension() - 1);
        let mut free = zone.clone();
        free.as_mut().free(clock);
        compare(free.as_zone(), points(zone.as_zone(), unit), |p| {
            with_any_value(p, clock, HORIZON + 4).any(|q| zone.as_zone().contains(&q))
        });
    }

    #[test]
    fn inclusion_is_inclusion_of_points((a, mut b, unit) in pair(), related: bool) {
        if related {
            b.as_mut().hull(a.as_zone());
        }
        // Zones of two and three clocks meet the grid in every region below the horizon, and differ below it if at all.
        let unit = unit.max(a.as_zone().dimension() as i128);
        let inside = |a: &ZoneBuf, b: &ZoneBuf| {
            points(a.as_zone(), unit).all(|p| !a.as_zone().contains(&p) || b.as_zone().contains(&p))
        };
        if a.as_zone().dimension() <= 3 {
            let expected = match (inside(&a, &b), inside(&b, &a)) {
                (true, true) => Relation::Equal,
                (true, false) => Relation::Subset,
                (false, true) => Relation::Superset,
                (false, false) => Relation::Different,
            };
            prop_assert_eq!(a.as_zone().relation(b.as_zone()), expected);
            prop_assert_eq!(a.as_zone().same(b.as_zone()), expected == Relation::Equal);
        } else if a.as_zone().is_subset(b.as_zone()) {
            prop_assert!(points(a.as_zone(), 1).all(|p| !a.as_zone().contains(&p) || b.as_zone().contains(&p)));
        }
    }

    #[test]
    fn clock_bounds_are_the_values_of_a_clock((zone, unit) in case()) {
        let zone = zone.as_zone();
        let unit = 2 * unit.max(2);
        for clock in 1..zone.dimension() {
            let bounds = zone.clock_bounds(clock);
            // As a zone of that clock alone.
            let mut alone = ZoneBuf::from(zone);
            (1..zone.dimension()).filter(|c| *c != clock).for_each(|other| alone.as_mut().free(other));
            for scaled in 0..=i128::from(HORIZON) * unit {
                let point = with_value(&Point::origin(zone.dimension()).refined(unit).unwrap(), clock, scaled);
                let below = scaled < bounds.lower * unit || (bounds.lower_open && scaled == bounds.lower * unit);
                let above = bounds.upper.is_some_and(|u| scaled > u * unit || (bounds.upper_open && scaled == u * unit));
                prop_assert_eq!(alone.as_zone().contains(&point), !below && !above, "{} {}", point, bounds);
            }
        }
    }

    #[test]
    fn few_constraints_make_the_zone_again(zone in (2usize..6).prop_flat_map(|n| zone(n, 6))) {
        let constraints = zone.as_zone().constraints();
        prop_assert_eq!(&ZoneBuf::from_constraints(zone.as_zone().dimension(), &constraints), &zone);
        // None of them is superfluous.
        for left_out in 0..constraints.len() {
            let mut rest = constraints.clone();
            rest.remove(left_out);
            prop_assert_ne!(&ZoneBuf::from_constraints(zone.as_zone().dimension(), &rest), &zone);
        }
    }
}

#[test]
fn empty_zones_stay_empty() {
    let mut zone = ZoneBuf::zero(3);
    assert!(!zone.as_mut().tighten(0, 1, Bound::less_than(0)));
    assert!(zone.as_zone().is_empty());
    let mut view = zone.as_mut();
    view.up();
    view.down();
    view.reset(1, 3);
    view.copy(2, 1);
    view.free(1);
    view.extrapolate_maximal(&[0, 1, 1]);
    view.extrapolate_lower_upper_plus(&[0, 1, 1], &[0, 1, 1]);
    assert!(!view.shift(1, 2) && !view.before_reset(1, 0) && !view.before_copy(1, 2));
    assert!(!view.intersect(ZoneBuf::universal(3).as_zone()));
    assert!(!view.tighten_all(&[]));
    assert_eq!(zone.to_string(), "false");
    assert_eq!(zone.as_zone().some_point(), None);
    assert!(!zone.as_zone().contains(&Point::origin(3)));
    let full = ZoneBuf::universal(3);
    assert_eq!(zone.as_zone().relation(full.as_zone()), Relation::Subset);
    assert_eq!(full.as_zone().relation(zone.as_zone()), Relation::Superset);
    assert!(zone.as_zone().is_simulated_by(full.as_zone(), &[0; 3], &[0; 3]));
    assert!(!full.as_zone().is_simulated_by(zone.as_zone(), &[0; 3], &[0; 3]));
    let mut hull = zone.clone();
    hull.as_mut().hull(full.as_zone());
    assert_eq!(hull, full);
}

#[test]
fn zones_without_clocks_are_all_or_nothing() {
    let mut zone = ZoneBuf::universal(1);
    assert_eq!(zone, ZoneBuf::zero(1));
    zone.as_mut().up();
    zone.as_mut().down();
    assert!(zone.as_mut().close() && zone.as_zone().is_canonical());
    assert_eq!(zone.to_string(), "true");
    assert!(zone.as_zone().constraints().is_empty());
    assert!(zone.as_zone().is_simulated_by(zone.as_zone(), &[0], &[0]));
    assert_eq!(zone.as_zone().some_point(), Some(Point::origin(1)));
}

#[test]
fn zones_are_described_by_what_does_not_follow() {
    let mut zone = ZoneBuf::zero(4);
    assert_eq!(zone.to_string(), "x1 = 0, x2 = 0, x3 = 0");
    zone.as_mut().up();
    assert_eq!(zone.to_string(), "x2 = x1, x3 = x1");
    zone.as_mut().tighten(1, 0, Bound::at_most(9));
    zone.as_mut().tighten(0, 1, Bound::less_than(-4));
    zone.as_mut().reset(3, 1);
    zone.as_mut().up();
    zone.as_mut().tighten(3, 0, Bound::less_than(6));
    assert_eq!(zone.to_string(), "x2 = x1, x3 >= 1, x1 - x3 <= 8, x3 < 6, x3 - x1 < -3");
    assert_eq!(ZoneBuf::universal(4).to_string(), "true");
}
