//! Extrapolations against their published definitions, and inclusion up to simulation against the definition of
//! simulation, point by point.

use crate::support::*;
use bughound_dbm::{Bound, NO_BOUND, Point, Zone, ZoneBuf};
use proptest::prelude::*;

/// Largest constants of clocks; nothing is −∞.
type Constants = Vec<Option<i32>>;

fn words(constants: &Constants) -> Vec<i32> {
    constants.iter().map(|c| c.unwrap_or(NO_BOUND)).collect()
}

fn constants(dimension: usize, largest: i32) -> impl Strategy<Value = Constants> {
    proptest::collection::vec(prop_oneof![4 => (0..=largest).prop_map(Some), 1 => Just(None)], dimension).prop_map(
        |mut constants| {
            constants[0] = Some(0);
            constants
        },
    )
}

fn larger(a: &Constants, b: &Constants) -> Constants {
    // `None` is smaller than all numbers.
    a.iter().zip(b).map(|(a, b)| *a.max(b)).collect()
}

/// The definitions of Behrmann, Bouyer, Larsen, Pelánek 2006 with lower and upper constants; the maximal ones are the
/// special case of both being equal. Then: clocks are not negative, and shortest paths.
fn by_definition(zone: Zone<'_>, lower: &Constants, upper: &Constants, plus: bool) -> ZoneBuf {
    let old = Slow::of(zone, 1);
    let mut new = old.clone();
    let n = zone.dimension();
    let exceeds = |value: i128, constant: Option<i32>| constant.is_none_or(|constant| value > i128::from(constant));
    let negative = |pair: Pair| -pair.expect("lower bounds are finite").0;
    for (i, j) in (0..n * n).map(|number| (number / n, number % n)) {
        if i != j {
            let beyond = upper[j].map(|constant| (-i128::from(constant), false));
            let c = old.0[i][j];
            let above = c.is_none_or(|(c, _)| exceeds(c, lower[i]));
            new.0[i][j] = if plus {
                if above || exceeds(negative(old.0[0][i]), lower[i]) {
                    None
                } else if exceeds(negative(old.0[0][j]), upper[j]) {
                    if i != 0 { None } else { beyond }
                } else {
                    c
                }
            } else if above {
                None
            } else if c.is_some_and(|(c, _)| exceeds(-c, upper[j])) {
                beyond
            } else {
                c
            };
            if i == 0 {
                new.tighten(0, j, Some((0, true)));
            }
        }
    }
    assert!(new.close());
    new.into_zone()
}

fn extrapolated(zone: &ZoneBuf, change: impl Fn(&mut bughound_dbm::ZoneMut<'_>)) -> ZoneBuf {
    let mut zone = zone.clone();
    change(&mut zone.as_mut());
    check_form(zone.as_zone());
    zone
}

/// Is there a point of the zone that simulates this one? For each clock, the definition allows one interval around its
/// value: the question is whether a zone on a finer scale is empty.
fn is_simulated(point: &Point, zone: Zone<'_>, lower: &Constants, upper: &Constants) -> bool {
    let unit = point.denominator();
    let mut others = Slow::of(zone, unit);
    for x in 1..zone.dimension() {
        let value = point.scaled(x);
        let seen = |constant: Option<i32>| constant.is_some_and(|constant| value <= i128::from(constant) * unit);
        if !seen(lower[x]) {
            // May become smaller, as long as it stays above the constant.
            let above = lower[x].map_or((0, true), |constant| (-i128::from(constant) * unit, false));
            others.tighten(0, x, Some(above));
        } else {
            others.tighten(0, x, Some((-value, true)));
        }
        if seen(upper[x]) {
            others.tighten(x, 0, Some((value, true)));
        }
    }
    others.close()
}

/// v ≼ v', word by word as published.
fn simulates(other: &Point, point: &Point, lower: &Constants, upper: &Constants) -> bool {
    let factor = other.denominator() / point.denominator();
    let exceeds = |value: i128, constant: Option<i32>| {
        constant.is_none_or(|constant| value > i128::from(constant) * other.denominator())
    };
    (1..point.dimension()).all(|x| {
        let (v, w) = (point.scaled(x) * factor, other.scaled(x));
        (w >= v || exceeds(w, lower[x])) && (w <= v || exceeds(v, upper[x]))
    })
}

type Case = (ZoneBuf, ZoneBuf, Constants, Constants);

/// Two zones and constants. The second zone is often one that nearly includes the first: independent zones would rarely
/// be close enough to each other to be interesting.
fn case(dimension: usize, largest: i32) -> impl Strategy<Value = Case> {
    let constants = || constants(dimension, largest);
    let zones = (zone(dimension, largest), zone(dimension, largest), constraint(dimension, largest), 0..4);
    let zones = zones.prop_map(|(a, mut b, c, kind)| {
        if kind > 0 {
            b.as_mut().hull(a.as_zone());
        }
        let mut tightened = b.clone();
        let left = tightened.as_mut().tighten(c.left, c.right, c.bound);
        (a, if left && kind > 1 { tightened } else { b })
    });
    (zones, constants(), constants()).prop_map(|((a, b), lower, upper)| (a, b, lower, upper))
}

/// Compares inclusion up to simulation with all points of a grid. The horizon must be beyond the sum of a constant per
/// clock: a clock can be ahead of another one, which is ahead of a third one.
fn compare_simulation((a, b, lower, upper): &Case, horizon: i32) {
    let n = a.as_zone().dimension();
    let expected = grid(n, horizon, n as i128)
        .filter(|point| a.as_zone().contains(point))
        .all(|point| is_simulated(&point, b.as_zone(), lower, upper));
    let found = a.as_zone().is_simulated_by(b.as_zone(), &words(lower), &words(upper));
    assert_eq!(found, expected, "{a} in {b} with L {lower:?}, U {upper:?}");
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn extrapolations_are_as_published((zone, _, lower, upper) in (2usize..6).prop_flat_map(|n| case(n, 4))) {
        let (l, u) = (words(&lower), words(&upper));
        let view = zone.as_zone();
        let fine = extrapolated(&zone, |z| z.extrapolate_maximal(&l));
        prop_assert_eq!(&fine, &by_definition(view, &lower, &lower, false));
        let fine_plus = extrapolated(&zone, |z| z.extrapolate_maximal_plus(&l));
        prop_assert_eq!(&fine_plus, &by_definition(view, &lower, &lower, true));
        let coarse = extrapolated(&zone, |z| z.extrapolate_lower_upper(&l, &u));
        prop_assert_eq!(&coarse, &by_definition(view, &lower, &upper, false));
        let coarse_plus = extrapolated(&zone, |z| z.extrapolate_lower_upper_plus(&l, &u));
        prop_assert_eq!(&coarse_plus, &by_definition(view, &lower, &upper, true));
    }

    #[test]
    fn extrapolations_are_ordered((zone, _, lower, upper) in (2usize..6).prop_flat_map(|n| case(n, 4))) {
        let (l, u, m) = (words(&lower), words(&upper), words(&larger(&lower, &upper)));
        let maximal = extrapolated(&zone, |z| z.extrapolate_maximal(&m));
        let maximal_plus = extrapolated(&zone, |z| z.extrapolate_maximal_plus(&m));
        let lower_upper = extrapolated(&zone, |z| z.extrapolate_lower_upper(&l, &u));
        let lower_upper_plus = extrapolated(&zone, |z| z.extrapolate_lower_upper_plus(&l, &u));
        let chain = [
            (&zone, &maximal), (&maximal, &maximal_plus), (&maximal, &lower_upper),
            (&maximal_plus, &lower_upper_plus), (&lower_upper, &lower_upper_plus),
        ];
        for (number, (small, large)) in chain.into_iter().enumerate() {
            prop_assert!(small.as_zone().is_subset(large.as_zone()), "pair {}: {} in {}", number, small, large);
        }
        // Each is within what the zone simulates: this is why they are correct.
        for large in [maximal, maximal_plus, lower_upper, lower_upper_plus] {
            prop_assert!(large.as_zone().is_simulated_by(zone.as_zone(), &l, &u), "{} by {}", large, zone);
        }
    }

    #[test]
    fn extrapolating_again_changes_nothing((zone, _, lower, upper) in (2usize..6).prop_flat_map(|n| case(n, 4))) {
        let (l, u) = (words(&lower), words(&upper));
        let once = extrapolated(&zone, |z| z.extrapolate_maximal(&l));
        prop_assert_eq!(&extrapolated(&once, |z| z.extrapolate_maximal(&l)), &once);
        let once = extrapolated(&zone, |z| z.extrapolate_maximal_plus(&l));
        prop_assert_eq!(&extrapolated(&once, |z| z.extrapolate_maximal_plus(&l)), &once);
        let once = extrapolated(&zone, |z| z.extrapolate_lower_upper(&l, &u));
        prop_assert_eq!(&extrapolated(&once, |z| z.extrapolate_lower_upper(&l, &u)), &once);
        let once = extrapolated(&zone, |z| z.extrapolate_lower_upper_plus(&l, &u));
        prop_assert_eq!(&extrapolated(&once, |z| z.extrapolate_lower_upper_plus(&l, &u)), &once);
    }

    #[test]
    fn one_clock_is_simulated_as_defined(case in case(2, 4)) {
        compare_simulation(&case, 10);
    }

    #[test]
    fn two_clocks_are_simulated_as_defined(case in case(3, 3)) {
        compare_simulation(&case, 9);
    }

    #[test]
    fn inclusion_implies_simulation((a, mut b, lower, upper) in (2usize..6).prop_flat_map(|n| case(n, 4))) {
        let (l, u) = (words(&lower), words(&upper));
        prop_assert!(a.as_zone().is_simulated_by(a.as_zone(), &l, &u));
        let simulated = a.as_zone().is_simulated_by(b.as_zone(), &l, &u);
        // A larger zone simulates more.
        let mut hull = b.clone();
        hull.as_mut().up();
        prop_assert!(!simulated || a.as_zone().is_simulated_by(hull.as_zone(), &l, &u));
        b.as_mut().hull(a.as_zone());
        prop_assert!(a.as_zone().is_simulated_by(b.as_zone(), &l, &u));
    }

    #[test]
    fn simulation_is_transitive(
        ((a, b, lower, upper), c) in (2usize..4).prop_flat_map(|n| (case(n, 2), zone(n, 2)))
    ) {
        let (l, u) = (words(&lower), words(&upper));
        let within = |a: &ZoneBuf, b: &ZoneBuf| a.as_zone().is_simulated_by(b.as_zone(), &l, &u);
        prop_assert!(!within(&a, &b) || !within(&b, &c) || within(&a, &c));
    }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn three_clocks_are_simulated_as_defined(case in case(4, 2)) {
        compare_simulation(&case, 8);
    }

    #[test]
    fn the_test_for_points_is_the_definition((_, b, lower, upper) in case(3, 2), x in 0i128..15, y in 0i128..15) {
        // The reference itself, against a search for a simulating point, on a grid that is fine enough for one point more.
        let point = Point::new(vec![0, x, y], 3);
        let found = grid(3, 8, 6)
            .filter(|other| simulates(other, &point, &lower, &upper))
            .any(|other| b.as_zone().contains(&other));
        prop_assert_eq!(is_simulated(&point, b.as_zone(), &lower, &upper), found);
    }
}

#[test]
fn a_lower_end_that_is_not_reached_leaves_room() {
    // y is ahead of x by at most 1 in the other zone, and counts up to 1. Since x is more than 0, y can be more than 1.
    let (x, y) = (1, 2);
    let mut zone = ZoneBuf::universal(3);
    zone.as_mut().tighten(0, x, Bound::less_than(0));
    let mut other = ZoneBuf::universal(3);
    other.as_mut().tighten(y, x, Bound::at_most(1));
    let (lower, upper) = ([0, NO_BOUND, 1], [0, 3, NO_BOUND]);
    assert!(zone.as_zone().is_simulated_by(other.as_zone(), &lower, &upper));
    // If x can be 0, y is at most 1: what was beyond 1 is seen to be so.
    let all = ZoneBuf::universal(3);
    assert!(!all.as_zone().is_simulated_by(other.as_zone(), &lower, &upper));
}
