//! From a path to a run: the times at which the steps of a path can be taken, as early as possible.
//!
//! A search finds a list of moves; that zones were not empty along it says that times exist, not which. Here the times of
//! the steps are the unknowns. The value of a clock is the time that has passed since the step that set it, so guards and
//! invariants are bounds on differences of times, and the earliest solution is a longest path
//! ([`least_point`]). No extrapolation is involved: what comes out is exact, and no other run along the same moves takes
//! a step earlier. (With priorities the times that are allowed may have gaps; then the first solution found is taken.) Strict
//! bounds have no earliest time; a step that waits for one comes half a unit later, or less if
//! there is not so much time.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use bughound_dbm::{Bound, Constraint, Federation, Point, Zone, ZoneBuf, is_solvable, least_point};
use bughound_ir::expr::{BinaryOp, Expr, UnaryOp};
use bughound_kernel::{Explorer, Move, Outcome, State};

use super::condition::Condition;
use super::constraints::DifferenceBound;
use super::picking::Exactly;
use super::ranks::Blocking;
use super::{TimedSystem, deadlock, may_wait};
use crate::discrete::DiscreteExplorer;

/// When the steps of a path happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// All times are multiples of one over this.
    pub denominator: i128,
    /// For each micro step of the path its time, counted from the start. All micro steps of a macro step have the same.
    pub times: Vec<i128>,
    /// When the end is reached: after the last step it may need a delay.
    pub end: i128,
}

/// A path on its way to a system of constraints. Time 0 is the start, time `i` that of the `i`-th macro step.
struct Run<'s> {
    system: &'s TimedSystem,
    constraints: Vec<Constraint>,
    /// For each of these, one of the alternatives must hold too.
    choices: Vec<Vec<Vec<Constraint>>>,
    /// By place in a zone: the time at which the clock was set, and to what.
    clocks: Vec<(usize, i32)>,
}

impl TimedSystem {
    /// The earliest times for the macro steps of a path from the initial state. With `last`, the run ends where this
    /// condition holds, which may need a delay behind the last step; `deadlock` may be asked for in it. Nothing if there
    /// are no such times, or if the moves are not a path.
    pub fn schedule(&self, path: &[Vec<Move>], last: Option<&Expr>) -> Option<Schedule> {
        self.schedule_apart(path, last, &[])
    }

    /// The same, where the second step of each of these pairs comes at least one unit of time after the first. Steps are
    /// counted from 1; 0 is the start.
    pub fn schedule_apart(
        &self,
        path: &[Vec<Move>],
        last: Option<&Expr>,
        apart: &[(usize, usize)],
    ) -> Option<Schedule> {
        let (mut run, ends, end) = self.run_along(path, last)?;
        run.constraints.extend(apart.iter().map(|(from, to)| Constraint::new(*from, *to, Bound::at_most(-1))));
        let points = ends.iter().filter_map(|last| run.choose(last));
        let best = points.min_by(|a, b| earlier(a, b, end))?;
        Some(schedule(path, &best, end))
    }

    /// When runs along a path can come to an end in which the condition holds: the time that they all take, and whether
    /// they all take longer, if ever so little. With `within`, only runs count whose time is within this bound.
    pub fn least_time(&self, path: &[Vec<Move>], last: &Expr, within: Option<Bound>) -> Option<(i128, bool)> {
        let (run, ends, end) = self.run_along(path, Some(last))?;
        let within: Vec<Constraint> = within.map(|bound| Constraint::new(end, 0, bound)).into_iter().collect();
        ends.iter().filter_map(|last| run.least_time(&[&last[..], &within].concat(), end)).min()
    }

    /// What the times of a path must satisfy, what its end may be, and the number of its time.
    fn run_along(&self, path: &[Vec<Move>], last: Option<&Expr>) -> Option<(Run<'_>, Vec<Vec<Constraint>>, usize)> {
        let (mut discrete, mut probe) = (self.discrete.walker(), self.discrete.walker());
        let clocks = vec![(0, 0); self.dimension];
        let mut run = Run { system: self, constraints: Vec::new(), choices: Vec::new(), clocks };
        let mut key = None;
        discrete.initial(&mut |state| key = Some(state.key.to_vec()));
        let mut key = key?;
        run.stay(0, &key)?;
        for (at, moves) in path.iter().enumerate() {
            let now = at + 1;
            run.wait(now, &key, &mut probe)?;
            run.pass_guards(now, &key, moves)?;
            if let Some(blocking) = Blocking::new(self, &mut probe, &key) {
                let all = ZoneBuf::universal(self.dimension);
                let left = blocking.left_of(self, &key, moves, all.as_zone());
                run.choices.push(left.zones().filter_map(|zone| run.inside(now, zone)).collect());
            }
            let next = follow(&mut discrete, &key, moves)?;
            self.clockwork.resets(self.machine(), &key, moves, &mut |clock, value| run.clocks[clock] = (now, value));
            let Some(next) = next else {
                // The step fails: no state follows, so nothing more is asked.
                return (now == path.len()).then(|| (run, vec![Vec::new()], now));
            };
            run.stay(now, &next)?;
            key = next;
        }
        let end = path.len() + 1;
        run.wait(end, &key, &mut probe)?;
        let ends: Vec<Vec<Constraint>> = match last {
            None => vec![Vec::new()],
            Some(condition) => {
                let all = vec![ZoneBuf::universal(self.dimension)];
                let waits = may_wait(self, &mut probe, &key);
                let zones = self.points(condition, true, &mut discrete, &key, waits, all)?;
                zones.iter().filter_map(|zone| run.inside(end, zone.as_zone())).collect()
            }
        };
        Some((run, ends, end))
    }

    /// By clock: the largest constant that it will be compared with behind this path, if there is one. Nothing if the moves
    /// are not a path.
    pub fn constants_after(&self, path: &[Vec<Move>]) -> Option<Vec<Option<i32>>> {
        Some(self.constants(self.keys_along(path)?.last()?))
    }

    /// The keys of the states of a path, the first one included. Nothing if the moves are not a path.
    pub fn keys_along(&self, path: &[Vec<Move>]) -> Option<Vec<Vec<i32>>> {
        let mut discrete = self.discrete.walker();
        let mut keys = Vec::new();
        discrete.initial(&mut |state| keys.push(state.key.to_vec()));
        keys.truncate(1);
        for moves in path {
            let next = follow(&mut discrete, keys.last()?, moves)??;
            keys.push(next);
        }
        Some(keys)
    }

    /// The points of the zones at which a condition holds (or does not, if that is wanted), in a state with this key.
    /// Nothing if a clock is used as a number.
    pub(super) fn points(
        &self,
        condition: &Expr,
        wanted: bool,
        discrete: &mut DiscreteExplorer<'_>,
        key: &[i32],
        waits: bool,
        zones: Vec<ZoneBuf>,
    ) -> Option<Vec<ZoneBuf>> {
        if !condition.any(|e| matches!(e, Expr::Deadlock)) {
            return Some(Condition::new(condition)?.part(wanted, self.machine(), key, zones));
        }
        match condition {
            Expr::Deadlock => {
                let mut found = Vec::new();
                for mut zone in zones {
                    if !self.stay(key, &mut zone.as_mut()) {
                        continue;
                    }
                    let state = State { cover: zone.as_zone().words(), ..State::discrete(key) };
                    let stuck = deadlock::stuck_points(self, discrete, state, waits);
                    let points = if wanted {
                        stuck
                    } else {
                        let mut others = Federation::empty(self.dimension);
                        others.add(zone.as_zone());
                        others.subtract_all(&stuck);
                        others
                    };
                    found.extend(points.zones().map(ZoneBuf::from));
                }
                Some(found)
            }
            Expr::Unary(UnaryOp::Not, e) => self.points(e, !wanted, discrete, key, waits, zones),
            Expr::Holds(e) => self.points(e, wanted, discrete, key, waits, zones),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                if (*op == BinaryOp::And) == wanted {
                    let zones = self.points(a, wanted, discrete, key, waits, zones)?;
                    return self.points(b, wanted, discrete, key, waits, zones);
                }
                let mut found = self.points(a, wanted, discrete, key, waits, zones.clone())?;
                found.extend(self.points(b, wanted, discrete, key, waits, zones)?);
                Some(found)
            }
            _ => None,
        }
    }
}

/// Which of two solutions comes to its end earlier.
fn earlier(a: &Point, b: &Point, end: usize) -> Ordering {
    let scaled = |point: &Point, by: &Point| point.scaled(end).saturating_mul(by.denominator());
    scaled(a, b).cmp(&scaled(b, a))
}

/// How many times the constraints are about.
fn times(constraints: &[Constraint]) -> usize {
    constraints.iter().map(|c| c.left.max(c.right)).max().unwrap_or(0) + 1
}

fn schedule(path: &[Vec<Move>], point: &Point, end: usize) -> Schedule {
    let micro_steps = |moves: &Vec<Move>| moves.iter().filter(|m| !m.joins).count();
    let times = path.iter().enumerate();
    let times = times.flat_map(|(at, moves)| std::iter::repeat_n(point.scaled(at + 1), micro_steps(moves)));
    Schedule { denominator: point.denominator(), times: times.collect(), end: point.scaled(end) }
}

/// The state behind a step, or `Some(None)` if the step fails. Nothing if it is not possible.
fn follow(discrete: &mut DiscreteExplorer<'_>, key: &[i32], moves: &[Move]) -> Option<Option<Vec<i32>>> {
    let mut found = None;
    discrete.successors_by(key, &mut Exactly::new(moves), &mut |step| {
        if step.moves != moves {
            return ControlFlow::Continue(());
        }
        match step.outcome {
            Outcome::State(to) => {
                found = Some(Some(to.key.to_vec()));
                ControlFlow::Break(())
            }
            // The step may go on in spite of it.
            Outcome::Failure(_) => {
                found = Some(None);
                ControlFlow::Continue(())
            }
        }
    });
    found
}

impl Run<'_> {
    /// The state with this key lasts until now.
    fn wait(&mut self, now: usize, key: &[i32], probe: &mut DiscreteExplorer<'_>) -> Option<()> {
        self.constraints.push(Constraint::new(now - 1, now, Bound::ZERO_LE));
        if !may_wait(self.system, probe, key) {
            self.constraints.push(Constraint::new(now, now - 1, Bound::ZERO_LE));
        }
        self.stay(now, key)
    }

    /// The invariants hold now.
    fn stay(&mut self, now: usize, key: &[i32]) -> Option<()> {
        let (system, machine) = (self.system, self.system.machine());
        for (pid, location) in system.locations(key) {
            for constraint in system.clockwork.invariant(location) {
                let (bounds, count) = constraint.bounds(machine, machine.context(key, pid, false))?;
                bounds[..count].iter().try_for_each(|bound| self.require(now, *bound))?;
            }
        }
        Some(())
    }

    fn pass_guards(&mut self, now: usize, key: &[i32], moves: &[Move]) -> Option<()> {
        let (system, machine) = (self.system, self.system.machine());
        for m in moves {
            for constraint in system.clockwork.guards(m.edge) {
                let cx = machine.context(key, m.process as usize, false);
                // A guard without value is in nobody's way: the step fails.
                let Some((bounds, count)) = constraint.bounds(machine, cx) else { continue };
                bounds[..count].iter().try_for_each(|bound| self.require(now, *bound))?;
            }
        }
        Some(())
    }

    /// The difference of two clocks is within a bound now. Nothing: it cannot be.
    fn require(&mut self, now: usize, bound: DifferenceBound) -> Option<()> {
        self.constraints.extend(self.between(now, bound)?);
        Some(())
    }

    /// A bound on the difference of two clocks as one on the times at which they were set: clock `i` has the value
    /// `now − set_i + value_i`, the reference that of a clock that is set to 0 just now. `Some(None)`: it always holds.
    fn between(&self, now: usize, (i, j, bound): DifferenceBound) -> Option<Option<Constraint>> {
        let Some(constant) = bound.constant() else { return Some(None) };
        let clock = |place: usize| if place == 0 { (now, 0) } else { self.clocks[place] };
        let ((set_i, value_i), (set_j, value_j)) = (clock(i), clock(j));
        let constant = i64::from(constant) - i64::from(value_i) + i64::from(value_j);
        match Bound::checked(constant, bound.is_strict()) {
            Some(bound) => Some(Some(Constraint::new(set_j, set_i, bound))),
            None if constant > 0 => Some(None),
            None => None,
        }
    }

    /// The values of the clocks are in the zone now. Nothing: they cannot be.
    fn inside(&self, now: usize, zone: Zone<'_>) -> Option<Vec<Constraint>> {
        let n = self.system.dimension;
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j);
        let constraints: Option<Vec<Option<Constraint>>> =
            pairs.map(|(i, j)| self.between(now, (i, j, zone.bound(i, j)))).collect();
        Some(constraints?.into_iter().flatten().collect())
    }

    /// A solution with one alternative of each choice, looked for depth first.
    fn choose(&self, last: &[Constraint]) -> Option<Point> {
        self.chosen(last).and_then(|chosen| self.solve(&chosen))
    }

    /// These constraints with those of one alternative of each choice, if all of it together has a solution. A run has as many
    /// choices as steps, so the way through them is no recursion.
    fn chosen(&self, last: &[Constraint]) -> Option<Vec<Constraint>> {
        let mut all = [&self.constraints[..], last].concat();
        // By choice: the alternative, and how many constraints there were without it.
        let mut made: Vec<(usize, usize)> = Vec::new();
        let mut next = 0;
        loop {
            let alternatives = self.choices.get(made.len());
            match alternatives.map(|alternatives| (alternatives, alternatives.get(next))) {
                None if is_solvable(times(&all), &all) => return Some(all.split_off(self.constraints.len())),
                Some((alternatives, Some(more))) => {
                    let before = all.len();
                    all.extend_from_slice(more);
                    // What nobody can choose is looked at together with what follows.
                    if alternatives.len() == 1 || is_solvable(times(&all), &all) {
                        made.push((next, before));
                        next = 0;
                    } else {
                        all.truncate(before);
                        next += 1;
                    }
                }
                None | Some((_, None)) => {
                    let (taken, before) = made.pop()?;
                    all.truncate(before);
                    next = taken + 1;
                }
            }
        }
    }

    /// See [`TimedSystem::least_time`]. With choices, of the first that has a solution.
    fn least_time(&self, last: &[Constraint], end: usize) -> Option<(i128, bool)> {
        let mut constraints = [&self.constraints[..], &self.chosen(last)?].concat();
        let times = end + 1;
        // Where strict bounds may be reached the least time is reached, a whole number. It is the limit of those that are
        // possible; whether it is one of them is seen when nothing else is left.
        let reached = |c: &Constraint| match c.bound.constant() {
            Some(constant) => Constraint { bound: Bound::at_most(constant), ..*c },
            None => *c,
        };
        let limit = least_point(times, &constraints.iter().map(reached).collect::<Vec<_>>())?;
        let time = limit.scaled(end) / limit.denominator();
        let Some(bound) = Bound::checked(i64::try_from(time).ok()?, false) else {
            // Too late to be a bound itself: compare the solutions.
            let some = least_point(times, &constraints)?;
            return Some((time, some.scaled(end) != time * some.denominator()));
        };
        constraints.push(Constraint::new(end, 0, bound));
        Some((time, least_point(times, &constraints).is_none()))
    }

    fn solve(&self, last: &[Constraint]) -> Option<Point> {
        let constraints = [&self.constraints[..], last].concat();
        let times = times(&constraints);
        let found = least_point(times, &constraints)?;
        // Where a strict bound is in the way there is no earliest time, and whole numbers, if they are possible, may be
        // later than one would think: `x > 2` at 3. Halves are soon enough, and still good to read.
        let changed = |scale: i64, bound: &dyn Fn(Bound) -> bool| -> Option<Vec<Constraint>> {
            let change = |c: &Constraint| match c.bound.constant() {
                None => Some(*c),
                Some(constant) => {
                    Some(Constraint { bound: Bound::checked(scale * i64::from(constant), bound(c.bound))?, ..*c })
                }
            };
            constraints.iter().map(change).collect()
        };
        if found.denominator() == 1 {
            let limit = least_point(times, &changed(1, &|_| false)?)?;
            if found != limit
                && let Some(halves) = changed(2, &|bound| bound.is_strict())
                && let Some(halves) = least_point(times, &halves)
            {
                let values = (0..times).map(|time| halves.scaled(time)).collect();
                return Some(Point::new(values, halves.denominator() * 2));
            }
        }
        Some(found)
    }
}
