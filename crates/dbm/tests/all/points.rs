//! Concrete values: points of zones, delays into zones, schedules; and constants at the end of the range.

use crate::support::*;
use bughound_dbm::{Bound, Constraint, MAX_CONSTANT, NO_BOUND, Point, Zone, ZoneBuf, least_point};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn some_point_is_in_the_zone_and_least(zone in (2usize..7).prop_flat_map(|n| zone(n, 5))) {
        let zone = zone.as_zone();
        let point = zone.some_point().unwrap();
        prop_assert!(zone.contains(&point), "{} in {}", point, zone);
        prop_assert!(point.denominator() <= zone.dimension() as i128);
        for clock in 1..zone.dimension() {
            // No point of the grid has a smaller value of any clock.
            if point.scaled(clock) > 0 {
                let mut below = Slow::of(zone, point.denominator());
                // Strict bounds end one step of the grid earlier; those of clocks to themselves are not strict.
                for pair in below.0.iter_mut().flatten() {
                    *pair = pair.map(|(constant, reached)| (constant - i128::from(!reached), true));
                }
                below.tighten(clock, 0, Some((point.scaled(clock) - 1, true)));
                prop_assert!(!below.close());
            }
        }
    }

    #[test]
    fn delays_lead_into_the_zone(zone in (2usize..5).prop_flat_map(|n| zone(n, 4)), values in proptest::collection::vec(0i128..9, 4)) {
        let zone = zone.as_zone();
        let mut numerators = vec![0];
        numerators.extend(&values[..zone.dimension() - 1]);
        let point = Point::new(numerators, 2);
        let fine = point.refined(2).unwrap();
        let inside = |units| zone.contains(&moved(&fine, units).unwrap());
        let first = (0..60).find(|units| inside(*units));
        match zone.entry(&point) {
            None => {
                prop_assert_eq!(first, None);
                prop_assert_eq!(point.enter(zone), None);
            }
            Some(delays) => {
                for units in 0..60 {
                    let below = units < 2 * delays.lower || (units == 2 * delays.lower && delays.lower_open);
                    let above = delays.upper.is_some_and(|u| units > 2 * u || (units == 2 * u && delays.upper_open));
                    prop_assert_eq!(inside(units), !below && !above);
                }
                let entered = point.enter(zone).unwrap();
                prop_assert!(zone.contains(&entered));
                prop_assert!(delays.lower_open || entered == moved(&point, delays.lower).unwrap());
            }
        }
    }

    #[test]
    fn schedules_satisfy_their_constraints(
        (dimension, constraints) in (2usize..7).prop_flat_map(|n| (Just(n), proptest::collection::vec(constraint(n, 4), 0..12)))
    ) {
        let zone = ZoneBuf::from_constraints(dimension, &constraints);
        let found = least_point(dimension, &constraints);
        prop_assert_eq!(found.is_none(), zone.as_zone().is_empty());
        prop_assert!(found.is_none_or(|point| zone.as_zone().contains(&point)));
    }

    #[test]
    fn constants_at_the_limit_do_no_harm(
        steps in proptest::collection::vec((0..11, 0usize..4, 0usize..4, prop_oneof![
            Just(MAX_CONSTANT), Just(MAX_CONSTANT - 1), Just(-MAX_CONSTANT), Just(MAX_CONSTANT / 2 + 1), 0..5i32
        ], any::<bool>()), 1..25)
    ) {
        // Nothing overflows (which would panic in tests), and no point is lost: a few are followed along.
        let mut zone = ZoneBuf::zero(4);
        let mut point = Point::origin(4);
        for (operation, i, j, constant, strict) in steps {
            let (x, y) = (1 + i % 3, 1 + j % 3);
            let bound = if strict { Bound::less_than(constant) } else { Bound::at_most(constant) };
            let positive = constant.abs();
            let mut view = zone.as_mut();
            match operation {
                0 => { view.up(); point.delay(i128::from(positive)); }
                1 => { view.reset(x, positive); point.reset(x, positive); }
                2 => { view.copy(x, y); point.copy(x, y); }
                3 => { view.shift(x, positive); point.shift(x, positive); }
                4 => view.free(x),
                5 => view.down(),
                6 => { view.close(); }
                7 => view.extrapolate_lower_upper_plus(&[0, MAX_CONSTANT, NO_BOUND, 3], &[0, NO_BOUND, MAX_CONSTANT, 0]),
                8 => view.extrapolate_maximal(&[0, MAX_CONSTANT, MAX_CONSTANT, NO_BOUND]),
                _ => {
                    let c = Constraint::new(i, j, bound);
                    if i != j && ZoneBuf::from_constraints(4, &[c]).as_zone().contains(&point) {
                        prop_assert!(view.tighten(i, j, bound));
                    }
                }
            }
            prop_assert!(zone.as_zone().contains(&point), "{} in {} after {}", point, zone, operation);
            prop_assert!(zone.as_zone().words().iter().all(|w| Bound::from_word(*w).word() == *w));
            prop_assert!(zone.as_zone().is_subset(zone.as_zone()));
            zone.as_zone().is_simulated_by(zone.as_zone(), &[0, MAX_CONSTANT, NO_BOUND, 1], &[0, 0, NO_BOUND, MAX_CONSTANT]);
        }
    }
}

#[test]
fn sums_beyond_the_limit_are_forgotten() {
    let mut zone = ZoneBuf::zero(3);
    zone.as_mut().reset(1, MAX_CONSTANT);
    zone.as_mut().shift(1, MAX_CONSTANT);
    assert_eq!(zone.as_zone().bound(1, 0), Bound::INFINITY);
    assert_eq!(zone.as_zone().bound(0, 1), Bound::less_than(-MAX_CONSTANT));
    assert_eq!(zone.as_zone().magnitude(), MAX_CONSTANT);
    assert!(!zone.as_zone().is_empty());
}

#[test]
fn a_schedule_squeezes_many_steps_into_one_time_unit() {
    // A hundred steps, each later than the one before, and the last one before time 1.
    let mut constraints: Vec<Constraint> = (1..100).map(|k| Constraint::new(k, k + 1, Bound::ZERO_LT)).collect();
    constraints.push(Constraint::lower(1, 0, true).unwrap());
    constraints.push(Constraint::upper(100, Bound::less_than(1)));
    let point = least_point(101, &constraints).unwrap();
    assert!(ZoneBuf::from_constraints(101, &constraints).as_zone().contains(&point));
    assert_eq!(point.value(100), (100, 101));
    // With one step more than fits, there is no point at all.
    constraints.push(Constraint::new(100, 1, Bound::ZERO_LE));
    assert_eq!(least_point(101, &constraints), None);
}

#[test]
fn least_points_are_whole_where_possible() {
    let mut zone = ZoneBuf::universal(3);
    zone.as_mut().tighten(0, 1, Bound::less_than(-2));
    assert_eq!(zone.as_zone().some_point().unwrap().to_string(), "(3, 0)");
    zone.as_mut().tighten(1, 0, Bound::less_than(3));
    assert_eq!(zone.as_zone().some_point().unwrap().to_string(), "(5/2, 0)");
    zone.as_mut().tighten(1, 2, Bound::less_than(0));
    zone.as_mut().tighten(2, 0, Bound::less_than(3));
    assert_eq!(zone.as_zone().some_point().unwrap().to_string(), "(7/3, 8/3)");
}

#[test]
fn words_are_used_where_they_lie() {
    let mut cover = vec![0i32; 9];
    let mut zone = bughound_dbm::ZoneMut::new(&mut cover, 3);
    zone.zero();
    zone.up();
    assert!(
        Zone::new(&cover, 3).same(
            {
                let mut expected = ZoneBuf::zero(3);
                expected.as_mut().up();
                expected
            }
            .as_zone()
        )
    );
    assert!(std::panic::catch_unwind(|| Zone::new(&[1, 1], 3).is_empty()).is_err());
}
