//! Which patterns count different steps, so that their distances can be added (Felner, Korf, Hanan 2004).
//!
//! An abstraction counts the steps that change one of its variables. If no step that costs something changes variables of
//! two patterns, each step of a path is counted at most once in the sum of their distances.

use std::collections::BTreeSet;

use bughound_finite::cost::{Cost, INFINITE, plus};
use bughound_finite::task::Task;

use super::pattern::Pattern;

pub struct Additivity {
    /// By variable: those that change in the same steps, as far as these cost something; itself if there are any.
    together: Vec<BTreeSet<usize>>,
    /// The largest cost of an error.
    error_cost: Cost,
}

impl Additivity {
    pub fn new(task: &Task) -> Additivity {
        let mut together = vec![BTreeSet::new(); task.variables.len()];
        for operator in task.operators.iter().filter(|operator| operator.cost > 0) {
            let changes = || operator.relations.iter().filter(|(_, relation)| !relation.only_tests());
            for (variable, _) in changes() {
                together[*variable as usize].extend(changes().map(|(other, _)| *other as usize));
            }
        }
        Additivity { together, error_cost: task.errors.iter().map(|error| error.cost).max().unwrap_or(0) }
    }

    /// Can the distances of two patterns be added?
    pub fn between(&self, a: &Pattern, b: &Pattern) -> bool {
        let apart = |variable: &usize| !b.variables.iter().any(|other| self.together[*variable].contains(other));
        a.variables.iter().all(apart)
    }

    /// A lower bound from distances that can be added. Every one of them includes the cost of an error, but there is one
    /// error only: of all but one, the largest cost that it can have is taken away. Those that are no larger than that
    /// are better left out.
    pub fn sum(&self, distances: impl Iterator<Item = Cost>) -> Cost {
        let (mut largest, mut sum) = (0, self.error_cost);
        for distance in distances {
            if distance == INFINITE {
                return INFINITE;
            }
            largest = distance.max(largest);
            sum = plus(sum, distance.saturating_sub(self.error_cost));
        }
        if largest < self.error_cost { largest } else { sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_of_an_error_counts_once() {
        let sum = |error_cost: Cost, distances: &[Cost]| {
            Additivity { together: Vec::new(), error_cost }.sum(distances.iter().copied())
        };
        assert_eq!(sum(0, &[5, 5]), 10);
        assert_eq!(sum(1, &[6, 6]), 11);
        // The error may be one that costs nothing in one of them, but 3 in the other.
        assert_eq!(sum(3, &[5, 2]), 5);
        assert_eq!(sum(3, &[1, 2]), 2);
        assert_eq!(sum(3, &[1, INFINITE]), INFINITE);
        assert_eq!(sum(0, &[INFINITE - 1, 7]), INFINITE - 1);
    }
}
