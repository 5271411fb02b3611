//! The least point of a set of difference constraints.
//!
//! Solutions of such constraints are closed under taking the smaller value of each clock, so on a grid there is one that
//! is least in all clocks at once: the length of the longest path from the reference, found by relaxing until nothing
//! changes (Bellman 1958, Ford 1956). Strict bounds are moved inwards by one unit of the grid. A cycle without strict
//! bounds is not changed by that; any other cycle of a solvable system has at least one whole number to spare and at most
//! `dimension` strict bounds, so a grid of `1 / dimension` is always fine enough. Coarser ones are tried first, because
//! people like to read 1/2 better than 6/11.

use crate::bound::Constraint;
use crate::point::Point;
use crate::zone::Zone;

/// Values for the clocks that satisfy all constraints, each of them as small as possible; nothing if there are none.
/// Clocks are not negative.
///
/// "Clocks" can also be the points in time at which the steps of a run happen, with the guards and invariants of the run
/// as constraints between them: the result is then a schedule in which every step happens as early as possible.
pub fn least_point(dimension: usize, constraints: &[Constraint]) -> Option<Point> {
    let finest = i128::try_from(dimension).ok()?;
    let certain = least_on_grid(dimension, constraints, finest)?;
    let coarser = [1, 2, 3, 4, 6, 8, 12, 16].into_iter().filter(|unit| *unit < finest);
    Some(coarser.into_iter().find_map(|unit| least_on_grid(dimension, constraints, unit)).unwrap_or(certain))
}

/// Is there a point that satisfies all constraints?
pub fn is_solvable(dimension: usize, constraints: &[Constraint]) -> bool {
    i128::try_from(dimension).is_ok_and(|finest| relaxed(dimension, constraints, finest).1.is_some())
}

fn least_on_grid(dimension: usize, constraints: &[Constraint], unit: i128) -> Option<Point> {
    relaxed(dimension, constraints, unit).1.map(|values| Point::new(values, unit))
}

/// How many sweeps over all constraints it takes to find the least values on a grid, and these, if there are any.
///
/// Sweeps go there and back in turn (Yen 1970): constraints along a run come in the order of its steps, lower bounds on times
/// push later steps on, upper bounds earlier ones. In one direction only, the other kind would come along by one step in each
/// sweep, which is quadratic in the length of the run. So would be waiting until values have grown too often to have an end: who
/// pushes whom is remembered, and nobody pushes itself if there is a solution (Cherkassky and Goldberg 1999).
fn relaxed(dimension: usize, constraints: &[Constraint], unit: i128) -> (usize, Option<Vec<i128>>) {
    let mut values = vec![0i128; dimension];
    let mut pushed_by = vec![NOBODY; dimension];
    for sweep in 1..=dimension + 1 {
        let mut changed = false;
        let mut relax = |constraint: &Constraint| {
            let Some(constant) = constraint.bound.constant() else { return };
            let bound = i128::from(constant) * unit - i128::from(constraint.bound.is_strict());
            let needed = values[constraint.left] - bound;
            if values[constraint.right] < needed {
                values[constraint.right] = needed;
                pushed_by[constraint.right] = constraint.left;
                changed = true;
            }
        };
        match sweep % 2 {
            1 => constraints.iter().for_each(&mut relax),
            _ => constraints.iter().rev().for_each(&mut relax),
        }
        if values[0] > 0 || (changed && has_cycle(&pushed_by)) {
            return (sweep, None);
        }
        if !changed {
            return (sweep, Some(values));
        }
    }
    (dimension + 1, None)
}

/// Nobody has pushed this value.
const NOBODY: usize = usize::MAX;

/// Does somebody push itself, by way of others?
fn has_cycle(pushed_by: &[usize]) -> bool {
    let mut seen_from = vec![NOBODY; pushed_by.len()];
    for start in 0..pushed_by.len() {
        let mut at = start;
        while at != NOBODY && seen_from[at] == NOBODY {
            seen_from[at] = start;
            at = pushed_by[at];
        }
        if at != NOBODY && seen_from[at] == start {
            return true;
        }
    }
    false
}

impl Zone<'_> {
    /// A point of the zone with values as small as possible; nothing if the zone is empty.
    pub fn some_point(self) -> Option<Point> {
        if self.is_empty() {
            return None;
        }
        let n = self.dimension;
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j);
        let constraints: Vec<Constraint> = pairs.map(|(i, j)| Constraint::new(i, j, self.bound(i, j))).collect();
        least_point(n, &constraints)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Bound;

    /// A run of so many steps, each of them later than the one before within these bounds; the last one at this time at the earliest.
    fn run(steps: usize, least: Bound, most: Bound, end: i32) -> Vec<Constraint> {
        let step = |at| [Constraint::new(at, at + 1, least), Constraint::new(at + 1, at, most)];
        (0..steps).flat_map(step).chain([Constraint::new(0, steps, Bound::at_most(-end))]).collect()
    }

    #[test]
    fn long_runs_take_few_sweeps() {
        let steps = 1000;
        // Between 1 and 3 units from step to step, 2999 in all: only the first step may be early.
        let constraints = run(steps, Bound::at_most(-1), Bound::at_most(3), 2999);
        let (sweeps, values) = relaxed(steps + 1, &constraints, 1);
        let expected: Vec<i128> = [0].into_iter().chain((1..=steps as i128).map(|step| 3 * step - 1)).collect();
        assert_eq!((sweeps, values), (3, Some(expected)));
        // More than 1 and less than 2 units: not in whole numbers, and that is soon known.
        let constraints = run(steps, Bound::less_than(-1), Bound::less_than(2), 1500);
        let (sweeps, values) = relaxed(steps + 1, &constraints, 1);
        assert!(sweeps < 4 && values.is_none(), "{sweeps}");
        let (sweeps, values) = relaxed(steps + 1, &constraints, 2);
        assert!(sweeps < 4 && values.is_some_and(|values| values[steps] == 3000), "{sweeps}");
        // More than is possible.
        let constraints = run(steps, Bound::at_most(-1), Bound::at_most(3), 3001);
        let (sweeps, values) = relaxed(steps + 1, &constraints, 1);
        assert!(sweeps < 4 && values.is_none(), "{sweeps}");
    }

    /// Few values, many constraints of any kind: the same as by sweeps in one direction until they have been too many.
    #[test]
    fn the_least_values_are_those_of_plain_relaxation() {
        fn plain(dimension: usize, constraints: &[Constraint], unit: i128) -> Option<Vec<i128>> {
            let mut values = vec![0i128; dimension];
            for _ in 0..=2 * dimension {
                let before = values.clone();
                for c in constraints {
                    let strict = i128::from(c.bound.is_strict());
                    let Some(constant) = c.bound.constant() else { continue };
                    let needed = values[c.left] - (i128::from(constant) * unit - strict);
                    values[c.right] = values[c.right].max(needed);
                }
                if values == before {
                    return (values[0] == 0).then_some(values);
                }
            }
            None
        }
        let mut state = 1u64;
        let mut draw = move |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        let mut solvable = 0;
        for _ in 0..20_000 {
            let dimension = 2 + draw(5) as usize;
            let constraints: Vec<Constraint> = (0..draw(3 * dimension as u64))
                .filter_map(|_| {
                    let (left, right) = (draw(dimension as u64) as usize, draw(dimension as u64) as usize);
                    let constant = draw(13) as i32 - 5;
                    let bound = if draw(2) == 0 { Bound::at_most(constant) } else { Bound::less_than(constant) };
                    (left != right).then(|| Constraint::new(left, right, bound))
                })
                .collect();
            let unit = 1 + draw(3) as i128;
            assert_eq!(is_solvable(dimension, &constraints), least_point(dimension, &constraints).is_some());
            let found = relaxed(dimension, &constraints, unit).1;
            assert_eq!(found, plain(dimension, &constraints, unit), "{constraints:?} on 1/{unit}");
            solvable += u32::from(found.is_some());
        }
        assert!((4_000..16_000).contains(&solvable), "{solvable}");
    }
}
