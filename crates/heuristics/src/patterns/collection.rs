//! Several databases, combined as well as is allowed: the largest of the sums that count nothing twice.

use std::sync::Arc;

use bughound_finite::cost::{Cost, INFINITE};
use bughound_finite::relation::Value;
use bughound_finite::task::Task;

use super::additive::Additivity;
use super::cliques::maximal_cliques;
use super::database::Database;
use super::pattern::Pattern;

/// So many sets of patterns that can be added are looked at, if there are more.
const MOST_SETS: usize = 64;

#[derive(Clone)]
pub struct Collection {
    pub databases: Vec<Database>,
    /// Sets of databases that can be added, by number.
    pub sets: Vec<Vec<usize>>,
    additivity: Arc<Additivity>,
    /// Working memory.
    distances: Vec<Cost>,
}

impl Collection {
    /// What databases say together. Those that cannot make a difference are left out.
    pub fn new(databases: Vec<Database>, additivity: Additivity) -> Collection {
        let patterns: Vec<&Pattern> = databases.iter().map(|database| &database.pattern).collect();
        let sets = without_dominated(&patterns, additive_sets(&patterns, &additivity));
        let mut numbers = vec![None; databases.len()];
        let mut kept = Vec::new();
        for (number, database) in databases.into_iter().enumerate() {
            if sets.iter().any(|set| set.contains(&number)) {
                numbers[number] = Some(kept.len());
                kept.push(database);
            }
        }
        let renumbered = sets.iter().map(|set| set.iter().filter_map(|number| numbers[*number]).collect());
        Collection {
            sets: renumbered.collect(),
            databases: kept,
            additivity: Arc::new(additivity),
            distances: Vec::new(),
        }
    }

    /// The variables that are looked at.
    pub fn variables(&self) -> Vec<usize> {
        let all = self.databases.iter().flat_map(|database| &database.pattern.variables);
        let mut variables: Vec<usize> = all.copied().collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// The estimate of a state of the task.
    pub fn of_values(&mut self, values: &[Value]) -> Cost {
        self.distances.clear();
        self.distances.extend(self.databases.iter_mut().map(|database| database.of_values(values)));
        let sums = self.sets.iter().map(|set| self.additivity.sum(set.iter().map(|number| self.distances[*number])));
        sums.max().unwrap_or(0)
    }

    /// The least estimate of an initial state.
    pub fn initial(&mut self, task: &Task) -> Cost {
        task.initial.iter().map(|values| self.of_values(values)).min().unwrap_or(INFINITE)
    }

    pub fn memory(&self) -> u64 {
        self.databases.iter().map(Database::memory).sum()
    }
}

/// The largest sets of patterns whose distances can be added.
pub fn additive_sets(patterns: &[&Pattern], additivity: &Additivity) -> Vec<Vec<usize>> {
    // Every pair is asked for many times.
    let row = |a: &&Pattern| -> Vec<bool> { patterns.iter().map(|b| additivity.between(a, b)).collect() };
    let between: Vec<Vec<bool>> = patterns.iter().map(row).collect();
    maximal_cliques(patterns.len(), &|a, b| between[a][b], MOST_SETS)
}

/// A pattern sees at least what patterns see together that are parts of it. So a set is of no use if each of its patterns
/// is part of one of another set (Haslum and others 2007, section 3.4).
fn without_dominated(patterns: &[&Pattern], sets: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let part_of = |a: usize, b: usize| patterns[a].variables.iter().all(|variable| patterns[b].keeps(*variable));
    let covers = |large: &[usize], small: &[usize]| small.iter().all(|a| large.iter().any(|b| part_of(*a, *b)));
    let mut kept: Vec<Vec<usize>> = Vec::new();
    for set in sets {
        if !kept.iter().any(|other| covers(other, &set)) {
            kept.retain(|other| !covers(&set, other));
            kept.push(set);
        }
    }
    kept
}
