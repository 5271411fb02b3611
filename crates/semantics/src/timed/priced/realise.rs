//! From a path to a schedule of least cost: when each step of the path happens.
//!
//! The priced zones along the path are computed once more, each with where it came from; then the cheapest point of the
//! goal is followed backwards, operation by operation ([`Stages::back`]). If the infimum is attained, the run that comes
//! out has exactly this cost. If not, it is at the limit of strict bounds and breaks some of them; a run close to it lies
//! between it and any proper run along the same path ([`part_way`]).
//!
//! Always by the general priced zones, whatever the search has used: it is another way to the same cost.

use std::ops::ControlFlow;

use bughound_dbm::priced::{Infimum, Operation, PriceError, PricedZone, Stages, part_way};
use bughound_dbm::{Point, ZoneBuf};
use bughound_ir::expr::Expr;
use bughound_ir::rational::Rational;
use bughound_kernel::{Explorer, Move, Outcome};

use super::prices::impulse;
use super::{CostError, PricedSystem};
use crate::discrete::DiscreteExplorer;
use crate::timed::condition::Condition;
use crate::timed::picking::Exactly;
use crate::timed::ranks::Blocking;
use crate::timed::schedule::Schedule;

/// How much of the way to a proper run is gone from one at the limit.
const PART: (i128, i128) = (1, 100);

/// The cheapest runs along a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Realised {
    /// A run of least cost, or one close to it.
    pub schedule: Schedule,
    /// The infimum of the costs of all runs along the path.
    pub cost: i64,
    /// Is there a run of this cost? Then the schedule is one.
    pub attained: bool,
}

/// All priced zones along a path, the initial ones first, and the key at its end.
struct Along {
    layers: Vec<Behind>,
    key: Vec<i32>,
}

/// The priced zones behind a step of the path.
struct Behind {
    /// For each way into them: the priced zone before it, by its number in the list before, and what happens on the way.
    ways: Vec<(usize, Stages)>,
    /// The zones that count: by way and number among its results.
    kept: Vec<(usize, usize)>,
}

impl Behind {
    /// Leaves out what is superfluous.
    fn new(ways: Vec<(usize, Stages)>) -> Result<Behind, CostError> {
        let all = ways.iter().enumerate();
        let all = all.flat_map(|(way, (_, stages))| (0..stages.last().len()).map(move |index| (way, index)));
        let mut behind = Behind { kept: all.collect(), ways };
        let mut at = 0;
        while at < behind.kept.len() {
            let mut superfluous = false;
            for other in (0..behind.kept.len()).filter(|other| *other != at) {
                superfluous |= behind.zone(at).is_included_in(behind.zone(other))?;
            }
            if superfluous {
                behind.kept.remove(at);
            } else {
                at += 1;
            }
        }
        Ok(behind)
    }

    fn zone(&self, number: usize) -> &PricedZone {
        let (way, index) = self.kept[number];
        &self.ways[way].1.last()[index]
    }

    /// How long the run to a point of a zone rests in the state behind the step; the zone before it, and the point there.
    fn back(&self, number: usize, point: &Point) -> Option<(Rational, usize, Point)> {
        let (way, index) = self.kept[number];
        let (from, stages) = &self.ways[way];
        let moments = stages.back(index, point)?;
        let mut rest = Rational::ZERO;
        for moment in &moments {
            rest = rest.plus(Rational::new(moment.delay, moment.point.denominator())?)?;
        }
        Some((rest, *from, moments.first().map_or_else(|| point.clone(), |moment| moment.point.clone())))
    }
}

impl PricedSystem {
    /// The cheapest runs along a path from the initial state to a point where the goal holds. Nothing if the moves are
    /// not such a path.
    pub fn realise(&self, path: &[Vec<Move>], goal: &Expr) -> Result<Option<Realised>, CostError> {
        let Some(Along { layers, key }) = self.along(path)? else { return Ok(None) };
        let Some(last) = layers.last() else { return Ok(None) };
        let Some(goal_condition) = Condition::new(goal) else { return Ok(None) };
        let mut best: Option<(Infimum, usize)> = None;
        for number in 0..last.kept.len() {
            let zone = last.zone(number);
            let points = vec![ZoneBuf::from(zone.zone())];
            for part in goal_condition.part(true, self.timed.machine(), &key, points) {
                for end in zone.apply(&PricedSystem::part(part.as_zone()))? {
                    let Some(found) = end.infimum()? else { continue };
                    let rank = |found: &Infimum| (found.cost, !found.attained);
                    if best.as_ref().is_none_or(|(best, _)| rank(&found) < rank(best)) {
                        best = Some((found, number));
                    }
                }
            }
        }
        let Some((Infimum { cost, attained, point }, number)) = best else { return Ok(None) };
        let Some(limit) = times(&layers, number, point) else { return Ok(None) };
        let times = if attained { Some(limit) } else { self.close_to(limit, path, goal) };
        Ok(times.map(|times| Realised { schedule: schedule(path, &times), cost, attained }))
    }

    /// A proper run along the path, close to one at the limit of what is possible.
    fn close_to(&self, limit: Point, path: &[Vec<Move>], goal: &Expr) -> Option<Point> {
        let proper = self.timed.schedule(path, Some(goal))?;
        let micro_steps = |moves: &Vec<Move>| moves.iter().filter(|m| !m.joins).count();
        let mut values = vec![0];
        let mut at = 0;
        for moves in path {
            values.push(*proper.times.get(at)?);
            at += micro_steps(moves);
        }
        values.push(proper.end);
        let proper = Point::new(values, proper.denominator);
        // With priorities, what lies between two runs may not be possible.
        if self.discrete().network().ranks.is_some() {
            return Some(proper);
        }
        part_way(&limit, &proper, PART.0, PART.1)
    }

    /// Follows a path. Nothing if it is none.
    fn along(&self, path: &[Vec<Move>]) -> Result<Option<Along>, CostError> {
        let (mut discrete, mut probe) = (self.discrete().walker(), self.discrete().walker());
        let mut key = None;
        discrete.initial(&mut |state| key = Some(state.key.to_vec()));
        let Some(mut key) = key else { return Ok(None) };
        let mut operations = Vec::new();
        if !self.settle(&mut probe, &key, &mut operations)? {
            return Ok(None);
        }
        let start = PricedZone::zero(self.timed.dimension, 0);
        let mut layers = vec![Behind::new(vec![(0, Stages::explore(&start, &operations)?)])?];
        for moves in path {
            let Some((next, impulse)) = follow(&mut discrete, &key, moves) else { return Ok(None) };
            let mut operations = vec![Operation::Pay(impulse?)];
            self.resets(&key, moves, &mut operations);
            if !self.settle(&mut probe, &next, &mut operations)? {
                return Ok(None);
            }
            let before = &layers[layers.len() - 1];
            let blocking = Blocking::new(&self.timed, &mut probe, &key);
            let guards = self.guards(&key, moves);
            let mut ways = Vec::new();
            for number in 0..before.kept.len() {
                let mut entrances = vec![vec![guards.clone()]];
                if let Some(blocking) = &blocking {
                    let zone = before.zone(number).require(constraints(&guards))?;
                    let left = blocking.left_of(&self.timed, &key, moves, zone.zone());
                    entrances = left.zones().map(|part| vec![guards.clone(), PricedSystem::part(part)]).collect();
                }
                for entrance in entrances {
                    let all = [entrance, operations.clone()].concat();
                    ways.push((number, Stages::explore(before.zone(number), &all)?));
                }
            }
            layers.push(Behind::new(ways)?);
            key = next;
        }
        Ok(Some(Along { layers, key }))
    }
}

fn constraints(operation: &Operation) -> &[bughound_dbm::Constraint] {
    match operation {
        Operation::Require(constraints) => constraints,
        _ => &[],
    }
}

/// The state behind a step and what the step pays; nothing if it is not possible, or fails.
fn follow(
    discrete: &mut DiscreteExplorer<'_>,
    key: &[i32],
    moves: &[Move],
) -> Option<(Vec<i32>, Result<i64, PriceError>)> {
    let mut found = None;
    discrete.successors_by(key, &mut Exactly::new(moves), &mut |step| match step.outcome {
        Outcome::State(to) if step.moves == moves => {
            found = Some((to.key.to_vec(), impulse(step)));
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    found
}

/// The times of all steps and of the end of a run to a point of the last zones: 0, then one for each step, then the end.
fn times(layers: &[Behind], number: usize, point: Point) -> Option<Point> {
    let (mut number, mut point) = (number, point);
    let mut rests = Vec::new();
    for layer in layers.iter().rev() {
        let (rest, before, at) = layer.back(number, &point)?;
        rests.push(rest);
        (number, point) = (before, at);
    }
    let mut times = vec![Rational::ZERO];
    for rest in rests.into_iter().rev() {
        times.push(times.last()?.plus(rest)?);
    }
    let mut unit: i128 = 1;
    for time in &times {
        unit = unit.checked_mul(time.denominator() / gcd(unit, time.denominator()))?;
    }
    let scaled = |time: &Rational| time.numerator().checked_mul(unit / time.denominator());
    Some(Point::new(times.iter().map(scaled).collect::<Option<_>>()?, unit))
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A time for each micro step.
fn schedule(path: &[Vec<Move>], times: &Point) -> Schedule {
    let micro_steps = |moves: &Vec<Move>| moves.iter().filter(|m| !m.joins).count();
    let each = path.iter().enumerate();
    let each = each.flat_map(|(at, moves)| std::iter::repeat_n(times.scaled(at + 1), micro_steps(moves)));
    Schedule { denominator: times.denominator(), times: each.collect(), end: times.scaled(path.len() + 1) }
}
