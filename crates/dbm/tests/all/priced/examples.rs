//! Priced zones by hand: what is attained, what overflows, what terminates.

use bughound_dbm::priced::{Operation, PriceError, PricedZone, Stages, part_way, without_superfluous};
use bughound_dbm::{Bound, Constraint, MAX_CONSTANT, NO_BOUND, Point};

fn at_most(clock: usize, constant: i32) -> Constraint {
    Constraint::upper(clock, Bound::at_most(constant))
}

fn at_least(clock: usize, constant: i64) -> Constraint {
    Constraint::lower(clock, constant, false).unwrap()
}

fn more_than(clock: usize, constant: i64) -> Constraint {
    Constraint::lower(clock, constant, true).unwrap()
}

fn run(dimension: usize, operations: &[Operation]) -> Vec<PricedZone> {
    let mut zones = Stages::explore(&PricedZone::zero(dimension, 0), operations).unwrap().last().to_vec();
    without_superfluous(&mut zones).unwrap();
    zones
}

/// The least infimum, and whether it is attained.
fn infimum(zones: &[PricedZone]) -> Option<(i64, bool)> {
    let all = zones.iter().map(|zone| zone.infimum().unwrap().unwrap());
    all.map(|infimum| (infimum.cost, !infimum.attained)).min().map(|(cost, approached)| (cost, !approached))
}

#[test]
fn a_strict_guard_is_remembered_when_its_clock_is_reset() {
    use Operation::*;
    let strict = [Delay(3), Require(vec![at_most(1, 5)]), Require(vec![more_than(1, 1)])];
    assert_eq!(infimum(&run(2, &strict)), Some((3, false)));
    let reset = [&strict[..], &[Reset { clock: 1, value: 0 }]].concat();
    assert_eq!(run(2, &reset)[0].to_string(), "x1 = 0: 3, not attained");
    // A closed guard of the same clock, later, does not bring it back; nor does further waiting.
    let later = [&reset[..], &[Delay(1), Require(vec![at_least(1, 2)])]].concat();
    assert_eq!(infimum(&run(2, &later)), Some((5, false)));
    // Without a price nothing is lost.
    let free = [Delay(0), Require(vec![more_than(1, 1)]), Reset { clock: 1, value: 0 }];
    assert_eq!(infimum(&run(2, &free)), Some((0, true)));
    // A closed way at the same cost is kept beside a strict one, and not the other way round.
    let closed = run(2, &[Delay(3), Require(vec![at_least(1, 1)]), Reset { clock: 1, value: 0 }]);
    assert_eq!(infimum(&closed), Some((3, true)));
    assert_eq!(run(2, &reset)[0].is_included_in(&closed[0]), Ok(true));
    assert_eq!(closed[0].is_included_in(&run(2, &reset)[0]), Ok(false));
    assert_eq!(closed[0].is_simulated_by(&run(2, &reset)[0], &[0, 3], &[0, 3]), Ok(false));
}

#[test]
fn waiting_dearer_and_cheaper_than_before_splits_at_facets() {
    use Operation::*;
    // x is 2 behind y; waiting in the triangle 2 <= x <= 4 at different rates.
    let triangle =
        [Delay(1), Require(vec![at_most(1, 2)]), Reset { clock: 1, value: 0 }, Delay(4), Require(vec![at_most(1, 3)])];
    let before = run(3, &triangle);
    assert_eq!(before.len(), 1);
    let growth: i64 = before[0].coefficients().iter().sum();
    assert_eq!(growth, 4);
    assert_eq!(before[0].delay(4).unwrap().len(), 1);
    assert_eq!(before[0].delay(9).unwrap().len(), 2, "the zone and its one upper facet");
    assert_eq!(before[0].delay(0).unwrap().len(), 1, "one lower facet");
    for rate in [0, 4, 9] {
        for zone in before[0].delay(rate).unwrap() {
            let growth: i64 = zone.coefficients().iter().sum();
            assert!(growth == rate || zone.zone().same(before[0].zone()), "{zone}");
        }
    }
}

#[test]
fn numbers_that_leave_their_range_are_errors() {
    let zero = PricedZone::zero(2, i64::MAX - 1);
    assert_eq!(zero.pay(1).unwrap().corner_cost(), i64::MAX);
    assert_eq!(zero.pay(2), Err(PriceError::CostOutOfRange));
    assert_eq!(zero.pay(-1), Err(PriceError::NegativePrice));
    assert_eq!(zero.delay(-1), Err(PriceError::NegativePrice));
    // The cost at the new lowest corner is too large.
    let waited = &PricedZone::zero(2, 0).delay(i64::MAX).unwrap()[0];
    assert_eq!(waited.require(&[at_least(1, 1)]).unwrap().corner_cost(), i64::MAX);
    assert_eq!(waited.require(&[at_least(1, 2)]), Err(PriceError::CostOutOfRange));
    // The coefficient of the facet makes up for those of all other clocks.
    let bounded = PricedZone::zero(4, 0).free(1).unwrap()[0].free(2).unwrap()[0].free(3).unwrap()[0].clone();
    let bounded = bounded.require(&[at_most(1, 1), at_most(2, 1), at_most(3, 1)]).unwrap();
    let steep =
        |factor: i64| PricedZone::new(bounded.zone().into(), i64::MAX, &[0, -factor, -factor, 0], true).unwrap();
    assert_eq!(steep(i64::MAX / 4).delay(i64::MAX / 2).unwrap().len(), 4);
    assert_eq!(steep(i64::MAX / 4).delay(i64::MAX), Err(PriceError::CostOutOfRange));
    // Times.
    let far = MAX_CONSTANT / 4;
    let zone = PricedZone::zero(2, 0).reset(1, far).unwrap().remove(0);
    assert_eq!(zone.shift(1, 1), Err(PriceError::TimeOutOfRange));
    assert_eq!(PricedZone::zero(2, 0).reset(1, far + 1), Err(PriceError::TimeOutOfRange));
    assert_eq!(waited.require(&[at_least(1, i64::from(far) + 1)]), Err(PriceError::TimeOutOfRange));
    assert_eq!(zone.is_simulated_by(&zone.pay(1).unwrap().delay(0).unwrap()[0], &[0, far], &[0, 1]), Ok(false));
    assert_eq!(
        zone.pay(5).unwrap().is_simulated_by(&PricedZone::zero(2, 0).delay(1).unwrap()[0], &[0, far], &[0, NO_BOUND]),
        Err(PriceError::TimeOutOfRange),
        "the constant does not leave room for sums in a zone of twice as many clocks"
    );
    // A function that falls without end has no infimum.
    let falling = PricedZone::new(waited.zone().into(), 0, &[0, -1], true).unwrap();
    assert_eq!(falling.infimum(), Err(PriceError::NoLeastCost));
    assert_eq!(falling.reset(1, 0), Err(PriceError::NoLeastCost));
    for error in [PriceError::CostOutOfRange, PriceError::TimeOutOfRange] {
        assert!(error.to_string().contains("larger unit"));
    }
}

#[test]
fn words_give_the_same_priced_zone_again() {
    use Operation::*;
    let operations =
        [Delay(7), Require(vec![at_most(1, 5), more_than(1, 1)]), Reset { clock: 2, value: 0 }, Pay(1 << 40), Delay(2)];
    let zones = Stages::explore(&PricedZone::zero(3, -5), &operations).unwrap().last().to_vec();
    assert!(!zones.is_empty());
    for zone in zones {
        let words = zone.to_words();
        assert_eq!(words.len(), PricedZone::word_count(3));
        assert_eq!(words[..9], *zone.zone().words());
        assert_eq!(PricedZone::from_words(&words, 3), zone);
    }
}

/// Searches a single location with a loop to the end; the number of priced zones kept, and the least cost of the goal.
fn loop_search(rate: i64, goal: Option<Constraint>, lower: &[i32], upper: &[i32]) -> (usize, Option<(i64, bool)>) {
    use Operation::*;
    let wait = [Delay(rate), Require(vec![at_most(1, 1)])];
    let around = [&[Require(vec![at_least(1, 1)]), Reset { clock: 1, value: 0 }], &wait[..]].concat();
    let mut waiting = run(3, &wait);
    let mut passed: Vec<PricedZone> = Vec::new();
    let mut best = None;
    while let Some(zone) = waiting.pop() {
        if passed.iter().any(|other| zone.is_simulated_by(other, lower, upper).unwrap()) {
            continue;
        }
        assert!(passed.len() < 100, "does not terminate");
        if let Some(goal) = goal {
            let goals = [zone.require(&[goal]).unwrap()];
            let found = infimum(goals.iter().filter(|zone| !zone.is_empty()).cloned().collect::<Vec<_>>().as_slice());
            best = [best, found].into_iter().flatten().min_by_key(|(cost, attained)| (*cost, !attained));
        }
        waiting.extend(Stages::explore(&zone, &around).unwrap().last().to_vec());
        passed.push(zone);
    }
    (passed.len(), best)
}

#[test]
fn loops_with_a_clock_without_bound_come_to_an_end() {
    // An edge that nothing can take, z <= 3; a loop without cost.
    let (kept, best) = loop_search(0, None, &[0, 1, NO_BOUND], &[0, 1, 3]);
    assert!(kept <= 5, "{kept}");
    assert_eq!(best, None);
    // The goal needs z >= 5, each unit of time costs 2.
    let (kept, best) = loop_search(2, Some(at_least(2, 5)), &[0, 1, 5], &[0, 1, NO_BOUND]);
    assert!(kept <= 7, "{kept}");
    assert_eq!(best, Some((10, true)));
    let (_, best) = loop_search(2, Some(more_than(2, 5)), &[0, 1, 5], &[0, 1, NO_BOUND]);
    assert_eq!(best, Some((10, false)));
}

#[test]
fn between_a_run_at_the_limit_and_a_proper_one_are_proper_runs() {
    let (limit, proper) = (Point::new(vec![0, 1, 3], 1), Point::new(vec![0, 3, 7], 2));
    assert_eq!(part_way(&limit, &proper, 0, 1), Some(limit.clone()));
    assert_eq!(part_way(&limit, &proper, 1, 1), Some(proper.clone()));
    assert_eq!(part_way(&limit, &proper, 1, 10).unwrap().to_string(), "(21/20, 61/20)");
    assert_eq!(part_way(&limit, &Point::new(vec![0, 0, i128::MAX], 1), 1, 2), None);
}
