//! Inclusion of random priced zones, and their infima, point by point.

use super::oracle::{UNIT, Values, nearly_whole, point};
use bughound_dbm::priced::PricedZone;
use bughound_dbm::{Bound, Constraint, NO_BOUND, Zone, ZoneBuf};
use bughound_kernel::Random;

/// A zone that is not empty, with constants up to `largest`; strict bounds only if asked for.
fn zone(numbers: &mut Random, dimension: usize, largest: i64, strict: bool) -> ZoneBuf {
    let mut zone = ZoneBuf::universal(dimension);
    for _ in 0..numbers.below(2 * dimension + 1) {
        let (i, j) = (numbers.below(dimension), numbers.below(dimension));
        let constant = numbers.below(2 * largest as usize + 1) as i64 - largest;
        let constant = if i == 0 { -constant.abs() } else { constant };
        let mut smaller = zone.clone();
        let bound = Bound::checked(constant, strict && numbers.one_in(2)).unwrap();
        if i != j && smaller.as_mut().tighten(i, j, bound) {
            zone = smaller;
        }
    }
    zone
}

/// All clocks at most `largest`, or a little more if there are no such points.
fn bounded(zone: ZoneBuf, largest: i64) -> ZoneBuf {
    let at_most = |limit: i64| {
        let mut zone = zone.clone();
        let bound = Bound::checked(limit, false).unwrap();
        (1..zone.as_zone().dimension()).all(|clock| zone.as_mut().tighten(clock, 0, bound)).then_some(zone)
    };
    (largest..).find_map(at_most).unwrap()
}

/// The largest value of a clock; `otherwise` if there is none.
fn highest(zone: Zone<'_>, otherwise: i64) -> i64 {
    let upper = (1..zone.dimension()).map(|clock| zone.bound(clock, 0).constant().map(i64::from));
    upper.max_by_key(|end| end.unwrap_or(i64::MAX)).flatten().unwrap_or(otherwise)
}

fn coefficients(numbers: &mut Random, dimension: usize, range: usize) -> Vec<i64> {
    let mut coefficients = vec![0];
    coefficients.extend((1..dimension).map(|_| numbers.below(2 * range + 1) as i64 - range as i64));
    coefficients
}

fn origin_cost(zone: Zone<'_>, at_corner: i64, coefficients: &[i64]) -> i64 {
    let lowest = |clock: usize| -i64::from(zone.bound(0, clock).constant().unwrap());
    at_corner - (1..coefficients.len()).map(|clock| coefficients[clock] * lowest(clock)).sum::<i64>()
}

/// Two priced zones, the second often a little larger and cheaper than the first.
fn pair(numbers: &mut Random, dimension: usize, largest: i64) -> (PricedZone, PricedZone) {
    let strict = numbers.one_in(2);
    let mut first = zone(numbers, dimension, largest, strict);
    // With three clocks there are too many points to look far away.
    if dimension > 3 || !numbers.one_in(3) {
        first = bounded(first, largest + 1);
    }
    let mut second = first.clone();
    match numbers.below(4) {
        0 => second.as_mut().up(),
        1 => second.as_mut().hull(zone(numbers, dimension, largest, strict).as_zone()),
        2 => second = zone(numbers, dimension, largest, strict),
        _ => {}
    }
    let factors = coefficients(numbers, dimension, 3);
    let mut others = factors.clone();
    for factor in &mut others[1..] {
        *factor += if numbers.one_in(2) { 0 } else { numbers.below(4) as i64 - 2 };
    }
    if numbers.one_in(6) {
        others = coefficients(numbers, dimension, 3);
    }
    // The same cost at the origin, or a little less.
    let here = origin_cost(first.as_zone(), 4, &factors);
    let there = 4 + here - origin_cost(second.as_zone(), 4, &others) - numbers.below(5) as i64 + 1;
    let priced = |zone: ZoneBuf, cost: i64, factors: &[i64], attained: bool| {
        PricedZone::new(zone, cost, factors, attained).unwrap()
    };
    (priced(first, 4, &factors, !numbers.one_in(3)), priced(second, there, &others, !numbers.one_in(3)))
}

fn points(dimension: usize, largest: i64, tiny: i64) -> Vec<Values> {
    let mut points: Vec<Values> = vec![vec![0]];
    for _ in 1..dimension {
        points = points.iter().flat_map(|p| nearly_whole(largest, tiny).map(|v| [&p[..], &[v]].concat())).collect();
    }
    points
}

/// Compares the inclusion of two priced zones with that of their points. Whether it holds; a sentence if not the same.
pub fn compare(seed: u64) -> Result<bool, String> {
    let mut numbers = Random::new(seed);
    let dimension = 2 + numbers.below(2);
    let (first, second) = pair(&mut numbers, dimension, 3);
    let expected = points(dimension, highest(first.zone(), 16), 2).iter().all(|values| {
        let point = point(values);
        let (here, there) = (first.cost_at(&point), second.cost_at(&point));
        !first.zone().contains(&point)
            || (second.zone().contains(&point)
                && (there < here || (there == here && (second.is_attained() || !first.is_attained()))))
    });
    match first.is_included_in(&second) {
        Ok(found) if found == expected => Ok(found),
        found => Err(format!("seed {seed}: inclusion {found:?}, should be {expected}\n  {first}\n  {second}")),
    }
}

/// The points that simulate a point, on the scale of tiny units, with the costs of the zone they are in.
fn simulating(values: &[i64], other: &PricedZone, lower: &[i32], upper: &[i32]) -> Option<PricedZone> {
    let (n, unit) = (values.len(), UNIT);
    let mut zone = ZoneBuf::universal(n);
    let scaled = |constant: i32| i64::from(constant) * unit;
    let mut constraints = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let bound = other.zone().bound(i, j);
            if let Some(constant) = bound.constant().filter(|_| i != j) {
                constraints.push(Constraint::new(i, j, Bound::checked(scaled(constant), bound.is_strict()).unwrap()));
            }
        }
    }
    for x in 1..n {
        let (above_lower, above_upper) = (values[x] > scaled(lower[x]), values[x] > scaled(upper[x]));
        if !above_upper {
            constraints.push(Constraint::upper(x, Bound::checked(values[x], false).unwrap()));
        }
        if !above_lower {
            constraints.push(Constraint::lower(x, values[x], false).unwrap());
        } else if lower[x] != NO_BOUND {
            constraints.push(Constraint::lower(x, scaled(lower[x]), true).unwrap());
        }
    }
    if !zone.as_mut().tighten_all(&constraints) {
        return None;
    }
    let corner: Vec<i64> = (0..n).map(|x| -i64::from(zone.as_zone().bound(0, x).constant().unwrap())).collect();
    let cost = other.cost_at(&point(&corner)).unwrap() as i64;
    Some(PricedZone::new(zone, cost, other.coefficients(), other.is_attained()).unwrap())
}

/// Compares inclusion up to simulation of two priced zones with that of their points. Whether the first is included in the
/// second, and whether up to simulation; a sentence if this is not so for points.
pub fn compare_simulated(seed: u64, clocks: usize) -> Result<(bool, bool), String> {
    let mut numbers = Random::new(seed);
    let dimension = 2 + numbers.below(clocks);
    let (first, second) = pair(&mut numbers, dimension, 3);
    let mut constant = |clock: usize| match numbers.below(5) {
        _ if clock == 0 => 0,
        0 => NO_BOUND,
        other => other as i32 - 1,
    };
    let lower: Vec<i32> = (0..dimension).map(&mut constant).collect();
    let upper: Vec<i32> = (0..dimension).map(&mut constant).collect();
    let say = |what: String| format!("seed {seed}: {what}\n  {first}\n  {second}\n  lower {lower:?} upper {upper:?}");
    let found = first.is_simulated_by(&second, &lower, &upper).map_err(|error| say(error.to_string()))?;
    let largest = highest(first.zone(), if dimension == 2 { 16 } else { 9 });
    for values in points(dimension, largest, dimension as i64 - 1) {
        let here = point(&values);
        if !first.zone().contains(&here) {
            continue;
        }
        let cost = first.cost_at(&here).unwrap() as i64;
        let simulated = simulating(&values, &second, &lower, &upper).is_some_and(|others| match others.infimum() {
            Ok(least) => least.is_some_and(|least| {
                least.cost < cost || (least.cost == cost && (least.attained || !first.is_attained()))
            }),
            Err(_) => true, // falls without end
        });
        if !simulated {
            return match found {
                false => Ok((false, false)),
                true => Err(say(format!("{here} is not simulated at a cost of {cost}/{UNIT}"))),
            };
        }
    }
    match found {
        true => Ok((first.is_included_in(&second).unwrap(), true)),
        false => Err(say("all points are simulated".to_string())),
    }
}

/// Compares the infimum of a random function on a random zone with its values at points.
pub fn compare_infimum(seed: u64) -> Result<(), String> {
    let mut numbers = Random::new(seed);
    let strict = numbers.one_in(2);
    let dimension = if strict { 2 + numbers.below(2) } else { 2 + numbers.below(4) };
    let largest = if dimension > 3 { 2 } else { 3 };
    let zone = bounded(zone(&mut numbers, dimension, largest, strict), largest);
    let factors = coefficients(&mut numbers, dimension, 4);
    let inside: Vec<Values> = points(dimension, highest(zone.as_zone(), 0), if strict { 2 } else { 0 });
    let priced = PricedZone::new(zone, 7, &factors, true).unwrap();
    let inside = inside.iter().map(|values| point(values)).filter(|point| priced.zone().contains(point));
    let found = inside.map(|point| priced.cost_at(&point).unwrap()).min().ok_or(format!("seed {seed}: no points"))?;
    match priced.infimum() {
        Ok(Some(least)) => {
            let gap = found - i128::from(least.cost) * i128::from(UNIT);
            let same = if least.attained { gap == 0 } else { 0 < gap && gap < i128::from(UNIT) / 1000 };
            let there = priced.cost_at(&least.point) == Some(i128::from(least.cost) * least.point.denominator());
            let proper = least.attained == priced.zone().contains(&least.point);
            if same && there && proper { Ok(()) } else { Err(format!("seed {seed}: {least:?} of {priced}, {found}")) }
        }
        other => Err(format!("seed {seed}: {other:?} of {priced}")),
    }
}
