//! The choice of several patterns by hill climbing (Haslum, Botea, Helmert, Bonet, Koenig 2007: iPDB).
//!
//! It starts with one pattern for each variable that errors test. A neighbour is one of the patterns with another variable
//! that matters to it, or all variables that errors test. As long as there is one that raises the estimates of some states of a sample, the one that raises
//! most of them is added. All limits count work, not seconds: the same model always gets the same patterns.

use std::collections::{BTreeSet, HashMap, HashSet};

use bughound_finite::cost::{Cost, INFINITE};
use bughound_finite::ground::Operator;
use bughound_finite::relation::Value;
use bughound_finite::task::Task;
use bughound_ir::network::Network;
use bughound_kernel::{Unwatched, Watch};

use super::additive::Additivity;
use super::collection::{Collection, additive_sets};
use super::database::Database;
use super::pattern::{Part, Pattern};
use super::sample::sample;
use super::space::{Budget, TooLarge, Zones};

/// States of the sample.
const SAMPLE: usize = 400;
/// Walks are about twice as long as the initial state seems to be away from an error, but within these limits.
const SHORTEST_WALK: usize = 20;
const LONGEST_WALK: usize = 5_000;
/// For every state that the collection may have, so much work may go into candidates: a state of theirs, an operator that
/// is seen through one, a pattern that one is added to.
const WORK_PER_STATE: usize = 4;
/// More patterns take too long to look up.
const MOST_PATTERNS: usize = 64;

/// The most states of abstractions.
#[derive(Clone, Copy)]
pub struct Limits {
    /// All together.
    pub states: usize,
    pub each: usize,
}

/// Patterns for a task, and their databases.
pub fn climb(network: &Network, task: &Task, limits: Limits, watch: &dyn Watch) -> Collection {
    let mut climber = Climber::new(network, task, limits, watch);
    while let Some(better) = climber.best_neighbour() {
        climber.add(better);
    }
    Collection::new(climber.databases, climber.additivity)
}

/// The distances that a pattern gives the states of the sample.
struct Column {
    states: usize,
    distances: Vec<Cost>,
}

struct Climber<'a> {
    network: &'a Network,
    task: &'a Task,
    limits: Limits,
    watch: &'a dyn Watch,
    additivity: Additivity,
    /// Variables that errors test.
    errors: BTreeSet<usize>,
    /// By variable: those that matter where it changes.
    influences: Vec<BTreeSet<usize>>,
    sample: Vec<Vec<Value>>,
    databases: Vec<Database>,
    /// By database.
    columns: Vec<Column>,
    sets: Vec<Vec<usize>>,
    /// The estimates of the states of the sample.
    estimates: Vec<Cost>,
    /// Neighbours so far; none where the abstraction is too large.
    known: HashMap<Pattern, Option<Column>>,
    work: usize,
}

impl<'a> Climber<'a> {
    fn new(network: &'a Network, task: &'a Task, limits: Limits, watch: &'a dyn Watch) -> Climber<'a> {
        let mut climber = Climber {
            network,
            task,
            limits,
            watch,
            additivity: Additivity::new(task),
            errors: task.errors.iter().flat_map(variables).collect(),
            influences: influences(task),
            sample: Vec::new(),
            databases: Vec::new(),
            columns: Vec::new(),
            sets: Vec::new(),
            estimates: Vec::new(),
            known: HashMap::new(),
            work: limits.states.saturating_mul(WORK_PER_STATE),
        };
        let single = climber.errors.iter().map(|v| Pattern::default().with(Part::Variable(*v)));
        let fits = single.filter_map(|pattern| climber.database(pattern).ok());
        let mut states = 0;
        let fits = fits.take(MOST_PATTERNS).take_while(|database| {
            states += database.states();
            states <= limits.states
        });
        let mut start: Vec<Database> = fits.collect();
        if start.is_empty() {
            // The cost of the error that is left.
            let budget = Budget { states: 1, watch: &Unwatched };
            start.extend(Database::new(network, task, Pattern::default(), Zones::All, budget));
        }
        let mut collection = Collection::new(start, Additivity::new(task));
        climber.sample = walks(network, task, &mut collection);
        for mut database in collection.databases {
            climber.columns.push(climber.column(&mut database));
            climber.databases.push(database);
        }
        climber.combine();
        climber
    }

    fn database(&self, pattern: Pattern) -> Result<Database, TooLarge> {
        let budget = Budget { states: self.limits.each, watch: self.watch };
        Database::new(self.network, self.task, pattern, Zones::All, budget)
    }

    fn column(&self, database: &mut Database) -> Column {
        let distances = self.sample.iter().map(|state| database.of_values(state)).collect();
        Column { states: database.states(), distances }
    }

    fn add(&mut self, mut database: Database) {
        self.columns.push(self.column(&mut database));
        self.databases.push(database);
        self.combine();
    }

    /// What the patterns that there are say together.
    fn combine(&mut self) {
        let patterns: Vec<&Pattern> = self.databases.iter().map(|database| &database.pattern).collect();
        self.sets = additive_sets(&patterns, &self.additivity);
        let estimate = |state: usize| {
            let sums = self.sets.iter().map(|set| self.sum(set, state, None));
            sums.max().unwrap_or(0)
        };
        self.estimates = (0..self.sample.len()).map(estimate).collect();
    }

    /// What a set of patterns, perhaps with another one, says about a state of the sample.
    fn sum(&self, set: &[usize], state: usize, another: Option<Cost>) -> Cost {
        let distances = set.iter().map(|number| self.columns[*number].distances[state]);
        self.additivity.sum(distances.chain(another))
    }

    /// The neighbour that raises most estimates; of several, the one with the smallest abstraction.
    fn best_neighbour(&mut self) -> Option<Database> {
        if self.databases.len() >= MOST_PATTERNS {
            return None;
        }
        let used: usize = self.columns.iter().map(|column| column.states).sum();
        let mut best: Option<(usize, usize, Pattern)> = None;
        for pattern in self.neighbours() {
            if self.work == 0 || !self.watch.go_on(self.sample.len() as u64, 0) {
                break;
            }
            self.look_at(&pattern);
            let Some(Some(column)) = self.known.get(&pattern) else { continue };
            let raised = self.raised(&pattern, column);
            let better = best
                .as_ref()
                .is_none_or(|(most, states, _)| raised > *most || raised == *most && column.states < *states);
            if raised > 0 && better && used + column.states <= self.limits.states {
                best = Some((raised, column.states, pattern));
            }
        }
        best.and_then(|(_, _, pattern)| self.database(pattern).ok())
    }

    /// Patterns with one more variable: one that matters where one of theirs changes, or that errors test. And all that
    /// errors test at once: where there are several errors, one variable more may still leave one of them at hand.
    fn neighbours(&self) -> Vec<Pattern> {
        let mut found = vec![Pattern { variables: self.errors.iter().copied().collect(), clocks: Vec::new() }];
        let chosen = || self.databases.iter().map(|database| &database.pattern);
        for pattern in chosen() {
            let influences = pattern.variables.iter().flat_map(|variable| &self.influences[*variable]);
            let variables: BTreeSet<usize> = influences.chain(&self.errors).copied().collect();
            found.extend(variables.into_iter().map(|variable| pattern.with(Part::Variable(variable))));
        }
        let mut seen: HashSet<Pattern> = chosen().cloned().collect();
        found.retain(|pattern| seen.insert(pattern.clone()));
        found
    }

    /// Finds out about a pattern.
    fn look_at(&mut self, pattern: &Pattern) {
        if !self.known.contains_key(pattern) {
            let database = self.database(pattern.clone());
            let column = database.ok().map(|mut database| self.column(&mut database));
            let states = column.as_ref().map_or(self.limits.each, |column| column.states);
            self.work = self.work.saturating_sub(states + self.task.operators.len());
            self.known.insert(pattern.clone(), column);
        }
        let added_to: usize = self.sets.iter().map(|set| set.len() + 1).sum();
        self.work = self.work.saturating_sub(added_to);
    }

    /// How many estimates a pattern raises: in the sum with those that it can be added to.
    fn raised(&self, pattern: &Pattern, column: &Column) -> usize {
        let fits = |number: &usize| self.additivity.between(pattern, &self.databases[*number].pattern);
        let with_it: BTreeSet<Vec<usize>> =
            self.sets.iter().map(|set| set.iter().copied().filter(fits).collect()).collect();
        let raises = |state: &usize| {
            let another = Some(column.distances[*state]);
            with_it.iter().any(|set| self.sum(set, *state, another) > self.estimates[*state])
        };
        (0..self.sample.len()).filter(raises).count()
    }
}

fn variables(operator: &Operator) -> impl Iterator<Item = usize> {
    operator.relations.iter().map(|(variable, _)| *variable as usize)
}

fn influences(task: &Task) -> Vec<BTreeSet<usize>> {
    let mut influences = vec![BTreeSet::new(); task.variables.len()];
    for operator in task.operators.iter() {
        for (variable, _) in operator.relations.iter().filter(|(_, relation)| !relation.only_tests()) {
            influences[*variable as usize].extend(variables(operator));
        }
    }
    influences
}

/// The sample: none where the start is hopeless already.
fn walks(network: &Network, task: &Task, collection: &mut Collection) -> Vec<Vec<Value>> {
    let start = collection.initial(task);
    if start == INFINITE {
        return Vec::new();
    }
    let costs: u64 = task.operators.iter().map(|operator| u64::from(operator.cost)).sum();
    let usual = (costs / task.operators.len().max(1) as u64).max(1);
    let depth = (2 * u64::from(start) / usual) as usize;
    let depth = depth.clamp(SHORTEST_WALK, LONGEST_WALK);
    sample(network, task, SAMPLE, depth, &mut |state| collection.of_values(state) == INFINITE)
}
