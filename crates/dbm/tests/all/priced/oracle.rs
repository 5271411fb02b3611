//! What priced zones are compared with: the least cost of each point of a grid, point by point.
//!
//! Clock values are whole numbers plus a few *tiny* units, of which [`UNIT`] make a whole one: so many that all tiny units
//! of a run together, times all prices, are far less than one. With closed constraints whole values are enough: the least
//! cost of reaching a whole point is found with whole delays, because the constraints on the times of a run are totally
//! unimodular. A strict bound is passed one tiny unit away from it. So the least cost on the grid is the infimum of the
//! costs of all runs, if it is attained; otherwise it is more by some tiny units. This needs grids with as many tiny units
//! to both sides as there are strict bounds on a path through the times of a run (corner points of regions, in the words
//! of the field).

use bughound_dbm::priced::{Operation, PricedZone, Stages};
use bughound_dbm::{Bound, Constraint, Point};
use bughound_kernel::Random;
use std::collections::HashMap;

pub const UNIT: i64 = 1_000_000;

/// Values of the clocks in tiny units; the first is that of the reference.
pub type Values = Vec<i64>;

/// The least cost of each point, in tiny units.
pub type Costs = HashMap<Values, i64>;

/// What the random operations are like.
#[derive(Clone, Copy)]
pub struct Kind {
    pub dimension: usize,
    pub strict: bool,
    /// Without invariants, clocks grow beyond all constants.
    pub unbounded: bool,
    pub delays: usize,
}

impl Kind {
    pub const ALL: [Kind; 5] = [
        Kind { dimension: 3, strict: false, unbounded: false, delays: 5 },
        Kind { dimension: 4, strict: false, unbounded: false, delays: 3 },
        Kind { dimension: 3, strict: false, unbounded: true, delays: 3 },
        Kind { dimension: 3, strict: true, unbounded: false, delays: 2 },
        Kind { dimension: 2, strict: true, unbounded: true, delays: 4 },
    ];

    /// Points that are compared are whole or so many tiny units away: each delay on the way can need one of them.
    fn apart(self) -> i64 {
        if self.strict { self.delays as i64 + 1 } else { 0 }
    }

    /// Tiny units to both sides of whole values.
    fn tiny(self) -> i64 {
        2 * self.apart()
    }

    /// The longest delay.
    fn longest(self) -> i64 {
        if self.unbounded { 12 } else { LARGEST + 1 }
    }

    /// The largest value of a clock that has been freed: further from the points that are looked at in the end than shifts
    /// can bring it.
    fn farthest(self) -> i64 {
        LARGEST + 2 + 2 * self.delays as i64
    }
}

/// The largest constant.
pub const LARGEST: i64 = 3;

fn constraint(numbers: &mut Random, kind: Kind) -> Constraint {
    let n = kind.dimension;
    let strict = kind.strict && numbers.one_in(2);
    let (x, y) = (1 + numbers.below(n - 1), 1 + numbers.below(n - 1));
    let constant = numbers.below(LARGEST as usize + 1) as i64;
    match numbers.below(8) {
        0..4 => Constraint::lower(x, constant, strict).unwrap(),
        4..7 => Constraint::upper(x, Bound::checked(constant, strict).unwrap()),
        _ if x != y => Constraint::new(x, y, Bound::checked(constant - 1, strict).unwrap()),
        _ => Constraint::upper(x, Bound::checked(constant, strict).unwrap()),
    }
}

/// A random sequence of operations, as timed automata have them: delays with invariants, guards, impulses, resets.
pub fn operations(numbers: &mut Random, kind: Kind) -> Vec<Operation> {
    let n = kind.dimension;
    let clock = |numbers: &mut Random| 1 + numbers.below(n - 1);
    let mut operations = Vec::new();
    for _ in 0..kind.delays {
        operations.push(Operation::Delay(numbers.below(6) as i64));
        let mut invariant = Vec::new();
        if !kind.unbounded || numbers.one_in(2) {
            let bound = Bound::checked(numbers.below(LARGEST as usize) as i64 + 1, kind.strict && numbers.one_in(3));
            invariant.push(Constraint::upper(clock(numbers), bound.unwrap()));
        }
        operations.push(Operation::Require(invariant));
        for _ in 0..numbers.below(3) {
            operations.push(match numbers.below(9) {
                0..3 => Operation::Require(vec![constraint(numbers, kind)]),
                3 => Operation::Pay(numbers.below(4) as i64),
                4..6 => Operation::Reset { clock: clock(numbers), value: numbers.below(2) as i32 },
                6 => Operation::Copy { to: clock(numbers), from: clock(numbers) },
                7 => Operation::Shift { clock: clock(numbers), amount: numbers.below(3) as i32 - 1 },
                _ if n < 4 && numbers.one_in(3) => Operation::Free(clock(numbers)),
                _ => Operation::Reset { clock: clock(numbers), value: 0 },
            });
        }
    }
    operations
}

pub fn satisfies(values: &[i64], c: &Constraint) -> bool {
    let difference = values[c.left] - values[c.right];
    c.bound.constant().is_none_or(|constant| {
        let limit = i64::from(constant) * UNIT;
        difference < limit || (difference == limit && !c.bound.is_strict())
    })
}

fn offer(costs: &mut Costs, values: Values, cost: i64) {
    let known = costs.entry(values).or_insert(cost);
    *known = (*known).min(cost);
}

/// Few tiny units away from whole numbers, and no clock negative?
fn on_grid(values: &[i64], kind: Kind) -> bool {
    values.iter().all(|value| *value >= 0 && tiny_part(*value).abs() <= kind.tiny())
}

/// How many tiny units a value is above the nearest whole number, or below.
fn tiny_part(value: i64) -> i64 {
    (value + UNIT / 2).rem_euclid(UNIT) - UNIT / 2
}

/// Whole numbers and what is few tiny units away from them, from 0 to the largest.
pub fn nearly_whole(largest: i64, tiny: i64) -> impl Iterator<Item = i64> + Clone {
    (0..=largest).flat_map(move |whole| (-tiny..=tiny).map(move |t| whole * UNIT + t)).filter(|value| *value >= 0)
}

/// What an operation does to a single point, but for delays and freed clocks.
fn change(values: &mut Values, cost: &mut i64, operation: &Operation) -> bool {
    match operation {
        Operation::Require(constraints) => return constraints.iter().all(|c| satisfies(values, c)),
        Operation::Pay(impulse) => *cost += impulse * UNIT,
        Operation::Reset { clock, value } => values[*clock] = i64::from(*value) * UNIT,
        Operation::Copy { to, from } => values[*to] = values[*from],
        Operation::Shift { clock, amount } => {
            values[*clock] += i64::from(*amount) * UNIT;
            return values[*clock] >= 0;
        }
        Operation::Free(_) | Operation::Delay(_) => unreachable!(),
    }
    true
}

/// The least cost of each point of the grid after all operations.
pub fn costs(kind: Kind, operations: &[Operation]) -> Costs {
    let mut costs = Costs::from([(vec![0; kind.dimension], 0)]);
    for (step, operation) in operations.iter().enumerate() {
        let mut after = Costs::new();
        match operation {
            Operation::Delay(rate) => {
                let invariant = match operations.get(step + 1) {
                    Some(Operation::Require(constraints)) => &constraints[..],
                    _ => &[],
                };
                for (values, cost) in &costs {
                    for delay in nearly_whole(kind.longest(), 2 * kind.tiny()) {
                        let mut later = values.clone();
                        later[1..].iter_mut().for_each(|value| *value += delay);
                        if on_grid(&later, kind) && invariant.iter().all(|c| satisfies(&later, c)) {
                            offer(&mut after, later, cost + rate * delay);
                        }
                    }
                }
            }
            Operation::Free(clock) => {
                for (values, cost) in &costs {
                    for value in nearly_whole(kind.farthest(), kind.tiny()) {
                        let mut freed = values.clone();
                        freed[*clock] = value;
                        offer(&mut after, freed, *cost);
                    }
                }
            }
            _ => {
                for (mut values, mut cost) in costs {
                    if change(&mut values, &mut cost, operation) {
                        offer(&mut after, values, cost);
                    }
                }
            }
        }
        costs = after;
    }
    costs
}

pub fn point(values: &[i64]) -> Point {
    Point::new(values.iter().map(|value| i128::from(*value)).collect(), i128::from(UNIT))
}

/// The least cost of a point over several priced zones, in tiny units, and whether it is attained.
pub fn least_at(zones: &[PricedZone], values: &[i64]) -> Option<(i64, bool)> {
    let point = point(values);
    let here = zones.iter().filter(|zone| zone.zone().contains(&point));
    let cost = |zone: &PricedZone| (zone.cost_at(&point).unwrap() as i64, !zone.is_attained());
    here.map(cost).min().map(|(cost, approached)| (cost, !approached))
}

/// Are an infimum and the least cost on the grid the same: exactly if it is attained, with some tiny units more if not?
fn agree(infimum: Option<(i64, bool)>, found: Option<i64>) -> bool {
    match (infimum, found) {
        (None, None) => true,
        (Some((cost, true)), Some(found)) => cost == found,
        (Some((cost, false)), Some(found)) => cost < found && found < cost + UNIT / 1000,
        _ => false,
    }
}

/// Applies random operations to priced zones and to points and compares all that can be known of the results. The number
/// of comparisons; a sentence if something differs.
pub fn compare_operations(seed: u64, kind: Kind) -> Result<usize, String> {
    let mut numbers = Random::new(seed);
    let operations = operations(&mut numbers, kind);
    let start = PricedZone::zero(kind.dimension, 0);
    let stages = Stages::explore(&start, &operations).map_err(|error| error.to_string())?;
    let zones = stages.last();
    let expected = costs(kind, &operations);
    let say = |what: String| format!("seed {seed}: {what}\n  after {operations:?}\n  {zones:#?}");
    let away = |value: &i64| [0, kind.apart()].contains(&tiny_part(*value).abs());
    let ends = nearly_whole(LARGEST + 2, kind.apart()).filter(away);
    let mut points: Vec<Values> = vec![vec![0]];
    for _ in 1..kind.dimension {
        points = points.iter().flat_map(|p| ends.clone().map(|v| [&p[..], &[v]].concat())).collect();
    }
    for values in &points {
        let (infimum, found) = (least_at(zones, values), expected.get(values).copied());
        if !agree(infimum, found) {
            return Err(say(format!("cost {infimum:?} at {}, should be {found:?}", point(values))));
        }
        if infimum.is_some() && numbers.one_in(7) {
            check_run(&start, &stages, &operations, values).map_err(say)?;
        }
    }
    // The least of all: over all points that are not beyond the grid.
    let near = expected.iter().filter(|(values, _)| values.iter().all(|value| *value <= (LARGEST + 2) * UNIT));
    let found = near.map(|(_, cost)| *cost).min();
    let cut: Vec<Constraint> =
        (1..kind.dimension).map(|x| Constraint::upper(x, Bound::at_most(LARGEST as i32 + 2))).collect();
    let mut infimum: Option<(i64, bool)> = None;
    for (index, zone) in zones.iter().enumerate() {
        let part = zone.require(&cut).map_err(|error| error.to_string())?;
        let Some(least) = part.infimum().map_err(|error| error.to_string())? else { continue };
        if least.cost != part.least_cost().unwrap() {
            return Err(say(format!("two least costs of {part}")));
        }
        if part.cost_at(&least.point) != Some(i128::from(least.cost) * least.point.denominator()) {
            return Err(say(format!("{} is not at {} in {part}", least.cost, least.point)));
        }
        if least.attained && !part.zone().contains(&least.point) || !least.attained && least.point.denominator() != 1 {
            return Err(say(format!("{} is no point for the infimum of {part}", least.point)));
        }
        check_back(&start, &stages, &operations, index, &least.point, least.attained).map_err(say)?;
        let known = infimum.map(|(cost, attained)| (cost, !attained));
        let best = known.into_iter().chain([(least.cost * UNIT, !least.attained)]).min();
        infimum = best.map(|(cost, approached)| (cost, !approached));
    }
    if !agree(infimum, found) {
        return Err(say(format!("infimum {infimum:?}, should be {found:?}")));
    }
    Ok(points.len())
}

/// Goes back from the cheapest priced zone with this point.
fn check_run(start: &PricedZone, stages: &Stages, operations: &[Operation], values: &[i64]) -> Result<(), String> {
    let end = point(values);
    let here = stages.last().iter().enumerate().filter(|(_, zone)| zone.zone().contains(&end));
    let best = here.min_by_key(|(_, zone)| (zone.cost_at(&end), !zone.is_attained()));
    let (index, zone) = best.ok_or("the point is nowhere")?;
    check_back(start, stages, operations, index, &end, zone.is_attained())
}

/// Goes back from a point of a priced zone, and then forwards along the run that comes out, without zones: all bounds must
/// hold (if the cost is not attained: with their boundaries), and the cost must be that of the priced zone.
fn check_back(
    start: &PricedZone,
    stages: &Stages,
    operations: &[Operation],
    index: usize,
    end: &Point,
    attained: bool,
) -> Result<(), String> {
    let zone = &stages.last()[index];
    let moments = stages.back(index, end).ok_or_else(|| format!("no way back from {end} in {zone}"))?;
    let mut cost = (0i128, 1i128);
    let mut now = moments[0].point.clone();
    if now != start.zone().some_point().unwrap().refined(now.denominator()).unwrap() {
        return Err(format!("the run to {end} begins at {now}"));
    }
    for (step, operation) in operations.iter().enumerate() {
        let (moment, next) = (&moments[step], moments.get(step + 1).map_or(end, |moment| &moment.point));
        let unit = moment.point.denominator();
        now = moment.point.clone();
        if moment.delay < 0 || (moment.delay > 0 && !matches!(operation, Operation::Delay(_))) {
            return Err(format!("a delay of {} for {operation:?}", moment.delay));
        }
        match operation {
            Operation::Require(constraints) => {
                let holds = |c: &Constraint| {
                    let (difference, limit) = (now.scaled(c.left) - now.scaled(c.right), c.bound.constant().unwrap());
                    let limit = i128::from(limit) * unit;
                    difference < limit || (difference == limit && !(attained && c.bound.is_strict()))
                };
                if !constraints.iter().all(holds) {
                    return Err(format!("{now} breaks {constraints:?} on the way to {end}, attained: {attained}"));
                }
            }
            Operation::Pay(impulse) => cost.0 += i128::from(*impulse) * cost.1,
            Operation::Reset { clock, value } => now.reset(*clock, *value),
            Operation::Copy { to, from } => now.copy(*to, *from),
            Operation::Shift { clock, amount } => now.shift(*clock, *amount),
            Operation::Free(clock) => {
                if !(1..now.dimension()).all(|i| i == *clock || now.value(i) == next.value(i)) {
                    return Err(format!("{now} becomes {next} when a clock is freed"));
                }
                continue;
            }
            Operation::Delay(rate) => {
                now.delay(moment.delay);
                cost = (cost.0 * unit + i128::from(*rate) * moment.delay * cost.1, cost.1 * unit);
                let divisor = common_divisor(cost.0, cost.1);
                cost = (cost.0 / divisor, cost.1 / divisor);
            }
        }
        if !(1..now.dimension()).all(|i| now.value(i) == next.value(i) && now.scaled(i) >= 0) {
            return Err(format!("{now} after {operation:?}, but {next} on the way to {end}"));
        }
    }
    let claimed = zone.cost_at(end).unwrap();
    if claimed * cost.1 != cost.0 * end.denominator() {
        return Err(format!("the run to {end} costs {}/{}, not {claimed}/{}", cost.0, cost.1, end.denominator()));
    }
    Ok(())
}

fn common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs().max(1) } else { common_divisor(b, a % b) }
}
