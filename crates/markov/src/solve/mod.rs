//! Solves equations component by component, successors first: exactly, or between bounds.
//!
//! Variables outside cycles take one pass. A cyclic component is eliminated (chains, if it fits) or swept. Errors add up
//! along chains of components and nothing else: if all values that a component depends on have relative width δ, so has its
//! exact solution with bounds put in, because the equations are homogeneous in constants and values. So a component that lies
//! on top of j−1 others in a chain of at most d may be as wide as ε·j/d.

mod counted;
mod eliminate;
mod equations;
mod local;
mod policy;
mod rounding;
mod stuck;
mod sweep;

use dashu_ratio::RBig;

pub(crate) use eliminate::{Budget, Chain, eliminate};
pub(crate) use equations::{Equations, Known, NO_CHOICE, Role};
use local::Local;
pub(crate) use rounding::{grown, shrunk};
use sweep::{Ended, Sweeper, Tolerance};

use crate::answer::{Extreme, Work};
use crate::effort::{Effort, ExactLimits, Failure};
use crate::graph::{Components, components_of};
use crate::numbers::{Interval, Scalar, bits};

/// Values of the variables, and the row that each should take.
pub(crate) struct Solution<N> {
    pub values: Vec<N>,
    pub rows: Vec<u32>,
}

/// Exact if that was wanted and possible.
pub(crate) enum Solved {
    Exact(Solution<RBig>),
    Between(Solution<Interval>),
}

impl Solved {
    pub fn rows(&self) -> &[u32] {
        match self {
            Solved::Exact(solution) => &solution.rows,
            Solved::Between(solution) => &solution.rows,
        }
    }
}

/// Components up to this size are eliminated before anything is swept.
const SMALL: usize = 200;
/// Sweeps after which elimination is tried in larger components.
const PATIENCE: u64 = 400;
/// Sweeps after which policies are compared in fractions instead, in components with choices, and operations for all of them.
const CHOICE_PATIENCE: u64 = 10_000;
const CHOICE_OPERATIONS: u64 = 5_000_000;
const CHOICE_BITS: usize = 1 << 16;
/// Sweeps after which a component is given up: bounds that have not met by then hardly move. What is known of it stays right.
const LAST_PATIENCE: u64 = 1_000_000;
/// Operations that this may cost, at least, and per entry.
const ELIMINATION: u64 = 4_000_000;
const ELIMINATION_PER_ENTRY: u64 = 40;
/// The same where bounds did not come close.
const COUNTED: u64 = 50_000_000;
const COUNTED_PER_ENTRY: u64 = 100;
/// Fractions if nothing else helps: some seconds.
const PATIENT: ExactLimits = ExactLimits { states: usize::MAX, operations: 50_000_000, bits: 1 << 20 };
/// Doubles have fewer digits below this.
const SMALLEST: f64 = 1e-290;
/// Sweeps per component that are enough to guess good rows for exact arithmetic to start with.
const GLIMPSE: u64 = 2_000;

/// Solves the equations with the effort allowed.
pub(crate) fn solve(equations: &Equations, effort: &Effort, work: &mut Work) -> Result<Solved, Failure> {
    effort.check()?;
    work.unknowns += equations.variables();
    effort.reserve(equations.memory() + 40 * equations.variables())?;
    let first_entry = |variable: usize| equations.entry_start[equations.row_start[variable] as usize];
    let components = components_of(equations.variables(), first_entry, &equations.targets);
    let limits = effort.exact;
    if equations.known.exact.is_some() && equations.variables() <= limits.states && limits.operations > 0 {
        let chains = equations.choices.len() == equations.variables();
        // Good rows are guessed by sweeping a little; chains have none to choose.
        let start = match chains {
            true => None,
            false => Some(between(equations, &components, effort, GLIMPSE, &mut Work::default())?.rows),
        };
        let mut budget =
            Budget { operations: limits.operations, bits: limits.bits, stop: &|| (effort.stop)(), used: 0 };
        let found = exact(equations, &components, start, &mut budget);
        work.operations += budget.used;
        effort.check()?;
        if let Some(solution) = found {
            return Ok(Solved::Exact(solution));
        }
    }
    let mut solution = between(equations, &components, effort, u64::MAX, work)?;
    if solution.values.iter().all(|value| is_good(*value, effort)) {
        return Ok(Solved::Between(solution));
    }
    // Doubles are not enough: for chains there are numbers with more bits, which lose nothing however small it is.
    let operations = COUNTED + COUNTED_PER_ENTRY * equations.targets.len() as u64;
    let mut budget = Budget { operations, bits: usize::MAX, stop: &|| (effort.stop)(), used: 0 };
    let counted = counted::counted(equations, &components, &mut budget);
    work.operations += budget.used;
    effort.check()?;
    if let Some(counted) = counted {
        solution.values.iter_mut().zip(counted).for_each(|(value, counted)| *value = value.meet(counted));
    }
    // At last fractions, longer than usual. Who wanted none at all gets none.
    let is_wanted = equations.known.exact.is_some() && limits.operations > 0 && limits.operations < PATIENT.operations;
    if is_wanted && !solution.values.iter().all(|value| is_good(*value, effort)) {
        let mut budget =
            Budget { operations: PATIENT.operations, bits: PATIENT.bits, stop: &|| (effort.stop)(), used: 0 };
        let found = exact(equations, &components, Some(solution.rows.clone()), &mut budget);
        work.operations += budget.used;
        effort.check()?;
        if let Some(solution) = found {
            return Ok(Solved::Exact(solution));
        }
    }
    Ok(Solved::Between(solution))
}

/// Is a value as precise as wanted, or as doubles can say?
fn is_good(value: Interval, effort: &Effort) -> bool {
    value.is_within(effort.relative, effort.absolute) || value.upper < SMALLEST
}

/// Is this component a single variable without a self-loop?
fn is_trivial(equations: &Equations, members: &[u32]) -> bool {
    let &[variable] = members else { return false };
    let rows = equations.rows(variable as usize);
    let entries = equations.entry_start[rows.start] as usize..equations.entry_start[rows.end] as usize;
    !equations.targets[entries].contains(&variable)
}

fn exact(
    equations: &Equations,
    components: &Components,
    start: Option<Vec<u32>>,
    budget: &mut Budget,
) -> Option<Solution<RBig>> {
    let n = equations.variables();
    let mut values = vec![RBig::ZERO; n];
    values.extend(equations.known.exact.as_ref()?.iter().cloned());
    let mut rows: Vec<u32> = equations.row_start[..n].to_vec();
    let mut place = vec![u32::MAX; n];
    let number = |id| equations.pool.exact(id).clone();
    for component in 0..components.count() {
        let members = components.members(component);
        if is_trivial(equations, members) {
            let variable = members[0] as usize;
            let mut best: Option<RBig> = None;
            for row in equations.rows(variable) {
                let mut sum = equations.rewards.get(row).map_or(RBig::ZERO, |[a, b]| number(*a) + number(*b));
                for entry in equations.entries(row) {
                    let value = &values[equations.targets[entry] as usize];
                    if !value.is_zero() {
                        sum += Scalar::times(equations.pool.exact(equations.weights[entry]), value);
                    }
                }
                if !budget.spend(equations.entries(row).len() + 1) || bits(&sum) > budget.bits {
                    return None;
                }
                let better = best.as_ref().is_none_or(|best| match equations.extreme {
                    Extreme::Max => sum > *best,
                    Extreme::Min => sum < *best,
                });
                if better {
                    best = Some(sum);
                    rows[variable] = row as u32;
                }
            }
            values[variable] = best?;
            continue;
        }
        members.iter().enumerate().for_each(|(local, &variable)| place[variable as usize] = local as u32);
        let local = Local::new(equations, members, &place, &values, number);
        let guess = start.as_ref().and_then(|rows| local_policy(&local, members, rows));
        let (solved, policy) = policy::iterate_policies(&local, equations.extreme, guess, budget)?;
        for ((&variable, value), row) in members.iter().zip(solved).zip(policy) {
            values[variable as usize] = value;
            rows[variable as usize] = local.origin[row as usize];
            place[variable as usize] = u32::MAX;
        }
    }
    values.truncate(n);
    Some(Solution { values, rows })
}

/// Rows of the equations as rows of a component.
fn local_policy(local: &Local<RBig>, members: &[u32], rows: &[u32]) -> Option<Vec<u32>> {
    let find = |(index, &variable): (usize, &u32)| {
        local.rows(index).find(|&row| local.origin[row] == rows[variable as usize]).map(|row| row as u32)
    };
    members.iter().enumerate().map(find).collect()
}

/// For every component, how many cyclic ones lie on the longest way down from it, itself included.
fn depths(equations: &Equations, components: &Components) -> Vec<u32> {
    let mut depths: Vec<u32> = Vec::with_capacity(components.count());
    for component in 0..components.count() {
        let members = components.members(component);
        let mut below = 0;
        for &variable in members {
            let rows = equations.rows(variable as usize);
            let entries = equations.entry_start[rows.start] as usize..equations.entry_start[rows.end] as usize;
            for &target in &equations.targets[entries] {
                if (target as usize) < equations.variables() {
                    // The own component is not in the list yet.
                    let known = depths.get(components.of(target as usize));
                    below = below.max(known.copied().unwrap_or(0));
                }
            }
        }
        depths.push(below + u32::from(members.len() > 1));
    }
    depths
}

fn between(
    equations: &Equations,
    components: &Components,
    effort: &Effort,
    patience: u64,
    work: &mut Work,
) -> Result<Solution<Interval>, Failure> {
    let n = equations.variables();
    let mut values = vec![Interval::ZERO; n];
    values.extend_from_slice(&equations.known.around);
    let mut rows: Vec<u32> = equations.row_start[..n].to_vec();
    let mut place = vec![u32::MAX; n];
    let depths = depths(equations, components);
    let deepest = depths.iter().copied().max().unwrap_or(0).max(1);
    let known = equations.known.around.iter().map(|value| relative_width(*value)).fold(0.0, f64::max);
    let stop = || (effort.stop)();
    let mut budget = Budget { operations: CHOICE_OPERATIONS, bits: CHOICE_BITS, stop: &stop, used: 0 };
    for (component, &depth) in depths.iter().enumerate() {
        let members = components.members(component);
        if component % 4096 == 0 {
            effort.check()?;
        }
        if let &[variable] = members {
            let (value, row) = single(equations, variable as usize, &values);
            values[variable as usize] = value;
            rows[variable as usize] = row;
            continue;
        }
        work.components += 1;
        members.iter().enumerate().for_each(|(local, &variable)| place[variable as usize] = local as u32);
        let local = Local::new(equations, members, &place, &values, |id| equations.pool.around(id));
        // Rounding needs a little of the tolerance, too.
        let share = 0.9 * f64::from(depth) / f64::from(deepest);
        let relative = (effort.relative - known).max(effort.relative * 0.1) * share + known;
        let tolerance = Tolerance { relative, absolute: effort.absolute * share };
        let task = Component { local: &local, extreme: equations.extreme, tolerance, effort, patience };
        let (solved, chosen) = match local.is_chain() {
            true => task.chain(work)?,
            false => {
                task.choices(work, |guess| stuck::by_policies(equations, members, &place, &values, guess, &mut budget))?
            }
        };
        for ((&variable, value), row) in members.iter().zip(solved).zip(chosen) {
            values[variable as usize] = value;
            rows[variable as usize] = local.origin[row as usize];
            place[variable as usize] = u32::MAX;
        }
    }
    work.operations += budget.used;
    values.truncate(n);
    Ok(Solution { values, rows })
}

fn relative_width(value: Interval) -> f64 {
    if value.lower == value.upper || value.lower == 0.0 { 0.0 } else { (value.upper - value.lower) / value.lower }
}

/// A variable that depends on no other variable of its component. Self-loops are divided out.
fn single(equations: &Equations, variable: usize, values: &[Interval]) -> (Interval, u32) {
    let maximise = equations.extreme == Extreme::Max;
    let rows = equations.rows(variable);
    let mut best = if maximise { Interval::ZERO } else { Interval { lower: f64::INFINITY, upper: f64::INFINITY } };
    let mut best_row = rows.start as u32;
    let mut first = true;
    for row in rows {
        let entries = equations.entries(row);
        let (mut low, mut high, mut zero, mut loops) = (0.0, 0.0, true, false);
        let mut leak = (0.0, 0.0);
        if let Some(rewards) = equations.rewards.get(row) {
            for &reward in rewards {
                let reward = equations.pool.around(reward);
                low += reward.lower;
                high += reward.upper;
                zero &= reward.upper == 0.0;
            }
        }
        for entry in entries.clone() {
            let target = equations.targets[entry] as usize;
            if target == variable {
                loops = true;
                continue;
            }
            let (weight, value) = (equations.pool.around(equations.weights[entry]), values[target]);
            low += weight.lower * value.lower;
            high += weight.upper * value.upper;
            zero &= value.upper == 0.0;
            leak = (leak.0 + weight.lower, leak.1 + weight.upper);
        }
        let terms = entries.len() + 2;
        let mut value = match zero {
            true => Interval::ZERO,
            false => Interval { lower: shrunk(low, terms), upper: grown(high, terms) },
        };
        if loops {
            if leak.1 == 0.0 {
                continue;
            }
            value = value.over(Interval { lower: shrunk(leak.0, terms), upper: grown(leak.1, terms) });
        }
        let better = if maximise { value.lower > best.lower } else { value.upper < best.upper };
        if better || first {
            best_row = row as u32;
        }
        best = match (first, maximise) {
            (true, _) => value,
            (_, true) => Interval { lower: best.lower.max(value.lower), upper: best.upper.max(value.upper) },
            (_, false) => Interval { lower: best.lower.min(value.lower), upper: best.upper.min(value.upper) },
        };
        first = false;
    }
    (best, best_row)
}

/// A component to be solved between bounds.
struct Component<'a, 'e> {
    local: &'a Local<Interval>,
    extreme: Extreme,
    tolerance: Tolerance,
    effort: &'a Effort<'e>,
    /// Sweeps that are enough.
    patience: u64,
}

/// Bounds of the variables of a component, and rows.
type Found = (Vec<Interval>, Vec<u32>);

impl Component<'_, '_> {
    /// With choices: sweeps, then policies, then more sweeps.
    fn choices(&self, work: &mut Work, by_policies: impl FnOnce(Vec<u32>) -> Option<Found>) -> Result<Found, Failure> {
        let mut sweeper = Sweeper::new(self.local, self.extreme);
        let first = self.swept(&mut sweeper, self.patience.min(CHOICE_PATIENCE), work)?;
        if self.patience <= CHOICE_PATIENCE || first.iter().all(|value| self.is_near(*value)) {
            return Ok((first, sweeper.chosen));
        }
        let found = by_policies(sweeper.chosen.clone());
        self.effort.check()?;
        if let Some(found) = found {
            return Ok(found);
        }
        let last = self.swept(&mut sweeper, self.patience.min(LAST_PATIENCE), work)?;
        Ok((first.into_iter().zip(last).map(|(first, last)| first.meet(last)).collect(), sweeper.chosen))
    }

    /// Without choices: small ones are eliminated, others if sweeps do not get there soon.
    fn chain(&self, work: &mut Work) -> Result<Found, Failure> {
        let n = self.local.variables();
        let policy: Vec<u32> = (0..n as u32).collect();
        let mut sweeper = None;
        if n > SMALL {
            let sweeper = sweeper.insert(Sweeper::new(self.local, self.extreme));
            let ended = sweeper.run(self.tolerance, PATIENCE, self.effort)?;
            work.sweeps += sweeper.sweeps;
            if let Ended::Proved(upper) = ended {
                return Ok((joined(&sweeper.lower, &upper), policy));
            }
        }
        let operations = ELIMINATION + ELIMINATION_PER_ENTRY * self.local.targets.len() as u64;
        let mut budget = Budget { operations, bits: usize::MAX, stop: &|| (self.effort.stop)(), used: 0 };
        let values = eliminate(self.local.chain(&policy), &mut budget);
        work.operations += budget.used;
        self.effort.check()?;
        if let Some(values) = values {
            return Ok((values, policy));
        }
        let mut sweeper = sweeper.unwrap_or_else(|| Sweeper::new(self.local, self.extreme));
        Ok((self.swept(&mut sweeper, self.patience.min(LAST_PATIENCE), work)?, policy))
    }

    /// Bounds after so many sweeps more.
    fn swept(&self, sweeper: &mut Sweeper, patience: u64, work: &mut Work) -> Result<Vec<Interval>, Failure> {
        let before = sweeper.sweeps;
        let ended = sweeper.run(self.tolerance, patience, self.effort)?;
        work.sweeps += sweeper.sweeps - before;
        Ok(match ended {
            Ended::Proved(upper) => joined(&sweeper.lower, &upper),
            Ended::Tired => joined(&sweeper.lower, &vec![f64::INFINITY; self.local.variables()]),
        })
    }

    fn is_near(&self, value: Interval) -> bool {
        value.is_within(self.tolerance.relative * (1.0 + 1e-6), self.tolerance.absolute)
    }
}

fn joined(lower: &[f64], upper: &[f64]) -> Vec<Interval> {
    lower.iter().zip(upper).map(|(&lower, &upper)| Interval { lower, upper: upper.max(lower) }).collect()
}
