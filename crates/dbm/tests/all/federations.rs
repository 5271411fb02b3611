//! Unions of zones, compared with sets of points.

use crate::support::*;
use bughound_dbm::{Bound, Federation, Point, ZoneBuf};
use proptest::prelude::*;

const LARGEST: i32 = 3;
const HORIZON: i32 = 7;

fn points(dimension: usize) -> impl Iterator<Item = Point> {
    grid(dimension, if dimension < 4 { HORIZON } else { 4 }, if dimension < 4 { dimension as i128 } else { 2 })
}

fn zones(count: usize, largest_dimension: usize) -> impl Strategy<Value = Vec<ZoneBuf>> {
    (2..=largest_dimension).prop_flat_map(move |n| proptest::collection::vec(zone(n, LARGEST), count))
}

fn union(zones: &[ZoneBuf]) -> Federation {
    let mut union = Federation::empty(zones[0].as_zone().dimension());
    zones.iter().for_each(|zone| union.add(zone.as_zone()));
    union
}

fn check_disjoint(federation: &Federation) {
    let zones: Vec<_> = federation.zones().collect();
    for (number, zone) in zones.iter().enumerate() {
        assert!(!zone.is_empty());
        check_form(*zone);
        for other in &zones[..number] {
            let mut common = ZoneBuf::from(*zone);
            assert!(!common.as_mut().intersect(*other), "{zone} meets {other}");
        }
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn differences_are_disjoint_and_exact(zones in zones(3, 4)) {
        let (zone, a, b) = (zones[0].as_zone(), zones[1].as_zone(), zones[2].as_zone());
        let mut rest = Federation::difference(zone, a);
        check_disjoint(&rest);
        for point in points(zone.dimension()) {
            prop_assert_eq!(rest.contains(&point), zone.contains(&point) && !a.contains(&point));
        }
        rest.subtract(b);
        check_disjoint(&rest);
        for point in points(zone.dimension()) {
            prop_assert_eq!(rest.contains(&point), zone.contains(&point) && !a.contains(&point) && !b.contains(&point));
        }
        prop_assert!(rest.is_disjoint(a) && rest.is_disjoint(b));
        prop_assert_eq!(Federation::difference(zone, a).is_empty(), zone.is_subset(a));
    }

    #[test]
    fn nothing_is_lost_by_cutting(zones in zones(2, 4)) {
        // The pieces and what was cut off are the zone again, as sets of points, not only on a grid.
        let (zone, without) = (zones[0].as_zone(), zones[1].as_zone());
        let mut all = Federation::difference(zone, without);
        let mut common = zones[0].clone();
        common.as_mut().intersect(without);
        prop_assert_eq!(all.includes(zone), common.as_zone().is_empty());
        all.add(common.as_zone());
        prop_assert!(all.includes(zone));
        all.reduce();
        prop_assert!(all.includes(zone));
        prop_assert!(all.zones().all(|part| part.is_subset(zone)));
    }

    #[test]
    fn inclusion_in_a_union_is_inclusion_of_points(zones in zones(4, 3)) {
        let dimension = zones[0].as_zone().dimension();
        let federation = union(&zones[1..]);
        let zone = zones[0].as_zone();
        let expected = points(dimension).all(|p| !zone.contains(&p) || zones[1..].iter().any(|z| z.as_zone().contains(&p)));
        prop_assert_eq!(federation.includes(zone), expected);
    }

    #[test]
    fn intersections_have_the_common_points(zones in zones(4, 4)) {
        let mut common = union(&zones[..2]);
        let left = common.intersect_all(&union(&zones[2..]));
        prop_assert_eq!(left, !common.is_empty());
        for point in points(common.dimension()) {
            let inside = |zones: &[ZoneBuf]| zones.iter().any(|zone| zone.as_zone().contains(&point));
            prop_assert_eq!(common.contains(&point), inside(&zones[..2]) && inside(&zones[2..]));
        }
    }

    #[test]
    fn reduced_unions_have_the_same_points(zones in zones(4, 4)) {
        let mut reduced = union(&zones);
        reduced.reduce();
        prop_assert!(reduced.zones().len() <= zones.len());
        for zone in &zones {
            prop_assert!(reduced.includes(zone.as_zone()));
        }
        let all = union(&zones);
        prop_assert!(reduced.zones().all(|zone| all.includes(zone)));
    }
}

#[test]
fn pieces_are_put_together_again() {
    let mut middle = ZoneBuf::universal(3);
    for clock in [1, 2] {
        middle.as_mut().tighten(0, clock, Bound::at_most(-2));
        middle.as_mut().tighten(clock, 0, Bound::less_than(3));
    }
    let full = ZoneBuf::universal(3);
    let mut pieces = Federation::difference(full.as_zone(), middle.as_zone());
    assert_eq!(pieces.zones().len(), 4);
    assert!(!pieces.includes(full.as_zone()));
    pieces.add(middle.as_zone());
    assert!(pieces.includes(full.as_zone()));
    pieces.reduce();
    assert_eq!(pieces.zones().len(), 1);
    assert!(pieces.zones().all(|zone| zone.same(full.as_zone())));
}

#[test]
fn stuck_states_are_what_no_guard_waits_for() {
    // x <= 5; one edge with 2 <= x < 3, another with y = 4 (and x <= 5). Both clocks run from x = y = 0 or x = 0, y = 1.
    let (x, y) = (1, 2);
    let mut reached = ZoneBuf::zero(3);
    reached.as_mut().up();
    reached.as_mut().tighten(x, 0, Bound::at_most(5));
    let mut one = ZoneBuf::universal(3);
    one.as_mut().tighten(0, x, Bound::at_most(-2));
    one.as_mut().tighten(x, 0, Bound::less_than(3));
    let mut two = ZoneBuf::universal(3);
    two.as_mut().tighten(0, y, Bound::at_most(-4));
    two.as_mut().tighten(y, 0, Bound::at_most(4));
    two.as_mut().tighten(x, 0, Bound::at_most(5));

    let mut stuck = Federation::empty(3);
    stuck.add(reached.as_zone());
    for mut guard in [one, two] {
        guard.as_mut().down();
        stuck.subtract(guard.as_zone());
    }
    assert_eq!(stuck.zones().len(), 1);
    assert_eq!(stuck.zones().next().unwrap().to_string(), "x2 = x1, x1 > 4, x1 <= 5");
}
