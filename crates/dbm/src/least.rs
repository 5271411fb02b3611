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

fn least_on_grid(dimension: usize, constraints: &[Constraint], unit: i128) -> Option<Point> {
    let mut values = vec![0i128; dimension];
    for _ in 0..=dimension {
        let mut changed = false;
        for constraint in constraints {
            let Some(constant) = constraint.bound.constant() else { continue };
            let bound = i128::from(constant) * unit - i128::from(constraint.bound.is_strict());
            let needed = values[constraint.left] - bound;
            if values[constraint.right] < needed {
                values[constraint.right] = needed;
                changed = true;
            }
        }
        if values[0] > 0 {
            return None;
        }
        if !changed {
            return Some(Point::new(values, unit));
        }
    }
    None
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
